"""Every table is seen to and everybody is told, whatever happens to who should have done it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import ClientConnection, connect

from databases import Wire, busy, opened, wait_until
from manhattan.client import Client, Refused
from manhattan.server.caretaking import Caretaker
from manhattan.server.entries import Begun, Entry, Opened, Played, Said, to_text
from manhattan.server.folding import folded
from manhattan.server.live import LiveTable
from manhattan.server.store import Append, Store, Summary
from manhattan.server.terms import Terms
from manhattan.server.thinking import Thinkers
from players import kept
from serving import AGAINST_EASY, Running, loads, process, running
from witness import logs


def write(database: str, *entries: Append) -> None:
    """What another process writes, which tells nobody."""

    async def go() -> None:
        async with opened(database) as store:
            assert all(await store.append(entries))

    asyncio.run(go())


def heard(socket: ClientConnection, type: str) -> dict[str, Any]:
    """The next message of a kind."""
    while True:
        told: dict[str, Any] = loads(socket.recv(timeout=10))
        if told["type"] == type:
            return told


def a_bots_turn(table: str) -> list[Append]:
    """A game against a bot, which has the first move and should have made it long ago."""
    then = 1000 * int(time.time() - 60)
    terms = Terms.model_validate({"chairs": AGAINST_EASY, "first": 1, "pace": 0})
    entries: list[Entry] = [
        Opened(at=then, by="ada", terms=terms, name="Ada"),
        Begun(at=then, by="ada", seed="ab" * 32),
    ]
    summary = Summary("playing", False, then, then, {})
    return [
        Append(table, number, to_text(entry), then, summary) for number, entry in enumerate(entries)
    ]


def _bot_has_moved(database: str, table: str) -> bool:
    return isinstance(kept(database, table)[-1], Played)


def test_a_table_that_can_not_be_read_keeps_no_other_from_being_seen_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("manhattan.server.caretaking.GRACE", 100)
    database = str(tmp_path / "tables.db")
    with running(database):
        broken = Summary("playing", False, 1, 1, {})  # which is due before all others
        write(database, Append("b" * 14, 0, '{"type": "of a newer version"}', 1, broken))
        for table in ("c" * 14, "d" * 14):
            write(database, *a_bots_turn(table))
            wait_until(partial(_bot_has_moved, database, table), "the bot moves", every=0.2)


def test_a_table_that_can_not_be_read_is_told_once_and_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("manhattan.server.caretaking._SWEEP", 0.05)
    database, table = str(tmp_path / "tables.db"), "b" * 14
    with running(database) as up, logs() as written:
        ada = up.client("Ada")
        fine = ada.open(chairs=AGAINST_EASY)
        [me] = up.state.house._tables[fine].sitting.people()
        late = Summary("playing", False, 1, 1, {})
        broken = '{"type": "of a newer version"}'
        asked_for = statements(up)
        write(database, Append(table, 0, broken, 1, late, frozenset({me})))
        wait_until(lambda: table in up.state.house.unreadable, "it is found")
        time.sleep(0.5)  # ten looks
        assert [line["what"] for line in written.troubles] == ["a table can't be read"]
        assert sum(f"'{table}'" in one for one in asked_for) == 1
        assert "newer version wrote it" in refused(lambda: ada.record(table), "unreadable")
        mine = ada.call("GET", "/api/tables/mine")["tables"]
        assert [one["table"]["id"] for one in mine] == [fine]
        up.state.house.unreadable[table] = 0  # a minute later
        assert refused(lambda: ada.record(table), "unreadable")
        assert len(written.troubles) == 1


def test_what_comes_to_a_table_and_can_not_be_read_ends_nothing_else(tmp_path: Path) -> None:
    """Another process, of a newer version, writes at a table that somebody looks at."""
    database = str(tmp_path / "tables.db")
    with running(database) as up, logs() as written:
        ada = up.client("Ada")
        table = ada.open(chairs=AGAINST_EASY)
        write(database, Append(table, 1, '{"type": "of a newer version"}', 1))
        for _ in range(3):
            assert refused(lambda: ada.begin(table), "unreadable")
        assert [line["what"] for line in written.troubles] == ["a table can't be read"]
        assert ada.call("GET", f"/api/tables/{table}")["table"]["stage"] == "gathering"


def test_who_is_refused_costs_the_database_nothing(tmp_path: Path) -> None:
    """Where one process has all tables, there is nothing that it has not heard of."""
    with running(str(tmp_path / "tables.db")) as up:
        ada, bob = up.client("Ada"), up.client("Bob")
        table = ada.open(chairs=AGAINST_EASY, first=0, begin=True)
        with connect(up.websocket(table), additional_headers={"Cookie": bob.cookie}) as bobs:
            heard(bobs, "view")
            asked_for = statements(up)
            for number in range(20):
                bobs.send(f'{{"type": "resign", "id": "{number}"}}')
                assert heard(bobs, "refused")["reason"] == "not_at_the_table"
        assert not any(table in one for one in asked_for)


def statements(up: Running) -> list[str]:
    """What SQLite is asked for from now on."""
    found: list[str] = []
    up.state.house.store._database._reader.set_trace_callback(found.append)
    return found


def refused(attempt: Callable[[], object], reason: str) -> str:
    """The sentence with which something is refused."""
    with pytest.raises(Refused) as told:
        attempt()
    assert told.value.reason == reason
    return str(told.value)


def test_a_bot_that_fails_tries_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    choose = Thinkers.choose
    failed: list[str] = []

    async def fail_once(self: Thinkers, *about: Any) -> Any:
        if not failed:
            failed.append("once")
            raise ArithmeticError
        return await choose(self, *about)

    monkeypatch.setattr(Thinkers, "choose", fail_once)
    monkeypatch.setattr("manhattan.server.caretaking.GRACE", 100)
    database = str(tmp_path / "tables.db")
    with running(database) as up:
        ada = up.client("Ada")
        table = ada.open(chairs=AGAINST_EASY, first=1, pace=0, begin=True)
        wait_until(partial(_bot_has_moved, database, table), "the bot moves", every=0.2)
    assert failed


def test_a_bot_moves_on_though_the_time_was_set_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running(str(tmp_path / "tables.db")) as up:
        ada = up.client("Ada")
        table = ada.open(chairs=AGAINST_EASY, first=0, pace=100, begin=True)
        with ada.at(table) as seat:
            turns = seat.turns()
            seat.play(next(turns).moves[0])
            earlier = time.time_ns() - 3600 * 10**9
            monkeypatch.setattr("manhattan.server.clocks.time.time_ns", lambda: earlier)
            assert next(turns).ply >= 2


def test_a_long_table_is_read_bit_by_bit_and_is_in_memory_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those who play elsewhere don't wait for it."""
    database, table = str(tmp_path / "tables.db"), "t" * 14
    said = Said(at=2, by="ada", name="Ada", text="Hello")
    terms = Terms.model_validate({"chairs": AGAINST_EASY})
    entries: list[Entry] = [Opened(at=1, by="ada", terms=terms, name="Ada"), *[said] * 1500]
    summary = Summary("gathering", False, 1, None, {})
    write(database, *(Append(table, n, to_text(one), 2, summary) for n, one in enumerate(entries)))
    turns: list[str] = []

    def noted(*about: Any) -> Any:
        turns.append("read")
        return folded(*about)

    async def others(reading: asyncio.Future[Any]) -> None:
        while not reading.done():
            turns.append("others")
            await asyncio.sleep(0)

    async def look(up: Running) -> None:
        house = up.state.house
        reading = asyncio.ensure_future(house.table(table))
        await others(reading)
        assert house._keep(reading.result().sitting) is reading.result()

    with running(database) as up:
        monkeypatch.setattr("manhattan.server.house.folded", noted)
        asyncio.run_coroutine_threadsafe(look(up), up.loop).result(20)
    reads = [number for number, what in enumerate(turns) if what == "read"]
    assert len(reads) == 16
    assert all(turns[number + 1] == "others" for number in reads[:-1])


