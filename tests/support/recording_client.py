"""Clients that record everything that the server sends them, and access to the server's truth."""

from __future__ import annotations

import asyncio
import json
import logging
import sqlite3
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import ExitStack, closing, contextmanager, redirect_stderr
from io import StringIO
from itertools import count
from types import TracebackType
from typing import Any, NamedTuple, Self, TypeVar

import httpx
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from manhattan.game import Game
from manhattan.server.domain.events import TableEvent, TableOpened, decode_event
from manhattan.server.domain.evolve import evolve, initial_state
from manhattan.server.domain.state import TableState
from manhattan.server.ops.logging import CONFIGURED_LOGGERS, configure_logging
from manhattan.server.service.table_change import TableChange
from manhattan.server.service.table_service import TableService
from manhattan.server.service.table_session import RECENT_UPDATES, TableSession
from support.server_fixtures import RunningServer

Json = dict[str, Any]
T = TypeVar("T")
TIMEOUT_S = 60.0


class ReceivedMessage(NamedTuple):
    """A message that the server sent."""

    source: str
    """The request, or ``socket``."""
    raw: bytes
    headers: bytes
    event_count: int
    """The least number of the table's events when it was sent."""

    @property
    def message(self) -> Json:
        """The message as JSON; empty if it is not."""
        message: Json = json.loads(self.raw) if self.raw[:1] == b"{" else {}
        return message


class RecordingClient:
    """A person with a browser; without a name, a stranger, perhaps with a cookie."""

    def __init__(
        self, server: RunningServer, name: str | None = None, cookie: str | None = None
    ) -> None:
        self.server = server
        self.name = name
        self.received: list[ReceivedMessage] = []
        self.sent: list[str] = []
        self.person: str | None = None
        # Loading certificates takes long, and none is needed here.
        self._http = httpx.Client(base_url=server.address, timeout=TIMEOUT_S, verify=False)
        self._opened = ExitStack()
        self._socket: ClientConnection | None = None
        self.table = ""
        self._joined = 0
        self._ids = count(1)
        if cookie is not None:
            self._http.cookies.set("manhattan", cookie, domain="127.0.0.1", path="/")
        if name is not None:
            self.call("PUT", "/api/me", {"name": name})
            [self.person, *_] = server.services.accounts._signer.loads(self.cookie)

    @property
    def cookie(self) -> str:
        return self._http.cookies.get("manhattan") or ""

    # HTTP.

    def request(
        self, method: str, path: str, body: object = None, **options: Any
    ) -> httpx.Response:
        """Send a request, and record the response."""
        events = state_of(self.server, self.table).number if self.table else 0
        options = options if body is None else options | {"json": body}
        response = self._http.request(method, path, **options)
        lines = (b"%b: %b" % header for header in response.headers.raw)
        headers = b"\n".join(lines)
        self.received.append(ReceivedMessage(f"{method} {path}", response.content, headers, events))
        return response

    def call(self, method: str, path: str, body: object = None) -> Json:
        """Send a request that succeeds."""
        response = self.request(method, path, body)
        assert response.is_success, response.text
        result: Json = response.json()
        return result

    # The websocket.

    def watch(self, table: str, since: int | None = None) -> Json:
        """Open a websocket to a table, and return the first message."""
        self.leave()
        self.table = table
        self._joined = state_of(self.server, table).number
        headers = {"Cookie": f"manhattan={self.cookie}"} if self.cookie else {}
        # Without a limit, or a client that hasn't received for a while could not close it.
        self._socket = self._opened.enter_context(
            connect(self.server.websocket(table, since), additional_headers=headers, max_queue=None)
        )
        response = self._socket.response
        assert response is not None
        text = str(response.headers).encode()
        self.received.append(ReceivedMessage("handshake", b"", text, self._joined))
        return self.receive()

    def receive(self) -> Json:
        """Return the next message."""
        assert self._socket is not None
        data = self._socket.recv(TIMEOUT_S)
        raw = data.encode() if isinstance(data, str) else data
        message: Json = json.loads(raw)
        if message["type"] == "update":
            self._joined = max(self._joined, message["number"] + 1)
        self.received.append(ReceivedMessage("socket", raw, b"", self._joined))
        return message

    def send_command(self, kind: str, **fields: Any) -> str:
        """Send a command, and return its id."""
        assert self._socket is not None
        command = {"type": kind, "id": f"{self.name}-{next(self._ids)}"} | fields
        self.sent.append(json.dumps(command))
        self._socket.send(self.sent[-1])
        return str(command["id"])

    def send_raw(self, message: str | bytes) -> None:
        """Send a message that may be malformed."""
        assert self._socket is not None
        self._socket.send(message)

    def execute(self, kind: str, **fields: Any) -> Json:
        """Send a command, and return the reply."""
        id = self.send_command(kind, **fields)
        while (message := self.receive()).get("reply_to") != id:
            pass
        return message

    def catch_up(self) -> None:
        """Receive everything that was sent so far."""
        self.execute("ping")

    def leave(self) -> None:
        """Receive what is on its way, and close the websocket."""
        if self._socket is not None:
            self.catch_up()
            viewers = self.server.services.tables.registry._sessions[self.table].viewers
            before = len(viewers)
            self._opened.close()
            self._socket = None
            wait_until(lambda: len(viewers) < before)

    def drop_connection(self) -> None:
        """Forget a websocket that the server has closed."""
        self._opened.close()
        self._socket = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._opened.close()
        self._http.close()


