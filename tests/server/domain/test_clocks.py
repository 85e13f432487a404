"""Clocks: which one runs, what is left, and when it expires."""

from __future__ import annotations

import pytest
from msgspec import ValidationError, convert
from msgspec.structs import replace

from manhattan.server.domain.clocks import (
    ClockOptions,
    Clocks,
    Correspondence,
    NoClock,
    RealTime,
    grant_time,
    initial_clocks,
    switch_clock,
    undo_moves,
)

DAY = 24 * 60 * 60 * 1000


def running(bank: int = 60, increment: int = 5) -> Clocks:
    return switch_clock(initial_clocks(RealTime(bank=bank, increment=increment), 2), 0, 1000)


def test_without_a_clock_no_time_expires() -> None:
    clocks = switch_clock(initial_clocks(NoClock(), 3), 1, 1000)
    assert clocks.due is None
    assert clocks.left_at(10**12) == (0, 0, 0)


def test_the_bank_runs_down_but_not_below_zero() -> None:
    clocks = running()
    assert clocks.due == 61_000
    assert clocks.left_at(31_000) == (30_000, 60_000)
    assert clocks.left_at(99_000) == (0, 60_000)
    assert clocks.left_at(500) == (60_000, 60_000)  # the system's time was set back


def test_a_move_adds_the_increment_and_switches_the_clock() -> None:
    clocks = switch_clock(running(), 1, 11_000, moved=True)
    assert (clocks.left, clocks.running, clocks.due) == ((55_000, 60_000), 1, 71_000)


def test_a_switch_without_a_move_adds_no_increment() -> None:
    clocks = switch_clock(running(), 1, 11_000)
    assert clocks.left == (50_000, 60_000)


def test_an_undone_move_loses_its_increment() -> None:
    clocks = replace(running(increment=30), left=(89_000, 60_000))
    assert undo_moves(clocks, {0: 2}).left == (30_000, 60_000)  # enough to look at the board
    assert undo_moves(clocks, {0: 1}).left == (59_000, 60_000)
    assert undo_moves(replace(clocks, left=(5_000, 60_000)), {0: 1}).left == (5_000, 60_000)


def test_no_clock_runs_for_a_bot() -> None:
    clocks = switch_clock(running(), None, 11_000, moved=True)
    assert clocks.due is None
    assert clocks.left_at(99_000) == (55_000, 60_000)


def test_in_correspondence_each_move_has_its_days() -> None:
    clocks = switch_clock(initial_clocks(Correspondence(days=2), 2), 0, 0)
    assert clocks.due == 2 * DAY
    clocks = switch_clock(clocks, 1, DAY, moved=True)
    clocks = switch_clock(clocks, 0, 2 * DAY, moved=True)
    assert clocks.due == 4 * DAY
    clocks = switch_clock(clocks, 0, 3 * DAY, moved=True)  # the same player moves again
    assert clocks.due == 5 * DAY


def test_in_correspondence_only_a_move_gives_new_days() -> None:
    clocks = switch_clock(initial_clocks(Correspondence(days=2), 2), 0, 0)
    assert switch_clock(clocks, 0, DAY).due == 2 * DAY


def test_a_returning_player_gets_some_time() -> None:
    out = switch_clock(running(), None, 99_000)
    assert out.left == (0, 60_000)
    assert grant_time(out, 0).left == (30_000, 60_000)
    assert grant_time(out, 1).left == (0, 60_000)  # another player's time stays as it is
    days = switch_clock(initial_clocks(Correspondence(days=3), 2), 0, 0)
    late = switch_clock(days, None, 4 * DAY)
    assert grant_time(late, 0).left == (3 * DAY, 3 * DAY)


@pytest.mark.parametrize(
    "options",
    [
        {"kind": "real_time", "bank": 0},
        {"kind": "real_time", "bank": 60, "increment": -1},
        {"kind": "real_time", "bank": 10**9},
    ],
)
def test_clock_options_out_of_range_are_invalid(options: dict[str, int]) -> None:
    with pytest.raises(ValidationError):
        convert(options, ClockOptions)
