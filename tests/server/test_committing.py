"""What is decided at the same time is written together, and what is alone does not wait. Each step
is taken for all before the next, and what goes wrong with one is that one's business."""

from __future__ import annotations

import asyncio
import gc
import time
import weakref
from collections.abc import Sequence
from typing import cast

import pytest

from databases import in_a_loop
from manhattan.server import committing
from manhattan.server.committing import LONGEST_GATHERING, Committer, Untold
from manhattan.server.denials import Denial, Denied
from manhattan.server.store import Append, Store, StoreAway

STEPS = ("work_out", "write", "happen", "describe", "word", "send")


class Disk:
    """A store that takes a while."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.taken: set[str] = set()
        """Tables at which somebody else is first."""
        self.away = False
        self.asked = asyncio.Event()

    async def append(self, batch: Sequence[Append]) -> list[bool]:
        self.batches.append([one.table for one in batch])
        self.asked.set()
        await asyncio.sleep(0.002)
        if self.away:
            raise StoreAway("It is gone.")
        return [one.table not in self.taken for one in batch]


class Noted:
    """A change that notes its steps; one of them may go wrong."""

    def __init__(self, table: str, steps: list[str], fails_at: str = "") -> None:
        self._table = table
        self._steps = steps
        self._fails_at = fails_at

    def _step(self, name: str) -> None:
        if name == self._fails_at:
            raise Denied(Denial.OVER)
        self._steps.append(f"{name} {self._table}")

    def work_out(self) -> None:
        self._step("work_out")

    def write(self) -> Append:
        self._step("write")
        return Append(self._table, 0, "{}", at=1)

    def happen(self) -> None:
        self._step("happen")

    def describe(self) -> None:
        self._step("describe")

    def word(self) -> None:
        self._step("word")

    def send(self) -> None:
        self._step("send")


def on_a_disk() -> tuple[Disk, Committer]:
    disk = Disk()
    return disk, Committer(cast("Store", disk))  # nothing else is asked of a store


def entry(table: str) -> Noted:
    return Noted(table, [])


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


@in_a_loop
async def test_each_step_is_taken_for_all_before_the_next() -> None:
    _, committer = on_a_disk()
    steps: list[str] = []
    firsts = await asyncio.gather(*(committer.append(Noted(t, steps)) for t in ("a", "b", "c")))
    assert firsts == [True, True, True]
    assert steps == [f"{step} {table}" for step in STEPS for table in ("a", "b", "c")]


@in_a_loop
@pytest.mark.parametrize("fails_at", STEPS)
async def test_what_goes_wrong_at_one_table_keeps_no_other_waiting(fails_at: str) -> None:
    disk, committer = on_a_disk()
    steps: list[str] = []
    changes = [Noted("a", steps), Noted("b", steps, fails_at), Noted("c", steps)]
    told = await asyncio.gather(*map(committer.append, changes), return_exceptions=True)
    nothing_written = fails_at in ("work_out", "write")
    wrong = Denied if nothing_written else Untold
    assert [told[0], type(told[1]), told[2]] == [True, wrong, True]
    assert steps[-2:] == ["send a", "send c"]
    assert disk.batches == [["a", "c"] if nothing_written else ["a", "b", "c"]]


@in_a_loop
async def test_where_all_is_refused_nothing_is_written() -> None:
    disk, committer = on_a_disk()
    with pytest.raises(Denied):
        await committer.append(Noted("a", [], "work_out"))
    assert disk.batches == []
    assert await committer.append(entry("b"))


@in_a_loop
async def test_where_somebody_else_was_first_nothing_happens() -> None:
    disk, committer = on_a_disk()
    disk.taken = {"b"}
    steps: list[str] = []
    assert await asyncio.gather(*(committer.append(Noted(t, steps)) for t in "abc")) == [1, 0, 1]
    assert [step for step in steps if step.endswith("b")] == ["work_out b", "write b"]


@in_a_loop
async def test_what_is_not_durable_does_not_happen() -> None:
    disk, committer = on_a_disk()
    disk.away = True
    steps: list[str] = []
    with pytest.raises(StoreAway):
        await committer.append(Noted("a", steps))
    assert steps == ["work_out a", "write a"]
    disk.away = False
    assert await committer.append(Noted("a", steps))


@in_a_loop
async def test_who_goes_away_meanwhile_leaves_nothing_half_done() -> None:
    disk, committer = on_a_disk()
    steps: list[str] = []
    gone = asyncio.create_task(committer.append(Noted("a", steps)))
    await disk.asked.wait()
    gone.cancel()
    with pytest.raises(asyncio.CancelledError):
        await gone
    assert steps == [f"{step} a" for step in STEPS]


@in_a_loop
async def test_who_goes_away_is_not_asked_for_what_went_wrong(
    caplog: pytest.LogCaptureFixture,
) -> None:
    disk, committer = on_a_disk()
    disk.away = True
    gone = asyncio.create_task(committer.append(entry("a")))
    await disk.asked.wait()
    gone.cancel()
    await asyncio.wait({gone})
    assert gone.cancelled()
    del gone
    gc.collect()
    assert not caplog.records


@in_a_loop
async def test_any_number_is_told_and_others_are_heard_meanwhile() -> None:
    _, committer = on_a_disk()
    steps: list[str] = []
    tables = [f"t{number}" for number in range(200)]
    assert all(await asyncio.gather(*(committer.append(Noted(t, steps)) for t in tables)))
    assert [step for step in steps if step.startswith("send")] == [f"send {t}" for t in tables]
    assert steps.index("send t0") < steps.index("happen t199")


@in_a_loop
async def test_who_goes_away_waits_for_his_own_alone() -> None:
    """Or at a busy server he would hold on to his table for ever."""
    disk, committer = on_a_disk()
    busy = True

    async def goes_on(table: str) -> None:
        while busy:
            await committer.append(entry(table))

    others = [asyncio.create_task(goes_on(f"t{number}")) for number in range(5)]
    await disk.asked.wait()
    gone = asyncio.create_task(committer.append(entry("a")))
    disk.asked.clear()
    await disk.asked.wait()
    gone.cancel()
    await asyncio.wait({gone}, timeout=5)
    assert gone.cancelled()
    busy = False
    await asyncio.gather(*others)


@in_a_loop
async def test_what_is_refused_holds_on_to_nothing() -> None:
    """Garbage is looked for when nobody plays: a refusal must not keep a whole batch until then."""
    _, committer = on_a_disk()
    gc.disable()
    try:
        changes = [Noted("a", []), Noted("b", [], "work_out"), Noted("c", [])]
        left = [weakref.ref(change) for change in changes]
        await asyncio.gather(*map(committer.append, changes), return_exceptions=True)
        del changes
        await asyncio.sleep(0)
        assert [one() for one in left] == [None, None, None]
    finally:
        gc.enable()
