"""Attacks on a server, from a process of their own: each repeats what one stranger could do.

``python -m support.attacker ATTACK PORT ADDRESS TABLE SECONDS`` runs an attack from one of this
computer's addresses; on Linux all of 127.0.0.0/8 are.
"""

from __future__ import annotations

import os
import selectors
import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final, NamedTuple

from manhattan.game import Game
from manhattan.record import to_json, to_line

CONNECTIONS: Final = 20
GET: Final = b"GET /api/me HTTP/1.1\r\nHost: localhost\r\n"
PUT: Final = b"PUT /api/me HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
PING_FRAME: Final = b"\x89\x80\0\0\0\0"
EMPTY_FRAGMENT: Final = b"\x00\x80\0\0\0\0"
HANDSHAKE: Final = (
    "GET /api/tables/{table}/socket HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n"
    "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)


class Attack(NamedTuple):
    """What every connection of an attack sends."""

    begin: bytes
    block: bytes = b""
    """It is repeated until the server closes the connection."""
    reads: bool = False
    connections: int = CONNECTIONS
    lasts_s: float = 1e9
    """The attacker closes a connection after this time."""


def get(path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()


def check_of_a_long_record() -> bytes:
    """Ask for a check of the longest game: the server has to replay all of it."""
    game = Game.new(4, seed=bytes(32))
    while game.result is None:
        game.play(game.legal_moves()[0])
    body = to_line(to_json(game)).encode()
    head = "POST /api/records/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json"
    return f"{head}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


ATTACKS: Final[dict[str, Callable[[bytes], Attack]]] = {
    "endless headers": lambda _: Attack(GET, b"a: b\r\n" * 1000),
    "endless line": lambda _: Attack(b"GET /", b"a" * 10_000),
    "endless trailers": lambda _: Attack(
        PUT + b"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n0\r\n", b"a: b\r\n" * 1000
    ),
    "endless chunks": lambda _: Attack(
        PUT + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n{\r\n" * 1000
    ),
    "pings without reading": lambda upgrade: Attack(upgrade, PING_FRAME * 1000),
    "empty fragments": lambda upgrade: Attack(
        upgrade + b"\x01\x81\0\0\0\0a", EMPTY_FRAGMENT * 1000
    ),
    "visitors that come and go": lambda upgrade: Attack(
        upgrade, reads=True, connections=100, lasts_s=0.05
    ),
    "the home page": lambda _: Attack(b"", get("/") * 20, reads=True),
    "readiness": lambda _: Attack(b"", get("/readyz") * 20, reads=True),
    "metrics": lambda _: Attack(b"", get("/metrics") * 20, reads=True),
    "the list of tables": lambda _: Attack(b"", get("/api/tables") * 20, reads=True),
    "checks of records": lambda _: Attack(b"", check_of_a_long_record(), reads=True),
    "responses that nobody reads": lambda _: Attack(b"", get("/api/openapi.json") * 20),
}


class _Connection:
    def __init__(self, address: str, port: int, attack: Attack) -> None:
        self.socket = socket.socket()
        self.socket.setblocking(False)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 65536)
        self.socket.bind((address, 0))
        self.socket.connect_ex(("127.0.0.1", port))
        self.ends_at = time.monotonic() + attack.lasts_s
        self._attack = attack
        self._unsent = attack.begin

    def send(self) -> int:
        self._unsent = self._unsent or self._attack.block
        sent = self.socket.send(self._unsent) if self._unsent else 0
        self._unsent = self._unsent[sent:]
        return sent

    def receive(self) -> None:
        if not self.socket.recv(65536):
            raise ConnectionResetError

    @property
    def events(self) -> int:
        reads = selectors.EVENT_READ if self._attack.reads else 0
        writes = selectors.EVENT_WRITE if self._unsent or self._attack.block else 0
        return reads | writes or selectors.EVENT_READ


def run(attack: Attack, port: int, address: str, seconds: float) -> tuple[int, int]:
    """Keep up an attack, and return how many connections and bytes it took."""
    selector = selectors.DefaultSelector()
    opened = sent = 0
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        while len(selector.get_map()) < attack.connections:
            one = _Connection(address, port, attack)
            selector.register(one.socket, one.events, one)
            opened += 1
        now = time.monotonic()
        overdue = [key for key in selector.get_map().values() if key.data.ends_at < now]
        for key in overdue:
            selector.unregister(key.fileobj)
            key.data.socket.close()
        for key, events in selector.select(0.01):
            one = key.data
            try:
                with suppress(BlockingIOError):
                    if events & selectors.EVENT_READ and attack.reads:
                        one.receive()
                    if events & selectors.EVENT_WRITE:
                        sent += one.send()
                    selector.modify(one.socket, one.events, one)
            except OSError:
                selector.unregister(one.socket)
                one.socket.close()
    return opened, sent


if __name__ == "__main__":
    name, port, address, table, seconds = sys.argv[1:]
    os.nice(5)  # a core that the attacker takes from the server would prove nothing
    upgrade = HANDSHAKE.format(table=table).encode()
    print("attacking", flush=True)
    print(*run(ATTACKS[name](upgrade), int(port), address, float(seconds)))
