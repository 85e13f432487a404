"""A week of play in seconds: people come and go, the clock is moved, the server restarts daily.

At the end nothing hangs: every game is over or closed, its record replays, the lists of games
follow from the events, and the server has logged no error.
"""

from __future__ import annotations

import json
from collections import Counter
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest

from manhattan import record
from manhattan.client import Client, RequestRejected
from manhattan.replay import replay as replay_record
from manhattan.server.domain.events import decode_event
from manhattan.server.ops import metrics
from manhattan.server.service.clock_and_secrets import now_ms
from manhattan.server.storage.projection import replay as replay_projection
from support.databases import async_test, store_at, wait_until
from support.moved_clock import MovedClock
from support.projections import stored_holdings
from support.recording_client import captured_logs, run_on_server
from support.server_fixtures import RunningServer, running_server
from support.two_people import SHORT

pytestmark = pytest.mark.process

NAMES = ["Ada", "Bob", "Cid", "Dot", "Eve", "Fay"]
DAYS, VISITS_A_DAY = 7, 4
AFTERWARDS_DAYS = 60
"""Long enough for the last game to be closed as abandoned."""
CLOCKS: list[dict[str, Any] | None] = [
    None,
    {"kind": "correspondence", "days": 1},
    {"kind": "correspondence", "days": 3},
    {"kind": "real_time", "bank": 300, "increment": 5},
]


class Week:
    """Some people and their habits."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(seed)
        self.cookies: dict[str, str] = {}
        self.tables: list[str] = []
        self.done: Counter[str] = Counter()

    def visit(self, server: RunningServer, name: str) -> None:
        """Do what a person does who has a few minutes."""
        client = Client(server.address, name, cookie=self.cookies.get(name, ""), timeout=30)
        self.cookies[name] = client.cookie
        self._join(client)
        if self.rng.random() < 0.4:
            self._open_table(client)
        for game in client.request("GET", "/api/me/games?state=your_turn")["games"][:4]:
            self._play(client, game["id"])
        for game in client.request("GET", "/api/me/games?state=finished")["games"][:1]:
            if self.rng.random() < 0.2:
                client.request("DELETE", f"/api/me/games/{game['id']}")
                self.done["removed"] += 1

    def _open_table(self, client: Client) -> None:
        clock = self.rng.choice(CLOCKS)
        options: dict[str, Any] = {"bot_delay_ms": 0, "house_rules": SHORT}
        if clock is not None:
            options["clock"] = clock
        if self.rng.random() < 0.3:
            seats = [{"occupant": "me"}, {"occupant": "bot", "level": "easy"}]
            table = client.open_table(seats=seats, start=True, **options)
        else:
            seats = [{"occupant": "me"}, {"occupant": "open"}]
            table = client.open_table(seats=seats, public=True, **options)
        self.tables.append(table)
        self.done["opened"] += 1

    def _join(self, client: Client) -> None:
        for listed in client.list_tables()[:3]:
            # The host may be this person, or the seat taken.
            with suppress(RequestRejected):
                client.take_seat(listed["id"])
                client.request("POST", f"/api/tables/{listed['id']}/start")
        for game in client.request("GET", "/api/me/games?state=lobby")["games"]:
            with suppress(RequestRejected):  # the seats are still open
                client.start_game(game["id"])
                self.done["started"] += 1

    def _play(self, client: Client, table: str) -> None:
        with client.connect(table) as seat:
            seat.messages().__next__()
            if self.rng.random() < 0.2:
                seat.chat("hello")
            if self.rng.random() < 0.02:
                seat.resign()
                self.done["resigned"] += 1
                return
            for _ in range(self.rng.randrange(1, 6)):
                moves = seat._turn().moves if seat.private.get("moves") else ()
                if not moves:
                    return
                with suppress(RequestRejected):
                    seat.play(self.rng.choice(moves))
                    self.done["moves"] += 1


def settle(server: RunningServer) -> None:
    """Wait until the server has done what is due: bots' moves, expired clocks, abandoned tables."""
    store = server.services.tables.store

    def is_settled() -> bool:
        return not run_on_server(server, store.overdue_tables(now_ms(), 100))

    wait_until(is_settled, "something stays overdue", every=0.1)


def test_a_week_of_play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("manhattan.server.service.housekeeping.TAKEOVER_DELAY", 100)
    monkeypatch.setattr("manhattan.server.service.housekeeping._SWEEP_S", 0.05)
    monkeypatch.setattr("manhattan.server.domain.state.SUBSTITUTE_LEVEL", "easy")
    clock, week, database = MovedClock(monkeypatch), Week(seed=1), str(tmp_path / "tables.db")
    with captured_logs() as written:
        for day in range(DAYS):
            with running_server(database) as server:
                for _ in range(VISITS_A_DAY):
                    clock.advance(days=1 / VISITS_A_DAY)
                    settle(server)
                    for name in NAMES:
                        if week.rng.random() < 0.6:
                            week.visit(server, name)
                if day == DAYS // 2:  # somebody leaves for good, in the middle of their games
                    leaver = Client(server.address, "Fay", cookie=week.cookies.pop("Fay"))
                    leaver.request("DELETE", "/api/me")
        for _ in range(AFTERWARDS_DAYS // 10):
            with running_server(database) as server:
                clock.advance(days=10)
                settle(server)
        with running_server(database) as server:
            settle(server)
            stages = check_tables(server, week)
            clock.advance(days=1)
            wait_until(lambda: metrics.LOADED_TABLES._value.get() == 0, "tables stay in memory")
    print(week.done, stages)
    assert week.done["moves"] > 100
    assert stages["over"] > 5
    assert set(stages) <= {"over", "closed"}
    assert not written.errors, json.dumps(written.errors[:2])
    check_projection(database, week.tables)


def check_tables(server: RunningServer, week: Week) -> Counter[str]:
    """Check every game, and return the number of tables by stage."""
    stages: Counter[str] = Counter()
    ada = Client(server.address, "Ada", cookie=week.cookies["Ada"])
    for table in week.tables:
        stage = ada.request("GET", f"/api/tables/{table}")["table"]["stage"]
        stages[stage] += 1
        if stage == "over":
            saved = record.parse(json.dumps(ada.record(table)))
            assert replay_record(saved).state.public.result is not None
    return stages


@async_test
async def check_projection(database: str, tables: list[str]) -> None:
    """Check that the lists of games follow from the events."""
    async with store_at(database) as store:
        for table in tables:
            rows = replay_projection(table, map(decode_event, await store.events(table)))
            assert rows is not None
            expected = {person: row for person, row in rows.holdings.items() if row is not None}
            assert await stored_holdings(store, table) == expected
