"""Opens every store that is named on standard input, and says how that went.

A process of its own, because several of them open the same one at the same moment.
"""

from __future__ import annotations

import asyncio
import sys

from manhattan.rules import ManhattanError
from manhattan.server.store import open_store


async def secret_of(address: str) -> str:
    store = await open_store(address)
    try:
        return await store.secret("cookies")
    finally:
        await store.close()


print("ready", flush=True)
for line in sys.stdin:
    try:
        print(asyncio.run(secret_of(line.strip())), flush=True)
    except ManhattanError as error:
        print(f"{type(error).__name__}: {error}", flush=True)
