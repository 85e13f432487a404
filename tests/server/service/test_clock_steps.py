"""The system's clock is set while people play: nobody loses time, and nothing stands still."""

from __future__ import annotations

import logging
import time
from pathlib import Path
from typing import Any

import pytest

from manhattan.client import Client
from manhattan.server.service.clock_and_secrets import ServerClock, now_ms, server_clock
from support.databases import wait_until
from support.moved_clock import MovedClock
from support.recording_client import captured_logs
from support.server_fixtures import RunningServer, running_server

MINUTE = {"kind": "real_time", "bank": 60}
OPEN_SEAT = [{"occupant": "me"}, {"occupant": "open"}]
HOUR_S = 3600


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> MovedClock:
    return MovedClock(monkeypatch)


def started_game(server: RunningServer) -> tuple[Client, str]:
    ada, bob = server.client("Ada"), server.client("Bob")
    table = ada.open_table(seats=OPEN_SEAT, first=1, clock=MINUTE)
    bob.take_seat(table)
    ada.start_game(table)
    return ada, table


def left(client: Client, table: str) -> tuple[int, int]:
    """Return what the players have left now, in milliseconds, as the page works it out."""
    view: dict[str, Any] = client.request("GET", f"/api/tables/{table}")
    shown = view["position"]["clock"]
    times = list(shown["left"])
    return times[0], times[1] - (view["now"] - shown["since"])


@pytest.mark.parametrize("step", [HOUR_S, -HOUR_S])
def test_a_step_costs_nobody_time_and_freezes_nothing(
    tmp_path: Path, clock: MovedClock, step: int
) -> None:
    with captured_logs() as written, running_server(str(tmp_path / "tables.db")) as server:
        ada, table = started_game(server)
        clock.step(seconds=step)
        wait_until(lambda: "clock was set" in written.text, "the step is logged")
        time.sleep(1.5)  # a sweep: nothing is overdue
        mine, bobs = left(ada, table)
        assert mine == 60_000
        assert 50_000 < bobs < 60_000
        time.sleep(0.3)
        assert left(ada, table)[1] <= bobs - 250  # it still runs
        clock.advance(seconds=61)
        with ada.connect(table) as seat:
            wait_for_timeout(seat)
    assert written.text.count("clock was set") == 1


def wait_for_timeout(seat: Any) -> None:
    for message in seat.messages():
        if seat.table["seats"][1]["bot_controlled"]:
            return
        assert message


@pytest.mark.parametrize("step", [HOUR_S, -HOUR_S])
def test_a_step_before_a_restart_costs_nobody_time(
    tmp_path: Path, clock: MovedClock, step: int
) -> None:
    database = str(tmp_path / "tables.db")
    with captured_logs() as written:
        with running_server(database) as server:
            ada, table = started_game(server)
            clock.step(seconds=step)
            wait_until(lambda: "clock was set" in written.text, "the step is noticed")
            time.sleep(0.3)  # it is stored
        clock.restart()
        with running_server(database) as server:
            ada = Client(server.address, "Ada", cookie=ada.cookie)
            assert 40_000 < left(ada, table)[1] < 60_000


def test_a_clock_that_was_set_back_while_no_server_ran_freezes_nothing(
    tmp_path: Path, clock: MovedClock
) -> None:
    database = str(tmp_path / "tables.db")
    with running_server(database) as server:
        ada, table = started_game(server)
    clock.step(seconds=-HOUR_S)
    clock.restart()
    with captured_logs() as written, running_server(database) as server:
        ada = Client(server.address, "Ada", cookie=ada.cookie)
        first = left(ada, table)[1]
        time.sleep(0.3)
        assert left(ada, table)[1] <= first - 250
    assert "behind the stored games" in written.text


def test_two_processes_agree_after_a_step(tmp_path: Path, clock: MovedClock) -> None:
    """The second one starts after the step, and continues the time of the first."""
    database = str(tmp_path / "tables.db")
    with captured_logs() as written:
        with running_server(database):
            clock.step(seconds=HOUR_S)
            wait_until(lambda: "clock was set" in written.text, "the step is noticed")
            time.sleep(0.3)
            first = now_ms()
        clock.restart()
        with running_server(database):
            assert abs(now_ms() - first) < 30_000


def test_the_time_approaches_the_wall_clock_and_never_goes_back(clock: MovedClock) -> None:
    server = server_clock()
    assert not server.check()
    clock.step(seconds=-10)
    assert server.check()
    last, lag = server.now(), server.lag
    assert -10_000 <= lag < -9_900
    for _ in range(30):
        clock.advance(seconds=100)
        assert not server.check()
        assert server.now() >= last
        last = server.now()
    assert -5 <= server.lag <= 0


def test_small_corrections_are_no_steps(
    clock: MovedClock, caplog: pytest.LogCaptureFixture
) -> None:
    server = ServerClock()
    with caplog.at_level(logging.WARNING):
        for _ in range(20):
            clock.step(seconds=0.4)
            clock.advance(seconds=1)
            assert not server.check()
    assert not caplog.records
