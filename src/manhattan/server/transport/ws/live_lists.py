"""The websocket of a person: it says which of their games have changed."""

from __future__ import annotations

from aiohttp import web

from manhattan.server.domain.errors import CommandRejected, ErrorCode
from manhattan.server.protocol.commands import Command, Ping
from manhattan.server.protocol.messages import DoneMessage
from manhattan.server.storage import Identity
from manhattan.server.transport.ws.client_socket import ClientSocket, open_websocket


async def serve_live_lists(request: web.Request) -> web.WebSocketResponse:
    """Serve the websocket of a person."""
    return await open_websocket(request, _check, LiveListsSocket)


def _check(identity: Identity | None) -> None:
    if identity is None:
        raise CommandRejected(ErrorCode.NO_IDENTITY)


class LiveListsSocket(ClientSocket):
    """A websocket that says which games have changed. The only command is a ping."""

    async def _subscribe(self) -> None:
        await self._tables.subscribe_person(self)

    def _unsubscribe(self) -> None:
        self._tables.unsubscribe_person(self)

    async def _execute(self, command: Command) -> None:
        if not isinstance(command, Ping):
            what = "Here you can only send a ping: play at the websocket of a table."
            raise CommandRejected(ErrorCode.BAD_REQUEST, what=what)
        self._send_message(DoneMessage(reply_to=command.id, number=None))
