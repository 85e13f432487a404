"""Group commit: concurrent appends share a batch, and each caller gets its own outcome."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Sequence
from typing import cast

import pytest

from manhattan.server.domain.errors import CommandRejected, ErrorCode
from manhattan.server.service import group_commit
from manhattan.server.service.group_commit import GroupCommit
from manhattan.server.storage import Append, Store, StoreUnavailable
from support.databases import async_test


class SlowStore:
    """A store whose appends take two milliseconds."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.taken: set[str] = set()
        """Tables at which another writer is first."""
        self.error: Exception | None = None
        self.is_writing = asyncio.Event()

    async def append(self, batch: Sequence[Append]) -> list[bool]:
        self.batches.append([event.table for event in batch])
        self.is_writing.set()
        await asyncio.sleep(0.002)
        if self.error is not None:
            raise self.error
        return [event.table not in self.taken for event in batch]


def slow_commit() -> tuple[SlowStore, GroupCommit]:
    store = SlowStore()
    return store, GroupCommit(cast("Store", store))  # it needs no other method of a store


class RecordedChange:
    """A change that records its steps, and may fail at one of them."""

    def __init__(self, table: str, steps: list[str] | None = None, failing: str = "") -> None:
        self.row = Append(table, 0, "{}", at=1)
        self._steps = [] if steps is None else steps
        self._failing = failing

    def prepare(self) -> None:
        self._take("prepare")

    def apply(self) -> None:
        self._take("apply")

    def describe(self) -> None:
        self._take("describe")

    def encode(self) -> None:
        self._take("encode")

    def send(self) -> None:
        self._take("send")

    def _take(self, step: str) -> None:
        self._steps.append(f"{step} {self.row.table}")
        if step == self._failing:
            raise ArithmeticError(step)


def event(table: str) -> RecordedChange:
    return RecordedChange(table)


@async_test
async def test_concurrent_appends_share_a_batch() -> None:
    store, commit = slow_commit()
    assert all(await asyncio.gather(*(commit.commit(event(table)) for table in "abc")))
    assert store.batches == [["a", "b", "c"]]


@async_test
async def test_the_next_batch_collects_while_one_is_written() -> None:
    store, commit = slow_commit()
    first = asyncio.create_task(commit.commit(event("a")))
    await store.is_writing.wait()
    later = [asyncio.create_task(commit.commit(event(table))) for table in "bcd"]
    assert await first
    assert all(await asyncio.gather(*later))
    assert store.batches == [["a"], ["b", "c", "d"]]


@async_test
async def test_a_batch_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(group_commit, "MAX_BATCH", 2)
    store, commit = slow_commit()
    assert all(await asyncio.gather(*(commit.commit(event(table)) for table in "abcde")))
    assert store.batches == [["a", "b"], ["c", "d"], ["e"]]


@async_test
async def test_an_append_is_rejected_when_too_many_are_pending(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(group_commit, "MAX_PENDING", 2)
    _, commit = slow_commit()
    outcomes = await asyncio.gather(
        *(commit.commit(event(table)) for table in "abc"), return_exceptions=True
    )
    assert outcomes[:2] == [True, True]
    assert isinstance(outcomes[2], CommandRejected)
    assert outcomes[2].reason is ErrorCode.BUSY


@async_test
async def test_each_caller_learns_whether_it_was_first() -> None:
    store, commit = slow_commit()
    store.taken = {"b"}
    outcomes = await asyncio.gather(*(commit.commit(event(table)) for table in "abc"))
    assert outcomes == [True, False, True]


@async_test
async def test_steps_are_taken_for_the_whole_batch_and_sending_comes_after_the_disk() -> None:
    store, commit = slow_commit()
    store.taken = {"b"}
    steps: list[str] = []
    changes = [RecordedChange(table, steps) for table in "abc"]
    writing = asyncio.gather(*(commit.commit(change) for change in changes))
    await store.is_writing.wait()
    assert steps == ["prepare a", "prepare b", "prepare c"]
    assert await writing == [True, False, True]
    later = ("apply", "describe", "encode", "send")
    assert steps[3:] == [f"{step} {table}" for step in later for table in "ac"]


@async_test
async def test_nothing_is_written_if_no_change_could_be_prepared() -> None:
    store, commit = slow_commit()
    with pytest.raises(ArithmeticError):
        await commit.commit(RecordedChange("a", failing="prepare"))
    assert store.batches == []


@async_test
@pytest.mark.parametrize("step", ["prepare", "apply", "describe", "encode", "send"])
async def test_a_change_that_fails_leaves_the_others_alone(step: str) -> None:
    store, commit = slow_commit()
    steps: list[str] = []
    changes = [RecordedChange("a", steps), RecordedChange("b", steps, step), RecordedChange("c")]
    outcomes = await asyncio.gather(
        *(commit.commit(change) for change in changes), return_exceptions=True
    )
    assert (outcomes[0], outcomes[2]) == (True, True)
    assert isinstance(outcomes[1], ArithmeticError)
    assert steps[-1] in ("send a", "send b")
    assert store.batches == [["a", "c"] if step == "prepare" else ["a", "b", "c"]]


@async_test
@pytest.mark.parametrize("error", [StoreUnavailable("It is gone."), ArithmeticError("a bug")])
async def test_a_failed_batch_fails_all_its_callers_and_no_later_one(error: Exception) -> None:
    store, commit = slow_commit()
    store.error = error
    outcomes = await asyncio.gather(
        *(commit.commit(event(table)) for table in "ab"), return_exceptions=True
    )
    assert [type(outcome) for outcome in outcomes] == [StoreUnavailable, StoreUnavailable]
    store.error = None
    assert await commit.commit(event("a"))


@async_test
async def test_a_cancelled_caller_gets_the_outcome_before_the_cancellation() -> None:
    store, commit = slow_commit()
    outcomes: list[bool] = []

    async def append() -> None:
        outcomes.append(await commit.commit(event("a")))
        await asyncio.sleep(60)

    task = asyncio.create_task(append())
    await store.is_writing.wait()
    task.cancel()
    await asyncio.sleep(0)
    task.cancel()  # once more, before the store has answered
    with pytest.raises(asyncio.CancelledError):
        await task
    assert outcomes == [True]


@async_test
async def test_a_cancelled_caller_with_a_timeout_gets_the_timeout() -> None:
    _, commit = slow_commit()

    async def append() -> None:
        async with asyncio.timeout(0.001):
            await commit.commit(event("a"))
            await asyncio.sleep(60)

    with pytest.raises(TimeoutError):
        await append()


@async_test
async def test_the_error_of_a_cancelled_caller_is_not_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    store, commit = slow_commit()
    store.error = StoreUnavailable("It is gone.")
    task = asyncio.create_task(commit.commit(event("a")))
    await store.is_writing.wait()
    task.cancel()
    with pytest.raises(StoreUnavailable):
        await task
    del task
    gc.collect()
    assert not caplog.records


@async_test
async def test_a_cancelled_caller_waits_only_for_its_own_batch() -> None:
    store, commit = slow_commit()
    is_busy = True

    async def keep_appending(table: str) -> None:
        while is_busy:
            await commit.commit(event(table))

    others = [asyncio.create_task(keep_appending(f"t{number}")) for number in range(5)]
    await store.is_writing.wait()
    task = asyncio.create_task(commit.commit(event("a")))
    store.is_writing.clear()
    await store.is_writing.wait()
    task.cancel()
    await asyncio.wait({task}, timeout=5)
    assert task.cancelled()
    is_busy = False
    await asyncio.gather(*others)
