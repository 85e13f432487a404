"""Clocks: whose runs, what is left, and when somebody has run out."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from manhattan.server.clocks import (
    Clocks,
    Correspondence,
    NoClock,
    RealTime,
    given_time,
    passed_on,
    taken_back,
    wound_up,
)

DAY = 24 * 60 * 60 * 1000


def running(bank: int = 60, increment: int = 5) -> Clocks:
    return passed_on(wound_up(RealTime(bank=bank, increment=increment), 2), 0, 1000)


def test_without_a_clock_nobody_is_ever_due() -> None:
    clocks = passed_on(wound_up(NoClock(), 3), 1, 1000)
    assert clocks.due is None
    assert clocks.left_at(10**12) == (0, 0, 0)


def test_the_bank_runs_down_while_one_thinks_and_never_below_nothing() -> None:
    clocks = running()
    assert clocks.due == 61_000
    assert clocks.left_at(31_000) == (30_000, 60_000)
    assert clocks.left_at(99_000) == (0, 60_000)
    assert clocks.left_at(500) == (60_000, 60_000)  # a clock that was set back takes nothing


def test_a_move_gives_the_increment_and_passes_the_clock_on() -> None:
    clocks = passed_on(running(), 1, 11_000, moved=True)
    assert (clocks.left, clocks.running, clocks.due) == ((55_000, 60_000), 1, 71_000)


def test_taking_a_move_back_gives_no_increment() -> None:
    clocks = passed_on(running(), 1, 11_000)
    assert clocks.left == (50_000, 60_000)


def test_a_move_that_is_taken_back_takes_its_increment_along() -> None:
    clocks = running(increment=30)._replace(left=(89_000, 60_000))
    assert taken_back(clocks, {0: 2}).left == (30_000, 60_000)  # never so much that he runs out
    assert taken_back(clocks, {0: 1}).left == (59_000, 60_000)
    assert taken_back(clocks._replace(left=(5_000, 60_000)), {0: 1}).left == (5_000, 60_000)


def test_while_a_bot_thinks_no_clock_runs() -> None:
    clocks = passed_on(running(), None, 11_000, moved=True)
    assert clocks.due is None
    assert clocks.left_at(99_000) == (55_000, 60_000)


def test_by_correspondence_every_move_has_its_days() -> None:
    clocks = passed_on(wound_up(Correspondence(days=2), 2), 0, 0)
    assert clocks.due == 2 * DAY
    clocks = passed_on(clocks, 1, DAY, moved=True)
    clocks = passed_on(clocks, 0, 2 * DAY, moved=True)
    assert clocks.due == 4 * DAY
    clocks = passed_on(clocks, 0, 3 * DAY, moved=True)  # who built last may choose first
    assert clocks.due == 5 * DAY


def test_who_says_something_by_correspondence_gets_no_new_days() -> None:
    clocks = passed_on(wound_up(Correspondence(days=2), 2), 0, 0)
    assert passed_on(clocks, 0, DAY).due == 2 * DAY


def test_who_comes_back_has_time_to_look_around() -> None:
    out = passed_on(running(), None, 99_000)
    assert out.left == (0, 60_000)
    assert given_time(out, 0).left == (30_000, 60_000)
    assert given_time(out, 1).left == (0, 60_000)  # who has more keeps it
    days = passed_on(wound_up(Correspondence(days=3), 2), 0, 0)
    late = passed_on(days, None, 4 * DAY)
    assert given_time(late, 0).left == (3 * DAY, 3 * DAY)


@pytest.mark.parametrize(
    "terms",
    [
        {"kind": "real_time", "bank": 0},
        {"kind": "real_time", "bank": 60, "increment": -1},
        {"kind": "real_time", "bank": 10**9},
    ],
)
def test_absurd_clocks_are_refused(terms: dict[str, int]) -> None:
    with pytest.raises(ValidationError):
        RealTime.model_validate(terms)
