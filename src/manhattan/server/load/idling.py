"""Tables at which nothing happens, and many who look at them."""

from __future__ import annotations

import asyncio
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from websockets.asyncio.client import ClientConnection, connect

from manhattan.client import Client
from manhattan.server.load.measuring import cpu_seconds, memory_mb, target

_QUIET = 10.0
_AT_ONCE = 50


@dataclass(frozen=True, slots=True)
class Idle:
    """What they cost."""

    memory_before_mb: float
    memory_mb: float
    cpu_share: float


def measure_idle(tables: int, sockets: int) -> Idle:
    with tempfile.TemporaryDirectory() as folder, target(str(Path(folder) / "t.db")) as up:
        process, port = up
        me = Client(f"http://127.0.0.1:{port}", "Somebody")
        before = memory_mb(process.pid)
        opened = [
            me.open(chairs=[{"who": "me"}, {"who": "here", "name": "Else"}], begin=True)
            for _ in range(tables)
        ]
        addresses = [
            f"ws://127.0.0.1:{port}/api/tables/{opened[n % tables]}/socket" for n in range(sockets)
        ]
        return asyncio.run(_look(process.pid, addresses, before))


async def _look(pid: int, addresses: list[str], before: float) -> Idle:
    connections: list[ClientConnection] = []
    for first in range(0, len(addresses), _AT_ONCE):
        some = addresses[first : first + _AT_ONCE]
        connections += await asyncio.gather(*(connect(address) for address in some))
    await asyncio.sleep(2)
    begun, cpu = time.perf_counter(), cpu_seconds(pid)
    await asyncio.sleep(_QUIET)
    share = (cpu_seconds(pid) - cpu) / (time.perf_counter() - begun)
    found = Idle(before, memory_mb(pid), share)
    await asyncio.gather(*(connection.close() for connection in connections))
    return found
