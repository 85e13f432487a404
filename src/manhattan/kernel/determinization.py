"""Determinization: deal the cards that a player can't see at random."""

from __future__ import annotations

from typing import Any

import numpy as np

from manhattan.kernel.bits import U64
from manhattan.kernel.jit import compiled, inlined
from manhattan.kernel.layout import BUILD, GameRecord
from manhattan.kernel.transition import NO_FORCED_PILE, draw, list_placements, next_random
from manhattan.rules.board import HAND_SIZE

SPECTATOR = -1
"""The viewer who sees no hand."""
_MAX_DEALS = 100


@compiled
def determinize(
    g: GameRecord, players: tuple[int, ...], colours: tuple[int, ...], viewer: int
) -> None:
    """Deal the other hands and the pile at random; for a spectator, all hands.

    A mover who is about to build has a legal placement, or they would have revealed their hand: a
    deal without one is repeated (but not forever).
    """
    for _ in range(_MAX_DEALS):
        _return_hidden_hands(g, players, viewer)
        for player in range(len(players)):
            if player != viewer:
                for _ in range(HAND_SIZE):
                    draw(g, player, next_random(g), NO_FORCED_PILE)
        if g.phase != BUILD or list_placements(g, colours, g.mover) != U64(0):
            return


@inlined
def _return_hidden_hands(g: GameRecord, players: tuple[int, ...], viewer: int) -> None:
    """Return the hands that the viewer can't see to the pile."""
    for player in range(len(players)):
        if player != viewer:
            for card in range(9):
                position = U64(g.card_to_position[player, card])
                copies = (g.copies[player] >> (U64(4) * position)) & U64(15)
                for _ in range(np.int64(copies)):
                    g.cards[g.pile] = np.uint8(card)
                    g.pile += 1
            g.hand_mask[player] = U64(0)
            g.copies[player] = U64(0)
    g.in_order = 0


@compiled
def determinize_of(games: Any, players: Any, colours: Any, viewer: int) -> None:
    determinize(games[0], players, colours, viewer)
