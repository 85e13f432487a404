"""What is decided at the same time is written together, and what is alone does not wait."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import cast

import pytest

from databases import in_a_loop
from manhattan.server import committing
from manhattan.server.committing import LONGEST_GATHERING, Committer
from manhattan.server.store import Append, Store


class Disk:
    """A store that takes a while."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []

    async def append(self, batch: Sequence[Append]) -> list[bool]:
        self.batches.append([one.table for one in batch])
        await asyncio.sleep(0.002)
        return [True] * len(batch)


def on_a_disk() -> tuple[Disk, Committer]:
    disk = Disk()
    return disk, Committer(cast("Store", disk))  # nothing else is asked of a store


def entry(table: str) -> Append:
    return Append(table, 0, "{}", at=1)


def work(seconds: float) -> None:
    """What keeps the event loop busy."""
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        pass


@in_a_loop
async def test_while_others_decide_it_is_waited_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(committing, "LONGEST_GATHERING", 60)  # a machine may be busy
    disk, committer = on_a_disk()

    async def decides(number: int) -> None:
        for _ in range(number):  # each comes a turn of the loop later than the one before
            await asyncio.sleep(0)
        work(0.0005)
        assert await committer.append(entry(f"t{number}"))

    await asyncio.gather(*(decides(number) for number in range(1, 21)))
    [batch] = disk.batches
    assert sorted(batch) == sorted(f"t{number}" for number in range(1, 21))


@in_a_loop
async def test_what_is_alone_is_written_at_once() -> None:
    disk, committer = on_a_disk()
    turns = 0

    async def count() -> None:
        nonlocal turns
        while not disk.batches:
            turns += 1
            await asyncio.sleep(0)

    counting = asyncio.create_task(count())
    assert await committer.append(entry("t"))
    await counting
    # A loop that does nothing but count turns quickly; but a machine may take a moment for itself.
    assert turns < 20
    assert disk.batches == [["t"]]


@in_a_loop
async def test_nobody_waits_for_ever_for_others() -> None:
    _, committer = on_a_disk()
    busy = True

    async def never_done() -> None:
        while busy:
            work(0.001)
            await asyncio.sleep(0)

    other = asyncio.create_task(never_done())
    begun = time.monotonic()
    assert await committer.append(entry("t"))
    assert time.monotonic() - begun > LONGEST_GATHERING  # it was hoped for something
    busy = False
    await other
