"""The store in both databases: each number is used once, and a batch is one transaction."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Collection
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from manhattan.server.storage import (
    Append,
    Person,
    Store,
    StoreUnavailable,
    Summary,
)
from manhattan.server.storage.database import MIGRATIONS, Statement
from support.databases import Postgres, async_test, database_at, store_at
from support.projections import holders, summary


@pytest.fixture(params=["sqlite", "postgres"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of each kind."""
    if request.param == "sqlite":
        return str(tmp_path / "new folder" / "tables.db")
    return str(request.getfixturevalue("postgres"))


# Events.


@async_test
async def test_each_number_of_a_table_is_used_once(address: str) -> None:
    async with store_at(address) as store:
        assert await store.append([Append("t", 0, "first", at=1)]) == [True]
        assert await store.append([Append("t", 0, "second", at=1)]) == [False]
        assert await store.append([Append("u", 0, "other table", at=1)]) == [True]
        assert await store.events("t") == ["first"]
        assert await store.events("u") == ["other table"]
        assert await store.events("v") == []


@async_test
async def test_the_events_of_a_batch_succeed_or_fail_one_by_one(address: str) -> None:
    async with store_at(address) as store:
        taken = [Append(table, 0, "was there", at=1) for table in "bd"]
        assert await store.append(taken) == [True, True]
        # In no order: each outcome belongs to its event.
        batch = [Append(table, 0, f"new {table}", at=2) for table in "edacb"]
        assert await store.append(batch) == [True, False, True, True, False]
        kept = {table: await store.events(table) for table in "abcde"}
        assert kept == {
            "a": ["new a"],
            "b": ["was there"],
            "c": ["new c"],
            "d": ["was there"],
            "e": ["new e"],
        }


@async_test
async def test_tables_with_new_events_are_found(address: str) -> None:
    async with store_at(address) as store:
        many = [f"{number:014}" for number in range(450)]
        assert await store.tables_with_new_events({}) == []
        assert await store.tables_with_new_events(dict.fromkeys(many, 0)) == []
        events = [Append(table, number, "x", 1) for table in many for number in range(3)]
        assert all(await store.append(events))
        assert await store.tables_with_new_events(dict.fromkeys(many, 3)) == []
        known = dict.fromkeys(many, 3) | {many[0]: 2, many[200]: 1, many[449]: 0, "unknown": 0}
        assert sorted(await store.tables_with_new_events(known)) == [many[0], many[200], many[449]]


@pytest.mark.parametrize("texts", [("a", "b"), ("b", "a"), ("same", "same")])
@async_test
async def test_of_two_events_with_the_same_number_in_one_batch_one_succeeds(
    address: str, texts: tuple[str, str]
) -> None:
    async with store_at(address) as store:
        people = (holders("p0"), holders("p1"))
        batch = [
            Append("t", 0, text, 1, summary(), who) for text, who in zip(texts, people, strict=True)
        ]
        firsts = await store.append(batch)
        assert sorted(firsts) == [False, True]
        winner = firsts.index(True)
        assert await store.events("t") == [texts[winner]]
        assert await store.games.active_tables(f"p{winner}", 9) == ["t"]
        assert await store.games.active_tables(f"p{1 - winner}", 9) == []


@async_test
async def test_summary_and_people_are_written_with_their_event_or_not_at_all(address: str) -> None:
    async with store_at(address) as store:
        begun = Append("t", 0, "first", 1, summary("lobby"), holders("ada", "bob"))
        late = Append("t", 0, "second", 2, summary("over", due=5), holders("eve"))
        new = Append("u", 0, "first", 3, summary("playing", due=7), holders("eve", "ada"))
        assert await store.append([begun]) == [True]
        assert await store.append([late, new]) == [False, True]
        assert await store.list_public_tables("over", 9) == []
        assert [table for table, _ in await store.list_public_tables("lobby", 9)] == ["t"]
        assert await store.overdue_tables(100, 9) == ["u"]
        assert await store.games.active_tables("eve", 9) == ["u"]
        assert await store.games.active_tables("bob", 9) == ["t"]


@async_test
async def test_of_two_processes_one_is_first_with_a_number(address: str) -> None:
    async with store_at(address) as here, store_at(address) as there:
        tables = [f"table {n}" for n in range(20)]
        for number in range(5):
            # In opposite order, which must not lead to a deadlock.
            batches = [
                [
                    Append(t, number, f"by here {number}", 1, summary(), holders("1") | {"2": None})
                    for t in tables
                ],
                [
                    Append(
                        t, number, f"by there {number}", 1, summary(), holders("2") | {"1": None}
                    )
                    for t in reversed(tables)
                ],
            ]
            ours, theirs = await asyncio.gather(here.append(batches[0]), there.append(batches[1]))
            for table, was_here, was_there in zip(tables, ours, reversed(theirs), strict=True):
                assert was_here != was_there
                winner = "by here" if was_here else "by there"
                assert await here.events(table, number) == [f"{winner} {number}"]
                assert await there.events(table, number) == [f"{winner} {number}"]
        found = [*await here.games.active_tables("1", 99), *await here.games.active_tables("2", 99)]
        assert sorted(found) == sorted(tables)


