"""What happens at a table happens once and is told to all, whatever goes wrong on the way."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from databases import in_a_loop, opened, wait_until
from manhattan.server import decisions
from manhattan.server.bus import NoBus
from manhattan.server.caretaking import Caretaker
from manhattan.server.clocks import Milliseconds
from manhattan.server.committing import Committer
from manhattan.server.entries import Entry
from manhattan.server.happening import Happening
from manhattan.server.house import House
from manhattan.server.live import LiveTable, Viewer
from manhattan.server.news import News
from manhattan.server.sitting import Sitting
from manhattan.server.store import Append, Store
from manhattan.server.terms import Terms
from manhattan.server.thinking import Thinkers
from serving import AGAINST_EASY, Running, first, running
from witness import logs, on_the_server, sitting_at

TWO = [{"who": "me"}, {"who": "here", "name": "Bea"}]


@in_a_loop
async def test_what_was_decided_by_how_a_table_stood_does_not_happen_when_it_stands_otherwise(
    tmp_path: Path,
) -> None:
    async with opened(str(tmp_path / "tables.db")) as store:
        house, committer = House(store, NoBus(), Thinkers(1)), Committer(store)
        live = await house.open("ada", "Ada", Terms.model_validate({"chairs": TWO}))
        said = [decisions.say(live.sitting, "ada", "Ada", text, None, 9) for text in ("One", "Two")]
        both = [Happening(live, one, None, None) for one in said]
        assert await committer.append(both[0])
        assert not await committer.append(both[1])
        assert [line.text for line in live.sitting.talk] == ["One"]
        assert len(await store.entries(live.id)) == 2


def test_who_was_not_told_comes_again_and_is(
    shared: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mistake of ours keeps nobody from knowing what is durable."""
    ada, bob = shared.client("Ada"), shared.client("Bob")
    table = ada.open(chairs=[{"who": "me"}, {"who": "open"}], first=0)
    bob.sit(table)
    ada.begin(table)
    worded = LiveTable.worded
    mistakes = iter([True])

    def mistaken(
        self: LiveTable, news: News, answered: Viewer | None = None, command: str | None = None
    ) -> list[tuple[Viewer, bytes]]:
        if self.id == table and next(mistakes, False):
            raise KeyError("a mistake")
        return worded(self, news, answered, command)

    with logs(), ada.at(table) as one, bob.at(table) as other:
        next(other.news())
        turn = next(one.turns())
        monkeypatch.setattr(LiveTable, "worded", mistaken)
        assert one.play(first(turn))["type"] in ("news", "done")

        def heard() -> bool:
            other.ask("ping")
            return bool(other.position["ply"] == 1)

        wait_until(heard, "he hears of the move")
        assert one.position["ply"] == 1
        assert sitting_at(shared, table).number == 4  # opened, sat, begun, played: once


class Noticed(NoBus):
    """What other processes would hear."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, int]] = []

    def tell(self, table: str, number: int) -> None:
        self.heard.append((table, number))


@in_a_loop
async def test_when_who_asked_for_it_is_gone_other_processes_hear_of_it_soon(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(str(tmp_path / "tables.db")) as store:
        bus = Noticed()
        house = House(store, bus, Thinkers(1))
        live = await house.open("ada", "Ada", Terms.model_validate({"chairs": TWO}))
        seen_to: list[LiveTable] = []
        monkeypatch.setattr(Caretaker, "see_to", lambda _self, table, **_how: seen_to.append(table))
        saying = asyncio.create_task(
            house.act(live.id, lambda s, at: decisions.say(s, "ada", "Ada", "Hi", None, at))
        )
        await asyncio.sleep(0)
        assert live.lock.locked()
        saying.cancel()
        await asyncio.wait({saying})
        assert saying.cancelled()
        assert [line.text for line in live.sitting.talk] == ["Hi"]
        assert (bus.heard, seen_to) == ([], [])
        await house.look_for_news(live)  # as the caretaker does every second
        assert (bus.heard, seen_to) == ([(live.id, 2)], [live])


def test_when_who_asked_for_it_is_gone_it_goes_on_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """His move is being written when he goes: it is made, and the bot answers it."""
    append = Store.append

    async def slowly(self: Store, batch: list[Append]) -> list[bool]:
        await asyncio.sleep(0.1)
        return await append(self, batch)

    async def move_and_go(house: House, table: str) -> None:
        def decide(sitting: Sitting, now: Milliseconds) -> Entry:
            assert sitting.game is not None
            move = str(sitting.game.legal_moves()[0])
            return decisions.play(sitting, sitting.host, 0, move, None, now)

        moving = asyncio.create_task(house.act(table, decide))
        await asyncio.sleep(0.05)
        moving.cancel()
        await asyncio.wait({moving})
        assert moving.cancelled()

    with running(str(tmp_path / "tables.db")) as up:
        ada = up.client("Ada")
        table = ada.open(chairs=AGAINST_EASY, first=0, pace=0, begin=True)
        with ada.at(table) as seat:
            next(seat.news())
            with monkeypatch.context() as patch:
                patch.setattr(Store, "append", slowly)
                on_the_server(up, move_and_go(up.state.house, table))
            heard: list[Any] = []
            for told in seat.news():
                heard += [told["what"]["player"]] if told["type"] == "news" else []
                if len(heard) == 2:
                    break
            assert heard == [0, 1]
        wait_until(lambda: sitting_at(up, table).number == 4, "both moves are there")
