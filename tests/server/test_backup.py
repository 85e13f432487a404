"""A back-up is one moment: whatever people do while it is made, it is a database that there was."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import stat
from collections.abc import Callable
from contextlib import aclosing, closing
from pathlib import Path

import pytest

from databases import in_a_loop, opened
from manhattan.client import Client
from manhattan.server.store import Append, Person, Store, StoreError, Summary
from manhattan.server.store.backup import PARTS, back_up, copy
from serving import running

WITH_A_GUEST = [{"who": "me"}, {"who": "open"}]


@pytest.fixture(params=["sqlite", "postgres"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "tables.db")
    return str(request.getfixturevalue("postgres"))


def test_what_happens_while_it_is_copied_is_in_no_part_of_it(address: str, tmp_path: Path) -> None:
    """Who sits down meanwhile sits in none of it, and a table that begins has not begun."""
    copied = str(tmp_path / "copy.db")
    with running(address) as up:
        ada = up.client("Ada")
        table = ada.open(chairs=WITH_A_GUEST, public=True)

        def meanwhile() -> None:
            bob = up.client("Bob")
            bob.open(chairs=WITH_A_GUEST, public=True)
            if ada.tables()[-1]["id"] == table:  # the first time
                bob.sit(table)
                ada.begin(table)

        parts = asyncio.run(copied_while(address, copied, meanwhile))
        assert parts == list(PARTS)
        assert len(ada.tables()) == len(PARTS)
    with closing(sqlite3.connect(copied)) as found:
        assert found.execute("SELECT id, stage FROM tables").fetchall() == [(table, "gathering")]
        assert found.execute("SELECT name FROM people").fetchall() == [("Ada",)]
        assert found.execute("SELECT table_id FROM sitters").fetchall() == [(table,)]
        assert found.execute("SELECT table_id FROM entries").fetchall() == [(table,)]
    with running(copied) as up:
        again = Client(up.address, "Ada", cookie=ada.cookie)
        assert [one["id"] for one in again.tables()] == [table]
        up.client("Bob").sit(table)
        assert again.begin(table)["stage"] == "playing"


async def copied_while(address: str, to: str, meanwhile: Callable[[], None]) -> list[str]:
    """Something happens after every part that is copied; which parts there were."""
    parts = []
    async with opened(address) as source, opened(to) as target:
        async for part, _ in copy(source, target):
            parts.append(part)
            await asyncio.to_thread(meanwhile)
    return parts


async def with_a_table(store: Store) -> str:
    """Somebody's table; the secret that signs his cookie."""
    await store.add_person(Person("1", "Ada", 1), now=5)
    seen = Summary("playing", True, opened_at=1, due=None, told={})
    assert await store.append([Append("t", 0, "first", 1, seen, frozenset("1"))]) == [True]
    return await store.secret("cookies")


@in_a_loop
async def test_who_copies_may_take_his_time(
    postgres: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PostgreSQL cuts off who hangs while he writes, not who reads for a back-up."""
    monkeypatch.setattr("manhattan.server.store.postgres._HANGS", 50)
    async with opened(postgres) as source, opened(str(tmp_path / "copy.db")) as target:
        await with_a_table(source)
        async for part, _ in copy(source, target):
            await asyncio.sleep(0.2 if part == "people" else 0)
        assert await target.entries("t") == ["first"]


@in_a_loop
async def test_a_copy_knows_everybody_also_where_a_server_ran_before(
    address: str, tmp_path: Path
) -> None:
    async with opened(str(tmp_path / "from.db")) as source, opened(address) as target:
        secret = await with_a_table(source)
        assert await target.secret("cookies") != secret
        async for _ in copy(source, target):
            pass
        assert await target.secret("cookies") == secret
        async with aclosing(copy(source, target)) as again:
            with pytest.raises(StoreError, match="copy into an empty one"):
                await anext(again)


@in_a_loop
async def test_a_copy_that_does_not_come_to_its_end_is_no_file(tmp_path: Path) -> None:
    kept, wanted = tmp_path / "tables.db", tmp_path / "deep" / "copy.db"
    async with opened(str(kept)) as source:
        await with_a_table(source)
    async with aclosing(back_up(str(kept), str(wanted))) as copying:
        await anext(copying)
        assert not wanted.exists()
    assert list(wanted.parent.iterdir()) == []
    async for _ in back_up(str(kept), str(wanted)):
        pass
    assert list(wanted.parent.iterdir()) == [wanted]
    async with opened(str(wanted)) as found:
        assert await found.entries("t") == ["first"]
    async with aclosing(back_up(str(kept), str(kept / "copy.db"))) as copying:
        with pytest.raises(StoreError, match=r"^The database .* can't be written: "):
            await anext(copying)


@in_a_loop
async def test_what_is_kept_is_for_its_owner_alone(tmp_path: Path) -> None:
    """It holds seeds of running games. A file that was there keeps what its owner gave it."""
    kept, copied, own = (tmp_path / name for name in ("tables.db", "copy.db", "own.db"))
    own.touch()
    own.chmod(0o640)
    linked = tmp_path / "link.db"
    linked.symlink_to(tmp_path / "elsewhere.db")
    before = os.umask(0o022)
    try:
        async with opened(str(kept)) as store, opened(str(own)), opened(str(linked)):
            await with_a_table(store)
            modes = modes_in(tmp_path)
            async for _ in back_up(str(kept), str(copied)):
                pass
    finally:
        os.umask(before)
    assert {name for name in modes if name.startswith("tables")} == {
        "tables.db",
        "tables.db-wal",
        "tables.db-shm",
    }
    for name, mode in modes.items():
        assert mode == (0o640 if name.startswith("own") else 0o600), name
    assert modes_in(tmp_path)[copied.name] == 0o600


def modes_in(folder: Path) -> dict[str, int]:
    return {file.name: stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()}
