"""Retention: what nobody has used for a long time is deleted, if the operator wants it."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from manhattan.client import Client, RequestRejected
from manhattan.server.service.retention import BATCH
from support.databases import store_at, wait_until
from support.moved_clock import MovedClock
from support.recording_client import RecordingClient
from support.server_fixtures import AGAINST_EASY, RunningServer, play_on, running_server

OPEN_SEAT = [{"occupant": "me"}, {"occupant": "open"}]


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "tables.db")
    return str(request.getfixturevalue("postgres"))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> MovedClock:
    return MovedClock(monkeypatch)


def ids(database: str, sql: str) -> set[str]:
    async def read() -> set[str]:
        async with store_at(database) as store:
            return {row[0] for row in await store.read(sql)}

    return asyncio.run(read())


def finished_game(server: RunningServer, ada: Client) -> str:
    table = ada.open_table(seats=AGAINST_EASY, bot_delay_ms=0, start=True)
    with ada.connect(table) as seat:
        play_on(seat)
    return table


def test_old_games_and_unused_people_are_deleted(database: str, clock: MovedClock) -> None:
    with running_server(database) as server:
        ada, bob, eve = (server.client(name) for name in ("Ada", "Bob", "Eve"))
        old = finished_game(server, ada)
        closed = [eve.open_table(seats=OPEN_SEAT) for _ in range(BATCH + 2)]
        for table in closed:
            eve.request("POST", f"/api/tables/{table}/close")
        days = {"kind": "correspondence", "days": 60}
        running = ada.open_table(seats=AGAINST_EASY, first=0, clock=days, start=True)
        clock.advance(days=20)
        new = finished_game(server, ada)
    clock.advance(days=11)
    with running_server(database, keep_games=30, keep_people=30) as server:
        kept = {running, new}
        wait_until(lambda: ids(database, "SELECT id FROM tables") == kept, "old tables are deleted")
        assert ids(database, "SELECT DISTINCT table_id FROM events") == kept
        assert ids(database, "SELECT DISTINCT table_id FROM seat_holders") == kept
        wait_until(lambda: ids(database, "SELECT name FROM people") == {"Ada"}, "Bob and Eve")
        assert len(ids(database, "SELECT DISTINCT person_id FROM devices")) == 1
        ada = Client(server.address, "Ada", cookie=ada.cookie)
        for table in (old, *closed):
            with pytest.raises(RequestRejected) as rejected:
                ada.request("GET", f"/api/tables/{table}")
            assert rejected.value.reason == "no_such_table"
        games: dict[str, Any] = ada.request("GET", "/api/me/games")
        assert {game["id"] for game in games["games"]} == kept
        for one in (bob, eve):
            with RecordingClient(server, cookie=one.cookie.partition("=")[2]) as gone:
                assert gone.call("GET", "/api/me") == {"name": None}
        with ada.connect(running) as seat:
            play_on(seat, moves=2)


def test_by_default_everything_is_kept(database: str, clock: MovedClock) -> None:
    with running_server(database) as server:
        ada = server.client("Ada")
        table = finished_game(server, ada)
        server.client("Bob")
    clock.advance(days=5000)
    with running_server(database):
        time.sleep(3)
    assert table in ids(database, "SELECT id FROM tables")
    assert ids(database, "SELECT name FROM people") == {"Ada", "Bob"}


def test_a_table_that_somebody_looks_at_is_kept(database: str, clock: MovedClock) -> None:
    with running_server(database) as server:
        ada = server.client("Ada")
        watched, other = finished_game(server, ada), finished_game(server, ada)
    clock.advance(days=3)
    with running_server(database, keep_games=5) as server:
        ada = Client(server.address, "Ada", cookie=ada.cookie)
        with ada.connect(watched) as seat:
            next(seat.messages())
            clock.advance(days=3)
            wait_until(lambda: other not in ids(database, "SELECT id FROM tables"), "the other")
            time.sleep(1.5)
            assert ids(database, "SELECT id FROM tables") == {watched}
        clock.advance(seconds=10)
        wait_until(lambda: not server.services.tables.sessions, "it is unloaded")
        clock.advance(days=1)
        wait_until(lambda: not ids(database, "SELECT id FROM tables"), "now this one as well")
