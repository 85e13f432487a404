"""Measuring: the server on one core, its visitors on another."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import quantiles

from manhattan.server.load.players import Pair, Seen

WARM_UP = 3.0
_SAMPLES = 10
MEASURED = 20.0
_SWITCH = 0.0002
"""Seconds: players who open their next game in a thread don't hold up the clock that measures."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What the server carried."""

    tables: int
    moves_a_second: float
    p50_ms: float
    p99_ms: float
    cpu_share: float
    """Of one core."""
    memory_mb: float
    games: int
    moves_a_game: int


@contextmanager
def target(database: str, redis: str | None = None) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A server on the first core, and its port."""
    cores = sorted(os.sched_getaffinity(0))
    command = [sys.executable, "-P", "-m", "manhattan.server.load.target", database]
    process = subprocess.Popen(  # noqa: S603 - ourselves
        [*command, *([redis] if redis else [])], stdout=subprocess.PIPE, text=True
    )
    try:
        os.sched_setaffinity(process.pid, cores[:1])
        assert process.stdout is not None
        yield process, int(process.stdout.readline())
    finally:
        process.terminate()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


def measure(
    tables: int,
    *,
    think: tuple[float, float] = (0, 0),
    seconds: float = MEASURED,
    warm_up: float | None = None,
    database: str | None = None,
    samples: list[tuple[float, float]] | None = None,
) -> Measured:
    """Pairs of players at so many tables, each with one move in flight at most."""
    warm_up = WARM_UP if warm_up is None else warm_up
    cores = sorted(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as folder:
        kept = database or str(Path(folder) / "tables.db")
        with target(kept) as (process, port):
            os.sched_setaffinity(0, cores[1:] or cores)
            switch = sys.getswitchinterval()
            sys.setswitchinterval(_SWITCH)
            try:
                import uvloop

                return uvloop.run(
                    _play(process.pid, port, tables, think, seconds, warm_up, samples)
                )
            finally:
                sys.setswitchinterval(switch)
                os.sched_setaffinity(0, cores)


def measure_memory(
    seconds: float, database: str | None = None, tables: int = 50
) -> Iterator[tuple[float, float]]:
    """Minutes of play as fast as it goes, and the server's memory now and then."""
    samples: list[tuple[float, float]] = []
    measure(tables, seconds=seconds, database=database, samples=samples)
    yield from samples


async def _play(
    pid: int,
    port: int,
    tables: int,
    think: tuple[float, float],
    seconds: float,
    warm_up: float,
    samples: list[tuple[float, float]] | None,
) -> Measured:
    seen = Seen()
    pairs = [Pair(port, number, seen, think) for number in range(tables)]
    playing = [asyncio.create_task(pair.play()) for pair in pairs]
    await _sleep(warm_up, playing)
    seen.moves, seen.games = 0, 0
    seen.delays.clear()
    begun, cpu = time.perf_counter(), cpu_seconds(pid)
    for minute in range(_SAMPLES if samples is not None else 1):
        await _sleep(seconds / (_SAMPLES if samples is not None else 1), playing)
        if samples is not None:
            samples.append(((minute + 1) * seconds / _SAMPLES / 60, memory_mb(pid)))
    took = time.perf_counter() - begun
    share = (cpu_seconds(pid) - cpu) / took
    moves, games, delays = seen.moves, seen.games, sorted(seen.delays)
    memory = memory_mb(pid)
    for task in playing:
        task.cancel()
    await asyncio.gather(*playing, return_exceptions=True)
    cuts = quantiles(delays, n=100)
    return Measured(
        tables,
        moves / took,
        cuts[49] * 1000,
        cuts[98] * 1000,
        share,
        memory,
        games,
        round(moves / games) if games else moves,
    )


async def _sleep(seconds: float, playing: list[asyncio.Task[None]]) -> None:
    """Let them play; whoever can't raises what is wrong."""
    ended, _ = await asyncio.wait(playing, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    for task in ended:
        task.result()


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory_mb(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text("ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0
