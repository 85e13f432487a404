"""A record at the start of a game."""

from __future__ import annotations

from typing import Any

import numpy as np

from manhattan.kernel.bits import U64, stream
from manhattan.kernel.jit import compiled
from manhattan.kernel.layout import ALL_SITES, FULL_SUPPLY, SELECT
from manhattan.kernel.turn import NO_FATE, Game, draw, random_number


@compiled
def start_game(g: Game, players: tuple[int, ...], first: int, seed: Any, number: Any) -> None:
    """Clear the board and deal. The table's rules and seats in the record stay as they are."""
    for colour in range(4):
        for t in range(4):
            g.allowed[colour, t] = ALL_SITES
        g.owner[colour] = U64(0)
        g.supply[colour] = FULL_SUPPLY
        g.tableau[colour] = np.uint32(0)
        g.taken_out[colour] = np.uint32(0)
        g.scores[colour] = 0
        g.points_at[colour] = U64(0)
        g.copies[colour] = U64(0)
    for site in range(54):
        g.floors[site] = np.uint32(0)
        g.heights[site] = np.uint8(0)
    for i in range(45):
        g.cards[i] = np.uint8(i % 9)
    g.pile, g.played, g.in_order, g.shuffles = 45, 0, 0, 1
    g.round_number, g.start, g.mover, g.phase = 0, first, first, SELECT
    g.blocks_left, g.built = 0, 0
    g.random = stream(U64(seed), U64(number))
    for turn in range(len(players)):
        player = first + turn
        player = player - len(players) if player >= len(players) else player
        for _ in range(4):
            draw(g, player, random_number(g) >> U64(32), NO_FATE)


@compiled
def stream_once(seed: Any, number: Any) -> Any:
    return stream(seed, number)
