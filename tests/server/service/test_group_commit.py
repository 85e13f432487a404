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


def event(table: str) -> Append:
    return Append(table, 0, "{}", at=1)


@async_test
async def test_concurrent_appends_share_a_batch() -> None:
    store, commit = slow_commit()
    assert all(await asyncio.gather(*(commit.append(event(table)) for table in "abc")))
    assert store.batches == [["a", "b", "c"]]


@async_test
async def test_the_next_batch_collects_while_one_is_written() -> None:
    store, commit = slow_commit()
    first = asyncio.create_task(commit.append(event("a")))
    await store.is_writing.wait()
    later = [asyncio.create_task(commit.append(event(table))) for table in "bcd"]
    assert await first
    assert all(await asyncio.gather(*later))
    assert store.batches == [["a"], ["b", "c", "d"]]


@async_test
async def test_a_batch_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(group_commit, "MAX_BATCH", 2)
    store, commit = slow_commit()
    assert all(await asyncio.gather(*(commit.append(event(table)) for table in "abcde")))
    assert store.batches == [["a", "b"], ["c", "d"], ["e"]]


@async_test
async def test_an_append_is_rejected_when_too_many_are_pending(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(group_commit, "MAX_PENDING", 2)
    _, commit = slow_commit()
    outcomes = await asyncio.gather(
        *(commit.append(event(table)) for table in "abc"), return_exceptions=True
    )
    assert outcomes[:2] == [True, True]
    assert isinstance(outcomes[2], CommandRejected)
    assert outcomes[2].reason is ErrorCode.BUSY


@async_test
async def test_each_caller_learns_whether_it_was_first() -> None:
    store, commit = slow_commit()
    store.taken = {"b"}
    outcomes = await asyncio.gather(*(commit.append(event(table)) for table in "abc"))
    assert outcomes == [True, False, True]


@async_test
@pytest.mark.parametrize("error", [StoreUnavailable("It is gone."), ArithmeticError("a bug")])
async def test_a_failed_batch_fails_all_its_callers_and_no_later_one(error: Exception) -> None:
    store, commit = slow_commit()
    store.error = error
    outcomes = await asyncio.gather(
        *(commit.append(event(table)) for table in "ab"), return_exceptions=True
    )
    assert [type(outcome) for outcome in outcomes] == [StoreUnavailable, StoreUnavailable]
    store.error = None
    assert await commit.append(event("a"))


@async_test
async def test_a_cancelled_caller_gets_the_outcome_before_the_cancellation() -> None:
    store, commit = slow_commit()
    outcomes: list[bool] = []

    async def append() -> None:
        outcomes.append(await commit.append(event("a")))
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
            await commit.append(event("a"))
            await asyncio.sleep(60)

    with pytest.raises(TimeoutError):
        await append()


@async_test
async def test_the_error_of_a_cancelled_caller_is_not_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    store, commit = slow_commit()
    store.error = StoreUnavailable("It is gone.")
    task = asyncio.create_task(commit.append(event("a")))
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
            await commit.append(event(table))

    others = [asyncio.create_task(keep_appending(f"t{number}")) for number in range(5)]
    await store.is_writing.wait()
    task = asyncio.create_task(commit.append(event("a")))
    store.is_writing.clear()
    await store.is_writing.wait()
    task.cancel()
    await asyncio.wait({task}, timeout=5)
    assert task.cancelled()
    is_busy = False
    await asyncio.gather(*others)
