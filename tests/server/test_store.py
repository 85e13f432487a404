"""What is kept, in both databases: each number of a table is taken once, and nothing goes alone."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from databases import Postgres, database_at, in_a_loop, opened
from manhattan.server.store import (
    Append,
    Person,
    Store,
    StoreAway,
    Summary,
)
from manhattan.server.store.keeping import Statement


@pytest.fixture(params=["sqlite", "postgres"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database: everything here is true of both kinds."""
    if request.param == "sqlite":
        return str(tmp_path / "new folder" / "tables.db")
    return str(request.getfixturevalue("postgres"))


def summary(stage: str = "playing", *, due: int | None = None, public: bool = True) -> Summary:
    return Summary(stage, public, opened_at=1, due=due, told={"host": "Ada", "round": 1})


# Entries.


@in_a_loop
async def test_a_number_is_taken_once(address: str) -> None:
    async with opened(address) as store:
        assert await store.append([Append("t", 0, "first", at=1)]) == [True]
        assert await store.append([Append("t", 0, "second", at=1)]) == [False]
        assert await store.append([Append("u", 0, "other table", at=1)]) == [True]
        assert await store.entries("t") == ["first"]
        assert await store.entries("u") == ["other table"]
        assert await store.entries("v") == []


@in_a_loop
async def test_of_a_batch_those_are_written_that_are_first(address: str) -> None:
    async with opened(address) as store:
        taken = [Append(table, 0, "was there", at=1) for table in "bd"]
        assert await store.append(taken) == [True, True]
        # In no order: an answer belongs to its own entry.
        batch = [Append(table, 0, f"new {table}", at=2) for table in "edacb"]
        assert await store.append(batch) == [True, False, True, True, False]
        kept = {table: await store.entries(table) for table in "abcde"}
        assert kept == {
            "a": ["new a"],
            "b": ["was there"],
            "c": ["new c"],
            "d": ["was there"],
            "e": ["new e"],
        }


@in_a_loop
async def test_which_tables_have_news(address: str) -> None:
    async with opened(address) as store:
        many = [f"{number:014}" for number in range(450)]
        assert await store.with_news({}) == []
        assert await store.with_news(dict.fromkeys(many, 0)) == []
        entries = [Append(table, number, "x", 1) for table in many for number in range(3)]
        assert all(await store.append(entries))
        assert await store.with_news(dict.fromkeys(many, 3)) == []
        known = dict.fromkeys(many, 3) | {many[0]: 2, many[200]: 1, many[449]: 0, "nobody's": 0}
        assert sorted(await store.with_news(known)) == [many[0], many[200], many[449]]


@in_a_loop
async def test_which_cookies_are_whose(address: str) -> None:
    async with opened(address) as store:
        people = [f"person {number}" for number in range(250)]
        for number, person in enumerate(people):
            await store.add_person(Person(person, "Ada", 1 + number % 2), now=1)
        found = await store.generations({*people, "nobody"})
        assert found == {person: 1 + number % 2 for number, person in enumerate(people)}
        assert await store.generations(set()) == {}


@pytest.mark.parametrize("texts", [("a", "b"), ("b", "a"), ("same", "same")])
@in_a_loop
async def test_of_two_in_one_batch_with_the_same_number_one_is_first(
    address: str, texts: tuple[str, str]
) -> None:
    """Who asked for the first of them may have gone before it was written."""
    async with opened(address) as store:
        people = (frozenset({"p0"}), frozenset({"p1"}))
        batch = [
            Append("t", 0, text, 1, summary(), who) for text, who in zip(texts, people, strict=True)
        ]
        firsts = await store.append(batch)
        assert sorted(firsts) == [False, True]
        winner = firsts.index(True)
        assert await store.entries("t") == [texts[winner]]
        assert await store.tables_of(f"p{winner}", 9) == ["t"]
        assert await store.tables_of(f"p{1 - winner}", 9) == []


@in_a_loop
async def test_what_belongs_to_an_entry_is_written_with_it_or_not_at_all(address: str) -> None:
    async with opened(address) as store:
        begun = Append("t", 0, "first", 1, summary("gathering"), frozenset({"ada", "bob"}))
        late = Append("t", 0, "second", 2, summary("over", due=5), frozenset({"eve"}))
        new = Append("u", 0, "first", 3, summary("playing", due=7), frozenset({"eve", "ada"}))
        assert await store.append([begun]) == [True]
        assert await store.append([late, new]) == [False, True]
        assert await store.listed("over", 9) == []
        assert [table for table, _ in await store.listed("gathering", 9)] == ["t"]
        assert await store.overdue(100, 9) == ["u"]
        assert await store.tables_of("eve", 9) == ["u"]
        assert await store.tables_of("bob", 9) == ["t"]


