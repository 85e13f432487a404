"""Rollouts: determinization, common random numbers, sampled policies, evaluation."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from random import Random
from typing import Any

import numpy as np
import pytest

from manhattan.ai import rollout, search
from manhattan.ai.model import Kind, Model
from manhattan.ai.search import POINT_VALUE, MoveStats, Searcher, SearchLimits
from manhattan.bench.kernel import dealt_position
from manhattan.kernel import Position
from manhattan.kernel.determinization import determinize
from manhattan.rules import Colour, set_up
from support.positions import crowded, position
from support.random_models import ending, random_model, searcher_at

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered")


def test_results_depend_on_the_seed_and_not_on_clock_checks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    state = ending()

    def run(seed: int, rollouts_per_check: int) -> list[MoveStats]:
        monkeypatch.setattr(search, "_ROLLOUTS_PER_CHECK", rollouts_per_check)
        searcher = searcher_at(state, seed)
        return searcher.search(searcher.candidates()[:3], SearchLimits(18), all_players=True)

    stats = run(1, 64)
    assert stats == run(1, 1) == run(1, 5)
    assert [move.rollouts for move in stats] == [7, 7, 3]
    assert stats != run(2, 64)
    values = [move.value for move in stats[:2]]
    assert values == sorted(values, reverse=True)


def test_a_search_leaves_the_position_unchanged() -> None:
    searcher = searcher_at(ending())
    before = searcher.position.state()
    searcher.search(searcher.candidates()[:2], SearchLimits(4))
    assert searcher.position.state() == before


def test_a_winning_move_comes_first() -> None:
    """The last turn of a game: blue is 5 points ahead and owns the tallest tower, worth 6 with
    its city. Orange wins by a point with that tower, and loses by two with any other move."""
    hands = {0: [1, 1, 5, 5]}
    last = position("A1:b3", tableaus={"orange": [4]}, hands=hands, round=4, start_player=1)
    at = Position.from_state(last)
    at.data[0].scores[:4] = [20, 25, 20, 10]
    searcher = searcher_at(at)
    stats = searcher.search(searcher.candidates(), SearchLimits(1), all_players=True)
    assert len(stats) == 12
    best, *rest = stats
    assert str(at.decode(best.action)) == "A1+4"
    assert best.win_probabilities == pytest.approx((1, 0, 0, 0))
    assert best.expected_scores == pytest.approx((26, 25, 20, 10))
    assert best.value == pytest.approx(1 + POINT_VALUE * (26 - (25 + 20 + 10) / 3))
    assert {move.win_probabilities for move in rest} == {(0, 1, 0, 0)}
    assert max(move.value for move in rest) < 0.1


def test_a_shared_win_counts_in_equal_parts() -> None:
    last = position(
        tableaus={"orange": [1]},
        players=3,
        hands={0: [5, 5, 5, 5]},
        round=6,
        house_rules={"final_tie": "shared"},
    )
    at = Position.from_state(last)
    at.data[0].scores[:3] = [4, 10, 10]  # a tower, a majority and the tallest tower: 6 points
    stats = searcher_at(at).search(at.legal_actions()[:1], SearchLimits(2), all_players=True)
    assert stats[0].win_probabilities == pytest.approx((1 / 3,) * 3)
    assert stats[0].expected_scores == (10, 10, 10)


def test_all_players_are_evaluated_on_request() -> None:
    """The last round adds at least the towers that stand, and at most every tower, every city and
    the tallest tower."""
    at = Position.from_state(ending())
    at.data[0].scores[:3] = [11, 12, 13]
    searcher = searcher_at(at)
    actions = searcher.candidates()[:3]
    for move in searcher.search(actions, SearchLimits(9), all_players=True):
        assert sum(move.win_probabilities) == pytest.approx(1)
        assert all(0 <= probability <= 1 for probability in move.win_probabilities)
        assert all(s < f < s + 30 for s, f in zip((11, 12, 13), move.expected_scores, strict=True))
    for move in searcher.search(actions, SearchLimits(9)):
        assert move.win_probabilities == move.expected_scores == (0, 0, 0)


def with_outputs(model: Model, win: float = 0, lead: float = 0, points: float = 0) -> Model:
    """Return a model whose network has constant outputs: by default even odds and no points."""
    network = type(model.network)(*(np.zeros_like(array) for array in model.network))
    network.output_bias[:] = [win, lead, points]
    return replace(model, network=network)


def test_the_network_evaluates_positions_at_round_boundaries() -> None:
    state = ending()
    state = state._replace(public=state.public._replace(round=3))
    at = Position.from_state(state)
    model = random_model(Kind.of(at.setup))
    actions = at.legal_actions()[:2]
    for move in Searcher(model, at, 1).search(actions, SearchLimits(4), all_players=True):
        assert sum(move.win_probabilities) == pytest.approx(1)
        assert len(set(move.win_probabilities)) == 3

    def search_with(**outputs: float) -> list[MoveStats]:
        return Searcher(with_outputs(model, **outputs), at, 1).search(
            actions, SearchLimits(4), all_players=True
        )

    for move in search_with():
        assert move.win_probabilities == pytest.approx((1 / 3,) * 3)
        lead = move.expected_scores[0] - (move.expected_scores[1] + move.expected_scores[2]) / 2
        assert move.value == pytest.approx(0.5 + POINT_VALUE * lead)
        assert all(1 <= points <= 20 for points in move.expected_scores)
    # In tens of points: seven points for each player, and two of lead for the mover.
    changed = search_with(win=2, lead=0.2, points=0.7)
    for before, after in zip(search_with(), changed, strict=True):
        assert after.expected_scores == pytest.approx(
            [points + 7 for points in before.expected_scores]
        )
        difference = 1 / (1 + np.exp(-2)) - 0.5 + 2 * POINT_VALUE
        assert after.value - before.value == pytest.approx(difference)


def test_a_selection_is_played_to_the_end_of_the_round() -> None:
    """The rivals select by their plans, and all players build what they have selected."""
    at = dealt_position(set_up(3))
    searcher = Searcher(with_outputs(random_model(Kind.of(at.setup))), at, 1)
    stats = searcher.search(searcher.candidates()[:2], SearchLimits(2), all_players=True)
    for move in stats:  # twelve blocks: at most twelve towers, six cities and the tallest tower
        assert all(0 <= points <= 4 + 2 * 4 + 3 for points in move.expected_scores)
        assert 3 < sum(move.expected_scores) <= 12 + 2 * 6 + 3
        assert sum(move.win_probabilities) == pytest.approx(1)


def test_players_without_a_legal_placement_remove_blocks_in_rollouts() -> None:
    """The last round on a board that is full of orange 4s: the rivals have small blocks, and
    orange can't lose the game."""
    setup = set_up(4)
    boards = (crowded(setup, Random(seed), low=True) for seed in count())
    state = next(s for s in boards if [t.owner for t in s.public.board].count(Colour.ORANGE) > 50)
    at = Position.from_state(state._replace(public=state.public._replace(round=4)))
    stats = searcher_at(at).search(at.legal_actions()[:1], SearchLimits(1), all_players=True)
    assert stats[0].win_probabilities == pytest.approx((1, 0, 0, 0))
    assert stats[0].expected_scores[0] > 50


