"""Bots and hints share processes, and bots come first: a whole table waits for them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager

import pytest

from databases import in_a_loop
from manhattan.server.denials import Denial, Denied
from manhattan.server.queueing import FairQueue
from manhattan.server.thinking import MOST_ADVICE, MOST_OF_ONE, Thinkers
from manhattan.view import View, view_of
from sittings import ME, Gathering, bot


@asynccontextmanager
async def thinkers(workers: int) -> AsyncIterator[Thinkers]:
    started = Thinkers(workers)
    try:
        yield started
    finally:
        await started.stop()


def somebodys_view() -> View:
    game = Gathering(ME, bot()).begins().sitting.game
    assert game is not None
    return view_of(game, 0)


@in_a_loop
async def test_a_bot_does_not_wait_behind_all_who_ask_for_hints() -> None:
    seen = somebodys_view()
    done: list[str] = []

    async def noted(who: str, work: Awaitable[object]) -> None:
        await work
        done.append(who)

    async with thinkers(1) as there:
        hints = [noted("hint", there.hint(seen, str(number))) for number in range(MOST_ADVICE)]
        await asyncio.gather(*hints, noted("bot", there.choose("easy", seen, "dice")))
    assert done == ["hint", "bot", *["hint"] * (MOST_ADVICE - 1)]


@pytest.mark.parametrize(("workers", "advisers"), [(1, 1), (2, 1), (4, 3)])
@in_a_loop
async def test_where_there_are_several_processes_one_is_for_bots_alone(
    workers: int, advisers: int
) -> None:
    seen = somebodys_view()
    async with thinkers(workers) as there:
        asked = [asyncio.create_task(there.hint(seen, str(number))) for number in range(6)]
        await asyncio.sleep(0)
        assert there._waiting == advisers
        await asyncio.gather(*asked)


@in_a_loop
async def test_of_many_who_ask_for_hints_some_are_told_to_come_again() -> None:
    seen = somebodys_view()
    async with thinkers(1) as there:
        found = await asyncio.gather(
            *(there.hint(seen, str(number)) for number in range(50)), return_exceptions=True
        )
        refused = [one for one in found if isinstance(one, Denied)]
        assert {one.reason for one in refused} == {Denial.BUSY}
        assert len(refused) == 50 - MOST_ADVICE
        assert (await there.hint(seen, "later")).move in seen.legal_moves()  # nothing is left over


@in_a_loop
async def test_who_has_many_tables_keeps_nobody_else_s_bots_waiting() -> None:
    seen = somebodys_view()
    done: list[str] = []

    async def noted(host: str, number: int) -> None:
        await there.choose("easy", seen, str(number), host)
        done.append(host)

    async with thinkers(1) as there:
        many = [noted("Eve", number) for number in range(MOST_OF_ONE)]
        few = [noted("Ada", number) for number in range(2)]
        await asyncio.gather(*many, *few)
    assert done[:5] == ["Eve", "Eve", "Ada", "Eve", "Ada"]


@in_a_loop
async def test_who_gives_up_waiting_leaves_no_gap() -> None:
    queue = FairQueue(1, 2)
    let_in: list[str] = []

    async def come(who: str) -> None:
        async with queue.place(who):
            let_in.append(who)
            await asyncio.sleep(0)

    async with queue.place("first"):
        waiting = {who: asyncio.create_task(come(who)) for who in ("Ada", "Bob", "Cat")}
        await asyncio.sleep(0)
        waiting["Ada"].cancel()
        with pytest.raises(Denied):  # nobody has more than two waiting
            await asyncio.gather(come("Bob"), come("Bob"))
    waiting["Bob"].cancel()  # his turn has come in this very moment
    await asyncio.gather(*waiting.values(), return_exceptions=True)
    await asyncio.sleep(0)
    assert "Cat" in let_in
    await asyncio.wait_for(come("later"), 1)
