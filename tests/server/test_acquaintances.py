"""Who was met lately is known without asking the database, and never for longer than it is true."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from databases import in_a_loop, opened
from manhattan.server.store import Person, Store, acquaintances
from manhattan.server.store.keeping import Row

ADA = Person("ada", "Ada", 1)


class Asked:
    """Counts what a store asks its database for, and can have it wait for the answer."""

    def __init__(self, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        self.times = 0
        self.found = asyncio.Event()
        self.may_answer = asyncio.Event()
        self.may_answer.set()
        read = store._database.read

        async def counted(sql: str, *values: object) -> list[Row]:
            self.times += 1
            rows = await read(sql, *values)
            self.found.set()
            await self.may_answer.wait()
            return rows

        monkeypatch.setattr(store._database, "read", counted)


@in_a_loop
async def test_somebody_is_asked_for_once(tmp_path: Path, monkeypatch: Any) -> None:
    async with opened(str(tmp_path / "tables.db")) as store:
        await store.add_person(ADA, now=1)
        asked = Asked(store, monkeypatch)
        assert [await store.person("ada") for _ in range(3)] == [ADA] * 3
        assert await store.generations({"ada"}) == {"ada": 1}
        assert asked.times == 1
        assert await store.person("nobody") is None
        assert await store.generations({"ada", "nobody"}) == {"ada": 1}
        assert asked.times == 3  # of whom nothing is known, one has to ask


@in_a_loop
async def test_a_new_name_and_a_goodbye_are_known_at_once(tmp_path: Path) -> None:
    async with opened(str(tmp_path / "tables.db")) as store:
        await store.add_person(ADA, now=1)
        assert await store.person("ada") == ADA
        assert await store.rename_person(ADA, "Lady Ada", now=2)
        assert await store.person("ada") == Person("ada", "Lady Ada", 1)
        assert await store.void_person(ADA, now=3)
        assert await store.person("ada") == Person("ada", "Lady Ada", 2)
        assert await store.generations({"ada"}) == {"ada": 2}


@in_a_loop
async def test_what_was_read_before_a_goodbye_is_not_remembered(
    tmp_path: Path, monkeypatch: Any
) -> None:
    """He is read, says goodbye, and only then is it heard what was read."""
    async with opened(str(tmp_path / "tables.db")) as store:
        await store.add_person(ADA, now=1)
        asked = Asked(store, monkeypatch)
        asked.may_answer.clear()
        reading = asyncio.create_task(store.person("ada"))
        await asked.found.wait()
        assert await store.void_person(ADA, now=2)
        asked.may_answer.set()
        assert await reading == ADA
        assert await store.person("ada") == Person("ada", "Ada", 2)


@in_a_loop
async def test_no_more_are_remembered_than_there_is_room_for(
    tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.setattr(acquaintances, "MOST_KNOWN", 3)
    async with opened(str(tmp_path / "tables.db")) as store:
        for number in range(8):
            await store.add_person(Person(f"p{number}", "P", 1), now=1)
            assert await store.person(f"p{number}") is not None
        assert store._known is not None
        assert len(store._known._people) <= 3


@in_a_loop
async def test_where_others_write_everybody_is_asked_for_every_time(postgres: str) -> None:
    async with opened(postgres) as here, opened(postgres) as elsewhere:
        await here.add_person(ADA, now=1)
        assert await here.person("ada") == ADA
        assert await elsewhere.void_person(ADA, now=2)
        assert await here.person("ada") == Person("ada", "Ada", 2)