@async_test
async def test_events_since_a_number(address: str) -> None:
    async with store_at(address) as store:
        texts = [f'{{"text": "Gr\u00fc\u00dfe {number} \u2603"}}' for number in range(12)]
        for number, text in enumerate(texts):
            await store.append([Append("t", number, text, at=number)])
        assert await store.events("t") == texts
        assert await store.events("t", 9) == texts[9:]
        assert await store.events("t", 12) == []


# Lists.


@async_test
async def test_lists_of_tables(address: str) -> None:
    async with store_at(address) as store:
        await store.append(
            [
                Append("old", 0, "", 10, summary(due=300), holders("ada", at=10)),
                Append("new", 0, "", 20, summary(due=100), holders("ada", "bob", at=20)),
                Append("private", 0, "", 30, summary(public=False), holders("bob", at=30)),
                Append("over", 0, "", 40, summary("over"), holders("ada", stage="over")),
            ]
        )
        listing = {"host": "Ada", "round": 1}
        assert await store.list_public_tables("playing", 9) == [("new", listing), ("old", listing)]
        assert await store.list_public_tables("playing", 1) == [("new", listing)]
        assert await store.list_public_tables("lobby", 9) == []
        assert await store.games.active_tables("ada", 9) == ["new", "old"]
        assert await store.games.active_tables("bob", 9) == ["private", "new"]
        assert await store.games.active_tables("bob", 1) == ["private"]
        assert await store.overdue_tables(100, 9) == []
        assert await store.overdue_tables(101, 9) == ["new"]
        assert await store.overdue_tables(10**15, 9) == ["new", "old"]
        assert await store.overdue_tables(10**15, 1) == ["new"]
        # An event replaces the summary, and people leave.
        left = Append("old", 1, "", 50, summary("over"), {"ada": None})
        assert await store.append([left]) == [True]
        assert await store.list_public_tables("over", 9) == [("old", listing), ("over", listing)]
        assert await store.overdue_tables(10**15, 9) == ["new"]
        assert await store.games.active_tables("ada", 9) == ["new"]
        # An event without them leaves them as they are.
        assert await store.append([Append("new", 1, "", 60)]) == [True]
        assert await store.list_public_tables("playing", 9) == [("new", listing)]
        assert await store.games.active_tables("bob", 9) == ["private", "new"]


