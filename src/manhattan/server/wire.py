"""A websocket's connection: uvicorn's, with a short way for what is usual.

Nearly all that is said is a text in one whole frame, for which the standard asks little. The long
way, through websockets and ASGI, copies a message again and again: four to ten hundredths of a
move. What is not usual takes it: pings, pieces, what is compressed, what closes the connection.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Any, Final, Protocol

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.http11 import Request

try:
    from websockets.speedups import apply_mask
except ImportError:  # where it could not be compiled
    from websockets.utils import apply_mask

if TYPE_CHECKING:
    from uvicorn._types import ASGIReceiveEvent

    _Queue = asyncio.Queue[ASGIReceiveEvent]
else:
    _Queue = asyncio.Queue

EXTENSION: Final = "manhattan.wire"
"""Where in an ASGI scope it is found."""
WORTH_COMPRESSING: Final = 4096
"""Bytes: a view of a table in the midst of its game, but hardly a move."""
_MOST_UNREAD: Final = 4
"""Messages that wait to be read; then the other side has to wait, too."""

_WHOLE_TEXT: Final = 0x81
"""The first byte of a frame that is a whole text, not compressed."""
_WHOLE: Final = 0x80
_MASKED: Final = 0x80
_HEAD: Final = 6
"""Bytes before a short masked text: what it is, how long it is, and the mask."""
_TWO_BYTES: Final = 126
"""The length that says: it stands in the next two bytes."""


class Line(Protocol):
    """The way to one viewer."""

    @property
    def free(self) -> bool:
        """Can the other side take more now?"""

    async def until_free(self) -> None: ...

    def write(self, text: bytes) -> None:
        """Send a text; who is gone does not get it."""


class Wire(WebSocketsSansIOProtocol):
    """The connection of one viewer."""

    _the_long_way = False
    """For good, since something came in pieces and we don't know where the next frame begins."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.queue = self._letters = _Mailbox()

    def handle_connect(self, event: Request) -> None:
        super().handle_connect(event)
        if self.handshake_complete:
            return  # he was refused
        extensions = self.scope["extensions"]
        assert extensions is not None
        extensions[EXTENSION] = {"line": self}

    # What comes in.

    def data_received(self, data: bytes) -> None:
        size = len(data) - _HEAD
        if (
            0 <= size < _TWO_BYTES
            and data[0] == _WHOLE_TEXT
            and data[1] == size | _MASKED
            and self._usual
        ):
            try:
                text = apply_mask(data[_HEAD:], data[2:_HEAD]).decode()
            except UnicodeDecodeError:
                pass  # the long way knows what to say to that
            else:
                self._heard(text)
                return
        elif not self._the_long_way and not (self.handshake_complete and _is_one_frame(data)):
            # His request comes alone; who says more before he is let in says it in pieces.
            self._the_long_way = self.handshake_initiated
        super().data_received(data)

    @property
    def _usual(self) -> bool:
        """Are we in the midst of it, between two whole frames?"""
        return self.handshake_complete and not (self._the_long_way or self.close_sent)

    def _heard(self, text: str) -> None:
        self._letters.put_nowait({"type": "websocket.receive", "text": text})
        if len(self._letters.unread) >= _MOST_UNREAD and not self.read_paused:
            self.read_paused = True
            self.transport.pause_reading()

    async def receive(self) -> ASGIReceiveEvent:
        letters = self._letters
        while not letters.unread:
            letters.reader = self.loop.create_future()
            await letters.reader
        letter = letters.unread.popleft()
        if self.read_paused and not letters.unread:
            self.read_paused = False
            self.transport.resume_reading()
        return letter

    # What goes out.

    @property
    def free(self) -> bool:
        return self.writable.is_set()

    async def until_free(self) -> None:
        await self.writable.wait()

    def write(self, text: bytes) -> None:
        if self.close_sent or self.transport.is_closing():
            return
        size = len(text)
        if size < _TWO_BYTES:
            frame = bytes((_WHOLE_TEXT, size)) + text
        elif size <= WORTH_COMPRESSING or (size < 1 << 16 and not self.conn.extensions):
            frame = bytes((_WHOLE_TEXT, _TWO_BYTES, size >> 8, size & 0xFF)) + text
        else:
            self.conn.send_text(text)
            frame = b"".join(self.conn.data_to_send())
        self.transport.write(frame)  # in one piece, which uvloop hands over by the shortest way


def _is_one_frame(data: bytes) -> bool:
    """Is this a frame from its beginning to its end, and not a piece of a message?"""
    if len(data) < _HEAD or not (data[0] & _WHOLE and data[1] & _MASKED):
        return False
    size = data[1] ^ _MASKED
    if size == _TWO_BYTES:
        return len(data) == 8 + (data[2] << 8 | data[3])
    return size < _TWO_BYTES and len(data) == _HEAD + size


class _Mailbox(_Queue):
    """What waits for the one who reads it. (A queue is for any number of them.)"""

    def __init__(self) -> None:
        super().__init__()
        self.unread: deque[ASGIReceiveEvent] = deque()
        self.reader: asyncio.Future[None] | None = None

    def put_nowait(self, item: ASGIReceiveEvent) -> None:
        self.unread.append(item)
        if self.reader is not None and not self.reader.done():
            self.reader.set_result(None)
