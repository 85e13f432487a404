"""Carrying out together what happens at the same time at different tables.

While the disk is busy with one batch the next one gathers, and while there is more to decide it is
waited for: so a thousand tables cost hardly more than one, and nobody is told of anything before it
is durable.

What is to be done is done step by step, each step for all tables before the next. To go through a
whole move for one table after the other takes a seventh longer, since each step finds the
processor's caches full of what the others needed.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from operator import methodcaller
from typing import Final, Protocol

from manhattan.rules import ManhattanError
from manhattan.server import metrics
from manhattan.server.denials import Denial, Denied
from manhattan.server.store import Append, Store, StoreAway

LONGEST_GATHERING: Final = 0.02
"""Seconds that are waited while more and more comes."""
_QUIET: Final = 0.0001
"""A turn of the event loop that takes no more seconds had nothing to do."""
MOST_AT_ONCE: Final = 500
_MOST_IN_STEP: Final = 64
"""So many are told together: some milliseconds, in which nobody else hears anything."""
MOST_WAITING: Final = 20_000


class Change(Protocol):
    """Something that is to happen at a table, in the steps that it takes."""

    def work_out(self) -> None:
        """Find out how the table will stand. Raises if that can't happen."""

    def write(self) -> Append:
        """What is written down of it."""

    def happen(self) -> None:
        """It is durable: the table stands differently from now on."""

    def describe(self) -> None:
        """Find the words for what everybody may know."""

    def word(self) -> None:
        """Find the words for each of those who look on."""

    def send(self) -> None:
        """Tell them."""


class Untold(Exception):
    """Something is durable, but went wrong before all had heard of it: a mistake of ours."""


class _Waiting:
    """A change, and who waits for it."""

    __slots__ = ("change", "first")

    def __init__(self, change: Change, first: asyncio.Future[bool]) -> None:
        self.change = change
        self.first = first


class Committer:
    """Writes changes down, in batches, and has them told."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._waiting: list[_Waiting] = []
        self._writing: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        """To find it takes a call of the kernel: not for every move."""

    async def append(self, change: Change) -> bool:
        """True once it is durable and told; false if somebody else was first with this number. A
        ``StoreAway`` leaves open which of the two it was, and after ``Untold`` it is durable;
        whatever else is raised is why it can't happen. Who is cancelled waits nevertheless, so that
        nothing is written after he has let go of the table."""
        if len(self._waiting) >= MOST_WAITING:
            raise Denied(Denial.BUSY)
        self._loop = self._loop or asyncio.get_running_loop()
        one = _Waiting(change, self._loop.create_future())
        self._waiting.append(one)
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write())
        try:
            return await one.first
        except asyncio.CancelledError:
            one.first = self._loop.create_future()
            await asyncio.wait({one.first})
            one.first.exception()  # nobody asks any more, and nobody has to be warned of that
            raise
        finally:
            del one  # or a refusal, which was raised from in here, and this would keep each other

    async def _write(self) -> None:
        while self._waiting:
            await self._gather()
            batch, self._waiting = self._waiting[:MOST_AT_ONCE], self._waiting[MOST_AT_ONCE:]
            batch, appends = _to_be_written(batch)
            if not batch:
                continue
            begun = time.perf_counter()
            try:
                firsts = await self._store.append(appends)
            except Exception as error:
                if not isinstance(error, StoreAway):  # a mistake of ours: nobody is left waiting
                    error = StoreAway(f"The database could not be used: {error}.")
                for one in batch:
                    _refuse(one, error)
                continue
            metrics.WRITING.observe(time.perf_counter() - begun)
            metrics.BATCH.observe(len(batch))
            for one, first in zip(batch, firsts, strict=True):
                if not first:
                    _answer(one, first=False)
            await _tell([one for one, first in zip(batch, firsts, strict=True) if first])

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


def _to_be_written(batch: list[_Waiting]) -> tuple[list[_Waiting], list[Append]]:
    """What can happen, and what is written down of it."""
    appends: list[Append] = []
    possible = _each(batch, methodcaller("work_out"))
    return _each(possible, lambda change: appends.append(change.write())), appends


async def _tell(written: list[_Waiting]) -> None:
    """What is durable happens, and is told."""
    for begin in range(0, len(written), _MOST_IN_STEP):
        part = written[begin : begin + _MOST_IN_STEP]
        for step in ("happen", "describe", "word", "send"):
            part = _each(part, methodcaller(step), Untold)
        for one in part:
            _answer(one, first=True)
        await asyncio.sleep(0)


def _each(
    batch: list[_Waiting],
    step: Callable[[Change], None],
    trouble: type[Exception] = RuntimeError,
) -> list[_Waiting]:
    """Take a step for all of them; those for which it went well go on. What nobody expects is told
    as what kind of trouble it is."""
    went_well: list[_Waiting] = []
    for one in batch:
        try:
            step(one.change)
        except Exception as error:
            if isinstance(error, ManhattanError) and trouble is not Untold:
                _refuse(one, error.with_traceback(None))  # which would hold on to the whole batch
            else:
                wrong = trouble("something went wrong")
                wrong.__cause__ = error
                _refuse(one, wrong)
        else:
            went_well.append(one)
    return went_well


def _answer(one: _Waiting, *, first: bool) -> None:
    if not one.first.done():  # or he was cancelled
        one.first.set_result(first)


def _refuse(one: _Waiting, error: Exception) -> None:
    if not one.first.done():
        one.first.set_exception(error)
