"""Bots and hints share processes, and bots come first, since a whole table waits for them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager

import pytest

from manhattan.server.domain.errors import CommandRejected, ErrorCode
from manhattan.server.service.bot_pool import MAX_PENDING_ADVICE, MAX_PENDING_PER_HOST, BotPool
from manhattan.server.service.fair_queue import FairQueue
from manhattan.view import View, view_of
from support.databases import async_test
from support.table_builder import ME, TableBuilder, bot


@asynccontextmanager
async def bot_pool(workers: int) -> AsyncIterator[BotPool]:
    pool = BotPool(workers)
    try:
        yield pool
    finally:
        await pool.stop()


def some_view() -> View:
    game = TableBuilder(ME, bot()).start().state.game
    assert game is not None
    return view_of(game, 0)


@async_test
async def test_a_bot_waits_for_one_hint_at_most() -> None:
    view = some_view()
    finished: list[str] = []

    async def record(kind: str, work: Awaitable[object]) -> None:
        await work
        finished.append(kind)

    async with bot_pool(1) as pool:
        hints = [
            record("hint", pool.hint(view, str(number))) for number in range(MAX_PENDING_ADVICE)
        ]
        await asyncio.gather(*hints, record("bot", pool.choose_move("easy", view, "seed")))
    assert finished == ["hint", "bot", *["hint"] * (MAX_PENDING_ADVICE - 1)]


@pytest.mark.parametrize(("workers", "advisers"), [(1, 1), (2, 1), (4, 3)])
@async_test
async def test_with_several_processes_one_is_reserved_for_bots(workers: int, advisers: int) -> None:
    view = some_view()
    async with bot_pool(workers) as pool:
        hints = [asyncio.create_task(pool.hint(view, str(number))) for number in range(6)]
        await asyncio.sleep(0)
        assert pool._pending == advisers
        await asyncio.gather(*hints)


@async_test
async def test_hints_are_rejected_when_too_many_are_pending() -> None:
    view = some_view()
    async with bot_pool(1) as pool:
        outcomes = await asyncio.gather(
            *(pool.hint(view, str(number)) for number in range(50)), return_exceptions=True
        )
        rejected = [o for o in outcomes if isinstance(o, CommandRejected)]
        assert {rejection.reason for rejection in rejected} == {ErrorCode.BUSY}
        assert len(rejected) == 50 - MAX_PENDING_ADVICE
        assert (
            await pool.hint(view, "later")
        ).move in view.legal_moves()  # the queue is free again


@async_test
async def test_a_host_with_many_tables_does_not_delay_other_hosts() -> None:
    view = some_view()
    finished: list[str] = []

    async def record(host: str, number: int) -> None:
        await pool.choose_move("easy", view, str(number), host)
        finished.append(host)

    async with bot_pool(1) as pool:
        many = [record("Eve", number) for number in range(MAX_PENDING_PER_HOST)]
        few = [record("Ada", number) for number in range(2)]
        await asyncio.gather(*many, *few)
    assert finished[:5] == ["Eve", "Eve", "Ada", "Eve", "Ada"]


@async_test
async def test_a_cancelled_caller_passes_its_slot_on() -> None:
    queue = FairQueue(1, 2)
    admitted: list[str] = []

    async def enter(key: str) -> None:
        async with queue.slot(key):
            admitted.append(key)
            await asyncio.sleep(0)

    async with queue.slot("first"):
        waiting = {key: asyncio.create_task(enter(key)) for key in ("Ada", "Bob", "Cat")}
        await asyncio.sleep(0)
        waiting["Ada"].cancel()
        with pytest.raises(CommandRejected):  # two callers of a key may wait
            await asyncio.gather(enter("Bob"), enter("Bob"))
    waiting["Bob"].cancel()  # which has got the slot at this very moment
    await asyncio.gather(*waiting.values(), return_exceptions=True)
    await asyncio.sleep(0)
    assert "Cat" in admitted
    await asyncio.wait_for(enter("later"), 1)