@in_a_loop
async def test_of_two_processes_one_is_first(address: str) -> None:
    """Two stores are two connections: the database decides, whatever they do at the same time."""
    async with opened(address) as one, opened(address) as other:
        tables = [f"table {n}" for n in range(20)]
        for number in range(5):
            # They name the tables in opposite order, and must not wait for each other for ever.
            batches = [
                [
                    Append(t, number, f"by one {number}", 1, summary(), frozenset("1"))
                    for t in tables
                ],
                [
                    Append(t, number, f"by other {number}", 1, summary(), frozenset("2"))
                    for t in reversed(tables)
                ],
            ]
            ones, others = await asyncio.gather(one.append(batches[0]), other.append(batches[1]))
            for table, was, other_was in zip(tables, ones, reversed(others), strict=True):
                assert was != other_was
                winner = "by one" if was else "by other"
                assert await one.entries(table, number) == [f"{winner} {number}"]
                assert await other.entries(table, number) == [f"{winner} {number}"]
        of_one, of_other = await one.tables_of("1", 99), await one.tables_of("2", 99)
        assert sorted(of_one + of_other) == sorted(tables)


@in_a_loop
async def test_entries_since_a_number(address: str) -> None:
    async with opened(address) as store:
        texts = [f'{{"text": "Gr\u00fc\u00dfe {number} \u2603"}}' for number in range(12)]
        for number, text in enumerate(texts):
            await store.append([Append("t", number, text, at=number)])
        assert await store.entries("t") == texts
        assert await store.entries("t", 9) == texts[9:]
        assert await store.entries("t", 12) == []


# Lists.


@in_a_loop
async def test_lists_of_tables(address: str) -> None:
    async with opened(address) as store:
        await store.append(
            [
                Append("old", 0, "", 10, summary(due=300), frozenset({"ada"})),
                Append("new", 0, "", 20, summary(due=100), frozenset({"ada", "bob"})),
                Append("private", 0, "", 30, summary(public=False), frozenset({"bob"})),
                Append("closed", 0, "", 40, summary("closed"), frozenset({"ada"})),
            ]
        )
        told = {"host": "Ada", "round": 1}
        assert await store.listed("playing", 9) == [("new", told), ("old", told)]
        assert await store.listed("playing", 1) == [("new", told)]
        assert await store.listed("gathering", 9) == []
        assert await store.tables_of("ada", 9) == ["new", "old"]
        assert await store.tables_of("bob", 9) == ["private", "new"]
        assert await store.tables_of("bob", 1) == ["private"]
        assert await store.overdue(100, 9) == []
        assert await store.overdue(101, 9) == ["new"]
        assert await store.overdue(10**15, 9) == ["new", "old"]
        assert await store.overdue(10**15, 1) == ["new"]
        # Something happened: what is told changes, and who is no longer there has gone.
        assert await store.append([Append("old", 1, "", 50, summary("over"), frozenset())]) == [
            True
        ]
        assert await store.listed("over", 9) == [("old", told)]
        assert await store.overdue(10**15, 9) == ["new"]
        assert await store.tables_of("ada", 9) == ["new"]
        # An entry that changes neither leaves both as they are.
        assert await store.append([Append("new", 1, "", 60)]) == [True]
        assert await store.listed("playing", 9) == [("new", told)]
        assert await store.tables_of("bob", 9) == ["private", "new"]


