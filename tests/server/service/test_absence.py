"""Players who leave: the others see it, let a bot play, and tables that nobody uses are closed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from manhattan.client import Client, RequestRejected, TableConnection
from manhattan.server.storage.database import Statement
from support.moved_clock import MovedClock
from support.recording_client import run_on_server
from support.server_fixtures import RunningServer, running_server

OPEN_SEAT = [{"occupant": "me"}, {"occupant": "open"}]
DAYS = {"kind": "correspondence", "days": 3}


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> MovedClock:
    monkeypatch.setattr("manhattan.server.service.housekeeping.TAKEOVER_DELAY", 100)
    return MovedClock(monkeypatch)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RunningServer]:
    with running_server(str(tmp_path / "tables.db")) as server:
        yield server


def started_game(server: RunningServer, **options: Any) -> tuple[Client, Client, str]:
    """Return Ada, Bob, and the table of their game, with Bob to move."""
    ada, bob = server.client("Ada"), server.client("Bob")
    table = ada.open_table(seats=OPEN_SEAT, first=1, **options)
    bob.take_seat(table)
    ada.start_game(table)
    return ada, bob, table


def substitute(client: Client, table: str, player: int) -> Any:
    return client.request("POST", f"/api/tables/{table}/seats/{player}/substitute")


def wait_for_message(
    seat: TableConnection, is_wanted: Callable[[dict[str, Any]], bool]
) -> dict[str, Any]:
    return next(message for message in seat.messages() if is_wanted(message))


def test_a_bot_plays_for_a_player_who_has_left_until_they_return(
    server: RunningServer, clock: MovedClock
) -> None:
    ada, bob, table = started_game(server, bot_delay_ms=0)
    with ada.connect(table) as here:
        next(here.messages())
        with bob.connect(table) as there:
            next(there.messages())
            seen = wait_for_message(here, lambda m: m["type"] == "presence")
            assert (seen["present"], seen["away_since"]) == ([True, True], [None, None])
            clock.advance(seconds=600)
            with pytest.raises(RequestRejected) as rejected:  # Bob thinks, and is there
                substitute(ada, table, 1)
            assert rejected.value.reason == "not_absent"
        gone = wait_for_message(here, lambda m: m["type"] == "presence")
        assert gone["present"] == [True, False]
        assert gone["away_since"][0] is None
        assert gone["away_since"][1] == pytest.approx((time.time() + 600) * 1000, abs=30_000)
        clock.advance(seconds=100)
        with pytest.raises(RequestRejected):
            substitute(ada, table, 1)
        clock.advance(seconds=25)
        after = substitute(ada, table, 1)
        assert after["seats"][1]["bot_controlled"] is True
        wait_for_message(here, lambda m: m.get("event", {}).get("type") == "player_substituted")
        wait_for_message(here, lambda m: m.get("event", {}).get("type") == "move_played")
        assert here.private["moves"] is not None  # it is Ada's turn
        with bob.connect(table) as back:
            next(back.messages())
            back.send("resume")
            assert back.table["seats"][1]["bot_controlled"] is False


def test_after_a_restart_the_server_waits_until_it_knows_who_is_there(
    tmp_path: Path, clock: MovedClock
) -> None:
    database = str(tmp_path / "tables.db")
    with running_server(database) as server:
        ada, bob, table = started_game(server, clock=DAYS)
    clock.advance(days=2)
    with running_server(database) as server:
        ada = Client(server.address, "Ada", cookie=ada.cookie)
        bob = Client(server.address, "Bob", cookie=bob.cookie)
        with ada.connect(table) as here:
            next(here.messages())
            with pytest.raises(RequestRejected) as rejected:
                substitute(ada, table, 1)
            assert rejected.value.reason == "not_absent"
            clock.advance(seconds=31)
            with bob.connect(table) as there:
                next(there.messages())
                with pytest.raises(RequestRejected):
                    substitute(ada, table, 1)
            with pytest.raises(RequestRejected):  # Bob has just been there
                substitute(ada, table, 1)
            clock.advance(days=1)
            assert substitute(ada, table, 1)["seats"][1]["bot_controlled"] is True


def test_a_table_that_nobody_uses_is_closed_and_kept(
    server: RunningServer, clock: MovedClock
) -> None:
    ada, _, table = started_game(server)
    lobby = ada.open_table(seats=OPEN_SEAT)
    slow = ada.open_table(seats=[{"occupant": "me"}, {"occupant": "bot", "level": "easy"}])
    clock.advance(days=29)
    ada.start_game(slow)
    assert stage(ada, table) == "playing"
    clock.advance(days=2.1)
    wait_until(lambda: stage(ada, table) == "closed")
    wait_until(lambda: stage(ada, lobby) == "closed")
    view = ada.request("GET", f"/api/tables/{table}")
    assert view["table"]["close_reason"] == "abandoned"
    assert view["position"]["ply"] == 0
    assert view["private"]["moves"] is None
    assert stage(ada, slow) == "playing"
    listed = ada.request("GET", "/api/me/games?state=finished")["games"]
    assert [game["id"] for game in listed] == [table]  # the lobby isn't worth keeping
    assert [player["place"] for player in listed[0]["players"]] == [None, None]
    assert ada.request("GET", "/api/me/statistics")["games"] == 0


def test_a_moment_that_an_older_version_has_stored_is_corrected(
    server: RunningServer, clock: MovedClock
) -> None:
    """Otherwise the table would be loaded again every second."""
    ada, _, table = started_game(server)
    store = server.services.tables.store

    def due() -> int:
        rows = run_on_server(server, store.read("SELECT due FROM tables WHERE id = $1", table))
        return int(rows[0][0])

    right = due()
    earlier = Statement("UPDATE tables SET due = 5 WHERE id = $1", (table,))
    run_on_server(server, store.write(earlier))
    wait_until(lambda: due() == right)
    assert stage(ada, table) == "playing"


def stage(client: Client, table: str) -> str:
    return str(client.request("GET", f"/api/tables/{table}")["table"]["stage"])


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)
