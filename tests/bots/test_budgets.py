"""Budgets: a bot stops after its rollouts, in time, or when it is cancelled."""

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
    NO_LIMIT,
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
def view() -> View:
    """The first building turn of a game, which takes the longest to search."""
    game = Game.new(4, seed=bytes(32))
    for _ in range(4):
        game.play("[333444]")
    view = view_of(game, game.public.mover)
    choose_by_search(view, Random(1), Budget(rollouts=1))  # compiles
    return view


def test_a_budget_must_allow_something() -> None:
    with pytest.raises(BudgetError, match="at least one rollout, not 0"):
        Budget(rollouts=0)
    for seconds in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(BudgetError, match="positive number of seconds"):
            Budget(seconds=seconds)


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (Budget(), Budget(), (None, None)),
        (Budget(rollouts=3), Budget(seconds=1), (3, 1)),
        (Budget(rollouts=3, seconds=2), Budget(rollouts=5, seconds=1), (3, 1)),
        (Budget(rollouts=7), Budget(rollouts=5), (5, None)),
    ],
)
def test_two_budgets_allow_what_both_allow(
    left: Budget, right: Budget, expected: tuple[int | None, float | None]
) -> None:
    for budget in (left.within(right), right.within(left)):
        assert (budget.rollouts, budget.seconds) == expected


@pytest.fixture
def one_core() -> Iterator[None]:
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    yield
    os.sched_setaffinity(0, before)


@pytest.mark.usefixtures("one_core")
def test_two_bots_on_one_core_answer_in_time(view: View) -> None:
    limit = 0.6

    def choose(number: int) -> float:
        begin = time.monotonic()
        choose_by_search(view, Random(number), Budget(seconds=limit))
        return time.monotonic() - begin

    with ThreadPoolExecutor(2) as pool:
        seconds = list(pool.map(choose, range(2)))
    assert max(seconds) < 1.5 * limit
    assert min(seconds) > 0.5 * limit


def test_a_search_can_be_cancelled(view: View) -> None:
    calls = 0

    def is_cancelled() -> bool:
        nonlocal calls
        calls += 1
        return calls > 5

    with pytest.raises(Cancelled):
        choose_by_search(view, Random(1), Budget(rollouts=10**7, is_cancelled=is_cancelled))
    assert calls == 6
    # The next search is not affected.
    small = Budget(rollouts=64)
    assert choose_by_search(view, Random(1), small) == choose_by_search(view, Random(1), small)


@pytest.mark.parametrize("name", BOTS)
def test_a_bot_that_is_cancelled_does_not_begin(view: View, name: str) -> None:
    with pytest.raises(Cancelled):
        bot(name)(view, Random(1), Budget(is_cancelled=lambda: True))


def test_either_of_two_budgets_can_be_cancelled() -> None:
    stopped, going = Budget(rollouts=5, is_cancelled=lambda: True), Budget(rollouts=7)
    for budget in (stopped.within(going), going.within(stopped)):
        with pytest.raises(Cancelled):
            budget.check()
    going.within(going).check()


def test_a_level_never_exceeds_its_own_budget(view: View) -> None:
    budgets: list[Budget] = []

    def record(view: View, _rng: Random, budget: Budget = NO_LIMIT, /) -> Move:
        budgets.append(budget)
        return view.legal_moves()[0]

    champion = LEVELS["champion"].budget
    level = replace(LEVELS["champion"], bot=record)
    level(view, Random(1), Budget(rollouts=10**9, seconds=3600))
    level(view, Random(1), Budget(rollouts=5))
    assert (budgets[0].rollouts, budgets[0].seconds) == (champion.rollouts, champion.seconds)
    assert (budgets[1].rollouts, budgets[1].seconds) == (5, champion.seconds)
    assert champion.seconds is not None
    assert champion.seconds <= 1


def test_levels_have_distinct_descriptions() -> None:
    assert list(LEVELS) == [*("easy", "casual", "medium", "advanced", "hard", "expert", "champion")]
    assert len({level.description for level in LEVELS.values()}) == len(LEVELS)
    for name, level in LEVELS.items():
        assert level.name == name.title()
        assert level.description.endswith(".")
