"""Nothing is lost: a server is killed again and again while people play, and they play on."""

from __future__ import annotations

import time
from contextlib import nullcontext
from pathlib import Path
from random import Random

import pytest

from databases import busy
from manhattan.client import Client
from players import Evening, check_made, check_whole, kept, mistakes
from serving import Process


@pytest.fixture
def kills(request: pytest.FixtureRequest) -> int:
    wanted: int = request.config.getoption("--kills")
    return wanted


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_nothing_is_lost_when_the_server_is_killed(
    request: pytest.FixtureRequest, tmp_path: Path, kills: int, kind: str
) -> None:
    database = str(tmp_path / "tables.db")
    if kind == "postgres":
        database = request.getfixturevalue("postgres")
    log = tmp_path / "log"
    server = Process(database, log=log)
    try:
        evenings = [
            Evening([Client(server.address, "Ada")], bots=1),
            Evening([Client(server.address, "Bob")], bots=2),
            Evening([Client(server.address, "Cid"), Client(server.address, "Dot")]),
        ]
        try:
            dice = Random()
            breath = 1.0
            for kill in range(kills):
                # Mostly while everybody comes back; now and then when bots play again, too: for
                # which a busy machine needs more time.
                time.sleep(breath * dice.choice((0.2, 0.5, 1.5)) * dice.random())
                with busy(database) if kill % 2 else nullcontext():
                    time.sleep(0.05)  # what was told now would be lost
                    server.kill()
                told = [
                    (group.table, list(player.made))
                    for evening in evenings
                    for group in evening.groups[-2:]
                    for player in group.players
                ]
                begun = time.monotonic()
                server.start()
                breath = max(1.0, time.monotonic() - begun)
                for table, made in told:
                    check_made(kept(database, table), made)
        finally:
            for evening in evenings:
                evening.end()
        groups = [group for evening in evenings for group in evening.groups]
        for group in groups:
            check_whole(database, group)
        acknowledged = sum(len(player.made) for group in groups for player in group.players)
        # To be seen with -rP.
        print(f"{kind}: {kills} kills, {len(groups)} games, {acknowledged} moves acknowledged")
        assert acknowledged > 100
    finally:
        server.stop()
    assert mistakes(log) == []
