"""What the pure domain gets from outside: the time, and random secrets.

The time of the server never steps. It is the wall-clock time of the start, continued by a clock
that nobody can set. A step of the wall clock takes no time from players and gives them none; the
time of the server approaches the wall clock slowly afterwards.
"""

from __future__ import annotations

import logging
import secrets
import time
from typing import Final

from manhattan.rules.chance import SEED_BYTES
from manhattan.server.domain.clocks import Milliseconds

log = logging.getLogger("manhattan.server")

_SLEW: Final = 0.005
"""The part of the elapsed time by which the server's time approaches the wall clock: four hours for
a minute. No player notices that their clock runs by that much faster or slower."""
_STEP_MS: Final[Milliseconds] = 1_000
"""A difference that arises between two checks and is larger is a step."""
_NS_PER_MS: Final = 1_000_000


# Windows has neither; on Linux the second one stops while the computer sleeps.
_STEADY: Final[int | None] = getattr(time, "CLOCK_BOOTTIME", getattr(time, "CLOCK_MONOTONIC", None))


def _steady_ns() -> int:
    """Return the time of a clock that can't be set, and runs while the computer sleeps."""
    return time.monotonic_ns() if _STEADY is None else time.clock_gettime_ns(_STEADY)


def _wall_ns() -> int:
    return time.time_ns()


class ServerClock:
    """The time of a server process, in milliseconds since 1970."""

    def __init__(self) -> None:
        self._offset_ns = _wall_ns() - _steady_ns()
        """What is added to the steady clock."""
        self._latest: Milliseconds = 0
        self._checked_at_ns = _steady_ns()
        self._last_lag: Milliseconds = 0

    def now(self) -> Milliseconds:
        """Return the time. It never decreases."""
        now = (self._offset_ns + _steady_ns()) // _NS_PER_MS
        self._latest = max(self._latest, now)
        return self._latest

    @property
    def lag(self) -> Milliseconds:
        """How far the wall clock is ahead; negative if it is behind."""
        return (_wall_ns() - _steady_ns() - self._offset_ns) // _NS_PER_MS

    def set_lag(self, lag: Milliseconds) -> None:
        """Start as far behind the wall clock as another process of this computer was."""
        self._offset_ns = _wall_ns() - _steady_ns() - lag * _NS_PER_MS
        self._latest = 0
        self._last_lag = lag

    def start_after(self, moment: Milliseconds) -> None:
        """Start at a moment, if the wall clock was set back to before it."""
        self._offset_ns += max(0, moment - self.now()) * _NS_PER_MS
        self._last_lag = self.lag

    def check(self) -> bool:
        """Approach the wall clock, and return whether it was set since the last check."""
        elapsed_ns = _steady_ns() - self._checked_at_ns
        self._checked_at_ns += elapsed_ns
        lag = self.lag
        step, self._last_lag = lag - self._last_lag, lag
        limit = int(elapsed_ns * _SLEW)
        self._offset_ns += max(-limit, min(limit, lag * _NS_PER_MS))
        if abs(step) <= _STEP_MS:
            return False
        log.warning(
            "the system's clock was set; games go on as if it were not",
            extra={"seconds": round(step / 1000)},
        )
        return True


CLOCK: Final = ServerClock()


def server_clock() -> ServerClock:
    """Return the clock of this process."""
    return CLOCK


def now_ms() -> Milliseconds:
    """Return the time of the server in milliseconds since 1970."""
    return CLOCK.now()


def new_seed() -> str:
    """Return the seed of a game's shuffles, in hexadecimal."""
    return secrets.token_bytes(SEED_BYTES).hex()


def new_person_id() -> str:
    """Return an id that commands can take as an argument: it doesn't begin with a hyphen."""
    return secrets.token_hex(16)


def new_transfer_secret() -> str:
    """Return a secret with which another device takes over a seat."""
    return secrets.token_urlsafe(24)
