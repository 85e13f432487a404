"""A websocket's frames: whichever way they come and go, the same is heard."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from collections.abc import Callable, Iterator
from typing import Any, cast

import pytest
from starlette.types import Send
from websockets.sync.client import connect

from manhattan.server.house import House
from manhattan.server.limits import Gates
from manhattan.server.socket import Connection
from manhattan.server.wire import WORTH_COMPRESSING
from serving import NO_LIMITS, Running, loads

TWO = [{"who": "me"}, {"who": "open"}]
TEXT, PING, PONG, CLOSE, MORE = 0x1, 0x9, 0xA, 0x8, 0x0


class Raw:
    """Somebody who makes his frames himself."""

    def __init__(self, up: Running, cookie: str, table: str, extensions: str = "") -> None:
        self._socket = socket.create_connection(("127.0.0.1", up.port), timeout=20)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._read = b""
        wanted = f"Sec-WebSocket-Extensions: {extensions}\r\n" if extensions else ""
        self._socket.sendall(
            f"GET /api/tables/{table}/socket HTTP/1.1\r\nHost: 127.0.0.1:{up.port}\r\n"
            "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
            f"Cookie: {cookie}\r\n{wanted}\r\n".encode()
        )
        while b"\r\n\r\n" not in self._read:
            self._more()
        self.accepted, _, self._read = self._read.partition(b"\r\n\r\n")
        assert self.accepted.startswith(b"HTTP/1.1 101")

    def _more(self) -> None:
        some = self._socket.recv(65536)
        assert some, "the server has hung up"
        self._read += some

    def send(self, *pieces: bytes) -> None:
        """Each in a segment of its own, as far as one can have it."""
        for piece in pieces:
            self._socket.sendall(piece)

    def frame(self) -> tuple[int, bytes]:
        """The next one: its first byte, and what is in it."""
        while len(self._read) < 2:
            self._more()
        size, head = self._read[1], 2
        if size >= 126:
            head = 4 if size == 126 else 10
            while len(self._read) < head:
                self._more()
            (size,) = struct.unpack("!H" if head == 4 else "!Q", self._read[2:head])
        while len(self._read) < head + size:
            self._more()
        first, text = self._read[0], self._read[head : head + size]
        self._read = self._read[head + size :]
        return first, text

    def answers(self, *names: str) -> None:
        """These commands were carried out, in this order."""
        for name in names:
            told: dict[str, Any] = {}
            while told.get("type") in (None, "view", "presence"):
                first, text = self.frame()
                if first == 0x80 | PONG:
                    continue
                assert first == 0x80 | TEXT
                told = json.loads(text)
            assert (told["type"], told["answers"]) == ("done", name)

    def closes_with(self) -> int:
        """Why he is sent away."""
        while True:
            first, text = self.frame()
            if first == 0x80 | CLOSE:
                return int.from_bytes(text[:2], "big")

    def close(self) -> None:
        self._socket.close()


def frame(kind: int, text: bytes, *, whole: bool = True, masked: bool = True) -> bytes:
    mask = b"\x93\x1c\xe7\x58"
    size = len(text)
    length = bytes([0x80 | size]) if size < 126 else struct.pack("!BH", 0x80 | 126, size)
    if not masked:
        return bytes([(0x80 if whole else 0) | kind, size]) + text
    hidden = bytes(byte ^ mask[at % 4] for at, byte in enumerate(text))
    return bytes([(0x80 if whole else 0) | kind]) + length + mask + hidden


def ping(name: str, room: int = 0) -> bytes:
    """A command that is answered; with room, one that has a long header."""
    return json.dumps({"type": "ping", "id": name}).encode() + b" " * room


@pytest.fixture
def raw(shared: Running) -> Iterator[Callable[..., Raw]]:
    opened: list[Raw] = []

    def look(extensions: str = "") -> Raw:
        ada = shared.client("Ada")
        opened.append(Raw(shared, ada.cookie, ada.open(chairs=TWO), extensions))
        return opened[-1]

    yield look
    for one in opened:
        one.close()


A, B = frame(TEXT, ping("a")), frame(TEXT, ping("b"))
LONG = frame(TEXT, ping("a", 300))
WAYS = {
    "a frame each": [A, B],
    "in one segment": [A + B],
    "byte by byte": [bytes([byte]) for byte in A + B],
    "cut after the header": [A[:2], A[2:], B],
    "cut after the mask": [A[:6], A[6:] + B[:3], B[3:]],
    "one and a half": [A + B[:9], B[9:]],
    "a long one": [LONG, B],
    "a long one in two": [LONG[:100], LONG[100:] + B],
    "in pieces": [
        frame(TEXT, ping("a")[:9], whole=False),
        frame(MORE, ping("a")[9:]),
        B,
    ],
    "a ping in the midst of pieces": [
        frame(TEXT, ping("a")[:9], whole=False),
        frame(PING, b"there?"),
        frame(MORE, ping("a")[9:]),
        B,
    ],
    "a pong that nobody asked for": [A, frame(PONG, b""), B],
}


@pytest.mark.parametrize("way", WAYS)
def test_the_same_is_heard_however_it_comes(raw: Callable[..., Raw], way: str) -> None:
    ada = raw()
    ada.send(*WAYS[way])
    ada.answers("a", "b")
    for name in "cde":  # and what comes after it
        ada.send(frame(TEXT, ping(name)))
        ada.answers(name)


def test_what_waits_is_read_in_its_order(raw: Callable[..., Raw]) -> None:
    """More than is read at once, in segments of their own and together."""
    ada, names = raw(), [f"n{number}" for number in range(60)]
    ada.send(*(frame(TEXT, ping(name)) for name in names[:30]))
    ada.send(b"".join(frame(TEXT, ping(name)) for name in names[30:]))
    ada.answers(*names)


FORBIDDEN = {
    "no text": (frame(TEXT, b"\xff\xfe"), 1007),
    "a long one that is no text": (frame(TEXT, b"\xff" * 200), 1007),
    "not masked": (frame(TEXT, b"{}", masked=False), 1002),
    "of no kind": (frame(0x3, b"{}"), 1002),
    "the rest of nothing": (frame(MORE, b"{}"), 1002),
    "a text within another": (frame(TEXT, b"{", whole=False) + frame(TEXT, b"}"), 1002),
    "goodbye": (frame(CLOSE, struct.pack("!H", 1000)), 1000),
}


@pytest.mark.parametrize("what", FORBIDDEN)
def test_what_the_standard_forbids_ends_the_connection(raw: Callable[..., Raw], what: str) -> None:
    sent, code = FORBIDDEN[what]
    ada = raw()
    ada.send(A)
    ada.answers("a")
    ada.send(sent)
    assert ada.closes_with() == code


def test_a_text_in_the_midst_of_another_is_refused(raw: Callable[..., Raw]) -> None:
    ada = raw()
    ada.send(frame(TEXT, b"{", whole=False))
    ada.send(A)
    assert ada.closes_with() == 1002


def test_a_short_message_is_not_compressed_even_where_that_is_wanted(
    raw: Callable[..., Raw],
) -> None:
    ada = raw("permessage-deflate")
    assert b"permessage-deflate" in ada.accepted
    ada.frame()  # the view
    ada.send(A)
    first, text = ada.frame()
    assert first == 0x80 | TEXT
    assert json.loads(text)["answers"] == "a"


def test_whoever_compresses_is_understood(shared: Running) -> None:
    """A whole game's view is long: it comes compressed, and commands go so."""
    ada = shared.client("Ada")
    table = ada.open(chairs=[{"who": "me"}, {"who": "here", "name": "Bob"}], begin=True)
    headers = {"Cookie": ada.cookie}
    with connect(shared.websocket(table), additional_headers=headers, compression="deflate") as one:
        view = loads(one.recv(timeout=20))
        assert view["table"]["id"] == table
        for ply in range(30):
            told = view if ply == 0 else told_next(one)
            moves = told["own"]["moves"]
            move = "[1111|1111]" if moves["kind"] == "select" else moves["places"][0]["moves"][0]
            one.send(json.dumps({"type": "play", "id": str(ply), "ply": ply, "move": move}))
        told_next(one)
    plain, compressed = (
        Raw(shared, ada.cookie, table),
        Raw(shared, ada.cookie, table, "permessage-deflate"),
    )
    first, text = plain.frame()
    assert first == 0x80 | TEXT
    assert len(text) > WORTH_COMPRESSING
    first, packed = compressed.frame()
    assert first == 0xC0 | TEXT
    assert len(packed) < len(text) / 2
    plain.close()
    compressed.close()