def failing(patch: pytest.MonkeyPatch, owner: type, name: str) -> list[str]:
    """Something goes wrong in a way that nobody expects, as long as there is nothing in the
    list."""
    works: Callable[..., Any] = getattr(owner, name)
    well: list[str] = []

    def fail(*about: Any) -> Any:
        if not well:
            raise ArithmeticError(name)
        return works(*about)

    patch.setattr(owner, name, fail)
    return well


def test_what_nobody_expects_does_not_end_caretaking(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("manhattan.server.caretaking.GRACE", 100)
    monkeypatch.setattr("manhattan.server.caretaking._SWEEP", 0.05)
    monkeypatch.setattr("manhattan.server.caretaking._OVER_IDLE", 0)
    overdue = failing(monkeypatch, Store, "overdue")
    database, table = str(tmp_path / "tables.db"), "c" * 14
    with logs() as written, running(database) as up:
        ada = up.client("Ada")
        idle = ada.open(chairs=[{"who": "me"}, {"who": "open"}])
        ada.leave(idle)
        wait_until(lambda: idle not in up.state.house._tables, "all the rest is still done")
        write(database, *a_bots_turn(table))
        time.sleep(0.5)  # ten looks
        [told] = written.troubles
        assert (told["what"], told["error"][0]) == ("something went wrong", "ArithmeticError")
        overdue.append("goes well again")
        wait_until(partial(_bot_has_moved, database, table), "the bot moves", every=0.2)
        assert len(written.troubles) == 1
        overdue.clear()
        wait_until(lambda: len(written.troubles) == 2, "it is told again")


def test_a_table_with_which_something_is_wrong_keeps_no_other_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("manhattan.server.caretaking._SWEEP", 0.05)
    monkeypatch.setattr("manhattan.server.caretaking._IDLE", 200)
    forget = Caretaker._forget_if_idle
    wrong: list[str] = []

    def fail(self: Caretaker, live: LiveTable) -> None:
        if live.id in wrong:
            raise ArithmeticError
        forget(self, live)

    monkeypatch.setattr(Caretaker, "_forget_if_idle", fail)
    with running(str(tmp_path / "tables.db")) as up, logs() as written:
        ada = up.client("Ada")
        wrong.append(ada.open(chairs=[{"who": "me"}, {"who": "open"}]))
        others = [ada.open(chairs=[{"who": "me"}, {"who": "open"}]) for _ in range(3)]
        wait_until(lambda: not set(others) & set(up.state.house._tables), "they are forgotten")
        assert wrong[0] in up.state.house._tables
        assert [line["what"] for line in written.troubles] == ["something went wrong"]


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_move_is_told_though_its_player_has_gone_before_it_was_written(
    request: pytest.FixtureRequest, tmp_path: Path, kind: str
) -> None:
    database = str(tmp_path / "tables.db")
    if kind == "postgres":
        database = request.getfixturevalue("postgres")
    with running(database) as up, ExitStack() as ended:
        ada, bob = up.client("Ada"), up.client("Bob")
        table = ada.open(chairs=[{"who": "me"}, {"who": "open"}], first=0)
        bob.sit(table)
        ada.begin(table)
        with ada.at(table) as seat:
            move = next(seat.turns()).moves[0]
        adas, bobs, nobodys = (
            ended.enter_context(connect(up.websocket(table), additional_headers=headers))
            for headers in ({"Cookie": ada.cookie}, {"Cookie": bob.cookie}, {})
        )
        for socket in (adas, bobs, nobodys):
            heard(socket, "view")
        with busy(database):
            adas.send(f'{{"type": "play", "id": "1", "ply": 0, "move": "{move}"}}')
            time.sleep(0.2)
            adas.socket.close()
            nobodys.close()  # of which Ada would be told: so the server notices that she is gone
            time.sleep(0.3)
        assert heard(bobs, "news")["what"]["move"] == move
        assert sum(isinstance(entry, Played) for entry in kept(database, table)) == 1


def test_of_what_was_written_while_the_database_went_away_nothing_wrong_is_said(
    postgres: str,
) -> None:
    """It may be done: so whoever asked for it is not told that it is not, and may ask again."""
    said = '{"type": "say", "id": "mine", "text": "Hello"}'
    with closing(Wire(postgres)) as wire, running(wire.address) as up:
        table = up.client("Ada").open(chairs=[{"who": "me"}, {"who": "open"}])
        ada = up.client("Ada")
        with connect(up.websocket(table), additional_headers={"Cookie": ada.cookie}) as adas:
            heard(adas, "view")
            wire.cut_at_commit = True
            adas.send(said)
            refused = heard(adas, "refused")
            assert (refused["reason"], refused["answers"]) == ("storage_away", "mine")
            assert "Perhaps this was done, perhaps not: look at the table again" in refused["text"]
            number = len(kept(postgres, table)) - 1
            assert kept(postgres, table)[number].command == "mine"  # it was
            adas.send(said)
            assert heard(adas, "done")["number"] == number
        assert sum(isinstance(entry, Said) for entry in kept(postgres, table)) == 1


def test_what_a_process_wrote_before_it_died_is_told_by_the_other(
    postgres: str, redis: str
) -> None:
    """Within ten seconds, though nothing is due at the table."""
    with running(postgres, redis=redis) as here:
        ada = here.client("Ada")
        table = ada.open(chairs=[{"who": "me"}, {"who": "open"}])
        with connect(here.websocket(table)) as nobodys:
            heard(nobodys, "view")
            begun = time.monotonic()
            last = Said(at=1, name="Ada", text="The lights go out")
            write(postgres, Append(table, 1, to_text(last), 1))
            assert heard(nobodys, "news")["what"]["text"] == "The lights go out"
            assert time.monotonic() - begun < 10


def test_of_whom_nothing_is_heard_any_more_is_gone(
    postgres: str, redis: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("manhattan.server.live.SEEN_ELSEWHERE", 500)  # not half a minute
    monkeypatch.setattr("manhattan.server.caretaking._SAY_AGAIN", 300)
    with running(postgres, redis=redis) as here, process(postgres, redis) as there:
        ada = Client(there.address, "Ada")
        table = ada.open(chairs=[{"who": "me"}, {"who": "open"}])
        with ada.at(table) as seat, connect(here.websocket(table)) as nobodys:
            seat.say("Hello")
            while heard(nobodys, "presence")["present"] != [True, False]:
                pass
            there.kill()
            while heard(nobodys, "presence")["present"] != [False, False]:
                pass
