"""Clocks of the server that tests can move."""

from __future__ import annotations

import pytest

from manhattan.server.service import clock_and_secrets
from manhattan.server.service.clock_and_secrets import ServerClock


class MovedClock:
    """The clocks of the servers in this process, ahead of the real ones."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._passed_ns = 0
        self._stepped_ns = 0
        wall, steady = clock_and_secrets._wall_ns, clock_and_secrets._steady_ns
        moved = {
            "_wall_ns": lambda: wall() + self._passed_ns + self._stepped_ns,
            "_steady_ns": lambda: steady() + self._passed_ns,
        }
        for name, clock in moved.items():
            monkeypatch.setattr(clock_and_secrets, name, clock)
        self._monkeypatch = monkeypatch
        self.restart()

    def advance(self, *, seconds: float = 0, days: float = 0) -> None:
        """Let time pass."""
        self._passed_ns += _nanoseconds(seconds, days)

    def step(self, *, seconds: float = 0, days: float = 0) -> None:
        """Set the wall clock, while no time passes."""
        self._stepped_ns += _nanoseconds(seconds, days)

    def restart(self) -> None:
        """Begin as a new process does, which knows nothing but the clocks."""
        self._monkeypatch.setattr(clock_and_secrets, "CLOCK", ServerClock())


def _nanoseconds(seconds: float, days: float) -> int:
    return int((seconds + days * 86_400) * 1e9)
