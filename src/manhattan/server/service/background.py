"""Background tasks: started, kept alive, and logged if they fail."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any, TypeVar

from manhattan.server.domain.errors import CommandRejected
from manhattan.server.storage import StoreUnavailable

log = logging.getLogger("manhattan.server")
T = TypeVar("T")


class BackgroundTasks:
    """The tasks that a service runs for itself. Expected failures are not logged."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()
        self._is_closed = False

    def spawn(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Start a task. Once the tasks are closed, it is cancelled before it begins."""
        task = asyncio.create_task(work)
        if self._is_closed:
            task.cancel()
        self._tasks.add(task)
        task.add_done_callback(self._on_done)
        return task

    async def run_isolated(self, work: Coroutine[Any, Any, object]) -> None:
        """Run something to its end; its failure is logged and stops no other work."""
        await asyncio.wait({self.spawn(work)})

    async def close(self) -> None:
        """Cancel all tasks, and those that something still starts."""
        self._is_closed = True
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)

    def _on_done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None and not isinstance(error, CommandRejected | StoreUnavailable):
            log.error("a background task failed", exc_info=error)
