"""Scale: many tables over several processes that share a database and a message bus.

The players, the servers, the database and the bus share this computer, so what is measured is less
than what as many computers carry.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from statistics import quantiles
from typing import Final

from manhattan.bench.measurement import Measurement
from manhattan.bench.server.load import cpu_seconds, memory_mb, run_target, wait
from manhattan.bench.server.players import HOT_SEAT, Counters, Pair
from manhattan.bench.server.spectators import connect_spectators, read_all, socket_address
from manhattan.client import Client

THINK_TIME_S: Final = (5.0, 15.0)
"""How long people take for a move: ten seconds on average."""


@dataclass(frozen=True, slots=True)
class Load:
    """The load of a run."""

    tables: int
    playing: int
    """Tables at which two people play; the others wait."""
    spectators: int
    processes: int
    seconds: float
    think_time_s: tuple[float, float] = THINK_TIME_S


@dataclass(frozen=True, slots=True)
class _Process:
    pid: int
    port: int


def measure_scale(load: Load, database: str, redis: str | None) -> Iterator[Measurement]:
    """Start the processes, open all tables, and measure while some of them are played."""
    with ExitStack() as stack:
        targets = [
            stack.enter_context(run_target(database, redis, pinned=False))
            for _ in range(load.processes)
        ]
        processes = [_Process(process.pid, port) for process, port in targets]
        started = time.perf_counter()
        _open_waiting_tables(processes, load.tables - load.playing)
        counters = Counters()
        pairs = [
            Pair(_ports(processes, number), number, counters, load.think_time_s)
            for number in range(load.playing)
        ]
        yield Measurement("tables opened", 0, load.tables, "tables")
        yield Measurement("time to open them", 0, time.perf_counter() - started, "s")
        import uvloop

        yield from uvloop.run(_play(load, processes, pairs, counters))


def _ports(processes: list[_Process], number: int) -> tuple[int, int]:
    """Return where the two players of a table connect: every second table spans two processes."""
    first = processes[number % len(processes)]
    second = processes[(number + number // len(processes) % 2) % len(processes)]
    return first.port, second.port


def _open_waiting_tables(processes: list[_Process], tables: int) -> None:
    clients = [
        Client(f"http://127.0.0.1:{process.port}", "Ada", takes_part=False) for process in processes
    ]
    for number in range(tables):
        clients[number % len(clients)].open_table(seats=HOT_SEAT, start=True)


async def _play(
    load: Load, processes: list[_Process], pairs: list[Pair], counters: Counters
) -> list[Measurement]:
    playing = [asyncio.create_task(pair.play()) for pair in pairs]
    spectators = await _watch(load, processes, pairs)
    await wait(max(load.think_time_s), playing)
    counters.clear()
    started, cpu = time.perf_counter(), [cpu_seconds(process.pid) for process in processes]
    await wait(load.seconds, playing)
    elapsed = time.perf_counter() - started
    shares = [
        (cpu_seconds(process.pid) - before) / elapsed
        for process, before in zip(processes, cpu, strict=True)
    ]
    moves, latencies = counters.moves, sorted(counters.latencies)
    memory = [memory_mb(process.pid) for process in processes]
    for task in (*playing, *spectators):
        task.cancel()
    await asyncio.gather(*playing, *spectators, return_exceptions=True)
    percentiles = quantiles(latencies, n=1000)
    return [
        Measurement("moves", 0, moves / elapsed, "moves/s"),
        Measurement("move to opponent, p50", 0, percentiles[499] * 1000, "ms"),
        Measurement("move to opponent, p99", 0, percentiles[989] * 1000, "ms"),
        Measurement("move to opponent, p99.9", 0, percentiles[998] * 1000, "ms"),
        Measurement("CPU of all processes", 0, 100 * sum(shares), "% of a core"),
        Measurement("CPU of the busiest process", 0, 100 * max(shares), "% of a core"),
        Measurement("memory of all processes", 0, sum(memory), "MB"),
        Measurement("memory of the largest process", 0, max(memory), "MB"),
    ]


async def _watch(
    load: Load, processes: list[_Process], pairs: list[Pair]
) -> list[asyncio.Task[None]]:
    """Connect the spectators, spread over the tables in play and the processes."""
    addresses = [
        socket_address(processes[n % len(processes)].port, pairs[n % len(pairs)].table)
        for n in range(load.spectators)
    ]
    sockets = await connect_spectators(addresses)
    return [asyncio.create_task(read_all(socket)) for socket in sockets]
