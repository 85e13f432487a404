"""A pool of processes in which bots choose moves, apart from the process that serves people.

A bot gets a view and returns a move. The compiled code that it needs is built in the background.
"""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from random import Random
from typing import Final, TypeVar

from manhattan.bots import (
    FALLBACK_LEVEL,
    Evaluation,
    Hint,
    bot,
    evaluate,
    hint,
    needs_compiled_code,
    start_warmup,
)
from manhattan.parallel import exit_with_parent
from manhattan.rules import Move
from manhattan.server.domain.errors import CommandRejected, ErrorCode
from manhattan.server.ops import metrics
from manhattan.server.service.fair_queue import Client, FairQueue, Ticket
from manhattan.view import View
from manhattan.warmup import CompileJob

T = TypeVar("T")
Shape = tuple[int, int]
"""The number of players and of colours for each: code is compiled for each shape."""
COMMON_SHAPES: Final[tuple[Shape, ...]] = ((4, 1), (3, 1), (2, 2))
MAX_PENDING: Final = 2000
MAX_PENDING_PER_PERSON: Final = 8
"""Waiting bot moves of one person; further tables of the person try again a second later."""
MAX_PENDING_PER_ADDRESS: Final = 64
MAX_PENDING_ADVICE: Final = 8
"""Waiting hints and evaluations of one address for each process that may give them. Further
requests are rejected rather than made to wait for longer than people do."""
NOBODY: Final = Client("", "")
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
        self._is_stopped = False
        # People who play at many tables with bots delay their own bots, not those of others.
        self.queue = FairQueue(workers, MAX_PENDING_PER_PERSON, MAX_PENDING_PER_ADDRESS)
        # A bot that waits delays a whole table, so one process is reserved for bots; with a single
        # process, at most one hint comes before a bot's move.
        self._advisers = max(1, workers - 1)
        waiting = (MAX_PENDING_ADVICE - 1) * self._advisers
        self._advice_queue = FairQueue(self._advisers, waiting, waiting)

    def start(self, shapes: tuple[Shape, ...] = COMMON_SHAPES) -> None:
        """Compile what bots need in the background, one shape after the other."""
        self._warmup = asyncio.create_task(self._warm_up(shapes))

    async def stop(self) -> None:
        self._is_stopped = True
        if self._warmup is not None:
            self._warmup.cancel()
        for job in self._compile_jobs.values():
            job.stop()
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)

    def needs_compilation(self, level: str, view: View) -> bool:
        """Return whether a bot's move needs code that is still being compiled."""
        if not needs_compiled_code(level, view.public.phase):
            return False
        return not self._compile_job(_shape(view)).finished

    async def choose_move(
        self, level: str, view: View, seed: str, ticket: Ticket | None = None
    ) -> Move:
        """Let a bot choose a move; until its code is compiled, a weaker level chooses for it. The
        same seed leads to the same move, unless the bot's time runs out first. The ticket says who
        waits for it."""
        started = time.perf_counter()
        if self.needs_compilation(level, view):
            level = FALLBACK_LEVEL
        async with self.queue.slot(ticket or Ticket()):
            move = await self._run(_choose_move, level, view, seed)
        metrics.BOT_SECONDS.labels(level).observe(time.perf_counter() - started)
        return move

    async def hint(self, view: View, seed: str, client: Client = NOBODY) -> Hint:
        """Return a good move; by the trained model as soon as its code is compiled."""
        use_model = not self.needs_compilation("hard", view)
        return await self._advise(client, _hint, view, seed, use_model)

    async def evaluate(self, view: View, seed: str, client: Client = NOBODY) -> Evaluation:
        """Evaluate the moves of a view."""
        if self.needs_compilation("champion", view):
            await self._wait_until_compiled(_shape(view))
        return await self._advise(client, _evaluate, view, seed)

    async def _advise(self, client: Client, work: Callable[..., T], *args: object) -> T:
        async with self._advice_queue.slot(Ticket([client])):
            return await self._run(work, *args)

    async def _run(self, work: Callable[..., T], *args: object) -> T:
        """Run a function in one of the processes, and in a new pool if one of them has died."""
        if self._pending >= MAX_PENDING or self._is_stopped:
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
