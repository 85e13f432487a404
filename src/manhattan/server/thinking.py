"""Bots think in processes of their own, never where people are served.

They are given a view and give back a move; what they need is compiled in the background.
"""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Callable, Hashable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from random import Random
from typing import Final, TypeVar

from manhattan.background import Rehearsal, start_rehearsal
from manhattan.bots import THINKERS, Evaluation, Hint, bot, evaluate, hint
from manhattan.rules import Move, Phase
from manhattan.server import metrics
from manhattan.server.denials import Denial, Denied
from manhattan.server.queueing import FairQueue
from manhattan.spread import end_with_parent
from manhattan.view import View

T = TypeVar("T")
Shape = tuple[int, int]
"""Players, and colours of each: what code is compiled for."""
USUAL_SHAPES: Final[tuple[Shape, ...]] = ((4, 1), (3, 1), (2, 2))
_NICE: Final = 5
MOST_WAITING: Final = 2000
MOST_OF_ONE: Final = 8
"""Bots' moves that wait for one host; those of his further tables come again a second later."""
MOST_ADVICE: Final = 8
"""Hints and evaluations that wait for each process which may give them: who comes after that is
told so, instead of waiting for longer than anybody does."""


class Thinkers:
    """The processes in which bots think."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._pool: ProcessPoolExecutor | None = None
        self._rehearsals: dict[Shape, Rehearsal] = {}
        self._ready: dict[Shape, asyncio.Task[None]] = {}
        self._waiting = 0
        # Who opens many tables with bots makes his own bots wait, not those of others.
        self._bots = FairQueue(workers, MOST_OF_ONE)
        # Who asks for advice can wait; a bot that does keeps a whole table waiting. So there is a
        # process that only bots have, or where there is one alone, never more than one hint before
        # a bot's move.
        self._advisers = max(1, workers - 1)
        self._advice = asyncio.Semaphore(self._advisers)
        self._advice_asked = 0
        self._warming: asyncio.Task[None] | None = None

    def start(self, shapes: tuple[Shape, ...] = USUAL_SHAPES) -> None:
        """Compile in the background what bots will need, one kind of table after the other."""
        self._warming = asyncio.create_task(self._warm(shapes))

    async def stop(self) -> None:
        if self._warming is not None:
            self._warming.cancel()
        for rehearsal in self._rehearsals.values():
            rehearsal.stop()
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)

    def needs_warming(self, played_by: str, seen: View) -> bool:
        """Will this take long, because it is not compiled yet?"""
        if played_by not in THINKERS or seen.table.phase is not Phase.BUILD:
            return False
        return not self._rehearsal(_shape(seen)).over

    async def choose(self, played_by: str, seen: View, dice: str, host: Hashable = None) -> Move:
        """What a bot does at somebody's table. The same dice lead to the same move."""
        begun = time.perf_counter()
        if self.needs_warming(played_by, seen):
            await self._warmed(_shape(seen))
        async with self._bots.place(host):
            move = await self._elsewhere(_choose, played_by, seen, dice)
        metrics.THINKING.labels(played_by).observe(time.perf_counter() - begun)
        return move

    async def hint(self, seen: View, dice: str) -> Hint:
        """A good move for somebody, by what was learned as soon as that is compiled."""
        learned = not self.needs_warming("hard", seen)
        return await self._advised(_hint, seen, dice, learned)

    async def evaluate(self, seen: View, dice: str) -> Evaluation:
        """Somebody's moves thought over."""
        if self.needs_warming("expert", seen):
            await self._warmed(_shape(seen))
        return await self._advised(_evaluate, seen, dice)

    async def _advised(self, work: Callable[..., T], *about: object) -> T:
        if self._advice_asked >= MOST_ADVICE * self._advisers:
            raise Denied(Denial.BUSY)
        self._advice_asked += 1
        try:
            async with self._advice:
                return await self._elsewhere(work, *about)
        finally:
            self._advice_asked -= 1

    async def _elsewhere(self, work: Callable[..., T], *about: object) -> T:
        if self._waiting >= MOST_WAITING:
            raise Denied(Denial.BUSY)
        self._waiting += 1
        try:
            for _ in range(2):
                pool = self._pool = self._pool or self._new_pool()
                try:
                    return await asyncio.get_running_loop().run_in_executor(pool, work, *about)
                except BrokenProcessPool:  # somebody ended a process of ours: have new ones
                    if self._pool is pool:
                        self._pool = None
            raise Denied(Denial.BUSY)
        finally:
            self._waiting -= 1

    def _new_pool(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(self._workers, get_context("spawn"), initializer=_begin)

    def _rehearsal(self, shape: Shape) -> Rehearsal:
        if shape not in self._rehearsals:
            self._rehearsals[shape] = start_rehearsal("manhattan.judgement.rehearsal", *shape)
        return self._rehearsals[shape]

    async def _warmed(self, shape: Shape) -> None:
        """Wait until it is compiled; many may."""
        if shape not in self._ready:
            rehearsal = self._rehearsal(shape)
            self._ready[shape] = asyncio.create_task(asyncio.to_thread(rehearsal.wait))
        await asyncio.shield(self._ready[shape])

    async def _warm(self, shapes: tuple[Shape, ...]) -> None:
        for shape in shapes:
            await self._warmed(shape)


def _shape(seen: View) -> Shape:
    setup = seen.table.setup
    return len(setup.players), setup.schedule.colours


# What follows happens in the other processes.


def _begin() -> None:
    end_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server's Ctrl-C is not ours
    if hasattr(os, "nice"):
        os.nice(_NICE)  # people are served first


def _choose(played_by: str, seen: View, dice: str) -> Move:
    return bot(played_by)(seen, _dice(dice))


def _hint(seen: View, dice: str, learned: bool) -> Hint:
    return hint(seen, _dice(dice), learned=learned)


def _evaluate(seen: View, dice: str) -> Evaluation:
    return evaluate(seen, _dice(dice))


def _dice(text: str) -> Random:
    return Random(text)  # noqa: S311 - dice, not cards