def test_each_rollout_deals_other_cards_and_each_move_the_same_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    state = ending(mover=1)
    dealt: list[tuple[int, ...]] = []

    def deal(g: Any, players: Any, colours: Any, viewer: int) -> None:
        determinize(g, players, colours, viewer)
        dealt.append(tuple(map(int, g.copies[:3])))

    monkeypatch.setattr(rollout, "determinize", deal)
    at = Position.from_state(state)
    searcher_at(at).search(at.legal_actions()[:2], SearchLimits(12))
    assert len(dealt) == 12
    assert {hands[1] for hands in dealt} == {int(at.data[0].copies[1])}
    assert len({hands[0] for hands in dealt}) > 3
    assert len({hands[2] for hands in dealt}) > 3
    assert dealt[:6] == dealt[6:]


def test_policies_are_sampled_with_their_probabilities() -> None:
    g = dealt_position(set_up(3)).data[0]
    drawn = [rollout.sample_policy(g, np.array([0.25, 0, 0.25, 0.5])) for _ in range(800)]
    assert np.bincount(drawn) == pytest.approx([200, 0, 200, 400], abs=50)


def test_rivals_follow_sampled_policies_and_the_mover_the_best_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sampled: list[list[int]] = []
    finish_round = rollout.finish_round

    def record(g: Any, players: Any, colours: Any, policy_ids: Any, *rest: Any) -> None:
        sampled.append(policy_ids[:3].tolist())
        finish_round(g, players, colours, policy_ids, *rest)

    monkeypatch.setattr(rollout, "finish_round", record)
    at = Position.from_state(ending())
    searcher = searcher_at(at, policies=2)
    posterior = np.array([[1.0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0.5, 0.5]])
    monkeypatch.setattr(searcher, "posterior", lambda: posterior)
    searcher.search(at.legal_actions()[:1], SearchLimits(12))
    assert {(first, second) for first, second, _ in sampled} == {(1, -1)}
    assert {third for _, _, third in sampled} == {0, 1}
