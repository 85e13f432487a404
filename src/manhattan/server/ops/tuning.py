"""Tuning of the Python runtime: garbage collection while the server is idle.

A move's objects are freed by reference counting. Only reference cycles need the collector, and
connections and requests leave a few. A collection stops all players. Measured with 200 tables at
full speed, Python's default thresholds cost a third more processor time for each move, and pauses
of up to half a second.
"""

from __future__ import annotations

import gc
from typing import Final

from manhattan.server.domain.clocks import Milliseconds

IDLE: Final[Milliseconds] = 1_000
"""The server is idle if no command was executed for this time."""
_IDLE_THRESHOLD: Final = 20_000
"""New objects for which a collection is worthwhile on an idle server."""
_BUSY_THRESHOLD: Final = 500_000
"""New objects that are collected even on a busy server."""
_FULL_INTERVAL: Final[Milliseconds] = 600_000
"""The time between collections of all generations."""


class IdleGarbageCollector:
    """Collects garbage when the server is idle."""

    def __init__(self, now: Milliseconds) -> None:
        """Exempt everything that was loaded until now from all collections."""
        self._last_full = now
        gc.collect()
        gc.freeze()
        gc.set_threshold(_BUSY_THRESHOLD, 5, 5)

    def collect_if_idle(self, last_activity: Milliseconds, now: Milliseconds) -> None:
        """Collect garbage if there may be some and the server is idle."""
        if now - last_activity < IDLE or gc.get_count()[0] < _IDLE_THRESHOLD:
            return
        if now - self._last_full > _FULL_INTERVAL:
            self._last_full = now
            gc.collect()
        else:
            gc.collect(0)
