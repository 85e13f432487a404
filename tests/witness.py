"""People at a server of whom everything is kept that the server ever sent them."""

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
from manhattan.server.entries import Entry, from_text
from manhattan.server.folding import fold, opened
from manhattan.server.house import House
from manhattan.server.live import RECENT, LiveTable
from manhattan.server.logs import write_logs
from manhattan.server.sitting import Sitting
from serving import Running

Json = dict[str, Any]
T = TypeVar("T")
PATIENCE = 60.0
"""Seconds to wait for what has to come."""


class Heard(NamedTuple):
    """Something that the server sent."""

    where: str
    """What was asked for, or ``socket``."""
    raw: bytes
    headers: bytes
    known: int
    """How many entries the table had when this was sent, at least."""

    @property
    def told(self) -> Json:
        """The message; nothing, if it is none."""
        told: Json = json.loads(self.raw) if self.raw[:1] == b"{" else {}
        return told


class Witness:
    """Somebody with a browser of his own; without a name, a stranger. He may bring a cookie."""

    def __init__(self, up: Running, name: str | None = None, cookie: str | None = None) -> None:
        self.up = up
        self.name = name
        self.heard: list[Heard] = []
        self.sent: list[str] = []
        self.person: str | None = None
        # Certificates take long to load, and nobody needs them here.
        self._http = httpx.Client(base_url=up.address, timeout=PATIENCE, verify=False)
        self._opened = ExitStack()
        self._socket: ClientConnection | None = None
        self.table = ""
        self._joined = 0
        self._ids = count(1)
        if cookie is not None:
            self._http.cookies.set("manhattan", cookie, domain="127.0.0.1", path="/")
        if name is not None:
            self.ask("PUT", "/api/me", {"name": name})
            [self.person, _] = up.state.people._signer.loads(self.cookie)

    @property
    def cookie(self) -> str:
        return self._http.cookies.get("manhattan") or ""

    # HTTP.

    def asked(self, method: str, path: str, body: object = None, **more: Any) -> httpx.Response:
        """Ask, and keep the answer."""
        known = sitting_at(self.up, self.table).number if self.table else 0
        more = more if body is None else more | {"json": body}
        answer = self._http.request(method, path, **more)
        lines = (b"%b: %b" % header for header in answer.headers.raw)
        headers = b"\n".join(lines)
        self.heard.append(Heard(f"{method} {path}", answer.content, headers, known))
        return answer

    def ask(self, method: str, path: str, body: object = None) -> Json:
        """Ask for something that is done."""
        answer = self.asked(method, path, body)
        assert answer.is_success, answer.text
        told: Json = answer.json()
        return told

    # The websocket.

    def look(self, table: str, since: int | None = None) -> Json:
        """Look at a table from now on; what was said first."""
        self.look_away()
        self.table = table
        self._joined = sitting_at(self.up, table).number
        headers = {"Cookie": f"manhattan={self.cookie}"} if self.cookie else {}
        # Without a limit, or who has not listened for a while could not even say good-bye.
        self._socket = self._opened.enter_context(
            connect(self.up.websocket(table, since), additional_headers=headers, max_queue=None)
        )
        response = self._socket.response
        assert response is not None
        text = str(response.headers).encode()
        self.heard.append(Heard("handshake", b"", text, self._joined))
        return self.next()

    def next(self) -> Json:
        """The next message."""
        assert self._socket is not None
        message = self._socket.recv(PATIENCE)
        raw = message.encode() if isinstance(message, str) else message
        told: Json = json.loads(raw)
        if told["type"] == "news":
            self._joined = max(self._joined, told["number"] + 1)
        self.heard.append(Heard("socket", raw, b"", self._joined))
        return told

    def tell(self, kind: str, **what: Any) -> str:
        """Send a command; its id."""
        assert self._socket is not None
        command = {"type": kind, "id": f"{self.name}-{next(self._ids)}"} | what
        self.sent.append(json.dumps(command))
        self._socket.send(self.sent[-1])
        return str(command["id"])

    def throw(self, message: str | bytes) -> None:
        """Send something that may be no command."""
        assert self._socket is not None
        self._socket.send(message)

    def do(self, kind: str, **what: Any) -> Json:
        """Send a command, and wait for its answer."""
        id = self.tell(kind, **what)
        while (told := self.next()).get("answers") != id:
            pass
        return told

    def catch_up(self) -> None:
        """Hear everything that was sent so far: what is sent in answer comes after it."""
        self.do("ping")

    def look_away(self) -> None:
        """Hear what is on its way still, and go."""
        if self._socket is not None:
            self.catch_up()
            viewers = self.up.state.house._tables[self.table].viewers
            there = len(viewers)
            self._opened.close()
            self._socket = None
            wait_until(lambda: len(viewers) < there)  # the server has noticed

    def forget_the_connection(self) -> None:
        """The server has closed it."""
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


