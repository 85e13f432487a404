"""Games of a match: reproducible, distributed, and with errors that name the bot."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from manhattan.arena import ArenaError, Match, Outcome, play
from manhattan.arena.distributed import play_deals, play_deals_on_ray
from manhattan.arena.runner import play_deal
from manhattan.bots import BOTS, NO_LIMIT, Bot, Budget, BudgetError, Level
from manhattan.rules import Move, parse_move
from manhattan.view import View

RANDOM = Match(("random",) * 4, games=8, seed=3)


def without_times(outcomes: list[Outcome]) -> list[Outcome]:
    return [replace(outcome, seconds=()) for outcome in outcomes]


def test_the_same_seed_plays_the_same_games() -> None:
    first, same = play_deal(RANDOM, 1), play_deal(RANDOM, 1)
    other = play_deal(replace(RANDOM, seed=4), 1)
    assert without_times(first) == without_times(same) != without_times(other)


def test_several_processes_play_the_same_games() -> None:
    deals = range(RANDOM.deals)
    in_one = [without_times(deal) for deal in play_deals(RANDOM, deals, workers=1)]
    in_two = [without_times(deal) for deal in play_deals(RANDOM, deals, workers=2)]
    assert in_one == in_two


def test_a_ray_cluster_plays_the_same_games() -> None:
    deals = range(RANDOM.deals)
    here = [without_times(deal) for deal in play_deals(RANDOM, deals, workers=1)]
    on_ray = [without_times(deal) for deal in play_deals_on_ray(RANDOM, deals, "local")]
    assert here == on_ray


def test_an_outcome_describes_a_whole_game() -> None:
    outcome = play(RANDOM, next(RANDOM.seatings(0)))
    assert outcome.moves == (28,) * 4
    assert min(outcome.seconds) > 0
    assert sum(outcome.win_share(seat) for seat in range(4)) == pytest.approx(1)


def fail(view: View, rng: Random, budget: Budget = NO_LIMIT, /) -> Move:
    raise RuntimeError("no move")


def cheat(view: View, rng: Random, budget: Budget = NO_LIMIT, /) -> Move:
    return parse_move("A1+4")


def return_nothing(view: View, rng: Random, budget: Budget = NO_LIMIT, /) -> Any:
    return None


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (fail, r"failed in {}: RuntimeError: no move"),
        (cheat, r"made an illegal move in {}: A1\+4: Choose the blocks for round 1 first"),
        (
            return_nothing,
            r"returned no move in {}: None is not a move\. Play one of the legal moves\.",
        ),
    ],
)
def test_the_error_names_a_bot_that_fails(
    wrong: Bot, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("manhattan.bots.BOTS", {**BOTS, "wrong": wrong})
    match = Match(("random", "random", "wrong"), 3, players=3)
    where = r"deal 0, rotation 0, ply \d"
    with pytest.raises(ArenaError, match=f"wrong {message.format(where)}"):
        play_deal(match, 0)


def test_a_level_has_no_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A slow machine plays the same games as a fast one."""
    budgets: set[tuple[int | None, float | None]] = set()

    def record(view: View, rng: Random, budget: Budget = NO_LIMIT, /) -> Move:
        budgets.add((budget.rollouts, budget.seconds))
        return rng.choice(view.legal_moves())

    level = Level("Slow", "Takes its time.", record, Budget(rollouts=7, seconds=0.001))
    monkeypatch.setattr("manhattan.bots.BOTS", {**BOTS, "slow": level})
    play_deal(Match(("slow", "random"), 2, players=2), 0)
    assert budgets == {(7, None)}


def test_a_match_can_give_all_bots_the_same_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """In place of a level's own rollouts and seconds."""
    budgets: set[tuple[int | None, float | None]] = set()

    def record(view: View, rng: Random, budget: Budget = NO_LIMIT, /) -> Move:
        budgets.add((budget.rollouts, budget.seconds))
        return view.legal_moves()[0]

    level = Level("Slow", "Takes its time.", record, Budget(rollouts=7, seconds=0.001))
    monkeypatch.setattr("manhattan.arena.runner.load_bot", lambda name: level)
    play(replace(RANDOM, seconds=0.25), next(RANDOM.seatings(0)))
    assert budgets == {(None, 0.25)}


def test_a_time_must_be_positive() -> None:
    with pytest.raises(BudgetError, match="positive number of seconds"):
        replace(RANDOM, seconds=0.0)
