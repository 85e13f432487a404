"""Weighing placements without playing them: it must come to what playing them comes to."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import numpy as np
import pytest

from manhattan.game import Game
from manhattan.judgement.features import (
    ALWAYS,
    CITY,
    EMPTY,
    FEATURES,
    MINE,
    MY_SUPPLY,
    MY_TABLEAU,
    ORDER,
    ROOM,
    TALLEST,
    THEIR_TABLEAU,
    THEIRS,
    describe,
)
from manhattan.judgement.weigh import pick_by_value
from manhattan.kernel import Position
from manhattan.kernel.bits import U64
from manhattan.kernel.turn import count_placements, place, put_down
from manhattan.rules import Phase, State

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered")


def positions(players: int, seed: int) -> list[State]:
    """Some positions of a random game at which somebody is to build."""
    rng, found = Random(seed), []
    game = Game.new(players, seed=rng.randbytes(32))
    while not game.over:
        if game.table.phase is Phase.BUILD and rng.random() < 0.1:
            found.append(game.state)
        game.play(rng.choice(game.legal_moves()))
    return found


def seen_by(position: Position, player: int) -> Any:
    out = np.zeros(FEATURES)
    describe(
        position.data[0],
        (0,) * len(position.setup.players),
        (0,) * position.setup.schedule.colours,
        player,
        np.zeros(1, ROOM).view(np.recarray),
        out,
    )
    return out


def after(position: Position, j: int, site: int) -> Position:
    """The position after a placement, the card played and none drawn."""
    then = position.copy()
    g, each = then.data[0], position.setup.schedule.colours
    colour = position.mover * each + j // 4
    g.tableau[colour] -= np.uint32(1) << np.uint32(8 * (j % 4))
    players, colours = (0,) * len(position.setup.players), (0,) * each
    place(g, players, colours, colour, j % 4 + 1, U64(1 << site))
    put_down(g, position.mover, U64(site % 9))
    return then


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_placement_is_worth_what_the_position_after_it_is(players: int) -> None:
    weights = np.random.default_rng(players).normal(size=FEATURES).astype(np.float32)
    room = np.zeros(1, ROOM).view(np.recarray)
    for state in positions(players, players):
        position = Position.of_state(state)
        g, me = position.data[0], position.mover
        colours = (0,) * position.setup.schedule.colours
        count_placements(g, colours, me)
        picked = pick_by_value(g, (0,) * players, colours, me, weights, room[0])
        played: dict[tuple[int, int], float] = {}
        for j in range(4 * len(colours)):
            for site in range(54):
                if int(g.legal[j]) >> site & 1:
                    played[j, site] = float(seen_by(after(position, j, site), me) @ weights)
        reckoned = {key: float(room[0]["values"][key]) for key in played}
        apart = [played[key] - reckoned[key] for key in played]
        assert np.ptp(apart) < 1e-3
        best = max(played.values())
        assert played[picked[0], int(picked[1]).bit_length() - 1] > best - 1e-3


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_site_city_and_block_is_counted_once(players: int) -> None:
    for state in positions(players, 10 + players):
        position = Position.of_state(state)
        table, setup = state.table, state.table.setup
        for player in range(players):
            seen = seen_by(position, player)
            assert sum(seen[EMPTY:CITY]) == 54
            owners = Counter(tower.owner for tower in table.board)
            mine = sum(owners[colour] for colour in setup.players[player].colours)
            assert sum(seen[MINE:THEIRS]) == mine
            assert sum(seen[EMPTY:MINE]) == owners[None]
            assert sum(seen[CITY:TALLEST]) == 6
            assert sum(seen[TALLEST:MY_SUPPLY]) == sum(seen[ORDER:ALWAYS]) == seen[ALWAYS] == 1
            own = [own.slot for own in setup.own[player]]
            tableau = np.sum([table.tableaus[slot] for slot in own], axis=0)
            assert seen[MY_TABLEAU : MY_TABLEAU + 4].tolist() == tableau.tolist()
            rest = np.sum(table.tableaus, axis=0) - tableau
            assert seen[THEIR_TABLEAU : THEIR_TABLEAU + 4].tolist() == rest.tolist()


def test_only_what_a_player_can_see_is_looked_at() -> None:
    """Other hands and the pile may be dealt anew: the features stay."""
    for state in positions(4, 20):
        position = Position.of_state(state)
        for player in range(4):
            before = seen_by(position, player)
            other = position.copy()
            other.deal_unseen(player)
            assert (seen_by(other, player) == before).all()
