"""Connections, before anybody has said anything: uvicorn waits for a request as long as one likes,
and has no limit to how many do so. Here each has some seconds, and nobody has any number of them.

What is changed is what asyncio and httptools call a protocol by: a connection is made, something is
read, the other side can't keep up, a message begins or ends, the connection is lost.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import suppress
from typing import Final, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from manhattan.server import metrics
from manhattan.server.denials import Denial
from manhattan.server.limits import neighbourhood

try:
    import resource
except ImportError:  # Windows, which has no such limit
    _FILES = None
else:
    _FILES = resource.RLIMIT_NOFILE

WHOLE_REQUEST: Final = 10.0
"""Seconds for a whole request, from when the connection is there or the last answer was given."""
TAKE_ANSWER: Final = 30.0
"""Seconds in which the next part of an answer has to be taken: some 64 kB, on a bad line, too."""
_MACOS: Final = 10_240
"""As many as macOS allows, which calls it unlimited."""
_OTHER_FILES: Final = 100
"""What is open besides connections: the database, the page's files, pipes to where bots think."""


def open_more_files() -> int | None:
    """Let this process have as many files and connections open as the system allows it; how many
    connections that are, if there is a limit."""
    if _FILES is None:
        return None
    for wanted in (resource.getrlimit(_FILES)[1], _MACOS):
        with suppress(ValueError, OSError):
            resource.setrlimit(_FILES, (wanted, resource.getrlimit(_FILES)[1]))
            break
    soft, _ = resource.getrlimit(_FILES)
    return None if soft == resource.RLIM_INFINITY else max(1, soft - _OTHER_FILES)


class Door:
    """Counts the connections of a server that have not become websockets, which have limits of
    their own."""

    def __init__(self, most: int | None, most_of_address: int | None) -> None:
        self._most = most
        self._most_of_address = most_of_address
        self._of: Counter[str] = Counter()

    def enter(self, address: str, connected: int) -> bool:
        """One more connection. May it stay, where there are so many by now?"""
        self._of[address] += 1
        within = self._most_of_address is None or self._of[address] <= self._most_of_address
        return within and (self._most is None or connected <= self._most)

    def leave(self, address: str) -> None:
        self._of[address] -= 1
        if not self._of[address]:
            del self._of[address]


class Patient(HttpToolsProtocol):
    """A connection that is not waited for without end."""

    door: Door
    _timer: asyncio.TimerHandle | None = None
    _counted: str | None = None
    _unanswered = 0
    """Requests that came whole, less the answers that were given."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(cast("asyncio.Transport", transport))
        self._counted = neighbourhood(self.client[0] if self.client else "")
        if self.door.enter(self._counted, len(self.connections)):
            self._wait(WHOLE_REQUEST)
        else:
            metrics.REFUSED.labels(Denial.TOO_MANY.value).inc()
            self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._gone()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.transport.get_protocol() is not self:  # it is a websocket now
            self._gone()

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self._unanswered += 1
        if self._unanswered > 0:  # it takes as long as it takes
            self._rest()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._unanswered -= 1
        if self._unanswered <= 0:
            unsent = self.transport.get_write_buffer_size()
            self._wait(TAKE_ANSWER if unsent else WHOLE_REQUEST)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._wait(TAKE_ANSWER)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._unanswered > 0:
            self._rest()
        else:
            self._wait(WHOLE_REQUEST)

    def _wait(self, seconds: float) -> None:
        self._rest()
        if self._counted is not None:
            self._timer = self.loop.call_later(seconds, self.transport.abort)

    def _rest(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _gone(self) -> None:
        self._rest()
        if self._counted is not None:
            self.door.leave(self._counted)
            self._counted = None


def through(door: Door) -> type[Patient]:
    """Connections that are counted at a door; uvicorn is given their class."""
    return type("Patient", (Patient,), {"door": door})
