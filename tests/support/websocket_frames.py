"""Websocket frames made by hand, and a client that sends many of them."""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Sequence
from types import TracebackType
from typing import Final, Self

from support.attacker import HANDSHAKE

CONTINUATION: Final = 0x0
TEXT: Final = 0x1
BINARY: Final = 0x2
CLOSE: Final = 0x8
PING: Final = 0x9
PONG: Final = 0xA
FINAL: Final = 0x80


def frame(kind: int, payload: bytes, *, final: bool = True) -> bytes:
    """Return a frame as clients send it."""
    mask = b"\x93\x1c\xe7\x58"
    size = len(payload)
    length = bytes([0x80 | size]) if size < 126 else struct.pack("!BH", 0x80 | 126, size)
    masked = bytes(byte ^ mask[at % 4] for at, byte in enumerate(payload))
    return bytes([(FINAL if final else 0) | kind]) + length + mask + masked


class WebSocketClient:
    """Sends frames, and reads what comes without understanding it."""

    def __init__(self, port: int, cookie: str, table: str) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        head = HANDSHAKE.format(table=table).removesuffix("\r\n")
        self._socket.sendall(f"{head}Cookie: {cookie}\r\n\r\n".encode())
        assert self._socket.recv(65536).startswith(b"HTTP/1.1 101")

    def send_batch(self, frames: Sequence[bytes], id: str) -> None:
        """Send frames and then a ping, and wait for its answer, which comes last."""
        ping = json.dumps({"type": "ping", "id": id}).encode()
        unsent = memoryview(b"".join([*frames, frame(TEXT, ping)]))
        expected, received = id.encode(), b""
        while expected not in received:
            self._socket.setblocking(not unsent)  # or both sides could wait for each other
            try:
                if unsent:
                    unsent = unsent[self._socket.send(unsent) :]
            except BlockingIOError:
                pass
            try:
                data = self._socket.recv(1 << 20)
            except BlockingIOError:
                continue
            assert data, "the server closed the connection"
            received = received[-64:] + data

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._socket.close()