def closed(listen: Callable[[], object]) -> int:
    """Listen until the server closes the connection; the code that it gives."""
    ended: ConnectionClosed | None = None
    while ended is None:
        try:
            listen()
        except ConnectionClosed as error:
            ended = error
    assert ended.rcvd is not None
    return ended.rcvd.code


# What is true: the server runs in this process.


def sitting_at(up: Running, table: str) -> Sitting:
    """How a table stands."""
    house: House = up.state.house
    if (live := house._tables.get(table)) is None:  # nobody has looked at it for long
        live = on_the_server(up, house.table(table))
    sitting: Sitting = live.sitting
    return sitting


def game_at(up: Running, table: str) -> Game:
    game = sitting_at(up, table).game
    assert game is not None
    return game


def wait_until(so: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE
    while not so():
        assert time.monotonic() < until, "that takes too long"
        time.sleep(0.002)


def wait_for_people(up: Running, table: str) -> Game:
    """The game, when no bot is to move."""
    wait_until(lambda: not sitting_at(up, table).bot_to_move)
    return game_at(up, table)


def entries_of(up: Running, table: str) -> list[Entry]:
    """What was written down, as it lies on the disk."""
    with closing(sqlite3.connect(up.state.house.store._database._path)) as file:
        rows = file.execute("SELECT entry FROM entries WHERE table_id = ? ORDER BY number", [table])
        return [from_text(row[0]) for row in rows]


def history_of(up: Running, table: str) -> list[Sitting]:
    """How the table stood after one entry, after two, …"""
    first, *rest = entries_of(up, table)
    assert first.type == "opened"
    history = [opened(table, first)]
    for entry in rest:
        history.append(fold(history[-1], entry))
    return history


def on_the_server(up: Running, work: Coroutine[Any, Any, T]) -> T:
    """Do something where the server does everything."""
    loop = up.state.house._caretaker._sweeping.get_loop()
    return asyncio.run_coroutine_threadsafe(work, loop).result(PATIENCE)


def nothing_is_left(up: Running) -> None:
    """Everybody has gone: the server keeps nothing of them but the tables."""
    house, gates = up.state.house, up.state.gates
    tables: dict[str, LiveTable] = house._tables
    wait_until(lambda: not any(live.viewers for live in tables.values()))
    wait_until(lambda: not gates._sockets)
    assert not house._loading
    assert len(house._tasks) <= len(tables)  # each may have one that thinks or waits
    assert all(len(live._recent) <= RECENT for live in tables.values())


# What is logged.


class Logged:
    """Every line that the server writes."""

    def __init__(self) -> None:
        self._written = StringIO()

    @property
    def text(self) -> str:
        return self._written.getvalue()

    @property
    def lines(self) -> list[Json]:
        return [json.loads(line) for line in self.text.splitlines()]

    @property
    def troubles(self) -> list[Json]:
        """Lines that tell of something that must not happen."""
        return [line for line in self.lines if line["level"] in ("error", "critical")]


@contextmanager
def logs() -> Iterator[Logged]:
    """What the server writes to its log meanwhile."""
    logged = Logged()
    names = ("manhattan", "uvicorn", "uvicorn.error", "asyncio")
    before = [(one := logging.getLogger(name), dict(vars(one))) for name in names]
    with redirect_stderr(logged._written):
        write_logs()
    try:
        yield logged
    finally:
        for logger, as_it_was in before:
            logger.handlers = as_it_was["handlers"]
            logger.propagate = as_it_was["propagate"]
            logger.setLevel(as_it_was["level"])
