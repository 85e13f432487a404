"""Evaluation: the ranking of moves, with win probabilities and their confidence intervals."""

from __future__ import annotations

from random import Random

import pytest

from manhattan.bots import Budget, evaluate
from manhattan.bots.evaluation import EvaluationError
from manhattan.game import Game
from manhattan.view import view_of
from support.positions import play_out

pytestmark = [pytest.mark.compiled, pytest.mark.xdist_group("4-1")]


@pytest.mark.parametrize("ply", [0, 4, 50, 99])
def test_probabilities_add_up_and_the_best_move_comes_first(ply: int) -> None:
    game = play_out(Game.new(4, seed=bytes(32)), until=ply)
    view = view_of(game, game.public.mover)
    evaluation = evaluate(view, Random(1), Budget(rollouts=200))
    assert evaluation.player == game.public.mover
    assert {ranked.move for ranked in evaluation.moves} <= set(view.legal_moves())
    for ranked in evaluation.moves:
        assert sum(ranked.win_probabilities) == pytest.approx(1)
        intervals = zip(ranked.low, ranked.win_probabilities, ranked.high, strict=True)
        assert all(0 <= low <= probability <= high <= 1 for low, probability, high in intervals)
        scores = zip(game.public.scores, ranked.expected_scores, strict=True)
        assert all(now <= final for now, final in scores)
    assert evaluation.win_probabilities == evaluation.moves[0].win_probabilities
    assert evaluation.expected_scores == evaluation.moves[0].expected_scores
    rollouts = [ranked.rollouts for ranked in evaluation.moves]
    assert rollouts == sorted(rollouts, reverse=True)


def test_the_last_move_of_a_game_is_evaluated_exactly() -> None:
    """Nothing hidden can change the result any more."""
    game = play_out(Game.new(4, seed=bytes(32)))
    last = game.at(game.ply - 1)
    view = view_of(last, last.public.mover)
    for ranked in evaluate(view, Random(1), Budget(rollouts=256)).moves:
        after = last.at(last.ply)
        after.play(ranked.move)
        assert after.result is not None
        assert ranked.expected_scores == pytest.approx(after.public.scores)
        winners = after.result.winners
        shares = [1 / len(winners) if n in winners else 0 for n in range(4)]
        assert ranked.win_probabilities == pytest.approx(shares)
        assert ranked.low == pytest.approx(ranked.high, abs=1e-6)


def test_only_the_player_to_move_can_have_moves_evaluated() -> None:
    game = Game.new(4, seed=bytes(32))
    for player in (None, (game.public.mover + 1) % 4):
        with pytest.raises(EvaluationError, match="to move"):
            evaluate(view_of(game, player), Random(1))


def test_more_rollouts_narrow_the_interval() -> None:
    game = play_out(Game.new(4, seed=bytes(32)), until=20)
    view = view_of(game, game.public.mover)
    few = evaluate(view, Random(1), Budget(rollouts=100)).best
    many = evaluate(view, Random(1), Budget(rollouts=4000)).best
    for player in range(4):
        assert 0 < many.high[player] - many.low[player] < few.high[player] - few.low[player]
    *_, last = evaluate(view, Random(1), Budget(rollouts=1)).moves
    assert last.rollouts == 1
    assert (last.low, last.high) == ((0,) * 4, (1,) * 4)  # one rollout says nothing


def test_an_evaluation_is_reproducible() -> None:
    game = play_out(Game.new(4, seed=bytes(32)), until=60)
    view = view_of(game, game.public.mover)
    small = Budget(rollouts=200)
    assert evaluate(view, budget=small) == evaluate(view, budget=small)
