"""A backup is a snapshot: a consistent database of one moment, whatever happens meanwhile."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import stat
from collections.abc import Callable
from contextlib import aclosing, closing
from pathlib import Path

import pytest

from manhattan.client import Client
from manhattan.server.storage import Append, Person, Store, StoreError, Summary
from manhattan.server.storage.backup import SQL_TABLES, back_up, copy
from support.databases import async_test, store_at
from support.projections import holders
from support.server_fixtures import running_server

WITH_A_GUEST = [{"occupant": "me"}, {"occupant": "open"}]


@pytest.fixture(params=["sqlite", "postgres"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "tables.db")
    return str(request.getfixturevalue("postgres"))


def test_events_during_a_backup_are_in_no_part_of_it(address: str, tmp_path: Path) -> None:
    copied = str(tmp_path / "copy.db")
    with running_server(address) as server:
        ada = server.client("Ada")
        table = ada.open_table(seats=WITH_A_GUEST, public=True)

        def act_meanwhile() -> None:
            bob = server.client("Bob")
            bob.open_table(seats=WITH_A_GUEST, public=True)
            if ada.list_tables()[-1]["id"] == table:  # the first time
                bob.take_seat(table)
                ada.start_game(table)

        parts = asyncio.run(copy_while(address, copied, act_meanwhile))
        without_rows = (
            "passkeys",
            "recovery_codes",
            "push_subscriptions",
            "bans",
            "operator_requests",
        )
        with_rows = [part for part in SQL_TABLES if part not in without_rows]
        assert parts == with_rows
        assert len(ada.list_tables()) == len(with_rows)
    with closing(sqlite3.connect(copied)) as database:
        assert database.execute("SELECT id, stage FROM tables").fetchall() == [(table, "lobby")]
        assert database.execute("SELECT name FROM people").fetchall() == [("Ada",)]
        assert database.execute("SELECT table_id FROM seat_holders").fetchall() == [(table,)]
        assert database.execute("SELECT table_id FROM events").fetchall() == [(table,)]
    with running_server(copied) as server:
        again = Client(server.address, "Ada", cookie=ada.cookie)
        assert [listed["id"] for listed in again.list_tables()] == [table]
        server.client("Bob").take_seat(table)
        assert again.start_game(table)["stage"] == "playing"


def test_a_backup_has_all_columns(tmp_path: Path) -> None:
    path = str(tmp_path / "tables.db")
    with running_server(path):
        pass
    with closing(sqlite3.connect(path)) as database:
        tables = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        columns = {
            table: {column[1] for column in database.execute(f"PRAGMA table_info({table})")}
            for (table,) in tables
            if table not in ("migrations", "challenges")
        }
    assert columns == {table: set(names) for table, names in SQL_TABLES.items()}


async def copy_while(address: str, to: str, act_meanwhile: Callable[[], None]) -> list[str]:
    """Copy a database, act after each part, and return the parts."""
    parts = []
    async with store_at(address) as source, store_at(to) as target:
        async for part, _ in copy(source, target):
            parts.append(part)
            await asyncio.to_thread(act_meanwhile)
    return parts


async def add_table(store: Store) -> str:
    """Add a person with a table, and return the secret that signs their cookie."""
    await store.add_person(Person("1", "Ada", 1), now=5)
    summary = Summary("playing", True, opened_at=1, due=None, listing={})
    assert await store.append([Append("t", 0, "first", 1, summary, holders("1"))]) == [True]
    return await store.secret("cookies")


@async_test
async def test_a_slow_backup_is_not_cut_off(
    postgres: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PostgreSQL cuts off a process that hangs while it writes, not one that reads a snapshot."""
    monkeypatch.setattr("manhattan.server.storage.postgres._TRANSACTION_TIMEOUT_MS", 50)
    async with store_at(postgres) as source, store_at(str(tmp_path / "copy.db")) as target:
        await add_table(source)
        async for part, _ in copy(source, target):
            await asyncio.sleep(0.2 if part == "people" else 0)
        assert await target.events("t") == ["first"]


@async_test
async def test_a_copy_keeps_the_secret_of_the_cookies(address: str, tmp_path: Path) -> None:
    async with store_at(str(tmp_path / "from.db")) as source, store_at(address) as target:
        secret = await add_table(source)
        assert await target.secret("cookies") != secret
        async for _ in copy(source, target):
            pass
        assert await target.secret("cookies") == secret
        async with aclosing(copy(source, target)) as again:
            with pytest.raises(StoreError, match="copy into an empty one"):
                await anext(again)


@async_test
async def test_an_interrupted_backup_leaves_no_file(tmp_path: Path) -> None:
    original, backup = tmp_path / "tables.db", tmp_path / "deep" / "copy.db"
    async with store_at(str(original)) as source:
        await add_table(source)
    async with aclosing(back_up(str(original), str(backup))) as progress:
        await anext(progress)
        assert not backup.exists()
    assert list(backup.parent.iterdir()) == []
    async for _ in back_up(str(original), str(backup)):
        pass
    assert list(backup.parent.iterdir()) == [backup]
    async with store_at(str(backup)) as store:
        assert await store.events("t") == ["first"]
    async with aclosing(back_up(str(original), str(original / "copy.db"))) as progress:
        with pytest.raises(StoreError, match=r"^The database .* can't be written: "):
            await anext(progress)


@async_test
async def test_new_database_files_are_private(tmp_path: Path) -> None:
    """They hold the seeds of running games. An existing file keeps its permissions."""
    original, copied, existing = (
        tmp_path / name for name in ("tables.db", "copy.db", "existing.db")
    )
    existing.touch()
    existing.chmod(0o640)
    linked = tmp_path / "link.db"
    linked.symlink_to(tmp_path / "elsewhere.db")
    before = os.umask(0o022)
    try:
        async with store_at(str(original)) as store, store_at(str(existing)), store_at(str(linked)):
            await add_table(store)
            modes = modes_in(tmp_path)
            async for _ in back_up(str(original), str(copied)):
                pass
    finally:
        os.umask(before)
    assert {name for name in modes if name.startswith("tables")} == {
        "tables.db",
        "tables.db-wal",
        "tables.db-shm",
    }
    for name, mode in modes.items():
        assert mode == (0o640 if name.startswith("existing") else 0o600), name
    assert modes_in(tmp_path)[copied.name] == 0o600


def modes_in(folder: Path) -> dict[str, int]:
    return {file.name: stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()}