def close_code(receive: Callable[[], object]) -> int:
    """Receive until the server closes the connection, and return its close code."""
    ended: ConnectionClosed | None = None
    while ended is None:
        try:
            receive()
        except ConnectionClosed as error:
            ended = error
    assert ended.rcvd is not None
    return ended.rcvd.code


# The server's truth: it runs in this process.


def state_of(server: RunningServer, table: str) -> TableState:
    """Return the state of a table."""
    service: TableService = server.services.tables
    session = service.registry.find(table)
    if session is None:  # it was unloaded
        session = run_on_server(server, service.session(table))
    return session.state


def game_of(server: RunningServer, table: str) -> Game:
    game = state_of(server, table).game
    assert game is not None
    return game


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + TIMEOUT_S
    while not condition():
        assert time.monotonic() < deadline, "timed out"
        time.sleep(0.002)


def wait_for_people(server: RunningServer, table: str) -> Game:
    """Return the game when no bot is to move."""
    wait_until(lambda: not state_of(server, table).bot_to_move)
    return game_of(server, table)


def stored_events(server: RunningServer, table: str) -> list[TableEvent]:
    """Return the events as they are on the disk."""
    with closing(sqlite3.connect(server.server.config.database)) as file:
        rows = file.execute("SELECT event FROM events WHERE table_id = ? ORDER BY number", [table])
        return [decode_event(row[0]) for row in rows]


def state_history(server: RunningServer, table: str) -> list[TableState]:
    """Return the states after one event, after two, …"""
    first, *rest = stored_events(server, table)
    assert isinstance(first, TableOpened)
    history = [initial_state(table, first)]
    for event in rest:
        history.append(evolve(history[-1], event))
    return history


def run_on_server(server: RunningServer, work: Coroutine[Any, Any, T]) -> T:
    """Run something in the server's event loop."""
    return asyncio.run_coroutine_threadsafe(work, server.loop).result(TIMEOUT_S)


def inject_event(server: RunningServer, table: str, event: TableEvent) -> None:
    """Write and broadcast an event that no command leads to."""

    async def inject(service: TableService) -> None:
        session = await service.session(table)
        async with session.lock:
            assert await service._commit(TableChange(session, event), session)
            service.scheduler.schedule(session)

    run_on_server(server, inject(server.services.tables))


def assert_nothing_left(server: RunningServer) -> None:
    """Check that the server keeps nothing of clients that have left, except the tables."""
    service: TableService = server.services.tables
    sessions: dict[str, TableSession] = service.registry._sessions
    wait_until(lambda: not any(session.viewers for session in sessions.values()))
    wait_until(lambda: not server.services.rate_limiter._sockets)
    assert not service.registry._loading
    assert len(service.tasks._tasks) <= len(sessions)  # one for each bot or timer
    assert all(len(session._recent) <= RECENT_UPDATES for session in sessions.values())


# Logs.


class LogCapture:
    """The lines that the server logs."""

    def __init__(self) -> None:
        self._written = StringIO()

    @property
    def text(self) -> str:
        return self._written.getvalue()

    @property
    def lines(self) -> list[Json]:
        return [json.loads(line) for line in self.text.splitlines()]

    @property
    def errors(self) -> list[Json]:
        """The lines of unexpected errors."""
        return [line for line in self.lines if line["level"] in ("error", "critical")]


@contextmanager
def captured_logs() -> Iterator[LogCapture]:
    """Capture what the server logs."""
    capture = LogCapture()
    loggers = [
        (logger := logging.getLogger(name), dict(vars(logger))) for name in CONFIGURED_LOGGERS
    ]
    with redirect_stderr(capture._written):
        configure_logging()
    try:
        yield capture
    finally:
        for logger, before in loggers:
            logger.handlers = before["handlers"]
            logger.setLevel(before["level"])
        logging.captureWarnings(False)
