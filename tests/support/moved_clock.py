"""A wall clock of the server that tests can move."""

from __future__ import annotations

import time
from types import SimpleNamespace

import pytest

from manhattan.server.service import clock_and_secrets


class MovedClock:
    """The wall clock of the servers in this process, ahead of the real one."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._ahead_ns = 0
        shifted = SimpleNamespace(time_ns=lambda: time.time_ns() + self._ahead_ns)
        monkeypatch.setattr(clock_and_secrets, "time", shifted)

    def advance(self, *, seconds: float = 0, days: float = 0) -> None:
        """Move the clock ahead."""
        self._ahead_ns += int((seconds + days * 86_400) * 1e9)
