"""Games among people always end: absent players, aborted games, abandoned tables."""

from __future__ import annotations

from typing import Any

import pytest

from manhattan.server.domain.commands import (
    AbortGame,
    ApplyTimeout,
    CloseTable,
    SubstitutePlayer,
)
from manhattan.server.domain.decide import decide
from manhattan.server.domain.errors import CommandSuperseded, ErrorCode
from manhattan.server.domain.state import SUBSTITUTE_LEVEL
from support.table_builder import ADA, BOB, CAT, ME, OPEN, TableBuilder, bot, chat, here, resume

MINUTE, DAY = 60_000, 24 * 60 * 60_000
REAL_TIME = {"kind": "real_time", "bank": 600, "increment": 5}
DAYS = {"kind": "correspondence", "days": 3}


def two_people(**options: Any) -> TableBuilder:
    """A game of Ada and Bob, with Bob to move."""
    table = TableBuilder(ME, OPEN, **options).start(BOB)
    table.play(ADA)
    return table


# Absent players.


@pytest.mark.parametrize(
    ("options", "limit"),
    [
        ({}, 2 * MINUTE),
        ({"clock": REAL_TIME}, 2 * MINUTE),
        ({"clock": DAYS}, DAY),
        ({"absence_s": 45}, 45_000),
        ({"clock": DAYS, "absence_s": 7200}, 120 * MINUTE),
    ],
)
def test_a_bot_plays_for_a_player_who_is_absent_for_the_limit(
    options: dict[str, Any], limit: int
) -> None:
    table = two_people(**options)
    left = turn = table.now
    table.now = turn + limit - 2000
    table.reject(ErrorCode.NOT_ABSENT, ADA, SubstitutePlayer(1, left))
    state = table.execute(ADA, SubstitutePlayer(1, left))
    assert state.seats[1].bot_controlled
    assert state.seats[1].person == BOB
    assert state.bot_to_move == SUBSTITUTE_LEVEL
    assert state.clocks.running is None
    state = table.execute(BOB, resume())
    assert not state.seats[1].bot_controlled
    assert state.bot_to_move is None
    table.play(BOB)


def test_absence_counts_from_the_beginning_of_the_turn() -> None:
    table = two_people()
    table.now += 2 * MINUTE - 3000
    table.reject(ErrorCode.NOT_ABSENT, ADA, SubstitutePlayer(1, 0))  # gone before it was their turn
    table.now += 3000
    table.execute(ADA, SubstitutePlayer(1, 0))


def test_a_player_who_came_back_in_between_is_absent_from_the_end_of_that_visit() -> None:
    table = two_people()
    table.now += 3 * MINUTE
    table.reject(ErrorCode.NOT_ABSENT, ADA, SubstitutePlayer(1, table.now - MINUTE))


def test_only_an_absent_player_to_move_is_substituted_and_by_a_player() -> None:
    table = TableBuilder(ME, OPEN, bot(), here("Eve")).start(BOB)
    table.now += 10 * MINUTE
    table.reject(ErrorCode.NOT_ABSENT, BOB, SubstitutePlayer(0, None))  # Ada is here
    table.reject(ErrorCode.NOT_ABSENT, ADA, SubstitutePlayer(0, 0))  # their own seat
    table.reject(ErrorCode.NOT_ABSENT, ADA, SubstitutePlayer(1, 0))  # it isn't Bob's turn
    table.reject(ErrorCode.NOT_ABSENT, BOB, SubstitutePlayer(2, 0))  # a bot
    table.reject(ErrorCode.NO_SUCH_SEAT, BOB, SubstitutePlayer(4, 0))
    table.reject(ErrorCode.NOT_AT_THE_TABLE, CAT, SubstitutePlayer(0, 0))
    table.execute(BOB, SubstitutePlayer(0, 0))
    table.reject(ErrorCode.NOT_ABSENT, BOB, SubstitutePlayer(0, 0))  # a bot plays already
    lobby = TableBuilder(ME, OPEN)
    lobby.reject(ErrorCode.NOT_STARTED, ADA, SubstitutePlayer(1, 0))


# Aborted games.


def test_a_game_can_be_aborted_until_every_player_has_moved() -> None:
    for moves in range(4):
        table = TableBuilder(ME, OPEN, OPEN).start(BOB, CAT)
        for person in (ADA, BOB, CAT)[:moves]:
            table.play(person)
        if moves == 3:
            table.reject(ErrorCode.TOO_LATE_TO_ABORT, BOB, AbortGame())
        else:
            state = table.execute(BOB, AbortGame())
            assert (state.stage, state.close_reason) == ("closed", "aborted")
            assert state.game is not None
            assert state.due is None
            assert state.mover is None


def test_only_a_player_aborts_a_game_that_has_started() -> None:
    table = TableBuilder(ME, OPEN)
    table.reject(ErrorCode.NOT_STARTED, ADA, AbortGame())
    table.start(BOB)
    table.reject(ErrorCode.NOT_AT_THE_TABLE, CAT, AbortGame())
    table.execute(ADA, AbortGame())
    table.reject(ErrorCode.CLOSED, BOB, AbortGame())


# Abandoned tables.


@pytest.mark.parametrize("started", [False, True])
def test_a_table_is_closed_a_month_after_the_last_event(started: bool) -> None:
    table = TableBuilder(ME, OPEN)
    if started:
        table.start(BOB)
        table.play(ADA)
    due = table.state.due
    assert due is not None
    assert 30 * DAY <= due - table.now <= 31 * DAY
    with pytest.raises(CommandSuperseded):
        decide(table.state, ApplyTimeout(), None, due - 1)
    table.now = due
    state = table.execute(None, ApplyTimeout())
    assert (state.stage, state.close_reason) == ("closed", "abandoned")
    assert state.due is None
    assert (state.game is not None) is started
    reloaded = table.reload()
    assert (reloaded.stage, reloaded.close_reason) == ("closed", "abandoned")


def test_the_moment_is_the_same_for_all_events_of_a_day() -> None:
    table = two_people()
    due = table.state.due
    table.play(BOB)
    table.execute(ADA, chat("Still here?"))
    assert table.state.due == due
    table.now += DAY
    table.play(ADA)
    assert table.state.due == (due or 0) + DAY


def test_a_table_with_a_running_clock_ends_by_its_clock() -> None:
    table = two_people(clock={"kind": "correspondence", "days": 60})
    due = table.state.due
    assert due is not None
    assert due - table.now > 59 * DAY
    table.now = due
    assert table.execute(None, ApplyTimeout()).seats[1].bot_controlled


def test_the_host_closes_a_table_before_the_game() -> None:
    state = TableBuilder(ME, OPEN).execute(ADA, CloseTable())
    assert (state.stage, state.close_reason) == ("closed", "closed")
