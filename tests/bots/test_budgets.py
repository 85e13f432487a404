"""Thinking ends when it should: after so many trials, in time, or when it is told to."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from random import Random

import pytest

from manhattan.bots import (
    BOTS,
    LEVELS,
    OWN_PACE,
    Budget,
    BudgetError,
    Cancelled,
    bot,
    choose_by_search,
)
from manhattan.game import Game
from manhattan.rules import Move
from manhattan.view import View, view_of

pytestmark = [pytest.mark.compiled, pytest.mark.xdist_group("4-1")]


@pytest.fixture(scope="module")
def seen() -> View:
    """The first building turn of a game, which takes the longest to think over."""
    game = Game.new(4, seed=bytes(32))
    for _ in range(4):
        game.play("[333444]")
    view = view_of(game, game.table.mover)
    choose_by_search(view, Random(1), Budget(trials=1))  # compiles
    return view


def test_a_budget_needs_something_to_spend() -> None:
    with pytest.raises(BudgetError, match="at least one trial, not 0"):
        Budget(trials=0)
    for seconds in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(BudgetError, match="some seconds"):
            Budget(seconds=seconds)


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        (Budget(), Budget(), (None, None)),
        (Budget(trials=3), Budget(seconds=1), (3, 1)),
        (Budget(trials=3, seconds=2), Budget(trials=5, seconds=1), (3, 1)),
        (Budget(trials=7), Budget(trials=5), (5, None)),
    ],
)
def test_two_budgets_allow_what_both_allow(
    one: Budget, other: Budget, both: tuple[int | None, float | None]
) -> None:
    for budget in (one.within(other), other.within(one)):
        assert (budget.trials, budget.seconds) == both


@pytest.fixture
def one_core() -> Iterator[None]:
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    yield
    os.sched_setaffinity(0, before)


@pytest.mark.usefixtures("one_core")
def test_two_who_think_on_one_core_still_answer_in_time(seen: View) -> None:
    seconds = 0.6

    def think(number: int) -> float:
        begin = time.monotonic()
        choose_by_search(seen, Random(number), Budget(seconds=seconds))
        return time.monotonic() - begin

    with ThreadPoolExecutor(2) as pool:
        taken = list(pool.map(think, range(2)))
    assert max(taken) < 1.5 * seconds
    assert min(taken) > 0.5 * seconds


def test_a_bot_can_be_told_to_stop(seen: View) -> None:
    asked = 0

    def enough() -> bool:
        nonlocal asked
        asked += 1
        return asked > 5

    with pytest.raises(Cancelled):
        choose_by_search(seen, Random(1), Budget(trials=10**7, cancelled=enough))
    assert asked == 6
    # ... and has taken no harm from it.
    little = Budget(trials=64)
    assert choose_by_search(seen, Random(1), little) == choose_by_search(seen, Random(1), little)


@pytest.mark.parametrize("name", BOTS)
def test_who_was_told_before_does_not_begin(seen: View, name: str) -> None:
    with pytest.raises(Cancelled):
        bot(name)(seen, Random(1), Budget(cancelled=lambda: True))


def test_of_two_budgets_either_can_be_cancelled() -> None:
    stopped, going = Budget(trials=5, cancelled=lambda: True), Budget(trials=7)
    for budget in (stopped.within(going), going.within(stopped)):
        with pytest.raises(Cancelled):
            budget.check()
    going.within(going).check()


def test_a_level_never_takes_more_than_its_own_budget(seen: View) -> None:
    spent: list[Budget] = []

    def spender(view: View, _rng: Random, budget: Budget = OWN_PACE, /) -> Move:
        spent.append(budget)
        return view.legal_moves()[0]

    expert = LEVELS["expert"]
    level = replace(expert, bot=spender)
    level(seen, Random(1), Budget(trials=10**9, seconds=3600))
    level(seen, Random(1), Budget(trials=5))
    assert (spent[0].trials, spent[0].seconds) == (expert.budget.trials, expert.budget.seconds)
    assert (spent[1].trials, spent[1].seconds) == (5, expert.budget.seconds)
    assert expert.budget.seconds is not None
    assert expert.budget.seconds <= 1


def test_levels_are_told_apart() -> None:
    assert list(LEVELS) == ["easy", "medium", "hard", "expert"]
    assert len({level.description for level in LEVELS.values()}) == 4
    for name, level in LEVELS.items():
        assert level.name == name.title()
        assert level.description.endswith(".")