def told_next(one: Any) -> Any:
    while (told := loads(one.recv(timeout=20)))["type"] != "news":
        pass
    return told


class Slow:
    """A line that is busy until it is freed."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []
        self._free = asyncio.Event()

    @property
    def free(self) -> bool:
        return self._free.is_set()

    async def until_free(self) -> None:
        await self._free.wait()

    def write(self, text: bytes) -> None:
        self.sent.append(text)
        if len(self.sent) % 3 == 0:  # it can't take much at once
            self._free.clear()
            asyncio.get_running_loop().call_later(0.001, self._free.set)

    def open(self) -> None:
        self._free.set()

    async def wrote(self, messages: int) -> None:
        while len(self.sent) < messages:
            await self.until_free()
            await asyncio.sleep(0)


def test_whoever_is_slow_hears_all_in_its_order() -> None:
    async def go() -> None:
        line = Slow()
        # He neither says anything nor goes away: no house is needed, nor anything to close with.
        viewer = Connection(cast("House", None), Gates(NO_LIMITS), None, line)
        writing = asyncio.create_task(viewer._write(cast("Send", None)))
        messages = [f"{number}".encode() for number in range(40)]
        for message in messages[:20]:
            viewer.put(message)
        assert line.sent == []
        await asyncio.sleep(0.01)
        line.open()
        for message in messages[20:]:
            await asyncio.sleep(0.0005)
            viewer.put(message)
        await line.wrote(len(messages))
        writing.cancel()
        assert line.sent == messages
        assert viewer._unsent == 0

    asyncio.run(asyncio.wait_for(go(), 20))
