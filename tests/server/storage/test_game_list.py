"""The lists of a person's games: pages from an index, removal, statistics."""

from __future__ import annotations

from pathlib import Path

import pytest

from manhattan.server.storage import Append, Store
from manhattan.server.storage.database import Statement
from manhattan.server.storage.game_list import GameFilter, Place, page_query
from manhattan.server.storage.projection import GameState, Holding, Turn
from support.databases import async_test, store_at
from support.projections import holders, summary

MANY = 10_000
MIDDLE = Place("finished", MANY // 4, f"{MANY // 2:014}")


@pytest.fixture(params=["sqlite", "postgres"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "tables.db")
    return str(request.getfixturevalue("postgres"))


STAGES = {"your_turn": "playing", "running": "playing", "lobby": "lobby", "finished": "over"}


def row(
    table: str, number: int, state: GameState, at: int, *people: str, due: int | None = None
) -> Append:
    """Return an event after which a game has a state for some people."""
    stage = STAGES[state]
    turn = Turn(0, 0 if state == "your_turn" else None, at, "")
    rows = holders(*people, stage=stage, at=at)
    return Append(table, number, "", at, summary(stage, due=due, turn=turn), rows)


async def add(
    store: Store, table: str, state: GameState, at: int, *people: str, due: int | None = None
) -> None:
    assert await store.append([row(table, 0, state, at, *(people or ("ada",)), due=due)]) == [True]


async def all_pages(store: Store, state: GameState | None, limit: int) -> list[list[str]]:
    pages, after = [], None
    while games := await store.games.page("ada", state, after, limit):
        pages.append([game.table for game in games])
        after = games[-1].place
    return pages


@async_test
async def test_pages_follow_each_other_through_all_states(address: str) -> None:
    async with store_at(address) as store:
        await add(store, "over a", "finished", 5)
        await add(store, "over b", "finished", 5)  # at the same moment
        await add(store, "over c", "finished", 9)
        await add(store, "run", "running", 1, "ada", "bob")
        await add(store, "mine", "your_turn", 2)
        await add(store, "wait", "lobby", 3)
        await add(store, "other", "finished", 4, "bob")
        expected = ["mine", "run", "wait", "over c", "over b", "over a"]
        for limit in range(1, 8):
            pages = await all_pages(store, None, limit)
            assert [table for page in pages for table in page] == expected
            assert all(len(page) == limit for page in pages[:-1])
        assert await all_pages(store, "finished", 2) == [["over c", "over b"], ["over a"]]
        # A game that ends meanwhile is on no later page twice.
        [first, *_] = await store.games.page("ada", "finished", None, 1)
        await add(store, "over d", "finished", 10)
        later = await store.games.page("ada", "finished", first.place, 9)
        assert [game.table for game in later] == ["over b", "over a"]
        assert await store.games.counts("ada") == (1, 1, 1, 4, 0)


@async_test
async def test_a_removed_game_is_hidden_for_one_person_and_can_be_restored(address: str) -> None:
    async with store_at(address) as store:
        await add(store, "t", "running", 1, "ada", "bob")
        await add(store, "u", "finished", 2)
        assert await store.games.set_removed("ada", "t", removed=True)
        assert await all_pages(store, None, 9) == [["u"]]
        assert [game.table for game in await store.games.page("bob", None, None, 9)] == ["t"]
        removed = await store.games.page("ada", None, None, 9, removed=True)
        assert [(game.table, game.removed) for game in removed] == [("t", True)]
        assert await store.games.counts("ada") == (0, 0, 0, 1, 1)
        # It stays removed when it ends, and when somebody else is to move.
        assert await store.append([row("t", 1, "finished", 3, "ada")]) == [True]
        assert await all_pages(store, None, 9) == [["u"]]
        assert await store.games.set_removed("ada", "t", removed=False)
        assert await all_pages(store, None, 9) == [["t", "u"]]
        assert not await store.games.set_removed("cat", "t", removed=True)
        assert not await store.games.set_removed("ada", "unknown", removed=True)


@async_test
async def test_a_game_that_waits_for_a_person_is_in_the_list(address: str) -> None:
    async with store_at(address) as store:
        await add(store, "t", "your_turn", 1)
        assert not await store.games.set_removed("ada", "t", removed=True)
        assert await store.append([row("t", 1, "running", 2, "ada")]) == [True]
        assert await store.games.set_removed("ada", "t", removed=True)
        assert await all_pages(store, None, 9) == []
        assert await store.games.counts("ada") == (0, 0, 0, 0, 1)
        # It shows up again while the others wait.
        turn = Append("t", 2, "", 3, turn=Turn(0, 0, 3, ""))
        assert await store.append([turn]) == [True]
        assert await all_pages(store, None, 9) == [["t"]]
        assert await store.games.page("ada", None, None, 9, removed=True) == []
        assert await store.games.counts("ada") == (1, 0, 0, 0, 0)
        found = await store.games.find("ada", "t")
        assert found is not None
        assert (found.state, found.removed) == ("your_turn", False)


@async_test
async def test_the_most_urgent_game_comes_first(address: str) -> None:
    async with store_at(address) as store:
        await add(store, "new", "your_turn", 20)
        await add(store, "old", "your_turn", 10)
        await add(store, "soon", "your_turn", 30, due=100)
        await add(store, "later", "your_turn", 40, due=200)
        for limit in range(1, 5):
            pages = await all_pages(store, "your_turn", limit)
            tables = [table for page in pages for table in page]
            assert tables == ["soon", "later", "old", "new"]


@async_test
async def test_statistics_group_finished_games(address: str) -> None:
    finished = [
        Holding("over", 1, "0", 2, "hard", True, True, 40),
        Holding("over", 2, "0", 2, "hard", True, False, 51),
        Holding("over", 3, "0", 4, "", True, True, 30),
        Holding("over", 4, "01", 2, "hard"),  # a shared screen
    ]
    async with store_at(address) as store:
        for number, holding in enumerate(finished):
            over = Append(f"t{number}", 0, "", 1, summary("over"), {"ada": holding})
            assert await store.append([over]) == [True]
        await store.games.set_removed("ada", "t0", removed=True)  # it was played all the same
        rows = sorted(await store.games.statistics("ada"))
        assert rows == [(2, "hard", 2, 1, 51), (4, "", 1, 1, 30)]
        assert await store.games.statistics("bob") == []


async def add_many(store: Store) -> None:
    """Add finished games of one person, and a few of others."""
    numbers = (
        "WITH RECURSIVE numbers (n) AS "
        f"(SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < {MANY + 19})"
    )
    table = "substr('0000000000000' || n, length('0000000000000' || n) - 13)"
    await store.write(
        Statement(
            f"{numbers} INSERT INTO tables (id, stage, public, opened_at, changed_at, listing, "
            f"game) SELECT {table}, 'over', 0, 1, 1, '{{}}', game FROM numbers "
            "JOIN tables ON id = 'model'"
        ),
        Statement(
            f"{numbers} INSERT INTO seat_holders (table_id, person_id, stage, since, seats, "
            f"players, bots, counted, won, score) SELECT {table}, CASE WHEN n < {MANY} THEN 'ada' "
            "ELSE 'bob' END, 'over', n / 2, '0', 2 + n % 3, CASE WHEN n % 5 = 0 THEN 'easy' ELSE "
            "'hard' END, 1, n % 2, 30 FROM numbers"
        ),
    )


FILTERS = {
    "seat_holders_by_stage": GameFilter(),
    "seat_holders_by_players": GameFilter(players=4),
    "seat_holders_by_bots": GameFilter(bots="easy"),
    "seat_holders_by_players_and_bots": GameFilter(players=4, bots="easy"),
}
"""Filters by the index that their pages are read from."""


async def check_plan(store: Store, address: str, filter: GameFilter, index: str) -> None:
    """Check that a page takes its rows from an index, in their order, and no others."""
    sql, values = page_query("ada", "finished", MIDDLE, 21, 0, filter)
    if address.startswith("postgresql:"):
        # The plan of a prepared statement, with its values in place.
        for number, value in reversed(list(enumerate(values, start=1))):
            text = f"'{value}'" if isinstance(value, str) else str(value)
            sql = sql.replace(f"${number}", text)
        plan = await store.read(f"EXPLAIN {sql}")
        text = "\n".join(row[0] for row in plan)
        assert f"{index} on" in text, text
        assert "Seq Scan" not in text, text
        assert "Sort" not in text, text
    else:
        plan = await store.read(f"EXPLAIN QUERY PLAN {sql}", *values)
        steps = [row[-1] for row in plan]
        assert len(steps) == 2, steps
        assert f"USING INDEX {index} (" in steps[0], steps
        assert "since" in steps[0], steps
        assert "sqlite_autoindex_tables_1" in steps[1], steps


@async_test
async def test_a_page_among_many_games_reads_its_own_rows_only(address: str) -> None:
    async with store_at(address) as store:
        await add(store, "model", "lobby", 1, "eve")
        await add_many(store)
        if address.startswith("postgresql:"):
            await store.write(Statement("ANALYZE"))
        for index, filter in FILTERS.items():
            await check_plan(store, address, filter, index)
            games = await store.games.page("ada", "finished", MIDDLE, 21, filter=filter)
            matching = [
                n
                for n in range(MANY)
                if filter.players in (None, 2 + n % 3)
                and filter.bots in (None, "hard" if n % 5 else "easy")
            ]
            expected = [n for n in reversed(matching) if n < MANY // 2][:21]
            assert [int(game.table) for game in games] == expected
            assert (await store.games.counts("ada", filter)).finished == len(matching)
        assert sum(row.games for row in await store.games.statistics("ada")) == MANY


@async_test
async def test_a_damaged_row_hides_no_other(address: str) -> None:
    async with store_at(address) as store:
        for number in range(6):
            await add(store, f"over {number}", "finished", number)
        await add(store, "open", "lobby", 1)
        await store.write(
            Statement("UPDATE tables SET game = '{damaged' WHERE id IN ('over 1', 'over 4')"),
            Statement("UPDATE tables SET game = '[]' WHERE id = 'over 3'"),
        )
        expected = ["open", "over 5", "over 2", "over 0"]
        for limit in range(1, 8):
            pages = await all_pages(store, None, limit)
            assert [table for page in pages for table in page] == expected
            assert all(len(page) == limit for page in pages[:-1])
        assert await store.games.find("ada", "over 1") is None
        assert await store.games.find("ada", "over 2") is not None
