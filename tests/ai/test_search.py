"""Search: candidates, sequential halving, limits, and the posterior over rivals' policies."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from manhattan.ai import opponent_model, search
from manhattan.ai.model import Kind
from manhattan.ai.rollout import ALL_PLAYERS, VALUE
from manhattan.ai.search import (
    MAX_CANDIDATES,
    PRIOR_WEIGHT,
    MoveStats,
    Searcher,
    SearchError,
    SearchLimits,
    searcher_for,
)
from manhattan.ai.selection_plans import PLANS
from manhattan.bench.kernel import dealt_position
from manhattan.game import Game
from manhattan.kernel import Position
from manhattan.rules import Build, Phase, Select, Stock, legal_moves, set_up
from manhattan.rules.blocks import stock_of
from manhattan.view import view_of
from support.positions import play_out, position
from support.random_models import ending, random_model, random_networks, searcher_at

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered")


def searcher_with_networks(seed: int = 1) -> Searcher:
    state = play_out(Game.new(3, seed=bytes(32)), until=6).state
    kind = Kind.of(state.public.setup)
    at = Position.from_state(state)
    return Searcher(random_model(kind), at, seed, random_networks(kind))


# --- the policy network's opinion -------------------------------------------------------------


def test_a_few_rollouts_say_less_than_the_policy_network_and_many_say_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Here the rollouts give the more for a placement, the less likely the network finds it."""
    searcher = searcher_with_networks()
    candidates = searcher.candidates()[:4]

    def roll_out(actions: Any, begin: int, end: int, posterior: Any, _: bool, sums: Any) -> None:
        for row, action in enumerate(actions):
            sums[row, VALUE] += (end - begin) * 0.01 * candidates.index(int(action))

    monkeypatch.setattr(searcher, "_load", lambda *_: None)
    monkeypatch.setattr(searcher, "_run_rollouts", roll_out)
    monkeypatch.setattr(search, "PRIOR_ROLLOUTS", 10**6)
    assert searcher.search(candidates, SearchLimits(8))[0].action == candidates[0]
    monkeypatch.setattr(search, "PRIOR_ROLLOUTS", 1)
    assert searcher.search(candidates, SearchLimits(4000))[0].action == candidates[-1]


def test_without_networks_the_rollouts_decide() -> None:
    searcher = searcher_at(ending())
    assert not searcher.prior_sums(searcher.candidates()).any()


# --- candidates -------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_placements_of_greatest_value_are_candidates(players: int) -> None:
    game = play_out(Game.new(players, seed=bytes(32)), until=players + 3)
    searcher = searcher_at(game.state, policies=2)
    candidates = [searcher.position.decode(action) for action in searcher.candidates()]
    assert len(candidates) == MAX_CANDIDATES < len(game.legal_moves())
    assert set(candidates) < set(game.legal_moves())
    values = searcher.placement_values(1)
    assert set(values) == set(searcher.position.legal_actions())
    assert (
        sorted(values, key=lambda action: -values[action])[:MAX_CANDIDATES] == searcher.candidates()
    )


def test_few_placements_are_all_candidates() -> None:
    state = position("A1:b4", tableaus={"orange": [1], "blue": [4]}, hands={0: [1, 1, 1, 1]})
    searcher = searcher_at(state)
    candidates = {searcher.position.decode(action) for action in searcher.candidates()}
    assert candidates == set(legal_moves(state))
    assert len(candidates) == 5


def test_each_policy_has_its_own_placement_values() -> None:
    searcher = searcher_at(ending(), policies=3)
    values = [searcher.placement_values(policy_id) for policy_id in range(3)]
    assert values[0] != values[2]
    for by_action in values:
        assert list(by_action.values()) == sorted(by_action.values(), reverse=True)


def candidate_selections(searcher: Searcher) -> list[tuple[Stock, ...]]:
    """Return the selections that are candidates, colour by colour."""
    moves = [searcher.position.decode(action) for action in searcher.candidates()]
    assert all(isinstance(move, Select) for move in moves)
    return [tuple(map(stock_of, move.blocks)) for move in moves if isinstance(move, Select)]


def distance(left: tuple[Stock, ...], right: tuple[Stock, ...]) -> int:
    """Return how many blocks differ."""
    return int(np.abs(np.array(left) - np.array(right)).sum()) // 2


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_planned_selection_and_those_one_block_apart_are_candidates(players: int) -> None:
    searcher = searcher_at(dealt_position(set_up(players)))
    assert set(searcher.candidates()) <= set(searcher.position.legal_actions())
    planned, *others = candidate_selections(searcher)
    setup = searcher.position.setup
    assert planned == (PLANS[setup.schedule][-1][0],) * setup.schedule.colours
    assert {distance(planned, other) for other in others} == {1}
    assert len(set(others)) == len(others)
    for n, stock in enumerate(planned):  # each colour is changed equally often
        changed = sum(other[n] != stock for other in others)
        assert changed == len(others) / setup.schedule.colours
    if players == 4:  # the plan is 0042: exchange a 3 or a 4 for another size in the supply
        assert len(others) == 2 + 3


