"""Bots and hints share processes, and bots come first, since a whole table waits for them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from random import Random

import pytest

from manhattan.bots import BOTS, FALLBACK_LEVEL
from manhattan.server.domain.errors import CommandRejected, ErrorCode
from manhattan.server.service.bot_pool import MAX_PENDING_ADVICE, MAX_PENDING_PER_PERSON, BotPool
from manhattan.server.service.fair_queue import Client, FairQueue, Ticket
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


class UnfinishedJob:
    """A compilation that never ends."""

    finished = False

    def stop(self) -> None:
        """There is nothing to end."""


@async_test
async def test_until_a_bot_is_compiled_a_weaker_level_plays_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Champion would need compiled code even for its selection."""
    jobs: list[tuple[int, int]] = []

    def start(players: int, colours: int) -> UnfinishedJob:
        jobs.append((players, colours))
        return UnfinishedJob()

    monkeypatch.setattr("manhattan.server.service.bot_pool.start_warmup", start)
    view = some_view()
    async with bot_pool(1) as pool:
        assert pool.needs_compilation("champion", view)
        assert not pool.needs_compilation("hard", view)  # it selects by a plan
        move = await pool.choose_move("champion", view, "seed")
    assert move == BOTS[FALLBACK_LEVEL](view, Random("seed"))
    assert jobs == [(2, 2)]


EVE, ADA, BOB = Client("1.1.1.1", "Eve"), Client("2.2.2.2", "Ada"), Client("2.2.2.2", "Bob")


@async_test
async def test_a_person_at_many_tables_does_not_delay_others() -> None:
    view = some_view()
    finished: list[str] = []

    async def record(client: Client, number: int) -> None:
        await pool.choose_move("easy", view, str(number), Ticket([client]))
        finished.append(client.person)

    async with bot_pool(1) as pool:
        many = [record(EVE, number) for number in range(MAX_PENDING_PER_PERSON)]
        few = [record(ADA, number) for number in range(2)]
        await asyncio.gather(*many, *few)
    assert finished[:2] == ["Eve", "Ada"]
    assert finished.index("Ada", 2) <= 4


class Slots:
    """A queue with one slot, and the order in which it is granted."""

    def __init__(self) -> None:
        self.queue = FairQueue(1, 8, 64)
        self.granted: list[str] = []
        self._tasks: list[asyncio.Task[None]] = []

    def wait(self, *clients: Client, name: str = "", hold_s: float = 0.01) -> Ticket:
        ticket = Ticket(clients)
        name = name or (clients[0].person if clients else "nobody")
        self._tasks.append(asyncio.create_task(self._hold(ticket, name, hold_s)))
        return ticket

    async def _hold(self, ticket: Ticket, name: str, hold_s: float) -> None:
        async with self.queue.slot(ticket):
            self.granted.append(name)
            await asyncio.sleep(hold_s)

    async def finish(self) -> list[str]:
        await asyncio.gather(*self._tasks)
        assert not self.queue._foreground.parts
        assert not self.queue._background.parts
        return self.granted


@async_test
async def test_many_names_of_one_address_share_its_turns() -> None:
    slots = Slots()
    for number in range(30):
        slots.wait(Client("1.1.1.1", f"name {number}"), name="Eve")
    await asyncio.sleep(0.005)
    for _ in range(3):
        slots.wait(ADA)
    granted = await slots.finish()
    assert granted[:7].count("Ada") == 3


@async_test
async def test_time_counts_and_not_the_number_of_moves() -> None:
    slots = Slots()
    for _ in range(8):
        slots.wait(EVE, hold_s=0.05)
        slots.wait(ADA, hold_s=0.005)
    granted = await slots.finish()
    assert granted[:10].count("Ada") >= 7


@async_test
async def test_people_of_one_address_share_fairly() -> None:
    slots = Slots()
    for _ in range(8):
        slots.wait(ADA)
    await asyncio.sleep(0.005)
    for _ in range(2):
        slots.wait(BOB)
    granted = await slots.finish()
    assert granted[:5].count("Bob") == 2


@async_test
async def test_what_nobody_waits_for_comes_last_but_is_not_put_off_for_ever() -> None:
    slots = Slots()
    for _ in range(4):
        slots.wait()
    for number in range(20):
        slots.wait(Client("2.2.2.2", f"name {number}"), name="Ada")
    granted = await slots.finish()
    assert granted[0] == "nobody"  # the slot was free
    assert granted[1:7] == ["Ada"] * 6
    assert granted[7] == "nobody"
    assert granted[8:15] == ["Ada"] * 7


@async_test
async def test_a_table_that_somebody_comes_to_watch_moves_up() -> None:
    slots = Slots()
    slots.wait(EVE)
    waiting = [slots.wait(name=f"table {number}") for number in range(5)]
    for _ in range(3):
        slots.wait(EVE)
    await asyncio.sleep(0)
    slots.queue.move(waiting[4], [ADA])
    slots.queue.move(waiting[4], [ADA])  # again: nothing changes
    granted = await slots.finish()
    assert granted.index("table 4") == 1
    slots.queue.move(waiting[4], [])  # too late: nothing happens


@async_test
async def test_a_shared_table_waits_for_the_quicker_of_its_players() -> None:
    """A stranger at a table doesn't delay it by what the stranger does elsewhere."""
    slots = Slots()
    for number in range(20):
        slots.wait(Client("1.1.1.1", f"name {number}"), name="Eve")
    slots.wait(EVE, ADA, name="shared")
    assert "shared" in (await slots.finish())[:3]


@async_test
async def test_a_cancelled_caller_passes_its_slot_on() -> None:
    queue = FairQueue(1, 2, 5)
    admitted: list[str] = []

    async def enter(name: str) -> None:
        async with queue.slot(Ticket([Client(name, name)])):
            admitted.append(name)
            await asyncio.sleep(0)

    async with queue.slot(Ticket()):
        waiting = {name: asyncio.create_task(enter(name)) for name in ("Ada", "Bob", "Cat")}
        await asyncio.sleep(0)
        waiting["Ada"].cancel()
        with pytest.raises(CommandRejected):  # two callers of a person may wait
            await asyncio.gather(enter("Bob"), enter("Bob"))
    waiting["Bob"].cancel()  # which has got the slot at this very moment
    await asyncio.gather(*waiting.values(), return_exceptions=True)
    await asyncio.sleep(0)
    assert "Cat" in admitted
    await asyncio.wait_for(enter("later"), 1)
