"""The last placement of a game, against trying all moves by the readable rules."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from manhattan.ai.endgame import is_last_placement, pick_last_placement
from manhattan.ai.jit import compiled
from manhattan.ai.model import Kind
from manhattan.ai.search import POINT_VALUE, Searcher, SearchLimits
from manhattan.game import Game
from manhattan.kernel import Position
from manhattan.kernel.actions import BUILDS
from manhattan.kernel.bits import trailing_zeros
from manhattan.rules import Move, Phase
from support.positions import play_out
from support.random_models import lengths, random_model, random_networks


@compiled
def best_action(games: Any, players: Any, colours: Any) -> Any:
    """Return the number of the best last placement, or -1 if the game goes on after it."""
    if not is_last_placement(games[0]):
        return -1
    block, bit = pick_last_placement(games[0], players, colours, POINT_VALUE, games[1:])
    return block // 4 * BUILDS + 4 * np.int64(trailing_zeros(bit)) + block % 4


def value_after(game: Game, move: Move) -> float:
    """The share of the win, and points of lead, by the readable rules."""
    player = game.public.mover
    public = game.after(move).public
    assert public.result is not None
    result, scores = public.result, public.scores
    own, total = scores[player], sum(scores)
    lead = own - (total - own) / (len(scores) - 1)
    share = (player in result.winners) / len(result.winners)
    return share + POINT_VALUE * lead


def near_the_end(players: int, seed: int, left: int = 1) -> Game:
    """A game with this number of turns left."""
    whole = play_out(Game.new(players, seed=bytes([seed] * 32)), step=7919 + seed)
    return whole.at(whole.ply - left)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_last_placement_is_the_best_by_the_rules(players: int) -> None:
    choices = 0
    for seed in range(12):
        game = near_the_end(players, seed)
        if game.public.phase is not Phase.BUILD:
            continue
        at = Position.from_state(game.state)
        games = np.repeat(at.data, 2).view(np.recarray)
        picked = at.decode(int(best_action(games, *lengths(at))))
        values = {str(move): value_after(game, move) for move in game.legal_moves()}
        assert values[str(picked)] == pytest.approx(max(values.values()))
        choices += len(set(values.values())) > 1
    assert choices > 5


def test_the_game_goes_on_after_other_placements() -> None:
    at = Position.from_state(near_the_end(4, 1, left=2).state)
    assert best_action(np.repeat(at.data, 2).view(np.recarray), *lengths(at)) == -1


def test_a_search_with_networks_tries_every_last_placement() -> None:
    """It finds the best one, although its policy network ranks the placements at random."""
    game = near_the_end(4, 3)
    at = Position.from_state(game.state)
    kind = Kind.of(at.setup)
    searcher = Searcher(random_model(kind), at, 1, random_networks(kind))
    assert sorted(searcher.candidates()) == sorted(at.legal_actions())
    stats = searcher.search(searcher.candidates(), SearchLimits(10**9))
    values = {str(move): value_after(game, move) for move in game.legal_moves()}
    assert stats[0].value == pytest.approx(max(values.values()))
    assert values[str(at.decode(stats[0].action))] == pytest.approx(max(values.values()))
    assert stats[0].rollouts < 50


def test_the_policy_network_has_no_say_in_the_last_placements() -> None:
    for left in range(1, 5):
        at = Position.from_state(near_the_end(4, 3, left).state)
        kind = Kind.of(at.setup)
        searcher = Searcher(random_model(kind), at, 1, random_networks(kind))
        assert not searcher.prior_sums(searcher.candidates()).any()