@in_a_loop
async def test_nobody_fills_a_list_alone(address: str) -> None:
    async with opened(address) as store:
        waiting = Summary("gathering", True, 1, None, {}, host="eve")
        flood = [Append(f"eve {n:03}", 0, "", 100 + n // 3, waiting) for n in range(300)]
        adas = Append("ada 1", 0, "", 50, replace(waiting, host="ada"))
        nobody_knows = [Append(f"old {n}", 0, "", n, replace(waiting, host=None)) for n in range(4)]
        hers = [
            Append("eve plays", 0, "", 150, replace(waiting, stage="playing")),
            Append("eve hides", 0, "", 150, replace(waiting, public=False)),
        ]
        assert all(await store.append([*flood, adas, *nobody_knows, *hers]))
        olds = ["old 3", "old 2", "old 1", "old 0"]
        assert await ids(store, 9) == ["eve 299", "eve 298", "ada 1", *olds]
        assert await ids(store, 3) == ["eve 299", "eve 298", "ada 1"]
        # Of a table at which nobody has sat down for long, it matters whether somebody looks.
        assert await ids(store, 9, 3) == ["eve 299", "eve 298", "ada 1", "old 3"]
        assert await ids(store, 9, 60) == ["eve 299", "eve 298"]
        looked_at = {"ada 1", "old 1", "eve 5", "eve hides", "eve plays", "nobody's"}
        assert await ids(store, 9, 60, looked_at) == ["eve 299", "eve 298", "ada 1", "old 1"]
        many = {f"other {n:03}" for n in range(999)}
        assert await ids(store, 9, 60, many) == ["eve 299", "eve 298"]
        # Another sits there now: it is his.
        after = Append("eve 299", 1, "", 200, replace(waiting, host="bob"))
        assert await store.append([after]) == [True]
        assert await ids(store, 9, 60) == ["eve 299", "eve 298", "eve 297"]


async def ids(
    store: Store, limit: int, since: int = 0, looked_at: Collection[str] = ()
) -> list[str]:
    return [table for table, _ in await store.listed("gathering", limit, since, looked_at)]


# People and secrets.


@in_a_loop
async def test_people(address: str) -> None:
    async with opened(address) as store:
        assert await store.person("1") is None
        ada = Person("1", "Ada \u00c5", 1)
        await store.add_person(ada, now=5)
        await store.add_person(Person("2", "Bob", 1), now=5)
        assert await store.rename_person(ada, "Lady Ada", now=6)
    async with opened(address) as store:
        assert await store.person("1") == Person("1", "Lady Ada", 1)
        assert await store.void_person(ada, now=7)
        assert await store.person("1") == Person("1", "Lady Ada", 2)
        assert await store.person("2") == Person("2", "Bob", 1)


@in_a_loop
async def test_who_is_nobody_any_more_stays_so(address: str) -> None:
    """Whatever others do, at another process, who knew him before."""
    async with opened(address) as here, opened(address) as there:
        ada = Person("1", "Ada", 1)
        await here.add_person(ada, now=5)
        assert await there.void_person(ada, now=6)
        assert not await here.rename_person(ada, "Lady Ada", now=7)
        assert not await here.void_person(ada, now=7)
        assert await there.person("1") == Person("1", "Ada", 2)
        nobody = Person("2", "Nobody", 1)
        assert not await here.rename_person(nobody, "Somebody", now=8)
        assert await here.person("2") is None


@in_a_loop
async def test_all_processes_have_the_same_secrets(address: str) -> None:
    async with opened(address) as one, opened(address) as other:
        same = await asyncio.gather(*(store.secret("cookies") for store in (one, other) * 5))
        assert len(set(same)) == 1
        assert len(same[0]) >= 32
        assert await one.secret("something else") != same[0]
    async with opened(address) as again:
        assert await again.secret("cookies") == same[0]


# Opening.


async def _shape(store: Store, address: str) -> list[Any]:
    """Everything that the database says of its tables."""
    sql = "SELECT name, sql FROM sqlite_master ORDER BY name"
    if address.startswith("postgresql:"):
        sql = (
            "SELECT table_name, column_name, data_type FROM information_schema.columns "
            "WHERE table_schema = 'public' ORDER BY table_name, ordinal_position"
        )
    return await store._database.read(sql)


@in_a_loop
async def test_opening_again_changes_nothing(address: str) -> None:
    async with opened(address) as store:
        await store.append([Append("t", 0, "first", 1, summary(), frozenset({"ada"}))])
        before = await _shape(store, address)
        steps = await store._database.read("SELECT number, name FROM migrations")
    assert len(before) > 5
    assert [number for number, _ in steps] == list(range(1, len(steps) + 1))
    async with opened(address) as store:
        assert await _shape(store, address) == before
        assert await store._database.read("SELECT number, name FROM migrations") == steps
        assert await store.entries("t") == ["first"]
        assert await store.tables_of("ada", 9) == ["t"]


# What may happen to a database.


@in_a_loop
async def test_sqlite_writes_to_the_disk_before_it_says_so(tmp_path: Path) -> None:
    async with opened(str(tmp_path / "tables.db")) as store:
        database = store._database
        for ask in (database.read, lambda sql: database.write(Statement(sql))):
            assert await ask("PRAGMA journal_mode") == [("wal",)]
            assert await ask("PRAGMA synchronous") == [(2,)]  # FULL: at every commit


@in_a_loop
async def test_whether_sqlite_can_write_is_found_out_by_writing(tmp_path: Path) -> None:
    """SQLite writes nothing where nothing would change, and would say that all is well."""
    written = tmp_path / "tables.db-wal"
    async with opened(str(tmp_path / "tables.db")) as store:
        for _ in range(3):
            await store._database.read("PRAGMA wal_checkpoint(TRUNCATE)")
            assert written.stat().st_size == 0
            await store.has_space()
            assert written.stat().st_size > 40_000
        await store.answers()  # which clears away what is there
        for _ in range(3):
            await store._database.read("PRAGMA wal_checkpoint(TRUNCATE)")
            await store.answers()
            assert 0 < written.stat().st_size < 10_000


@in_a_loop
async def test_a_postgres_that_goes_away_and_comes_back(own_postgres: Postgres) -> None:
    with_database = database_at(own_postgres.address)
    with ExitStack() as ended:
        address = await asyncio.to_thread(ended.enter_context, with_database)
        async with opened(address) as store:
            assert await store.append([Append("t", 0, "first", 1)]) == [True]
            own_postgres.stop()
            try:
                for attempt in (
                    store.append([Append("t", 1, "lost", 1)]),
                    store.entries("t"),
                    store.answers(),
                    store.has_space(),
                ):
                    with pytest.raises(StoreAway, match=r"^PostgreSQL does not answer: .+\.$"):
                        await attempt
            finally:
                own_postgres.start()
            assert await store.append([Append("t", 1, "second", 1)]) == [True]
            assert await store.entries("t") == ["first", "second"]
        await asyncio.to_thread(ended.close)
