"""Waiting in line, where nobody gets ahead by standing in it many times."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager

from manhattan.server.denials import Denial, Denied


class FairQueue:
    """Lets so many in at once. Of those who wait, everybody's first comes before anybody's second;
    and nobody has more than some waiting."""

    def __init__(self, places: int, most_of_one: int) -> None:
        self._free = places
        self._most_of_one = most_of_one
        self._lines: dict[Hashable, deque[asyncio.Future[None]]] = {}
        """Who is next comes first."""

    @asynccontextmanager
    async def place(self, who: Hashable) -> AsyncIterator[None]:
        """Wait for a place, and have it for a while."""
        if self._free:
            self._free -= 1
        else:
            await self._wait(who)
        try:
            yield
        finally:
            self._leave()

    async def _wait(self, who: Hashable) -> None:
        line = self._lines.setdefault(who, deque())
        if len(line) >= self._most_of_one:
            raise Denied(Denial.BUSY)
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        line.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # it was given to him in the same moment
                self._leave()
            raise

    def _leave(self) -> None:
        """The place goes to whoever's turn it is; if he has more waiting, he is the last again."""
        while self._lines:
            who = next(iter(self._lines))
            line = self._lines.pop(who)
            turn = line.popleft()
            if line:
                self._lines[who] = line
            if not turn.done():  # otherwise he has given up
                turn.set_result(None)
                return
        self._free += 1
