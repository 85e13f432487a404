"""The websocket of a client: opening and closing it, limits, frames in and messages out."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, Final

from aiohttp import WSMsgType, web

from manhattan.rules import ManhattanError
from manhattan.server.domain.errors import AlreadyProcessed, CommandRejected, ErrorCode
from manhattan.server.domain.events import PersonId
from manhattan.server.ops import metrics
from manhattan.server.protocol.commands import (
    MAX_COMMAND_LENGTH,
    Command,
    decode_command,
    find_command_id,
)
from manhattan.server.protocol.errors import to_error_message
from manhattan.server.protocol.messages import DoneMessage, Message
from manhattan.server.protocol.serialize import encode
from manhattan.server.storage import DeviceId, Identity
from manhattan.server.transport.connection_limiter import LimitedConnection
from manhattan.server.transport.errors import public_error
from manhattan.server.transport.ratelimit import TokenBucket
from manhattan.server.transport.request_context import (
    Services,
    client_key,
    find_identity,
    is_cross_origin,
    services_of,
)

log = logging.getLogger("manhattan.server.ws")

MAX_UNSENT_BYTES: Final = 500_000
"""A viewer with more unread data than this is disconnected. A view has some 20 kB, an update 3."""
HEARTBEAT_S: Final = 20.0
"""After this silence the server pings; without an answer it closes the connection."""
CLOSE_TIMEOUT_S: Final = 2.0
"""The time for the peer's half of the closing handshake."""
_NO_WRITER_LIMIT: Final = 2**62

# Close codes.
UNAUTHENTICATED: Final = 4401
BANNED: Final = 4403
NO_SUCH_TABLE: Final = 4404
TOO_SLOW: Final = 4408
RATE_LIMITED: Final = 4429
GOING_AWAY: Final = 1001
INTERNAL_ERROR: Final = 1011
TRY_AGAIN_LATER: Final = 1013

_ACCEPTED_FRAMES: Final = frozenset(
    {WSMsgType.TEXT, WSMsgType.BINARY, WSMsgType.PING, WSMsgType.PONG}
)

CLIENT_SOCKETS: Final = web.AppKey("client_sockets", set["ClientSocket"])


async def open_websocket(
    request: web.Request,
    check: Callable[[Identity | None], None],
    connect: Callable[
        [Services, Identity | None, web.WebSocketResponse, asyncio.Transport, str], ClientSocket
    ],
) -> web.WebSocketResponse:
    """Open a websocket, and serve it until one side closes it. ``check`` raises if the request is
    rejected."""
    if is_cross_origin(request.headers):
        raise web.HTTPForbidden
    websocket = web.WebSocketResponse(
        timeout=CLOSE_TIMEOUT_S,
        heartbeat=HEARTBEAT_S,
        autoping=False,  # pings are charged like commands
        compress=False,
        max_msg_size=4 * MAX_COMMAND_LENGTH,
        writer_limit=_NO_WRITER_LIMIT,  # the socket limits what is unsent
    )
    services, key = services_of(request), client_key(request)
    try:
        identity = await find_identity(request)
        check(identity)
        person = identity.person.id if identity else None
        services.rate_limiter.acquire_socket(key, person)
    except ManhattanError as error:
        return await _reject(request, websocket, error)
    try:
        transport = await _accept(request, websocket)
        client = connect(services, identity, websocket, transport, key)
        clients = request.app[CLIENT_SOCKETS]
        clients.add(client)
        try:
            await client.serve()
        finally:
            clients.discard(client)
    finally:
        services.rate_limiter.release_socket(key, person)
    return websocket


async def close_websockets(app: web.Application) -> None:
    """Signal handler: close every websocket before the server stops."""
    clients = app[CLIENT_SOCKETS]
    for client in tuple(clients):
        client.close(GOING_AWAY)


async def _accept(request: web.Request, websocket: web.WebSocketResponse) -> asyncio.Transport:
    await websocket.prepare(request)
    transport = request.transport
    if transport is None:
        raise ConnectionResetError("The client has gone.")
    limited = transport.get_protocol()
    if isinstance(limited, LimitedConnection):
        limited.upgrade_to_websocket(client_key(request))
    return transport


async def _reject(
    request: web.Request, websocket: web.WebSocketResponse, error: ManhattanError
) -> web.WebSocketResponse:
    """Accept a websocket, send the reason and close it: browsers don't say why one failed to
    open."""
    error = public_error(error)
    message = to_error_message(error, None)
    metrics.REJECTED_COMMANDS.labels(message.reason).inc()
    await _accept(request, websocket)
    await websocket.send_frame(encode(message), WSMsgType.TEXT)
    await websocket.close(code=close_code(error))
    return websocket


def close_code(error: ManhattanError) -> int:
    match error.reason if isinstance(error, CommandRejected) else None:
        case ErrorCode.NO_SUCH_TABLE:
            return NO_SUCH_TABLE
        case ErrorCode.NO_IDENTITY:
            return UNAUTHENTICATED
        case ErrorCode.BANNED:
            return BANNED
        case ErrorCode.TOO_MANY | ErrorCode.TOO_OFTEN:
            return RATE_LIMITED
    return TRY_AGAIN_LATER


