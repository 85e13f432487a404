"""Rate limiter: token buckets per address and per person.

The limits are generous for everyone who plays, and too low for a flood.
"""

from __future__ import annotations

import math
import time
from collections import Counter, OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass
from ipaddress import IPv6Address
from typing import Final

from manhattan.server.domain.errors import CommandRejected, ErrorCode

MAX_BODY_BYTES: Final = 64 * 1024
"""Bytes of a request's body."""
MAX_TRACKED_KEYS: Final = 20_000
"""Addresses or people whose buckets are kept; the least recently used are dropped."""


@dataclass(frozen=True, slots=True)
class Rate:
    """The size of a bucket and its refill."""

    burst: int
    per_second: float


@dataclass(frozen=True, slots=True)
class Limits:
    """What an address, a person or a connection may do."""

    requests: Rate = Rate(200, 30)
    """HTTP requests of an address."""
    page: Rate = Rate(1000, 60)
    """Files of the page for an address: a visit takes some twenty."""
    monitoring: Rate = Rate(30, 5)
    """Readiness checks and metrics for an address."""
    registrations: Rate = Rate(30, 0.2)
    """New accounts of an address."""
    sign_ins: Rate = Rate(20, 0.1)
    """Attempts of an address to sign in, or to add a way to sign in."""
    exports: Rate = Rate(5, 0.02)
    """Exports and deletions of an address: each searches the events of all tables."""
    tables: Rate = Rate(20, 0.1)
    """Tables that a person opens."""
    frames: Rate = Rate(100, 50)
    """Frames over one websocket. A move that was played is refunded."""
    chat: Rate = Rate(5, 0.5)
    """Chat messages of a person."""
    hints: Rate = Rate(5, 0.5)
    """Hints and evaluations for a person."""
    previews: Rate = Rate(40, 4)
    """Pictures of tables for an address: each takes a twentieth of a second to draw."""
    connections: Rate = Rate(400, 40)
    """New connections of an address, websockets included."""
    sockets: Rate = Rate(200, 10)
    """New websockets of an address."""
    received_bytes: Rate = Rate(16 * 1024, 4 * 1024)
    """Bytes that one connection may always send: enough for a page that opens, and for a command
    every 50 ms."""
    excess_bytes: Rate = Rate(1024 * 1024, 128 * 1024)
    """Bytes beyond, of all connections of an address together. Endless headers or frames use them
    up, however many connections they come from."""
    sockets_per_address: int = 500
    sockets_per_person: int = 50
    connections_per_address: int = 500
    """Connections that are not websockets."""
    public_tables_per_address: int = 8
    """Public tables that wait for players."""
    stalled_per_address: int = 20
    """Connections that don't read what was sent, for each of which it has to be kept."""


_UNLIMITED: Final = Rate(10**9, 10**9)
NO_LIMITS: Final = Limits(
    requests=_UNLIMITED,
    page=_UNLIMITED,
    monitoring=_UNLIMITED,
    registrations=_UNLIMITED,
    sign_ins=_UNLIMITED,
    exports=_UNLIMITED,
    tables=_UNLIMITED,
    frames=_UNLIMITED,
    chat=_UNLIMITED,
    hints=_UNLIMITED,
    previews=_UNLIMITED,
    connections=_UNLIMITED,
    sockets=_UNLIMITED,
    received_bytes=_UNLIMITED,
    excess_bytes=_UNLIMITED,
    sockets_per_address=10**6,
    sockets_per_person=10**6,
    connections_per_address=10**6,
    public_tables_per_address=10**6,
    stalled_per_address=10**6,
)
"""For load tests, whose clients share one address."""


def address_key(address: str) -> str:
    """Return the key under which an address is counted: an IPv6 address by its /64 network, all of
    which belongs to one subscriber."""
    if ":" not in address:
        return address
    try:
        parsed = IPv6Address(address)
    except ValueError:  # not an address, but some proxy's name for one
        return address
    if parsed.ipv4_mapped is not None:  # a dual-stack socket reports IPv4 peers like this
        return str(parsed.ipv4_mapped)
    return str(IPv6Address(int(parsed) >> 64 << 64))


class TokenBucket:
    """A token bucket."""

    __slots__ = ("_level", "_rate", "_updated_at")

    def __init__(self, rate: Rate) -> None:
        self._rate = rate
        self._level = float(rate.burst)
        self._updated_at = time.monotonic()

    def try_take(self, tokens: float = 1) -> bool:
        """Take tokens if there are enough."""
        now = time.monotonic()
        refill = (now - self._updated_at) * self._rate.per_second
        self._level, self._updated_at = min(self._rate.burst, self._level + refill), now
        if self._level < tokens:
            return False
        self._level -= tokens
        return True

    def take(self) -> None:
        """Take a token; raises if there is none."""
        if not self.try_take():
            wait = math.ceil((1 - self._level) / self._rate.per_second)
            raise CommandRejected(ErrorCode.TOO_OFTEN, seconds=wait)

    def refund(self, tokens: float = 1) -> None:
        """Give tokens back."""
        self._level += tokens


class KeyedBuckets:
    """A token bucket per key, for a bounded number of keys."""

    def __init__(self, rate: Rate) -> None:
        self._rate = rate
        self._buckets: OrderedDict[Hashable, TokenBucket] = OrderedDict()

    def take(self, key: Hashable) -> None:
        """Take a token of this key; raises if there is none."""
        self._bucket(key).take()

    def try_take(self, key: Hashable, tokens: float = 1) -> bool:
        """Take tokens of this key if there are enough."""
        return self._bucket(key).try_take(tokens)

    def _bucket(self, key: Hashable) -> TokenBucket:
        bucket = self._buckets.pop(key, None) or TokenBucket(self._rate)
        self._buckets[key] = bucket
        if len(self._buckets) > MAX_TRACKED_KEYS:
            self._buckets.popitem(last=False)
        return bucket


class RateLimiter:
    """The buckets and counters of a process."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.requests = KeyedBuckets(limits.requests)
        self.page = KeyedBuckets(limits.page)
        self.monitoring = KeyedBuckets(limits.monitoring)
        self.registrations = KeyedBuckets(limits.registrations)
        self.sign_ins = KeyedBuckets(limits.sign_ins)
        self.exports = KeyedBuckets(limits.exports)
        self.tables = KeyedBuckets(limits.tables)
        self.chat = KeyedBuckets(limits.chat)
        self.hints = KeyedBuckets(limits.hints)
        self.previews = KeyedBuckets(limits.previews)
        self._new_sockets = KeyedBuckets(limits.sockets)
        self._sockets: Counter[tuple[str, str]] = Counter()

    def acquire_socket(self, address: str, person: str | None) -> None:
        """Count a websocket; raises if the address or the person has too many, or the address opens
        them too often."""
        self._new_sockets.take(address)
        counted = [("address", address, self.limits.sockets_per_address)]
        if person is not None:
            counted.append(("person", person, self.limits.sockets_per_person))
        if any(self._sockets[kind, key] >= limit for kind, key, limit in counted):
            raise CommandRejected(ErrorCode.TOO_MANY, what="connections")
        for kind, key, _ in counted:
            self._sockets[kind, key] += 1

    def release_socket(self, address: str, person: str | None) -> None:
        """Stop counting a websocket."""
        for key in (("address", address), ("person", person or "")):
            self._sockets[key] -= 1
            if self._sockets[key] <= 0:
                del self._sockets[key]
