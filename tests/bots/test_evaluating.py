"""Ranked moves, with everybody's chances and points."""

from __future__ import annotations

from random import Random

import pytest

from manhattan.bots import Budget, evaluate
from manhattan.bots.evaluating import EvaluationError
from manhattan.game import Game
from manhattan.view import view_of
from positions import play_out

pytestmark = [pytest.mark.compiled, pytest.mark.xdist_group("4-1")]


@pytest.mark.parametrize("ply", [0, 4, 50, 99])
def test_chances_add_up_and_the_best_comes_first(ply: int) -> None:
    game = play_out(Game.new(4, seed=bytes(32)), until=ply)
    seen = view_of(game, game.table.mover)
    found = evaluate(seen, Random(1), Budget(trials=200))
    assert found.player == game.table.mover
    assert {ranked.move for ranked in found.moves} <= set(seen.legal_moves())
    for ranked in found.moves:
        assert sum(ranked.chances) == pytest.approx(1)
        for low, chance, high in zip(ranked.low, ranked.chances, ranked.high, strict=True):
            assert 0 <= low <= chance <= high <= 1
        assert all(
            score >= now for score, now in zip(ranked.scores, game.table.scores, strict=True)
        )
    assert found.chances == found.moves[0].chances
    assert found.scores == found.moves[0].scores
    tried = [ranked.trials for ranked in found.moves]
    assert tried == sorted(tried, reverse=True)


def test_the_last_block_of_the_game_is_known_exactly() -> None:
    """One turn is left: whoever builds decides, and nothing hides from him that matters."""
    game = play_out(Game.new(4, seed=bytes(32)))
    last = game.at(game.ply - 1)
    seen = view_of(last, last.table.mover)
    found = evaluate(seen, Random(1), Budget(trials=256))
    for ranked in found.moves:
        after = last.at(last.ply)
        after.play(ranked.move)
        assert after.result is not None
        assert ranked.scores == pytest.approx(after.table.scores)
        won = [1 / len(after.result.winners) if n in after.result.winners else 0 for n in range(4)]
        assert ranked.chances == pytest.approx(won)
        assert ranked.low == pytest.approx(ranked.high, abs=1e-6)


def test_who_is_not_to_move_gets_none() -> None:
    game = Game.new(4, seed=bytes(32))
    for player in (None, (game.table.mover + 1) % 4):
        with pytest.raises(EvaluationError, match="to move"):
            evaluate(view_of(game, player), Random(1))


def test_more_trials_make_surer() -> None:
    game = play_out(Game.new(4, seed=bytes(32)), until=20)
    seen = view_of(game, game.table.mover)
    few = evaluate(seen, Random(1), Budget(trials=100)).best
    many = evaluate(seen, Random(1), Budget(trials=4000)).best
    for player in range(4):
        assert 0 < many.high[player] - many.low[player] < few.high[player] - few.low[player]
    *_, hardly = evaluate(seen, Random(1), Budget(trials=1)).moves
    assert hardly.trials == 1
    assert (hardly.low, hardly.high) == ((0,) * 4, (1,) * 4)  # that makes nobody sure


def test_the_same_view_is_evaluated_alike() -> None:
    game = play_out(Game.new(4, seed=bytes(32)), until=60)
    seen = view_of(game, game.table.mover)
    little = Budget(trials=200)
    assert evaluate(seen, budget=little) == evaluate(seen, budget=little)
