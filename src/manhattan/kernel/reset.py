"""The start of a game."""

from __future__ import annotations

from typing import Any

import numpy as np

from manhattan.kernel.bits import U64, stream_start
from manhattan.kernel.jit import compiled, inlined
from manhattan.kernel.layout import ALL_SITES, FULL_SUPPLY, SELECT, GameRecord
from manhattan.kernel.transition import NO_FORCED_PILE, draw, next_player, next_random
from manhattan.rules.board import HAND_SIZE


@inlined
def clear_game(g: GameRecord, first: int) -> None:
    """Clear the board and put all cards on the pile. The record's rules and sides stay."""
    for colour in range(4):
        for t in range(4):
            g.allowed[colour, t] = ALL_SITES
        g.owner[colour] = U64(0)
        g.supply[colour] = FULL_SUPPLY
        g.tableau[colour] = np.uint32(0)
        g.taken_out[colour] = np.uint32(0)
        g.scores[colour] = 0
        g.hand_mask[colour] = U64(0)
        g.copies[colour] = U64(0)
    for site in range(54):
        g.floors[site] = np.uint32(0)
        g.heights[site] = np.uint8(0)
    for i in range(45):
        g.cards[i] = np.uint8(i % 9)
    g.pile, g.played, g.in_order, g.shuffles = 45, 0, 0, 1
    g.round_number, g.start, g.mover, g.phase = 0, first, first, SELECT
    g.blocks_left, g.built = 0, 0


@compiled
def start_game(g: GameRecord, players: tuple[int, ...], first: int, seed: Any, number: Any) -> None:
    """Clear the board and deal. Seed and number determine all cards of the game."""
    clear_game(g, first)
    g.random = stream_start(U64(seed), U64(number))
    player = first
    for _ in range(len(players)):
        for _ in range(HAND_SIZE):
            draw(g, player, next_random(g) >> U64(32), NO_FORCED_PILE)
        player = next_player(player, players)


@compiled
def start_game_of(games: Any, players: Any, first: int, seed: Any, number: int) -> None:
    start_game(games[0], players, first, seed, number)


@compiled
def stream_start_of(seed: Any) -> Any:
    return stream_start(seed, U64(0))
