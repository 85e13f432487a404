"""Group commit: many appends, one database transaction.

While the disk is busy with one batch, the next batch collects. So a thousand tables cost hardly
more than one, and each caller learns that its event is durable before it broadcasts it.
"""

from __future__ import annotations

import asyncio
import time
from typing import Final

from manhattan.server.domain.errors import CommandRejected, ErrorCode
from manhattan.server.ops import metrics
from manhattan.server.storage import Append, Store, StoreUnavailable

MAX_BATCH: Final = 500
MAX_PENDING: Final = 20_000
MAX_COLLECT_S: Final = 0.02
"""The longest time for which a batch collects."""
_QUIET_TURNS: Final = 3


class GroupCommit:
    """Writes events in batches."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._pending: list[tuple[Append, asyncio.Future[bool]]] = []
        self._writer: asyncio.Task[None] | None = None

    async def append(self, event: Append) -> bool:
        """Write an event. Returns True once it is durable, and False if another writer was first
        with its number; ``StoreUnavailable`` leaves open which of the two happened.

        A caller that is cancelled still gets the outcome, and the cancellation follows it: the
        table must neither be unlocked nor left behind the database in between.
        """
        if len(self._pending) >= MAX_PENDING:
            raise CommandRejected(ErrorCode.BUSY)
        outcome: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._pending.append((event, outcome))
        if self._writer is None or self._writer.done():
            self._writer = asyncio.create_task(self._write())
        return await _defer_cancellation(outcome)

    async def finish(self) -> None:
        """Wait until all pending events are written."""
        if self._writer is not None:
            await self._writer

    async def _write(self) -> None:
        while self._pending:
            await self._collect()
            batch, self._pending = self._pending[:MAX_BATCH], self._pending[MAX_BATCH:]
            started = time.perf_counter()
            try:
                written = await self._store.append([event for event, _ in batch])
            except Exception as error:  # whatever it is, no caller may be left waiting
                for _, outcome in batch:
                    outcome.set_exception(StoreUnavailable(str(error)))
                continue
            metrics.COMMIT_SECONDS.observe(time.perf_counter() - started)
            metrics.COMMIT_EVENTS.observe(len(batch))
            for (_, outcome), was_first in zip(batch, written, strict=True):
                outcome.set_result(was_first)

    async def _collect(self) -> None:
        """Wait while the batch grows: commands that have just arrived take some turns of the event
        loop until they are decided."""
        deadline = time.monotonic() + MAX_COLLECT_S
        quiet_turns = 0
        while quiet_turns < _QUIET_TURNS and len(self._pending) < MAX_BATCH:
            size = len(self._pending)
            await asyncio.sleep(0)
            quiet_turns = quiet_turns + 1 if len(self._pending) == size else 0
            if time.monotonic() > deadline:
                return


async def _defer_cancellation(outcome: asyncio.Future[bool]) -> bool:
    """Wait for an outcome even if the current task is cancelled, and cancel the task then."""
    task = asyncio.current_task()
    assert task is not None
    cancelled = False
    while not outcome.done():
        try:
            await asyncio.shield(outcome)
        except asyncio.CancelledError:
            task.uncancel()
            cancelled = True
        except StoreUnavailable:
            break
    if cancelled:
        task.cancel()
    return outcome.result()
