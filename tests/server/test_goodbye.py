"""Who says goodbye is nobody from then on, whatever happens at the same moment."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import connect

from databases import busy, opened
from manhattan.client import Client
from manhattan.server.house import House
from manhattan.server.live import LiveTable, Viewer
from manhattan.server.people import People
from manhattan.server.socket import Connection
from manhattan.server.store import Person
from serving import Running, running
from witness import closed, on_the_server, wait_until

NOBODY = 4401
TWO = [{"who": "me"}, {"who": "open"}]


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "tables.db")
    return str(request.getfixturevalue("postgres"))


@pytest.fixture
def up(database: str) -> Iterator[Running]:
    with running(database) as up:
        yield up


def test_a_new_name_does_not_make_void_cookies_good_again(up: Running, database: str) -> None:
    """On one device somebody says a new name, on another one goodbye: who he is has been looked up
    for both before anything is written."""
    for _ in range(5):  # a database that has several writers may let either be first
        ada = up.client("Ada")
        cookie, here, there = ada.cookie, ada, Client(up.address, "Ada", cookie=ada.cookie)
        with ThreadPoolExecutor() as pool:
            with busy(database, "people"):
                goodbye = pool.submit(there.call, "DELETE", "/api/me")
                time.sleep(0.1)
                renamed = pool.submit(here.call, "PUT", "/api/me", {"name": "Lady Ada"})
                time.sleep(0.1)
            assert goodbye.result() == {"name": None}
            assert renamed.result() == {"name": "Lady Ada"}
        there.cookie = cookie
        assert there.call("GET", "/api/me") == {"name": None}
        # Whoever comes with a void cookie is a newcomer; or he was renamed first, and is nobody.
        told = here.call("GET", "/api/me")["name"]
        assert told == (None if here.cookie == cookie else "Lady Ada")


def person_of(up: Running, client: Client) -> Person:
    people: People = up.state.people
    person = on_the_server(up, people.known(client.cookie.partition("=")[2]))
    assert person is not None
    return person


def test_a_websocket_that_is_being_opened_is_closed(up: Running) -> None:
    """He has come, and waits to see the table, at which something is being decided."""
    ada = up.client("Ada")
    table = ada.open(chairs=TWO)
    live: LiveTable = up.state.house._tables[table]
    on_the_server(up, live.lock.acquire())
    with connect(up.websocket(table), additional_headers={"Cookie": ada.cookie}) as adas:
        wait_until(lambda: bool(live.lock._waiters))
        ada.call("DELETE", "/api/me")
        on_the_server(up, _released(live))
        heard: list[Any] = []
        assert closed(lambda: heard.append(adas.recv(timeout=10))) == NOBODY
    assert heard == []  # above all not his hand
    wait_until(lambda: not live.viewers)


async def _released(live: LiveTable) -> None:
    live.lock.release()


def test_who_became_nobody_just_before_he_could_be_found_is_found(
    up: Running, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """His cookie was good when he came; when he is about to look at the table, it is not, and of
    that has been told whoever could be."""
    ada = up.client("Ada")
    table, person = ada.open(chairs=TWO), person_of(up, ada)
    look = House.look

    async def later(self: House, table: str, viewer: Viewer, since: int | None) -> LiveTable:
        # A file has one process that writes to it: then it happens here.
        elsewhere = opened(database) if "://" in database else nullcontext(self.store)
        async with elsewhere as store:
            assert await store.void_person(person, now=1)
        return await look(self, table, viewer, since)

    monkeypatch.setattr(House, "look", later)
    with connect(up.websocket(table), additional_headers={"Cookie": ada.cookie}) as adas:
        heard: list[Any] = []
        assert closed(lambda: heard.append(adas.recv(timeout=10))) == NOBODY
    assert heard == []


def test_who_is_nobody_any_more_does_nothing_more(up: Running) -> None:
    """Even if he does not listen, so that his websocket can't be closed."""
    ada = up.client("Ada")
    table, person = ada.open(chairs=TWO), person_of(up, ada)
    house: House = up.state.house
    live = house._tables[table]

    async def go() -> None:
        said: asyncio.Queue[MutableMapping[str, Any]] = asyncio.Queue()
        listens = asyncio.Event()
        told: list[MutableMapping[str, Any]] = []

        class Line:
            @property
            def free(self) -> bool:
                return listens.is_set()

            async def until_free(self) -> None:
                await listens.wait()

            def write(self, text: bytes) -> None:
                pass

        async def send(message: MutableMapping[str, Any]) -> None:
            if message["type"] != "websocket.accept":
                await listens.wait()
            told.append(message)

        def say(text: str) -> None:
            command = f'{{"type": "say", "id": "{text}", "text": "{text}"}}'
            said.put_nowait({"type": "websocket.receive", "text": command})

        said.put_nowait({"type": "websocket.connect"})
        adas = Connection(house, up.state.gates, person, Line())
        serving = asyncio.create_task(adas.serve(table, None, said.get, send))
        say("Hello")
        await asyncio.to_thread(wait_until, lambda: bool(live.sitting.talk))
        await asyncio.to_thread(ada.call, "DELETE", "/api/me")
        say("Me again")
        await asyncio.sleep(0.2)
        listens.set()
        await serving
        assert told[-1] == {"type": "websocket.close", "code": NOBODY}

    on_the_server(up, go())
    assert [line.text for line in live.sitting.talk] == ["Hello"]
