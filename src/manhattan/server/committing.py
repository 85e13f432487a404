"""Writing down together what happens at the same time at different tables.

While the disk is busy with one batch the next one gathers, and while there is more to decide it is
waited for: so a thousand tables cost hardly more than one, and nobody is told of anything before it
is durable. (To do the same thing for many tables, and then the next, also keeps what is needed for
it in the processor's caches: up to a tenth of a move.)
"""

from __future__ import annotations

import asyncio
import time
from typing import Final

from manhattan.server import metrics
from manhattan.server.denials import Denial, Denied
from manhattan.server.store import Append, Store, StoreAway

LONGEST_GATHERING: Final = 0.02
"""Seconds that are waited while more and more comes."""
_QUIET: Final = 0.0001
"""A turn of the event loop that takes no more seconds had nothing to do."""
MOST_AT_ONCE: Final = 500
MOST_WAITING: Final = 20_000


class Committer:
    """Writes entries down, in batches."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._waiting: list[tuple[Append, asyncio.Future[bool]]] = []
        self._writing: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        """To find it takes a call of the kernel: not for every move."""

    async def append(self, one: Append) -> bool:
        """True once it is durable; false if somebody else was first with this number. A
        ``StoreAway`` leaves open which of the two it was. Who is cancelled waits nevertheless, so
        that nothing is written after he has let go of the table."""
        if len(self._waiting) >= MOST_WAITING:
            raise Denied(Denial.BUSY)
        self._loop = self._loop or asyncio.get_running_loop()
        first: asyncio.Future[bool] = self._loop.create_future()
        self._waiting.append((one, first))
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write())
        try:
            return await first
        except asyncio.CancelledError:
            await asyncio.wait({self._writing})
            raise

    async def _write(self) -> None:
        while self._waiting:
            await self._gather()
            batch, self._waiting = self._waiting[:MOST_AT_ONCE], self._waiting[MOST_AT_ONCE:]
            begun = time.perf_counter()
            try:
                firsts = await self._store.append([one for one, _ in batch])
            except Exception as error:
                if not isinstance(error, StoreAway):  # a mistake of ours: nobody is left waiting
                    error = StoreAway(f"The database could not be used: {error}.")
                for _, waits in batch:
                    if not waits.done():
                        waits.set_exception(error)
            else:
                for (_, waits), first in zip(batch, firsts, strict=True):
                    if not waits.done():
                        waits.set_result(first)
            metrics.WRITING.observe(time.perf_counter() - begun)
            metrics.BATCH.observe(len(batch))

    async def _gather(self) -> None:
        """Wait while others decide what to write: no longer than a turn of the event loop in which
        nobody does anything."""
        begun = then = time.monotonic()
        while then - begun < LONGEST_GATHERING and len(self._waiting) < MOST_AT_ONCE:
            await asyncio.sleep(0)
            before, then = then, time.monotonic()
            if then - before < _QUIET:
                return

    async def finish(self) -> None:
        """Everything that waits is written."""
        if self._writing is not None:
            await self._writing
