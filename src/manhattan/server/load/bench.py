"""The figures of ``manhattan bench server``."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from typing import Final

from manhattan.figure import Figure
from manhattan.server.load.idling import measure_idle
from manhattan.server.load.measuring import Measured, measure, measure_memory
from manhattan.server.load.peer import peer

THINKING: Final = (0.05, 0.15)
"""Seconds between a move and the next, for people who think."""
MANY: Final = 4
"""So many times as many tables should go as well."""
SOAK: Final = 300.0
IDLE_TABLES: Final = 500
IDLE_SOCKETS: Final = 2000
PAIRS: Final = 3


def busy(tables: int, seconds: float, database: str | None, *, compared: bool) -> Iterator[Figure]:
    """As fast as they can, then thinking, then more of them; and somebody else's server."""
    if compared:
        yield from _compared(tables, seconds, database)
    ours = measure(tables, seconds=seconds, database=database)
    yield from _told(ours, f"{tables} tables")
    thinking = measure(tables, think=THINKING, seconds=seconds, database=database)
    yield Figure("thinking 50-150 ms, p50", 0, thinking.p50_ms, "ms")
    yield Figure("thinking 50-150 ms, p99", 0, thinking.p99_ms, "ms")
    many = measure(MANY * tables, seconds=seconds, database=database)
    yield from _told(many, f"{MANY * tables} tables")
    ratio = many.moves_a_second / ours.moves_a_second
    yield Figure(f"{MANY * tables} of {tables} tables", 0, ratio, "of the moves/s")


def _compared(tables: int, seconds: float, database: str | None) -> Iterator[Figure]:
    """Ours and theirs in turns, since a machine is not equally quick at all times; of the ratios
    of runs in a row the one in the middle. Once theirs never begins a new match, and once as often
    as ours, which would not be our game if it had no end."""
    ours: list[Measured] = []
    endless: list[float] = []
    as_long: list[float] = []
    with peer() as measure_peer:
        for _ in range(PAIRS):
            ours.append(measure(tables, seconds=seconds, database=database))
            endless.append(measure_peer(tables, seconds, None))
            as_long.append(measure_peer(tables, seconds, ours[-1].moves_a_game))
    yield Figure("ours, at best", 0, max(one.moves_a_second for one in ours), "moves/s")
    for theirs, how in ((endless, "endless matches"), (as_long, "matches as long as ours")):
        yield Figure(f"boardgame.io in memory, {how}, at best", 0, max(theirs), "moves/s")
        each = (our.moves_a_second / their for our, their in zip(ours, theirs, strict=True))
        yield Figure(f"of boardgame.io, {how}", 0, median(each), "ours durable")


def soak(database: str | None) -> Iterator[Figure]:
    """Memory over some minutes of play."""
    for minute, memory in measure_memory(SOAK, database):
        yield Figure(f"after {minute:.1f} minutes", 0, memory, "MB")


def idle() -> Iterator[Figure]:
    """What tables cost at which nothing happens."""
    found = measure_idle(IDLE_TABLES, IDLE_SOCKETS)
    yield Figure("memory before", 0, found.memory_before_mb, "MB")
    yield Figure(f"with {IDLE_TABLES} tables, {IDLE_SOCKETS} websockets", 0, found.memory_mb, "MB")
    yield Figure("CPU while nothing happens", 0, 100 * found.cpu_share, "% of a core")


def _told(measured: Measured, name: str) -> Iterator[Figure]:
    yield Figure(name, 0, measured.moves_a_second, "moves/s")
    yield Figure(f"{name}, p50", 0, measured.p50_ms, "ms")
    yield Figure(f"{name}, p99", 0, measured.p99_ms, "ms")
    yield Figure(f"{name}, the server's CPU", 0, 100 * measured.cpu_share, "% of a core")
    yield Figure(f"{name}, memory", 0, measured.memory_mb, "MB")
