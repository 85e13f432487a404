"""The end of a game: what a result is worth to a player, and the best last placement.

After the last placement nothing is hidden and nothing can happen any more, so a few dozen legal
placements are all tried. Rollouts let the last player play like that, whatever their policy is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from manhattan.ai.jit import inlined, never_inlined
from manhattan.kernel.bits import U64
from manhattan.kernel.layout import BUILD, GameRecord
from manhattan.kernel.scoring import score_round, winners
from manhattan.kernel.transition import place_block


@inlined
def lead(g: GameRecord, players: tuple[int, ...], player: int) -> Any:
    """Return a player's points less the mean of the rivals' points."""
    n = len(players)
    total = 0
    for other in range(n):
        total += g.scores[other]
    return np.float64(n * g.scores[player] - total) / np.float64(n - 1)


@never_inlined
def win_share(
    g: GameRecord, players: tuple[int, ...], colours: tuple[int, ...], player: int
) -> Any:
    """Return 1 for the winner of a finished game, an equal part for each of several, else 0."""
    bits, count = winners(g, players, colours)[0], 0
    for other in range(len(players)):
        count += bits >> other & 1
    return np.float64(bits >> player & 1) / np.float64(count)


@inlined
def result_value(
    g: GameRecord,
    players: tuple[int, ...],
    colours: tuple[int, ...],
    player: int,
    point_value: Any,
) -> Any:
    """Return what a finished game is worth to a player: the share of the win, plus
    ``point_value`` for each point of lead."""
    return win_share(g, players, colours, player) + point_value * lead(g, players, player)


@inlined
def is_last_placement(g: GameRecord) -> Any:
    """Return whether the game is over after the next placement."""
    return g.blocks_left == 1 and g.round_number + 1 == g.rounds and g.phase == BUILD


@never_inlined
def pick_last_placement(
    g: GameRecord, players: tuple[int, ...], colours: tuple[int, ...], point_value: Any, work: Any
) -> Any:
    """Return the legal placement with the best result for the mover: the index of its colour and
    size in ``g.legal``, and the bit of its site. ``work`` is a record to try it on."""
    player, per_player = g.mover, len(colours)
    best, best_block, best_bit = -1e9, 0, U64(0)
    for block in range(4 * per_player):
        left = g.legal[block]
        while left != U64(0):
            bit = left & (~left + U64(1))
            left ^= bit
            work[0] = g
            after = work[0]
            colour = player * per_player + block // 4
            place_block(after, players, colours, colour, block % 4 + 1, bit)
            score_round(after, players, colours)
            value = result_value(after, players, colours, player, point_value)
            if value > best:
                best, best_block, best_bit = value, block, bit
    return best_block, best_bit
