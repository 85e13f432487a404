"""Load test: a server on one core, its players on another."""

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
from typing import Final

from manhattan.bench.server.players import Counters, Pair

WARM_UP_S: Final = 3.0
DURATION_S: Final = 20.0
_SAMPLES: Final = 10
_THREAD_SWITCH_S: Final = 0.0002
"""Other threads of the players' process don't delay the clock that measures latencies."""


@dataclass(frozen=True, slots=True)
class LoadResult:
    """What a server carried."""

    tables: int
    moves_per_second: float
    p50_ms: float
    p99_ms: float
    cpu_share: float
    """Of one core."""
    memory_mb: float
    games: int
    moves_per_game: int


@contextmanager
def run_target(
    database: str, redis: str | None = None, *, pinned: bool = True
) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Run a server, ``pinned`` to the first core, and yield its process and its port."""
    cores = sorted(os.sched_getaffinity(0))
    command = [sys.executable, "-P", "-m", "manhattan.bench.server.target", database]
    process = subprocess.Popen(  # noqa: S603 - this program
        [*command, *([redis] if redis else [])], stdout=subprocess.PIPE, text=True
    )
    try:
        if pinned:
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
    think_time_s: tuple[float, float] = (0, 0),
    seconds: float = DURATION_S,
    warm_up: float | None = None,
    database: str | None = None,
    memory_samples: list[tuple[float, float]] | None = None,
) -> LoadResult:
    """Measure a server with a pair of players at each table and one move in flight per pair."""
    warm_up = WARM_UP_S if warm_up is None else warm_up
    cores = sorted(os.sched_getaffinity(0))
    with (
        tempfile.TemporaryDirectory() as folder,
        run_target(database or f"{folder}/t.db") as target,
    ):
        process, port = target
        os.sched_setaffinity(0, cores[1:] or cores)
        switch_interval = sys.getswitchinterval()
        sys.setswitchinterval(_THREAD_SWITCH_S)
        try:
            import uvloop

            return uvloop.run(
                _play(process.pid, port, tables, think_time_s, seconds, warm_up, memory_samples)
            )
        finally:
            sys.setswitchinterval(switch_interval)
            os.sched_setaffinity(0, cores)


def measure_memory(
    seconds: float, database: str | None = None, tables: int = 50
) -> Iterator[tuple[float, float]]:
    """Play at full speed, and yield minutes and the server's memory in megabytes."""
    samples: list[tuple[float, float]] = []
    measure(tables, seconds=seconds, database=database, memory_samples=samples)
    yield from samples


async def _play(
    pid: int,
    port: int,
    tables: int,
    think_time_s: tuple[float, float],
    seconds: float,
    warm_up: float,
    memory_samples: list[tuple[float, float]] | None,
) -> LoadResult:
    counters = Counters()
    pairs = [Pair((port, port), number, counters, think_time_s) for number in range(tables)]
    playing = [asyncio.create_task(pair.play()) for pair in pairs]
    await wait(warm_up, playing)
    counters.clear()
    started, cpu = time.perf_counter(), cpu_seconds(pid)
    intervals = 1 if memory_samples is None else _SAMPLES
    for number in range(1, intervals + 1):
        await wait(seconds / intervals, playing)
        if memory_samples is not None:
            memory_samples.append((number * seconds / intervals / 60, memory_mb(pid)))
    elapsed = time.perf_counter() - started
    cpu_share = (cpu_seconds(pid) - cpu) / elapsed
    moves, games, latencies = counters.moves, counters.games, sorted(counters.latencies)
    memory = memory_mb(pid)
    for task in playing:
        task.cancel()
    await asyncio.gather(*playing, return_exceptions=True)
    percentiles = quantiles(latencies, n=100)
    return LoadResult(
        tables,
        moves / elapsed,
        percentiles[49] * 1000,
        percentiles[98] * 1000,
        cpu_share,
        memory,
        games,
        round(moves / games) if games else moves,
    )


async def wait(seconds: float, playing: list[asyncio.Task[None]]) -> None:
    """Let the pairs play; raises the error of a pair that fails."""
    done, _ = await asyncio.wait(playing, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    for task in done:
        task.result()


def cpu_seconds(pid: int) -> float:
    """Return the CPU time of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory_mb(pid: int) -> float:
    """Return the resident memory of a process in megabytes."""
    for line in Path(f"/proc/{pid}/status").read_text("ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0
