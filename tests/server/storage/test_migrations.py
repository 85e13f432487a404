"""A database of the first schema is migrated, and its projection is rebuilt from the events.

`schema_1.json` holds the rows of a database that a server with the first schema has written.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from manhattan.server.domain.events import decode_event
from manhattan.server.storage.database import CREATE_MIGRATIONS, pending_migrations
from manhattan.server.storage.probe import probe
from manhattan.server.storage.projection import replay
from manhattan.server.storage.sqlite import _connect
from support.databases import async_test, store_at
from support.projections import stored_holdings
from support.recording_client import captured_logs

FIXTURE = json.loads((Path(__file__).parent / "schema_1.json").read_text("utf-8"))
TABLES: dict[str, str] = FIXTURE["tables_by_kind"]
ADA, BOB = FIXTURE["people"]["Ada"], FIXTURE["people"]["Bob"]
DAMAGED = "d" * 14


def statements() -> list[tuple[str, list[Any]]]:
    """Return what creates the database, with a table that can't be read."""
    number, name, schema = pending_migrations("", [])[0]
    assert name == "0001_initial.sql"
    created: list[tuple[str, list[Any]]] = [(sql, []) for sql in (CREATE_MIGRATIONS, *schema)]
    created.append(("INSERT INTO migrations VALUES ($1, $2)", [number, name]))
    for sql_table, content in FIXTURE["rows"].items():
        columns = content["columns"]
        places = ", ".join(f"${n}" for n in range(1, len(columns) + 1))
        insert = f"INSERT INTO {sql_table} ({', '.join(columns)}) VALUES ({places})"
        created += [(insert, row) for row in content["rows"]]
    damaged = [DAMAGED, "over", 0, 1, 1, None, "{}", ADA]
    created += [
        ("INSERT INTO tables VALUES ($1, $2, $3, $4, $5, $6, $7, $8)", damaged),
        ("INSERT INTO seat_holders VALUES ($1, $2)", [DAMAGED, ADA]),
        ("INSERT INTO events VALUES ($1, $2, $3)", [DAMAGED, 0, '{"type": "unknown"}']),
    ]
    return created


@pytest.fixture(params=["sqlite", "postgres"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "tables.db")
    return str(request.getfixturevalue("postgres"))


async def create(address: str) -> None:
    """Create a database as the first schema had it."""
    if address.startswith("postgresql:"):
        connection = await asyncpg.connect(address)
        for sql, values in statements():
            await connection.execute(sql, *values)
        await connection.close()
        return
    database = _connect(Path(address))
    for sql, values in statements():
        database.execute(sql, {str(n): value for n, value in enumerate(values, start=1)})
    database.close()


@async_test
async def test_migrations_are_announced_and_logged(address: str) -> None:
    await create(address)
    names = [migration.name for migration in pending_migrations("", [1])]
    shown = ", ".join(name.removesuffix(".sql") for name in names)
    assert await probe(address) == f"reachable; the next start migrates it: {shown}"
    with captured_logs() as logs:
        async with store_at(address):
            assert await probe(address) == "reachable"
    *_, line = logs.lines  # after a row that can't be read
    assert (line["message"], line["migrations"]) == ("the database was migrated", names)


@async_test
async def test_a_new_database_is_not_reported_as_migrated(address: str) -> None:
    with captured_logs() as logs:
        async with store_at(address):
            pass
    assert logs.lines == []


@async_test
async def test_the_games_of_an_older_database_are_listed(address: str) -> None:
    await create(address)
    async with store_at(address) as store:
        of_ada = {game.state: game for game in await store.games.page(ADA, None, None, 99)}
        states = [(game.state, game.table) for game in await store.games.page(ADA, None, None, 99)]
        assert states == [
            ("your_turn", TABLES["your_turn"]),  # its clock runs
            ("your_turn", TABLES["screen"]),
            ("running", TABLES["running"]),
            ("lobby", TABLES["lobby"]),
            ("finished", TABLES["finished"]),
        ]
        of_bob = [(game.state, game.table) for game in await store.games.page(BOB, None, None, 99)]
        assert of_bob == [
            ("your_turn", TABLES["running"]),
            ("running", TABLES["your_turn"]),
            ("finished", TABLES["finished"]),
        ]
        finished = of_ada["finished"]
        assert len(finished.game.scores) == 4
        assert max(finished.game.scores[-1]) == finished.game.scores[-1][finished.game.winners[0]]
        assert set(finished.board) > {"."}
        assert len(finished.board) == 54
        assert [row.games for row in await store.games.statistics(ADA)] == [1]
        wins = [(await store.games.statistics(person))[0].wins for person in (ADA, BOB)]
        assert sorted(wins) == [0, 1]


@async_test
async def test_a_rebuild_leaves_the_columns_of_the_first_schema_as_they_were(address: str) -> None:
    await create(address)
    async with store_at(address) as store:
        for sql_table in ("tables", "events", "people"):
            columns = FIXTURE["rows"][sql_table]["columns"]
            key = ", ".join(columns[:2])
            kept = await store.read(f"SELECT {', '.join(columns)} FROM {sql_table} ORDER BY {key}")
            rows = [list(row) for row in kept if row[0] != DAMAGED]
            before = [list(row) for row in FIXTURE["rows"][sql_table]["rows"]]
            if sql_table == "tables":  # tables without a clock are due when they are abandoned
                due, stage = columns.index("due"), columns.index("stage")
                for old, new in zip(before, rows, strict=True):
                    assert (new[due] is None) == (new[stage] in ("over", "closed"))
                    old[due] = old[due] or new[due]
            assert rows == before


@async_test
async def test_the_projection_of_every_event_adds_up_to_the_rebuilt_one(address: str) -> None:
    """What the write path writes event by event is what a rebuild writes at once."""
    await create(address)
    async with store_at(address) as store:
        for table in TABLES.values():
            rows = replay(table, map(decode_event, await store.events(table)))
            assert rows is not None
            assert await stored_holdings(store, table) == rows.holdings
