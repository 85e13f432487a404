"""The value function: incremental values of placements equal those of the positions after them."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import numpy as np
import pytest

from manhattan.ai.features import (
    BIAS,
    CITY,
    EMPTY_SITE,
    FEATURE_COUNT,
    OWN_SUPPLY,
    OWN_TABLEAU,
    OWN_TOWER,
    RIVAL_TABLEAU,
    RIVAL_TOWER,
    TALLEST,
    TURN_ORDER,
    extract_features,
    new_scratch,
)
from manhattan.ai.value_function import pick_by_value
from manhattan.game import Game
from manhattan.kernel import Position
from manhattan.kernel.bits import U64
from manhattan.kernel.transition import discard, list_placements, place_block
from manhattan.rules import Phase, State

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered")


def positions(players: int, seed: int) -> list[State]:
    """Return some positions of a random game in which a player is to build."""
    rng, states = Random(seed), []
    game = Game.new(players, seed=rng.randbytes(32))
    while not game.is_over:
        if game.public.phase is Phase.BUILD and rng.random() < 0.1:
            states.append(game.state)
        game.play(rng.choice(game.legal_moves()))
    return states


def features_of(position: Position, player: int) -> Any:
    out = np.zeros(FEATURE_COUNT)
    extract_features(
        position.data[0],
        (0,) * len(position.setup.players),
        (0,) * position.setup.schedule.colours,
        player,
        new_scratch(),
        out,
    )
    return out


def after(position: Position, block: int, site: int) -> Position:
    """Return the position after a placement, with the card discarded and none drawn."""
    then = position.copy()
    g, per_player = then.data[0], position.setup.schedule.colours
    colour = position.mover * per_player + block // 4
    g.tableau[colour] -= np.uint32(1) << np.uint32(8 * (block % 4))
    players, colours = (0,) * len(position.setup.players), (0,) * per_player
    place_block(g, players, colours, colour, block % 4 + 1, U64(1 << site))
    discard(g, position.mover, U64(site % 9))
    return then


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_value_of_a_placement_is_that_of_the_position_after_it(players: int) -> None:
    weights = np.random.default_rng(players).normal(size=FEATURE_COUNT).astype(np.float32)
    scratch = new_scratch()
    for state in positions(players, players):
        position = Position.from_state(state)
        g, mover = position.data[0], position.mover
        colours = (0,) * position.setup.schedule.colours
        list_placements(g, colours, mover)
        block, bit = pick_by_value(g, (0,) * players, colours, mover, weights, scratch[0])
        expected: dict[tuple[int, int], float] = {}
        for j in range(4 * len(colours)):
            for site in range(54):
                if int(g.legal[j]) >> site & 1:
                    features = features_of(after(position, j, site), mover)
                    expected[j, site] = float(features @ weights)
        values = {key: float(scratch[0]["placement_values"][key]) for key in expected}
        assert np.ptp([expected[key] - values[key] for key in expected]) < 1e-3
        picked = expected[block, int(bit).bit_length() - 1]
        assert picked > max(expected.values()) - 1e-3


@pytest.mark.parametrize("players", [2, 3, 4])
def test_features_count_every_site_city_and_block_once(players: int) -> None:
    for state in positions(players, 10 + players):
        position = Position.from_state(state)
        public, setup = state.public, state.public.setup
        for player in range(players):
            features = features_of(position, player)
            assert sum(features[EMPTY_SITE:CITY]) == 54
            owners = Counter(tower.owner for tower in public.board)
            own_towers = sum(owners[colour] for colour in setup.players[player].colours)
            assert sum(features[OWN_TOWER:RIVAL_TOWER]) == own_towers
            assert sum(features[EMPTY_SITE:OWN_TOWER]) == owners[None]
            assert sum(features[CITY:TALLEST]) == 6
            assert sum(features[TALLEST:OWN_SUPPLY]) == 1
            assert sum(features[TURN_ORDER:BIAS]) == features[BIAS] == 1
            slots = [own.slot for own in setup.colours_by_player[player]]
            tableau = np.sum([public.tableaus[slot] for slot in slots], axis=0)
            assert features[OWN_TABLEAU : OWN_TABLEAU + 4].tolist() == tableau.tolist()
            rest = np.sum(public.tableaus, axis=0) - tableau
            assert features[RIVAL_TABLEAU : RIVAL_TABLEAU + 4].tolist() == rest.tolist()


def test_hidden_cards_do_not_change_the_features() -> None:
    for state in positions(4, 20):
        position = Position.from_state(state)
        for player in range(4):
            before = features_of(position, player)
            other = position.copy()
            other.determinize(player)
            assert (features_of(other, player) == before).all()
