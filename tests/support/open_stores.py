"""A process that opens each store whose address it reads, and prints a secret or the error.

Tests start several of them, which open the same store at the same moment.
"""

from __future__ import annotations

import asyncio
import sys

from manhattan.rules import ManhattanError
from manhattan.server.storage import open_store


async def read_secret(address: str) -> str:
    store = await open_store(address)
    try:
        return await store.secret("cookies")
    finally:
        await store.close()


print("ready", flush=True)
for line in sys.stdin:
    try:
        print(asyncio.run(read_secret(line.strip())), flush=True)
    except ManhattanError as error:
        print(f"{type(error).__name__}: {error}", flush=True)
