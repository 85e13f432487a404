"""Keeps the time of the server steady across steps of the wall clock, restarts and processes.

How far the time of a server is from the wall clock is stored for each computer. A process that
starts later, or after a restart, continues with the time by which the running games are measured.
"""

from __future__ import annotations

import logging
import socket
from contextlib import suppress
from typing import Final

from manhattan.server.domain.clocks import Milliseconds
from manhattan.server.service.clock_and_secrets import now_ms, server_clock
from manhattan.server.storage import Store

log = logging.getLogger("manhattan.server")

_NEGLIGIBLE: Final[Milliseconds] = 1_000
"""A difference from the wall clock that is not worth storing."""
_STORE_INTERVAL: Final[Milliseconds] = 60_000
_MAX_BEHIND: Final[Milliseconds] = 24 * 60 * 60 * 1000
"""A wall clock that is behind the stored events by more is believed: rather a table is damaged."""


class ClockKeeper:
    """Checks the clock of this process, and stores its difference from the wall clock."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._setting = f"clock lag of {socket.gethostname()}"
        self._stored: Milliseconds = 0
        self._stored_at: Milliseconds = 0

    async def restore(self) -> None:
        """Continue the time of the processes before this one."""
        clock = server_clock()
        with suppress(ValueError):
            self._stored = int(await self._store.find_setting(self._setting) or 0)
        if self._stored:
            clock.set_lag(self._stored)
        behind = await self._store.latest_change() - now_ms()
        if 0 < behind <= _MAX_BEHIND:
            clock.start_after(now_ms() + behind)
        if behind > 0:
            log.warning(
                "the system's clock is behind the stored games",
                extra={"seconds": round(behind / 1000)},
            )
        self._stored_at = now_ms()

    async def check(self) -> None:
        """Notice that the wall clock was set."""
        clock = server_clock()
        was_set, now = clock.check(), now_ms()
        lag = clock.lag if abs(clock.lag) > _NEGLIGIBLE else 0
        is_due = lag != self._stored and now - self._stored_at > _STORE_INTERVAL
        if was_set or is_due:
            self._stored, self._stored_at = lag, now
            await self._store.write_setting(self._setting, str(lag))
