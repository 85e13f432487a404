"""A fair queue: callers with many requests don't delay callers with few (round robin)."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager

from manhattan.server.domain.errors import CommandRejected, ErrorCode


class FairQueue:
    """Limits how many callers run at once. Of those that wait, each key's first comes before any
    key's second, and a key has a limited number of waiting callers."""

    def __init__(self, slots: int, max_waiting_per_key: int) -> None:
        self._free = slots
        self._max_waiting_per_key = max_waiting_per_key
        self._waiting: dict[Hashable, deque[asyncio.Future[None]]] = {}
        """The waiting callers of each key; the next key comes first."""

    @asynccontextmanager
    async def slot(self, key: Hashable) -> AsyncIterator[None]:
        """Wait for a slot, and hold it for a while."""
        if self._free:
            self._free -= 1
        else:
            await self._wait(key)
        try:
            yield
        finally:
            self._release()

    async def _wait(self, key: Hashable) -> None:
        waiting = self._waiting.setdefault(key, deque())
        if len(waiting) >= self._max_waiting_per_key:
            raise CommandRejected(ErrorCode.BUSY)
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # the slot was assigned at the same moment
                self._release()
            raise

    def _release(self) -> None:
        """Pass the slot to the next key, which goes to the end if it has more callers waiting."""
        while self._waiting:
            key = next(iter(self._waiting))
            waiting = self._waiting.pop(key)
            turn = waiting.popleft()
            if waiting:
                self._waiting[key] = waiting
            if not turn.done():  # otherwise the caller was cancelled
                turn.set_result(None)
                return
        self._free += 1