def test_candidates_need_only_blocks_of_the_supply() -> None:
    """The plan for the second round assumes the plan for the first. For a player who followed
    another plan, the largest blocks left replace missing ones."""
    start = dealt_position(set_up(4))
    g = start.data[0]
    g.round_number = 1
    g.supply[0] = np.uint32(8 + (1 << 8) + (4 << 16))  # no 4s, one 2; the plan is 2301
    planned, *others = candidate_selections(searcher_at(start))
    assert planned == ((2, 1, 3, 0),)
    assert set(others) == {((3, 1, 2, 0),), ((1, 1, 4, 0),), ((2, 0, 4, 0),), ((3, 0, 3, 0),)}


def test_the_last_selection_may_be_the_only_one() -> None:
    state = position(players=3, phase=Phase.SELECT, round=6)
    left = (1, 2, 1, 0)
    searcher = searcher_at(state._replace(public=state.public._replace(supplies=(left,) * 3)))
    assert candidate_selections(searcher) == [(left,)]


def test_all_removals_are_candidates() -> None:
    blocks = {"orange": [1, 1, 3], "blue": [4, 4]}
    state = position("A5:y3", players=2, tableaus=blocks, phase=Phase.REMOVE)
    searcher = searcher_at(state)
    candidates = {str(searcher.position.decode(action)) for action in searcher.candidates()}
    assert candidates == {str(move) for move in legal_moves(state)}
    assert len(candidates) == 3


def test_a_finished_game_can_not_be_searched() -> None:
    game = play_out(Game.new(3, seed=bytes(32)))
    with pytest.raises(SearchError, match="over"):
        searcher_at(game.state)


# --- sequential halving -----------------------------------------------------------------------


class FakeRollouts:
    """Rollouts that are not played: each takes a second of a fake clock, and its value is given
    by the test."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, value: Callable[[int, int], float]) -> None:
        self.value, self.now = value, 100.0
        self.calls: list[tuple[list[int], int, int]] = []
        monkeypatch.setattr(search, "run_rollouts", self._run)
        monkeypatch.setattr(search, "time", SimpleNamespace(monotonic=lambda: self.now))

    def _run(self, *arguments: Any) -> None:
        actions, begin, end = arguments[3].tolist(), arguments[4], arguments[5]
        if begin == end:  # the call that compiles
            return
        self.calls.append((actions, begin, end))
        for sums, action in zip(arguments[-1], actions, strict=True):
            for number in range(begin, end):
                value = self.value(action, number)
                sums[VALUE] += value
                win_probabilities, _, squares = sums[ALL_PLAYERS:].reshape(3, -1)
                win_probabilities += value
                squares += value**2
                self.now += 1


def greater_is_better(action: int, number: int) -> float:
    return action / 1000


def rollout_counts(stats: list[MoveStats]) -> list[int]:
    return [move.rollouts for move in stats]


@pytest.mark.parametrize(
    ("actions", "rollouts", "expected"),
    [
        (4, 80, [30, 30, 10, 10]),  # 40 for four, 40 more for two
        (16, 256, [60, 60, 28, 28, *[12] * 4, *[4] * 8]),
        (5, 30, [10, 10, 5, 2, 2]),  # five, three, two
        (2, 7, [3, 3]),
        (1, 9, [9]),
        (8, 1, [3, 3, 2, 2, *[1] * 4]),  # at least one for each in each stage
    ],
)
def test_each_stage_drops_the_worse_half(
    monkeypatch: pytest.MonkeyPatch, actions: int, rollouts: int, expected: list[int]
) -> None:
    fake = FakeRollouts(monkeypatch, greater_is_better)
    stats = searcher_at(ending()).search(list(range(actions)), SearchLimits(rollouts))
    assert rollout_counts(stats) == expected
    assert [move.action for move in stats] == list(range(actions))[::-1]
    assert [move.value for move in stats] == pytest.approx(
        [action / 1000 for action in range(actions)][::-1]
    )
    assert fake.now - 100 == sum(expected)
    # Common random numbers: each action gets the rollouts from number 0 on, each once.
    numbers: dict[int, list[int]] = {}
    for compared, begin, end in fake.calls:
        for action in compared:
            numbers.setdefault(action, []).extend(range(begin, end))
    assert numbers == {move.action: list(range(move.rollouts)) for move in stats}


def test_standard_errors_follow_from_the_variance(monkeypatch: pytest.MonkeyPatch) -> None:
    FakeRollouts(monkeypatch, lambda action, number: float(number % 2 if action else 0.25))
    stats = searcher_at(ending()).search([0, 1], SearchLimits(200))
    assert [(move.action, move.rollouts) for move in stats] == [(1, 100), (0, 100)]
    assert [move.value for move in stats] == pytest.approx([0.5, 0.25])
    assert [move.standard_errors for move in stats] == [
        pytest.approx((0.0503,) * 3, abs=1e-4),
        (0, 0, 0),
    ]


def test_the_error_of_a_single_rollout_is_infinite(monkeypatch: pytest.MonkeyPatch) -> None:
    FakeRollouts(monkeypatch, greater_is_better)
    *_, last = searcher_at(ending()).search(list(range(8)), SearchLimits(1))
    assert (last.rollouts, last.standard_errors) == (1, (np.inf,) * 3)


def test_each_stage_gets_an_equal_share_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four moves in forty seconds: five rollouts of each in the first half, then ten more of two
    of them."""
    fake = FakeRollouts(monkeypatch, greater_is_better)
    monkeypatch.setattr(search, "_ROLLOUTS_PER_CHECK", 4)
    stats = searcher_at(ending()).search([0, 1, 2, 3], SearchLimits(10**9, seconds=40))
    assert rollout_counts(stats) == [15, 15, 5, 5]
    assert fake.now == 140


