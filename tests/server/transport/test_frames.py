"""Websocket frames, made by hand: however a message is framed and cut, it is read the same way."""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from support.server_fixtures import RunningServer
from support.websocket_frames import CLOSE, CONTINUATION, FINAL, PING, PONG, TEXT, frame

TWO_SEATS = [{"occupant": "me"}, {"occupant": "open"}]


class RawSocket:
    """A websocket client that makes its own frames."""

    def __init__(
        self, server: RunningServer, cookie: str, table: str, extensions: str = ""
    ) -> None:
        self._socket = socket.create_connection(("127.0.0.1", server.port), timeout=20)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._received = b""
        offered = f"Sec-WebSocket-Extensions: {extensions}\r\n" if extensions else ""
        self._socket.sendall(
            f"GET /api/tables/{table}/socket HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
            "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
            f"Cookie: {cookie}\r\n{offered}\r\n".encode()
        )
        while b"\r\n\r\n" not in self._received:
            self._read_more()
        self.handshake, _, self._received = self._received.partition(b"\r\n\r\n")
        assert self.handshake.startswith(b"HTTP/1.1 101")

    def _read_more(self) -> None:
        data = self._socket.recv(65536)
        assert data, "the server closed the connection"
        self._received += data

    def send(self, *segments: bytes) -> None:
        """Send bytes, each part in a segment of its own if possible."""
        for segment in segments:
            self._socket.sendall(segment)

    def frame(self) -> tuple[int, bytes]:
        """Return the first byte and the payload of the next frame."""
        while len(self._received) < 2:
            self._read_more()
        size, header = self._received[1], 2
        if size >= 126:
            header = 4 if size == 126 else 10
            while len(self._received) < header:
                self._read_more()
            (size,) = struct.unpack("!H" if header == 4 else "!Q", self._received[2:header])
        while len(self._received) < header + size:
            self._read_more()
        first, payload = self._received[0], self._received[header : header + size]
        self._received = self._received[header + size :]
        return first, payload

    def expect_replies(self, *ids: str) -> None:
        """Check that these commands are answered, in this order."""
        for id in ids:
            message: dict[str, Any] = {}
            while message.get("type") in (None, "view", "presence"):
                first, payload = self.frame()
                if first == FINAL | PONG:
                    continue
                assert first == FINAL | TEXT
                message = json.loads(payload)
            assert (message["type"], message["reply_to"]) == ("done", id)

    def close_code(self) -> int:
        """Return the code of the server's close frame."""
        while True:
            first, payload = self.frame()
            if first == FINAL | CLOSE:
                return int.from_bytes(payload[:2], "big")

    def close(self) -> None:
        self._socket.close()


def ping(id: str, padding: int = 0) -> bytes:
    """Return a command that is answered; with padding, one whose frame has a long header."""
    return json.dumps({"type": "ping", "id": id}).encode() + b" " * padding


@pytest.fixture
def connect(shared_server: RunningServer) -> Iterator[Callable[..., RawSocket]]:
    opened: list[RawSocket] = []

    def open_socket(extensions: str = "") -> RawSocket:
        ada = shared_server.client("Ada")
        table = ada.open_table(seats=TWO_SEATS)
        opened.append(RawSocket(shared_server, ada.cookie, table, extensions))
        return opened[-1]

    yield open_socket
    for raw in opened:
        raw.close()


A, B = frame(TEXT, ping("a")), frame(TEXT, ping("b"))
LONG = frame(TEXT, ping("a", 300))
FRAGMENTS = [frame(TEXT, ping("a")[:9], final=False), frame(CONTINUATION, ping("a")[9:])]
SEGMENTS = {
    "a frame each": [A, B],
    "in one segment": [A + B],
    "byte by byte": [bytes([byte]) for byte in A + B],
    "cut after the header": [A[:2], A[2:], B],
    "cut after the mask": [A[:6], A[6:] + B[:3], B[3:]],
    "one and a half": [A + B[:9], B[9:]],
    "a long one": [LONG, B],
    "a long one in two": [LONG[:100], LONG[100:] + B],
    "fragmented": [*FRAGMENTS, B],
    "a ping between fragments": [FRAGMENTS[0], frame(PING, b"there?"), FRAGMENTS[1], B],
    "an unsolicited pong": [A, frame(PONG, b""), B],
}


@pytest.mark.parametrize("segments", SEGMENTS)
def test_commands_are_read_however_they_are_framed_and_cut(
    connect: Callable[..., RawSocket], segments: str
) -> None:
    raw = connect()
    raw.send(*SEGMENTS[segments])
    raw.expect_replies("a", "b")
    for id in "cde":  # and the connection goes on
        raw.send(frame(TEXT, ping(id)))
        raw.expect_replies(id)


def test_waiting_commands_are_answered_in_order(connect: Callable[..., RawSocket]) -> None:
    raw, ids = connect(), [f"n{number}" for number in range(60)]
    raw.send(*(frame(TEXT, ping(id)) for id in ids[:30]))
    raw.send(b"".join(frame(TEXT, ping(id)) for id in ids[30:]))
    raw.expect_replies(*ids)


def test_a_ping_is_answered_with_its_payload(connect: Callable[..., RawSocket]) -> None:
    raw = connect()
    raw.send(frame(PING, b"there?"))
    while (received := raw.frame())[0] != FINAL | PONG:
        pass
    assert received[1] == b"there?"


FORBIDDEN = {
    "not UTF-8": (frame(TEXT, b"\xff\xfe"), 1007),
    "a long one that isn't UTF-8": (frame(TEXT, b"\xff" * 200), 1007),
    "an unknown opcode": (frame(0x3, b"{}"), 1002),
    "a continuation of nothing": (frame(CONTINUATION, b"{}"), 1002),
    "a text between fragments": (frame(TEXT, b"{", final=False) + frame(TEXT, b"}"), 1002),
    "a close frame": (frame(CLOSE, struct.pack("!H", 1000)), 1000),
}


@pytest.mark.parametrize("violation", FORBIDDEN)
def test_a_violation_of_the_standard_closes_the_connection(
    connect: Callable[..., RawSocket], violation: str
) -> None:
    sent, code = FORBIDDEN[violation]
    raw = connect()
    raw.send(A)
    raw.expect_replies("a")
    raw.send(sent)
    assert raw.close_code() == code


def test_compression_is_declined(connect: Callable[..., RawSocket]) -> None:
    """zlib's window for every viewer would cost more memory than the rest of the connection."""
    raw = connect("permessage-deflate")
    assert b"permessage-deflate" not in raw.handshake
    assert raw.frame()[0] == FINAL | TEXT
