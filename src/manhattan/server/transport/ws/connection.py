"""Websocket connections: one viewer of one table. Commands come in, messages go out."""

from __future__ import annotations

import asyncio
import re
from functools import partial
from typing import Final

from aiohttp import web

from manhattan.rules import parse_move
from manhattan.server.domain.commands import Actor, PlayMove, SendChat
from manhattan.server.domain.errors import CommandRejected, ErrorCode
from manhattan.server.protocol.commands import Command, ExplainMove, Ping, Rematch
from manhattan.server.protocol.messages import DoneMessage, WhyMessage
from manhattan.server.protocol.serialize import problem_of
from manhattan.server.service.table_session import TableSession
from manhattan.server.storage import Identity
from manhattan.server.transport.request_context import Services, table_id
from manhattan.server.transport.ws.client_socket import ClientSocket, open_websocket
from manhattan.view import view

_NUMBER: Final = re.compile(r"[0-9]{1,8}")


async def serve_table(request: web.Request) -> web.WebSocketResponse:
    """Serve the websocket of a table."""
    since = request.query.get("since", "")
    number = int(since) if _NUMBER.fullmatch(since) else None
    connect = partial(Connection, table=request.match_info["table"], since=number)
    return await open_websocket(request, lambda _: _check(request), connect)


def _check(request: web.Request) -> None:
    table_id(request)


class Connection(ClientSocket):
    """A viewer's websocket."""

    def __init__(
        self,
        services: Services,
        identity: Identity | None,
        websocket: web.WebSocketResponse,
        transport: asyncio.Transport,
        address: str,
        *,
        table: str,
        since: int | None,
    ) -> None:
        super().__init__(services, identity, websocket, transport, address)
        person = identity.person if identity else None
        self._actor = Actor(person.id, person.name) if person else None
        self._table = table
        self._since = since
        self._session: TableSession | None = None

    async def _subscribe(self) -> None:
        self._session = await self._tables.subscribe(self._table, self, self._since)

    def _unsubscribe(self) -> None:
        if self._session is not None:
            self._tables.unsubscribe(self._session, self)

    async def _execute(self, command: Command) -> None:
        session = self._session
        assert session is not None
        match command:
            case PlayMove():
                await self._tables.execute(session.id, command, self._actor, self)
                self._refund_move()
            case Ping():
                self._send_message(DoneMessage(reply_to=command.id, number=None))
            case ExplainMove():
                self._explain(session, command)
            case Rematch():
                await self._open_rematch(session, command)
            case _:
                if isinstance(command, SendChat) and self.person is not None:
                    self._rate_limiter.chat.take(self.person)
                await self._tables.execute(session.id, command, self._actor, self)

    async def _open_rematch(self, session: TableSession, command: Rematch) -> None:
        """Continue at the next table with the same websocket."""
        if self.person is None:
            raise CommandRejected(ErrorCode.NO_IDENTITY)
        self._rate_limiter.tables.take(self.person)
        person = await self._tables.store.find_person(self.person)
        if person is None:
            raise CommandRejected(ErrorCode.NO_IDENTITY)
        actor = Actor(person.id, person.name)  # the name may have changed
        table = await self._tables.rematch(
            session.id, actor, start=command.start, nonce_hashes=tuple(command.nonce_hashes)
        )
        # First the new table: a viewer who can't see it stays at the old one.
        self._session = await self._tables.subscribe(table, self, None, command.id)
        self._tables.unsubscribe(session, self)

    def _explain(self, session: TableSession, command: ExplainMove) -> None:
        """Say why a move is illegal, judged by what the viewer sees."""
        state = session.state
        if state.game is None:
            raise CommandRejected(ErrorCode.NOT_STARTED)
        refusal = view(state.game.state, state.viewpoint(self.person)).why_not(
            parse_move(command.move)
        )
        problem = None if refusal is None else problem_of(refusal)
        self._send_message(WhyMessage(reply_to=command.id, problem=problem))
