"""The figures of ``manhattan bench server``."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from typing import Final

from manhattan.bench.measurement import Measurement
from manhattan.bench.server.idle import measure_idle
from manhattan.bench.server.load import LoadResult, measure, measure_memory
from manhattan.bench.server.peer import peer

THINK_TIME_S: Final = (0.05, 0.15)
"""The least and the greatest time between an update and the next move."""
SCALE: Final = 4
"""The second load has this many times as many tables."""
SOAK_S: Final = 300.0
IDLE_TABLES: Final = 500
IDLE_SOCKETS: Final = 2000
REPETITIONS: Final = 3


def busy(
    tables: int, seconds: float, database: str | None, *, with_peer: bool
) -> Iterator[Measurement]:
    """Measure players without and with think time, then more tables; optionally the peer."""
    if with_peer:
        yield from _compare(tables, seconds, database)
    ours = measure(tables, seconds=seconds, database=database)
    yield from _figures(ours, f"{tables} tables")
    with_think_time = measure(tables, think_time_s=THINK_TIME_S, seconds=seconds, database=database)
    yield Measurement("think time 50-150 ms, p50", 0, with_think_time.p50_ms, "ms")
    yield Measurement("think time 50-150 ms, p99", 0, with_think_time.p99_ms, "ms")
    more = measure(SCALE * tables, seconds=seconds, database=database)
    yield from _figures(more, f"{SCALE * tables} tables")
    ratio = more.moves_per_second / ours.moves_per_second
    yield Measurement(f"{SCALE * tables} to {tables} tables", 0, ratio, "times the moves/s")


def _compare(tables: int, seconds: float, database: str | None) -> Iterator[Measurement]:
    """Measure this server and the peer in turns, because a machine's speed varies, and report the
    median of the ratios. The peer plays endless matches once, and once matches of our length."""
    ours: list[LoadResult] = []
    endless: list[float] = []
    same_length: list[float] = []
    with peer() as measure_peer:
        for _ in range(REPETITIONS):
            ours.append(measure(tables, seconds=seconds, database=database))
            endless.append(measure_peer(tables, seconds, None))
            same_length.append(measure_peer(tables, seconds, ours[-1].moves_per_game))
    best = max(result.moves_per_second for result in ours)
    yield Measurement("ours, durable, best run", 0, best, "moves/s")
    for theirs, matches in ((endless, "endless matches"), (same_length, "matches of our length")):
        name = f"boardgame.io in memory, {matches}"
        yield Measurement(f"{name}, best run", 0, max(theirs), "moves/s")
        ratios = (own.moves_per_second / peers for own, peers in zip(ours, theirs, strict=True))
        yield Measurement(f"ours to {name}, median", 0, median(ratios), "times the moves/s")


def soak(database: str | None) -> Iterator[Measurement]:
    """Measure the memory over some minutes of play."""
    for minute, memory in measure_memory(SOAK_S, database):
        yield Measurement(f"after {minute:.1f} minutes", 0, memory, "MB")


def idle() -> Iterator[Measurement]:
    """Measure the cost of idle tables."""
    result = measure_idle(IDLE_TABLES, IDLE_SOCKETS)
    yield Measurement("memory before", 0, result.memory_before_mb, "MB")
    yield Measurement(
        f"with {IDLE_TABLES} tables, {IDLE_SOCKETS} websockets", 0, result.memory_mb, "MB"
    )
    yield Measurement("CPU while idle", 0, 100 * result.cpu_share, "% of a core")


def _figures(measured: LoadResult, name: str) -> Iterator[Measurement]:
    yield Measurement(name, 0, measured.moves_per_second, "moves/s")
    yield Measurement(f"{name}, p50", 0, measured.p50_ms, "ms")
    yield Measurement(f"{name}, p99", 0, measured.p99_ms, "ms")
    yield Measurement(f"{name}, CPU", 0, 100 * measured.cpu_share, "% of a core")
    yield Measurement(f"{name}, memory", 0, measured.memory_mb, "MB")
