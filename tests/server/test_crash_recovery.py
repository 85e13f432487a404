"""Crash recovery: a server is killed again and again while people play, and no move is lost."""

from __future__ import annotations

import time
from contextlib import nullcontext
from pathlib import Path
from random import Random

import pytest

from manhattan.client import Client
from support.crash_test_players import (
    EndlessMatch,
    check_acknowledged,
    check_finished_game,
    stored_events,
    unexpected_errors,
)
from support.databases import write_locked
from support.server_fixtures import Process

pytestmark = pytest.mark.process


@pytest.fixture
def kills(request: pytest.FixtureRequest) -> int:
    count: int = request.config.getoption("--kills")
    return count


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_no_acknowledged_move_is_lost_when_the_server_is_killed(
    request: pytest.FixtureRequest, tmp_path: Path, kills: int, kind: str
) -> None:
    database = str(tmp_path / "tables.db")
    if kind == "postgres":
        database = request.getfixturevalue("postgres")
    log = tmp_path / "log"
    server = Process(database, log=log)
    try:
        matches = [
            EndlessMatch([Client(server.address, "Ada")], bots=1),
            EndlessMatch([Client(server.address, "Bob")], bots=2),
            EndlessMatch([Client(server.address, "Cid"), Client(server.address, "Dot")]),
        ]
        try:
            rng = Random()
            pause = 1.0
            for kill in range(kills):
                # Mostly while clients reconnect; sometimes when bots play again, for which a busy
                # machine needs more time.
                time.sleep(pause * rng.choice((0.2, 0.5, 1.5)) * rng.random())
                with write_locked(database) if kill % 2 else nullcontext():
                    time.sleep(0.05)  # an acknowledgement now would be wrong
                    server.kill()
                acknowledged = [
                    (group.table, list(player.acknowledged))
                    for match in matches
                    for group in match.groups[-2:]
                    for player in group.players
                ]
                started = time.monotonic()
                server.start()
                pause = max(1.0, time.monotonic() - started)
                for table, moves in acknowledged:
                    check_acknowledged(stored_events(database, table), moves)
        finally:
            for match in matches:
                match.stop()
        groups = [group for match in matches for group in match.groups]
        for group in groups:
            check_finished_game(database, group)
        count = sum(len(player.acknowledged) for group in groups for player in group.players)
        # Shown with -rP.
        print(f"{kind}: {kills} kills, {len(groups)} games, {count} moves acknowledged")
        assert count > 100
    finally:
        server.stop()
    assert unexpected_errors(log) == []
