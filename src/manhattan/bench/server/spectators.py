"""Websockets that only read."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

from websockets.asyncio.client import ClientConnection, connect

_PARALLEL_CONNECTS: Final = 50


def socket_address(port: int, table: str) -> str:
    """Return the address of a table's websocket."""
    return f"ws://127.0.0.1:{port}/api/tables/{table}/socket"


async def connect_spectators(addresses: Sequence[str]) -> list[ClientConnection]:
    """Connect a spectator to each address, some of them at a time."""
    sockets: list[ClientConnection] = []
    for first in range(0, len(addresses), _PARALLEL_CONNECTS):
        batch = addresses[first : first + _PARALLEL_CONNECTS]
        sockets += await asyncio.gather(*(connect(address, max_size=None) for address in batch))
    return sockets


async def read_all(socket: ClientConnection) -> None:
    """Read until the task is cancelled."""
    async with socket:
        async for _ in socket:
            pass
