"""What the pure domain gets from outside: the time, and random secrets."""

from __future__ import annotations

import secrets
import time

from manhattan.rules.chance import SEED_BYTES
from manhattan.server.domain.clocks import Milliseconds


def now_ms() -> Milliseconds:
    """Return the wall-clock time in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def new_seed() -> str:
    """Return the seed of a game's shuffles, in hexadecimal."""
    return secrets.token_bytes(SEED_BYTES).hex()


def new_transfer_secret() -> str:
    """Return a secret with which another device takes over a seat."""
    return secrets.token_urlsafe(24)