class ClientSocket:
    """The websocket of a client."""

    def __init__(
        self,
        services: Services,
        identity: Identity | None,
        websocket: web.WebSocketResponse,
        transport: asyncio.Transport,
        address: str,
    ) -> None:
        self.person: PersonId | None = identity.person.id if identity else None
        self.device: DeviceId | None = identity.device.id if identity else None
        self.address = address
        self._tables = services.tables
        self._rate_limiter = services.rate_limiter
        self._websocket = websocket
        self._transport = transport
        self._frame_budget = TokenBucket(services.rate_limiter.limits.frames)
        self._closing: asyncio.Task[bool] | None = None

    async def _subscribe(self) -> None:
        """Begin to send what the client has connected for."""
        raise NotImplementedError

    def _unsubscribe(self) -> None:
        """End it, if it has begun."""
        raise NotImplementedError

    async def _execute(self, command: Command) -> None:
        """Execute a command of the client."""
        raise NotImplementedError

    async def serve(self) -> None:
        """Serve the client until one side closes the connection."""
        metrics.WEBSOCKETS.inc()
        try:
            await self._subscribe()
            await self._receive_commands()
        except ManhattanError as error:
            self._send_error(error, None)
            self.close(close_code(error))
        except ConnectionError:
            raise  # the client has gone
        except Exception as error:  # not for the middleware: the connection can't carry HTTP now
            log.error("a websocket failed", exc_info=error)
            self.close(INTERNAL_ERROR)
        finally:
            self._unsubscribe()
            metrics.WEBSOCKETS.dec()
            if self._closing is not None:
                await asyncio.wait({self._closing})

    # The service's interface to a viewer.

    def send(self, message: bytes) -> None:
        """Send an encoded message. Never waits: the transport buffers what the viewer hasn't read,
        up to a limit."""
        if self._closing is not None:
            return
        if self._transport.get_write_buffer_size() > MAX_UNSENT_BYTES:
            metrics.DROPPED_WEBSOCKETS.inc()
            self.close(TOO_SLOW)
        else:
            with suppress(ConnectionError):  # the viewer has gone
                _run(self._websocket.send_frame(message, WSMsgType.TEXT))

    def disconnect(self) -> None:
        """Close the connection of a revoked device or a deleted account."""
        self.close(UNAUTHENTICATED)

    def disconnect_banned(self) -> None:
        """Close the connection of a person or an address that is banned."""
        self.close(BANNED)

    def close_for_resync(self) -> None:
        """Close the connection of a viewer who missed a message: it reconnects."""
        self.close(TRY_AGAIN_LATER)

    def close(self, code: int) -> None:
        """Start to close the connection."""
        if self._closing is None:
            self._closing = asyncio.ensure_future(self._websocket.close(code=code))

    # Commands.

    async def _receive_commands(self) -> None:
        while True:
            frame = await self._websocket.receive()
            if frame.type not in _ACCEPTED_FRAMES or self._closing is not None:
                return
            try:
                self._frame_budget.take()
                match frame.type:
                    case WSMsgType.TEXT:
                        await self._receive_command(frame.data)
                    case WSMsgType.BINARY:
                        raise CommandRejected(
                            ErrorCode.BAD_REQUEST, what="A command is text, not bytes."
                        )
                    case WSMsgType.PING:
                        await self._websocket.pong(frame.data)
            except CommandRejected as error:
                self._send_error(error, None)
                if error.reason is ErrorCode.TOO_OFTEN:
                    self.close(RATE_LIMITED)
                    return

    async def _receive_command(self, text: str) -> None:
        try:
            command = decode_command(text)
        except CommandRejected as error:
            self._send_error(error, find_command_id(text))
            return
        try:
            await self._execute(command)
        except AlreadyProcessed as processed:
            self._send_message(DoneMessage(reply_to=command.id, number=processed.number))
        except ManhattanError as error:
            self._send_error(error, command.id)

    def _refund_move(self) -> None:
        """Don't charge a move that was played: a bot may play as fast as it can."""
        self._frame_budget.refund()
        limited = self._transport.get_protocol()
        if isinstance(limited, LimitedConnection):
            limited.refund_move()

    def _send_message(self, message: Message) -> None:
        self.send(encode(message))

    def _send_error(self, error: ManhattanError, reply_to: str | None) -> None:
        message = to_error_message(public_error(error), reply_to)
        metrics.REJECTED_COMMANDS.labels(message.reason).inc()
        self._send_message(message)


def _run(sending: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine that never suspends: without compression and without a writer limit, sending
    a frame only writes to the transport. A task for each message would cost more than the rest of
    sending it."""
    try:
        sending.send(None)
    except StopIteration:
        return
    raise AssertionError("Sending a frame waited.")