def test_each_move_gets_a_rollout_even_without_time(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = FakeRollouts(monkeypatch, greater_is_better)
    monkeypatch.setattr(search, "_ROLLOUTS_PER_CHECK", 2)
    stats = searcher_at(ending()).search([0, 1, 2, 3], SearchLimits(1000, seconds=0))
    assert rollout_counts(stats) == [1, 1, 1, 1]
    assert [move.action for move in stats] == [3, 2, 1, 0]
    assert fake.now == 104


def test_an_exception_in_the_check_ends_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = FakeRollouts(monkeypatch, greater_is_better)
    monkeypatch.setattr(search, "_ROLLOUTS_PER_CHECK", 8)
    checks: list[float] = []

    class Stopped(Exception):
        """The caller has cancelled the search."""

    def check() -> None:
        checks.append(fake.now)
        if len(checks) == 4:
            raise Stopped

    with pytest.raises(Stopped):
        searcher_at(ending()).search([0, 1, 2, 3], SearchLimits(1000, check=check))
    assert checks == [100, 108, 116, 124]
    assert fake.now == 124


# --- the posterior over policies --------------------------------------------------------------


def test_without_a_history_the_posterior_is_the_prior() -> None:
    searcher = searcher_at(ending(), policies=2)
    assert not searcher.position.has_build_order
    assert searcher.posterior() == pytest.approx(np.stack([searcher.model.policy_prior] * 3))


def test_the_posterior_follows_bayes_rule_and_keeps_a_share_of_the_prior(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def infer(*arguments: Any) -> None:
        arguments[-1][:] = [[1, 1, 1], [0, 1, 0], [1, 0, 1]]

    monkeypatch.setattr(search, "infer_policies", infer)
    at = Position.from_state(ending())
    at.has_build_order = True
    searcher = searcher_at(at)
    prior = searcher.model.policy_prior
    posterior = searcher.posterior()

    def blend(bayes: Any) -> Any:
        return PRIOR_WEIGHT * prior + (1 - PRIOR_WEIGHT) * bayes

    assert posterior.sum(axis=1) == pytest.approx(1)
    assert posterior[0] == pytest.approx(prior)
    assert posterior[1] == pytest.approx(blend(np.array([0, 1, 0])))
    two_left = np.array([prior[0], 0, prior[2]]) / (prior[0] + prior[2])
    assert posterior[2] == pytest.approx(blend(two_left))


def test_a_searcher_knows_what_its_player_sees(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "load_model", random_model)
    monkeypatch.setattr(opponent_model, "HAND_SAMPLES", 1)
    game = play_out(Game.new(3, seed=bytes(32)), until=9)
    mover = game.public.mover
    searcher = searcher_for(view_of(game, mover), seed=5)
    assert searcher.position.has_build_order
    assert searcher.position.state().hands[mover] == game.state.hands[mover]
    stats = searcher.search(searcher.candidates()[:2], SearchLimits(2))
    moves = [searcher.position.decode(move.action) for move in stats]
    assert set(moves) <= set(game.legal_moves())
    assert all(isinstance(move, Build) for move in moves)
    assert searcher.model.kind == Kind.of(game.setup)