@async_test
async def test_a_list_shows_a_few_tables_of_each_host(address: str) -> None:
    async with store_at(address) as store:
        waiting = Summary("lobby", True, 1, None, {}, host="eve")
        flood = [Append(f"eve {n:03}", 0, "", 100 + n // 3, waiting) for n in range(300)]
        adas = Append("ada 1", 0, "", 50, replace(waiting, host="ada"))
        without_host = [Append(f"old {n}", 0, "", n, replace(waiting, host=None)) for n in range(4)]
        hers = [
            Append("eve plays", 0, "", 150, replace(waiting, stage="playing")),
            Append("eve hides", 0, "", 150, replace(waiting, public=False)),
        ]
        assert all(await store.append([*flood, adas, *without_host, *hers]))
        olds = ["old 3", "old 2", "old 1", "old 0"]
        assert await ids(store, 9) == ["eve 299", "eve 298", "ada 1", *olds]
        assert await ids(store, 3) == ["eve 299", "eve 298", "ada 1"]
        # A table that has not changed for long is listed while it is watched.
        assert await ids(store, 9, 3) == ["eve 299", "eve 298", "ada 1", "old 3"]
        assert await ids(store, 9, 60) == ["eve 299", "eve 298"]
        watched = {"ada 1", "old 1", "eve 5", "eve hides", "eve plays", "unknown"}
        assert await ids(store, 9, 60, watched) == ["eve 299", "eve 298", "ada 1", "old 1"]
        many = {f"other {n:03}" for n in range(999)}
        assert await ids(store, 9, 60, many) == ["eve 299", "eve 298"]
        # The table has another host now.
        after = Append("eve 299", 1, "", 200, replace(waiting, host="bob"))
        assert await store.append([after]) == [True]
        assert await ids(store, 9, 60) == ["eve 299", "eve 298", "eve 297"]


async def ids(store: Store, limit: int, since: int = 0, watched: Collection[str] = ()) -> list[str]:
    return [table for table, _ in await store.list_public_tables("lobby", limit, since, watched)]


# People and secrets.


@async_test
async def test_a_person_is_added_renamed_and_deleted(address: str) -> None:
    async with store_at(address) as store:
        assert await store.find_person("1") is None
        await store.add_person(Person("1", "Ada \u00c5", 1), now=5)
        await store.add_person(Person("2", "Bob", 1), now=5)
        assert await store.rename_person("1", "Lady Ada", now=6)
    async with store_at(address) as store:
        assert await store.find_person("1") == Person("1", "Lady Ada", 1)
        assert await store.delete_person("1", [])
        assert await store.find_person("1") is None
        assert await store.find_person("2") == Person("2", "Bob", 1)


@async_test
async def test_a_deleted_person_can_t_be_changed_by_another_process(address: str) -> None:
    async with store_at(address) as here, store_at(address) as there:
        await here.add_person(Person("1", "Ada", 1), now=5)
        assert await there.delete_person("1", [])
        assert not await here.rename_person("1", "Lady Ada", now=7)
        assert not await here.delete_person("1", [])
        assert await there.find_person("1") is None


@async_test
async def test_all_processes_have_the_same_secrets(address: str) -> None:
    async with store_at(address) as here, store_at(address) as there:
        same = await asyncio.gather(*(store.secret("cookies") for store in (here, there) * 5))
        assert len(set(same)) == 1
        assert len(same[0]) >= 32
        assert await here.secret("something else") != same[0]
    async with store_at(address) as again:
        assert await again.secret("cookies") == same[0]


# Opening.


async def _shape(store: Store, address: str) -> list[Any]:
    """Return the schema as the database describes it."""
    sql = "SELECT name, sql FROM sqlite_master ORDER BY name"
    if address.startswith("postgresql:"):
        sql = (
            "SELECT table_name, column_name, data_type FROM information_schema.columns "
            "WHERE table_schema = 'public' ORDER BY table_name, ordinal_position"
        )
    return await store._database.read(sql)


@async_test
async def test_opening_a_database_again_changes_nothing(address: str) -> None:
    async with store_at(address) as store:
        await store.append([Append("t", 0, "first", 1, summary(), holders("ada"))])
        before = await _shape(store, address)
        migrations = await store._database.read("SELECT number, name FROM migrations")
    assert len(before) > 5
    assert sorted(name for _, name in migrations) == sorted(f.name for f in MIGRATIONS.iterdir())
    async with store_at(address) as store:
        assert await _shape(store, address) == before
        assert await store._database.read("SELECT number, name FROM migrations") == migrations
        assert await store.events("t") == ["first"]
        assert await store.games.active_tables("ada", 9) == ["t"]


@async_test
async def test_a_migration_with_a_lower_number_is_applied_later(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Versions may add migrations in another order than that of their numbers."""
    folder = tmp_path / "migrations"
    shutil.copytree(str(MIGRATIONS), folder)
    monkeypatch.setattr("manhattan.server.storage.database.MIGRATIONS", folder)
    (folder / "0099_late.sql").write_text("CREATE TABLE late (id TEXT);")
    async with store_at(address) as store:
        assert await store.read("SELECT * FROM late") == []
    (folder / "0098_early.sql").write_text("CREATE TABLE early (id TEXT);")
    for _ in range(2):
        async with store_at(address) as store:
            assert await store.read("SELECT * FROM early") == []
            [[count]] = await store.read("SELECT count(*) FROM migrations WHERE number > 97")
            assert count == 2


# Durability, and interruptions.


@async_test
async def test_sqlite_syncs_every_commit_to_the_disk(tmp_path: Path) -> None:
    async with store_at(str(tmp_path / "tables.db")) as store:
        database = store._database
        for query in (database.read, lambda sql: database.write(Statement(sql))):
            assert await query("PRAGMA journal_mode") == [("wal",)]
            assert await query("PRAGMA synchronous") == [(2,)]  # FULL


@async_test
async def test_the_checks_of_sqlite_write_something(tmp_path: Path) -> None:
    """An unchanged value would not be written, and the check would always succeed."""
    written = tmp_path / "tables.db-wal"
    async with store_at(str(tmp_path / "tables.db")) as store:
        for _ in range(3):
            await store._database.read("PRAGMA wal_checkpoint(TRUNCATE)")
            assert written.stat().st_size == 0
            await store.check_space()
            assert written.stat().st_size > 40_000
        await store.check_writable()  # the first one replaces the large value
        for _ in range(3):
            await store._database.read("PRAGMA wal_checkpoint(TRUNCATE)")
            await store.check_writable()
            assert 0 < written.stat().st_size < 10_000


@async_test
async def test_a_postgres_that_is_stopped_and_started_again(own_postgres: Postgres) -> None:
    with_database = database_at(own_postgres.address)
    with ExitStack() as ended:
        address = await asyncio.to_thread(ended.enter_context, with_database)
        async with store_at(address) as store:
            assert await store.append([Append("t", 0, "first", 1)]) == [True]
            own_postgres.stop()
            try:
                for attempt in (
                    store.append([Append("t", 1, "lost", 1)]),
                    store.events("t"),
                    store.check_writable(),
                    store.check_space(),
                ):
                    with pytest.raises(
                        StoreUnavailable, match=r"^PostgreSQL does not answer: .+\.$"
                    ):
                        await attempt
            finally:
                own_postgres.start()
            assert await store.append([Append("t", 1, "second", 1)]) == [True]
            assert await store.events("t") == ["first", "second"]
        await asyncio.to_thread(ended.close)
