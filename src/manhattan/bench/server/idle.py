"""Idle cost: memory and CPU of tables at which nothing happens, and of their viewers."""

from __future__ import annotations

import asyncio
import tempfile
import time
from dataclasses import dataclass
from typing import Final

from manhattan.bench.server.load import cpu_seconds, memory_mb, run_target
from manhattan.bench.server.players import HOT_SEAT
from manhattan.bench.server.spectators import connect_spectators, socket_address
from manhattan.client import Client

_DURATION_S: Final = 10.0


@dataclass(frozen=True, slots=True)
class IdleResult:
    """The cost of idle tables."""

    memory_before_mb: float
    memory_mb: float
    cpu_share: float


def measure_idle(tables: int, sockets: int) -> IdleResult:
    """Open tables and websockets, and measure the server while nothing happens."""
    with tempfile.TemporaryDirectory() as folder, run_target(f"{folder}/tables.db") as target:
        process, port = target
        client = Client(f"http://127.0.0.1:{port}", "Ada", takes_part=False)
        before = memory_mb(process.pid)
        opened = [client.open_table(seats=HOT_SEAT, start=True) for _ in range(tables)]
        addresses = [socket_address(port, opened[n % tables]) for n in range(sockets)]
        return asyncio.run(_watch(process.pid, addresses, before))


async def _watch(pid: int, addresses: list[str], memory_before: float) -> IdleResult:
    connections = await connect_spectators(addresses)
    await asyncio.sleep(2)
    started, cpu = time.perf_counter(), cpu_seconds(pid)
    await asyncio.sleep(_DURATION_S)
    cpu_share = (cpu_seconds(pid) - cpu) / (time.perf_counter() - started)
    result = IdleResult(memory_before, memory_mb(pid), cpu_share)
    await asyncio.gather(*(connection.close() for connection in connections))
    return result
