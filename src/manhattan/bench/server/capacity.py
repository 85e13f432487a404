"""Capacity on paper: a simulation of a larger installation from measured costs.

Moves arrive at random at server processes. Each process takes the moves that wait for it as one
batch, computes them, and commits them to the database, which all processes share and which works
on a limited number of commits at a time.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from statistics import quantiles
from typing import Final

from manhattan.bench.measurement import Measurement
from manhattan.bench.server.costs import Costs

MAX_P99_MS: Final = 200.0
"""A move takes no longer for 99 of 100 players: beyond it a game feels slow."""
_SIMULATED_MOVES: Final = 20_000
_SECONDS_PER_YEAR: Final = 365 * 24 * 3600


@dataclass(frozen=True, slots=True)
class Installation:
    """Processes, each on a core of its own, and a database."""

    processes: int
    commits_at_a_time: int
    """How many commits the database works on at the same time: about its number of cores."""


@dataclass(frozen=True, slots=True)
class Demand:
    """What people do at the busiest time."""

    tables: int
    """Tables at which people play."""
    move_every_s: float
    spectators: float
    """Spectators of each table."""

    @property
    def moves_per_second(self) -> float:
        return self.tables / self.move_every_s


@dataclass(frozen=True, slots=True)
class Latency:
    """How long moves take, from their arrival until they are durable, in milliseconds."""

    p50_ms: float
    p99_ms: float
    is_stable: bool
    """Whether the installation keeps up."""


def simulate(costs: Costs, installation: Installation, demand: Demand, seed: int = 1) -> Latency:
    """Simulate some thousand moves."""
    rng = Random(seed)  # noqa: S311 - a simulation
    rate = demand.moves_per_second / installation.processes
    cpu_s = (costs.move_us + costs.spectator_us * demand.spectators) / 1e6
    queues: list[deque[float]] = [deque() for _ in range(installation.processes)]
    arrivals = [(rng.expovariate(rate), process) for process in range(installation.processes)]
    heapq.heapify(arrivals)
    free_at = [0.0] * installation.processes
    database = [0.0] * installation.commits_at_a_time
    latencies: list[float] = []
    # The next batch of a process begins when it is free and a move waits for it.
    batches: list[tuple[float, int]] = []
    while len(latencies) < _SIMULATED_MOVES:
        if not batches or arrivals[0][0] <= batches[0][0]:
            now, process = heapq.heapreplace(
                arrivals, (arrivals[0][0] + rng.expovariate(rate), arrivals[0][1])
            )
            if not queues[process]:
                heapq.heappush(batches, (max(now, free_at[process]), process))
            queues[process].append(now)
            continue
        now, process = heapq.heappop(batches)
        waiting = queues[process]
        computed = now + cpu_s * len(waiting)
        commit_s = (costs.commit_ms + costs.commit_event_ms * (len(waiting) - 1)) / 1000
        done = max(computed, heapq.heappop(database)) + commit_s
        heapq.heappush(database, done)
        free_at[process] = done
        latencies += [done - arrived for arrived in waiting]
        waiting.clear()
    half = len(latencies) // 2
    percentiles = quantiles(latencies, n=100)
    early, late = (sum(part) / len(part) for part in (latencies[:half], latencies[half:]))
    return Latency(
        percentiles[49] * 1000, percentiles[98] * 1000, is_stable=late < 2 * early + 0.01
    )


def greatest_demand(costs: Costs, installation: Installation, demand: Demand) -> int:
    """Return how many tables in play an installation carries with a p99 below the limit."""
    low, high = 1, 2
    while _carries(costs, installation, demand, high):
        low, high = high, high * 2
    while high - low > max(1, low // 50):
        middle = (low + high) // 2
        if _carries(costs, installation, demand, middle):
            low = middle
        else:
            high = middle
    return low


def _carries(costs: Costs, installation: Installation, demand: Demand, tables: int) -> bool:
    latency = simulate(costs, installation, Demand(tables, demand.move_every_s, demand.spectators))
    return latency.is_stable and latency.p99_ms < MAX_P99_MS


def plan(costs: Costs, demand: Demand, commits_at_a_time: int) -> Iterator[Measurement]:
    """Report what growing installations carry, and what the demand needs."""
    for processes in (1, 2, 4, 8, 16, 32):
        installation = Installation(processes, commits_at_a_time)
        tables = greatest_demand(costs, installation, demand)
        yield Measurement(f"{processes} processes carry", 0, tables, "tables in play")
    memory = demand.tables * (costs.table_kb + (2 + demand.spectators) * costs.spectator_kb)
    yield Measurement(f"memory for {demand.tables:,} tables", 0, memory / 1024, "MB")
    disk = demand.moves_per_second * _SECONDS_PER_YEAR * costs.event_bytes
    yield Measurement("database after a year of this demand", 0, disk / 2**30, "GB")
