"""A pool of processes in which bots choose moves, apart from the process that serves people.

A bot gets a view and returns a move. The compiled code that it needs is built in the background.
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

from manhattan.bots import (
    COMPILED_BOTS,
    Evaluation,
    Hint,
    bot,
    evaluate,
    hint,
    start_warmup,
)
from manhattan.parallel import exit_with_parent
from manhattan.rules import Move, Phase
from manhattan.server.domain.errors import CommandRejected, ErrorCode
from manhattan.server.ops import metrics
from manhattan.server.service.fair_queue import FairQueue
from manhattan.view import View
from manhattan.warmup import CompileJob

T = TypeVar("T")
Shape = tuple[int, int]
"""The number of players and of colours for each: code is compiled for each shape."""
COMMON_SHAPES: Final[tuple[Shape, ...]] = ((4, 1), (3, 1), (2, 2))
MAX_PENDING: Final = 2000
MAX_PENDING_PER_HOST: Final = 8
"""Waiting bot moves of one host; further tables of the host try again a second later."""
MAX_PENDING_ADVICE: Final = 8
"""Waiting hints and evaluations for each process that may give them. Further requests are rejected
rather than made to wait for longer than people do."""
_NICENESS: Final = 5


class BotPool:
    """The bots' processes and their queues."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._pool: ProcessPoolExecutor | None = None
        self._compile_jobs: dict[Shape, CompileJob] = {}
        self._compiled: dict[Shape, asyncio.Task[None]] = {}
        self._warmup: asyncio.Task[None] | None = None
        self._pending = 0
        # A host who opens many tables with bots delays their bots, not those of other hosts.
        self._bot_queue = FairQueue(workers, MAX_PENDING_PER_HOST)
        # A bot that waits delays a whole table, so one process is reserved for bots; with a single
        # process, at most one hint comes before a bot's move.
        self._advisers = max(1, workers - 1)
        self._advice_slots = asyncio.Semaphore(self._advisers)
        self._pending_advice = 0

    def start(self, shapes: tuple[Shape, ...] = COMMON_SHAPES) -> None:
        """Compile what bots need in the background, one shape after the other."""
        self._warmup = asyncio.create_task(self._warm_up(shapes))

    async def stop(self) -> None:
        if self._warmup is not None:
            self._warmup.cancel()
        for job in self._compile_jobs.values():
            job.stop()
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)

    def needs_compilation(self, level: str, view: View) -> bool:
        """Return whether a bot's move has to wait for the compiler."""
        if level not in COMPILED_BOTS or view.public.phase is not Phase.BUILD:
            return False
        return not self._compile_job(_shape(view)).finished

    async def choose_move(self, level: str, view: View, seed: str, host: Hashable = None) -> Move:
        """Let a bot choose a move at a host's table. The same seed leads to the same move, unless
        the bot's time runs out first."""
        started = time.perf_counter()
        if self.needs_compilation(level, view):
            await self._wait_until_compiled(_shape(view))
        async with self._bot_queue.slot(host):
            move = await self._run(_choose_move, level, view, seed)
        metrics.BOT_SECONDS.labels(level).observe(time.perf_counter() - started)
        return move

    async def hint(self, view: View, seed: str) -> Hint:
        """Return a good move; by the trained model as soon as its code is compiled."""
        use_model = not self.needs_compilation("hard", view)
        return await self._advise(_hint, view, seed, use_model)

    async def evaluate(self, view: View, seed: str) -> Evaluation:
        """Evaluate the moves of a view."""
        if self.needs_compilation("expert", view):
            await self._wait_until_compiled(_shape(view))
        return await self._advise(_evaluate, view, seed)

    async def _advise(self, work: Callable[..., T], *args: object) -> T:
        if self._pending_advice >= MAX_PENDING_ADVICE * self._advisers:
            raise CommandRejected(ErrorCode.BUSY)
        self._pending_advice += 1
        try:
            async with self._advice_slots:
                return await self._run(work, *args)
        finally:
            self._pending_advice -= 1

    async def _run(self, work: Callable[..., T], *args: object) -> T:
        """Run a function in one of the processes, and in a new pool if one of them has died."""
        if self._pending >= MAX_PENDING:
            raise CommandRejected(ErrorCode.BUSY)
        self._pending += 1
        try:
            for _ in range(2):
                pool = self._pool = self._pool or self._new_pool()
                try:
                    return await asyncio.get_running_loop().run_in_executor(pool, work, *args)
                except BrokenProcessPool:
                    if self._pool is pool:
                        self._pool = None
            raise CommandRejected(ErrorCode.BUSY)
        finally:
            self._pending -= 1

    def _new_pool(self) -> ProcessPoolExecutor:
        context = get_context("spawn")
        return ProcessPoolExecutor(self._workers, context, initializer=_start_worker)

    def _compile_job(self, shape: Shape) -> CompileJob:
        if shape not in self._compile_jobs:
            self._compile_jobs[shape] = start_warmup(*shape)
        return self._compile_jobs[shape]

    async def _wait_until_compiled(self, shape: Shape) -> None:
        if shape not in self._compiled:
            job = self._compile_job(shape)
            self._compiled[shape] = asyncio.create_task(asyncio.to_thread(job.wait))
        await asyncio.shield(self._compiled[shape])

    async def _warm_up(self, shapes: tuple[Shape, ...]) -> None:
        for shape in shapes:
            await self._wait_until_compiled(shape)


def _shape(view: View) -> Shape:
    setup = view.public.setup
    return len(setup.players), setup.schedule.colours


# The functions below run in the pool's processes.


def _start_worker() -> None:
    exit_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server
    if hasattr(os, "nice"):
        os.nice(_NICENESS)  # people are served first


def _choose_move(level: str, view: View, seed: str) -> Move:
    return bot(level)(view, _random(seed))


def _hint(view: View, seed: str, use_model: bool) -> Hint:
    return hint(view, _random(seed), use_model=use_model)


def _evaluate(view: View, seed: str) -> Evaluation:
    return evaluate(view, _random(seed))


def _random(seed: str) -> Random:
    return Random(seed)  # noqa: S311 - a bot's choices, no secrets
