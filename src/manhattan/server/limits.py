"""How much one may do: enough for anybody who plays, too little for who floods."""

from __future__ import annotations

import math
import time
from collections import Counter, OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass
from ipaddress import IPv6Address
from typing import Final

from manhattan.server.denials import Denial, Denied

LONGEST_BODY: Final = 64 * 1024
"""Bytes of a request."""
LONGEST_COMMAND: Final = 4 * 1024
"""Bytes of a message over a websocket; uvicorn is told, too."""
_REMEMBERED: Final = 20_000


@dataclass(frozen=True, slots=True)
class Rate:
    """So many at once, and then so many a second."""

    burst: int
    a_second: float


@dataclass(frozen=True, slots=True)
class Limits:
    """What is allowed, to a person or to an address."""

    requests: Rate = Rate(200, 30)
    """From an address, over HTTP."""
    newcomers: Rate = Rate(30, 0.2)
    """From an address."""
    tables: Rate = Rate(20, 0.1)
    """Opened by a person."""
    commands: Rate = Rate(100, 50)
    """Over a websocket; a move that is made does not count."""
    talk: Rate = Rate(5, 0.5)
    """Said by a person."""
    thinking: Rate = Rate(5, 0.5)
    """Hints and evaluations for a person."""
    sockets_of_address: int = 500
    sockets_of_person: int = 50
    connections_of_address: int = 500
    """Besides websockets."""


def neighbourhood(address: str) -> str:
    """Where an address is counted: an IPv6 address with its neighbours, since who has one has all
    of its /64."""
    if ":" not in address:
        return address
    try:
        found = IPv6Address(address)
    except ValueError:  # whatever a proxy calls it
        return address
    if found.ipv4_mapped is not None:  # so a server that listens to both calls IPv4
        return str(found.ipv4_mapped)
    return str(IPv6Address(int(found) >> 64 << 64))


class Bucket:
    """Counts what somebody does against a rate."""

    __slots__ = ("_level", "_rate", "_then")

    def __init__(self, rate: Rate) -> None:
        self._rate = rate
        self._level = float(rate.burst)
        self._then = time.monotonic()

    def take(self) -> None:
        """Once more; raises if that is too often."""
        now = time.monotonic()
        gained = (now - self._then) * self._rate.a_second
        self._level, self._then = min(self._rate.burst, self._level + gained), now
        if self._level < 1:
            wait = math.ceil((1 - self._level) / self._rate.a_second)
            raise Denied(Denial.TOO_OFTEN, seconds=wait)
        self._level -= 1

    def give_back(self) -> None:
        """That did not count."""
        self._level += 1


class Buckets:
    """One for each of many, of whom those are forgotten who came longest ago."""

    def __init__(self, rate: Rate) -> None:
        self._rate = rate
        self._buckets: OrderedDict[Hashable, Bucket] = OrderedDict()

    def take(self, who: Hashable) -> None:
        bucket = self._buckets.pop(who, None) or Bucket(self._rate)
        self._buckets[who] = bucket
        if len(self._buckets) > _REMEMBERED:
            self._buckets.popitem(last=False)
        bucket.take()


class Gates:
    """All limits of a process at work."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.requests = Buckets(limits.requests)
        self.newcomers = Buckets(limits.newcomers)
        self.tables = Buckets(limits.tables)
        self.talk = Buckets(limits.talk)
        self.thinking = Buckets(limits.thinking)
        self._sockets: Counter[tuple[str, str]] = Counter()

    def enter(self, address: str, person: str | None) -> None:
        """One more websocket."""
        wanted = [("address", address, self.limits.sockets_of_address)]
        if person is not None:
            wanted.append(("person", person, self.limits.sockets_of_person))
        if any(self._sockets[kind, who] >= most for kind, who, most in wanted):
            raise Denied(Denial.TOO_MANY, what="connections of yours")
        for kind, who, _ in wanted:
            self._sockets[kind, who] += 1

    def leave(self, address: str, person: str | None) -> None:
        for key in (("address", address), ("person", person or "")):
            self._sockets[key] -= 1
            if self._sockets[key] <= 0:
                del self._sockets[key]
