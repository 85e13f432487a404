"""What is kept, in both databases: each number of a table is taken once, and nothing goes alone."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from databases import PASSWORD, Postgres, database_at, free_port, in_a_loop
from manhattan.server.redis_bus import RedisBus
from manhattan.server.store import (
    Append,
    Person,
    Store,
    StoreAway,
    StoreError,
    Summary,
    open_store,
)
from manhattan.server.store.keeping import Statement

OPENER = Path(__file__).parent.parent / "open_together.py"


@pytest.fixture(params=["sqlite", "postgres"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database: everything here is true of both kinds."""
    if request.param == "sqlite":
        return str(tmp_path / "new folder" / "tables.db")
    return str(request.getfixturevalue("postgres"))


@asynccontextmanager
async def opened(address: str) -> AsyncIterator[Store]:
    store = await open_store(address)
    try:
        yield store
    finally:
        await store.close()


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


# People and secrets.


@in_a_loop
async def test_people(address: str) -> None:
    async with opened(address) as store:
        assert await store.person("1") is None
        await store.keep_person(Person("1", "Ada \u00c5", 1), now=5)
        await store.keep_person(Person("2", "Bob", 1), now=5)
        await store.keep_person(Person("1", "Lady Ada", 2), now=6)
    async with opened(address) as store:
        assert await store.person("1") == Person("1", "Lady Ada", 2)
        assert await store.person("2") == Person("2", "Bob", 1)


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


@pytest.fixture
def openers() -> Iterator[list[subprocess.Popen[str]]]:
    """Processes that open a store as soon as they are told which."""
    with ExitStack() as ended:
        processes = [
            ended.enter_context(
                subprocess.Popen(
                    [sys.executable, str(OPENER)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                )
            )
            for _ in range(3)
        ]
        for process in processes:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        yield processes


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_processes_that_open_a_fresh_database_at_the_same_moment_all_can(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    openers: list[subprocess.Popen[str]],
    kind: str,
) -> None:
    for attempt in range(20 if kind == "sqlite" else 5):
        with ExitStack() as ended:
            address = str(tmp_path / str(attempt) / "tables.db")
            if kind == "postgres":
                server = request.getfixturevalue("own_postgres").address
                address = ended.enter_context(database_at(server))
            for process in openers:
                assert process.stdin is not None
                process.stdin.write(f"{address}\n")
                process.stdin.flush()
            secrets = [process.stdout.readline() for process in openers if process.stdout]
        assert len(set(secrets)) == 1, secrets
        assert len(secrets[0]) > 32
        assert " " not in secrets[0], secrets


@in_a_loop
async def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("Dear Ada, " * 100)
    for unusable in (tmp_path, tmp_path / "letter.txt", tmp_path / "letter.txt" / "tables.db"):
        with pytest.raises(StoreError, match=r"^The database .* can't be opened: .+\.$") as refused:
            await open_store(str(unusable))
        assert str(unusable) in str(refused.value)
    assert (tmp_path / "letter.txt").read_text().startswith("Dear Ada")


@in_a_loop
async def test_a_database_of_a_kind_that_we_do_not_know() -> None:
    with pytest.raises(StoreError, match=r"mysql:// is neither\.$"):
        await open_store("mysql://ada:hunter2@127.0.0.1/tables")


SECRET = "hunter2"


def unusable(server: str) -> dict[str, str]:
    """Addresses that can't be used, some of them because of how the password is written."""
    port = server.rpartition(":")[2].partition("/")[0]
    here = f"127.0.0.1:{port}/postgres"
    return {
        "wrong password": f"postgresql://manhattan:{SECRET}@{here}",
        "nobody of that name": f"postgresql://{SECRET}:{SECRET}@{here}",
        "no such database": server.replace("/postgres", "/nowhere"),
        "nobody listens": f"postgresql://manhattan:{SECRET}@127.0.0.1:{free_port()}/postgres",
        "no number": f"postgresql://manhattan:{SECRET}@127.0.0.1:x/postgres",
        "a colon in it": f"postgresql://manhattan:a:{SECRET}@{here}",
        "a slash in it": f"postgresql://manhattan:{SECRET}/{SECRET}@{here}",
        "a question mark in it": f"postgresql://manhattan:{SECRET}?{SECRET}@{here}",
        "a hash in it": f"postgresql://manhattan:{SECRET}#{SECRET}@{here}",
        "an at in it": f"postgresql://manhattan:{SECRET}@{SECRET}@{here}",
        "a bracket in it": f"postgresql://manhattan:[{SECRET}@{here}",
        "a bracket more": f"postgresql://manhattan:]{SECRET}[@{here}",
        "a percent sign in it": f"postgresql://manhattan:%{SECRET}%zz@{here}",
        "asked for what is not known": f"{server}?sslmode={SECRET}",
    }


@in_a_loop
async def test_a_postgres_that_cannot_be_used_is_told_without_its_password(
    own_postgres: Postgres,
) -> None:
    for what, address in unusable(own_postgres.address).items():
        with pytest.raises(
            StoreError, match=r"^The PostgreSQL database can't be used: .+\.$"
        ) as no:
            await open_store(address)
        said = str(no.value).replace(f'user "{SECRET}"', "user")  # a name is no secret
        assert SECRET not in said, what
        assert PASSWORD not in said, what
        assert "\n" not in said, what


def test_an_address_of_redis_that_cannot_be_used_is_told_without_its_password() -> None:
    for address in (
        f"radish://:{SECRET}@127.0.0.1",
        f"redis://:{SECRET}/{SECRET}@127.0.0.1:6379",
        f"redis://:{SECRET}@127.0.0.1:port",
        f"redis://:[{SECRET}@127.0.0.1:6379",
        f"redis://:{SECRET}@127.0.0.1:6379?socket_timeout={SECRET}",
    ):
        with pytest.raises(StoreError, match=r"^The address of Redis can't be used: .+\.$") as no:
            RedisBus(address)
        assert SECRET not in str(no.value), address


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
            await store.answers()
            assert written.stat().st_size > 40_000


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
                ):
                    with pytest.raises(StoreAway, match=r"^PostgreSQL does not answer: .+\.$"):
                        await attempt
            finally:
                own_postgres.start()
            assert await store.append([Append("t", 1, "second", 1)]) == [True]
            assert await store.entries("t") == ["first", "second"]
        await asyncio.to_thread(ended.close)
