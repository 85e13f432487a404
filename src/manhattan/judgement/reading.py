"""Reading the others: whose way of playing fits what a player has built so far?

For every block that a rival has placed it is asked how often each way of playing would have
placed it just so, with the card that he played and three others that nobody knows. That makes
some ways of playing likelier than others, and trials let him go on accordingly.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from manhattan.judgement.features import Game, blocks_on_tableau, context
from manhattan.judgement.jit import compiled, inlined, never_inlined
from manhattan.judgement.selfplay import CHANCE, GREED
from manhattan.judgement.weigh import pick_by_value
from manhattan.kernel.bits import U64, below
from manhattan.kernel.policies import pick_greedily
from manhattan.kernel.start import start_game
from manhattan.kernel.turn import count_placements, place, random_number

SAMPLES = 6
"""Hands that are tried for a block that was placed."""

_SLIP = 0.1
_OTHERS = 40.0
"""Nobody always plays his way: so often he does anything else, one of about so many."""


@inlined
def fill_tableaus(b: Game, root: Game, count: int, begin: Any, end: Any, now: bool) -> None:
    """What was chosen for a round: what was placed in it, and what is left if it goes on."""
    for q in range(count):
        b.tableau[q] = root.tableau[q] if now else np.uint32(0)
    for i in range(begin, end):
        entry = np.int64(root.log[i])
        b.tableau[entry // 4 % 4] += np.uint32(1) << np.uint32(8 * (entry % 4))
    for q in range(count):
        b.supply[q] -= b.tableau[q]


@inlined
def imagine_hand(b: Game, player: Any, position: Any) -> None:
    """The card that was played, and three others."""
    b.points_at[player] = U64(1) << position
    b.copies[player] = U64(1) << (U64(4) * position)
    for _ in range(3):
        other = below(random_number(b), U64(9))
        b.points_at[player] |= U64(1) << other
        b.copies[player] += U64(1) << (U64(4) * other)


@inlined
def fits(
    b: Game,
    players: tuple[int, ...],
    colours: tuple[int, ...],
    player: Any,
    j: Any,
    bit: Any,
    way: int,
    values: Any,
    room: Any,
) -> Any:
    """How likely is this placement in a way of playing, with the hand that is imagined?"""
    count = count_placements(b, colours, player)
    if way == CHANCE:
        return 1.0 / np.float64(count)
    if way == GREED:
        k, where = pick_greedily(b, players, colours, player)
    else:
        at = context(b, colours, blocks_on_tableau(b, colours, player) - 1)
        k, where = pick_by_value(b, players, colours, player, values[way, at], room[0])
    return 1.0 if k == j and where == bit else 0.0


def _read_styles(
    root: Game,
    b: Game,
    players: tuple[int, ...],
    colours: tuple[int, ...],
    me: int,
    pool: Any,
    values: Any,
    room: Any,
    likely: Any,
) -> None:
    """``likely[player, n]``: how likely it is that he plays in the n-th way of the pool."""
    each = len(colours)
    count = len(players) * each
    likely[:] = 0.0
    start_game(b, players, 0, b.random, 0)  # clears the board
    for q in range(count):
        b.supply[q] -= root.taken_out[q]  # nobody knows any more in which round
    begin: Any = 0
    this_round = root.round_number
    for number in range(this_round + 1):
        now = number == this_round
        end: Any = root.built if now else np.int64(root.scored_at[number])
        fill_tableaus(b, root, count, begin, end, now)
        b.round_number = number
        if begin < end:
            b.start = np.int64(root.log[begin]) // 4 % 4 // each
        for i in range(begin, end):
            entry: Any = np.int64(root.log[i])
            site, colour, size = entry // 16, entry // 4 % 4, entry % 4 + 1
            player, bit = colour // each, U64(1) << U64(site)
            if player != me:
                j = colour % each * 4 + size - 1
                for n in range(len(pool)):
                    found = 0.0
                    for _ in range(SAMPLES):
                        imagine_hand(b, player, U64(site % 9))
                        found += fits(b, players, colours, player, j, bit, pool[n], values, room)
                    likely[player, n] += np.log(
                        (1.0 - _SLIP) * found / np.float64(SAMPLES) + _SLIP / _OTHERS
                    )
            b.tableau[colour] -= np.uint32(1) << np.uint32(8 * (size - 1))
            place(b, players, colours, colour, size, bit)
        begin = end
    for player in range(len(players)):
        most = likely[player].max()
        total = 0.0
        for n in range(len(pool)):
            likely[player, n] = np.exp(likely[player, n] - most)
            total += likely[player, n]
        for n in range(len(pool)):
            likely[player, n] /= total


read_styles = never_inlined(_read_styles)


@compiled
def read_styles_once(
    root: Any,
    board: Any,
    players: Any,
    colours: Any,
    pool: Any,
    values: Any,
    room: Any,
    likely: Any,
) -> None:
    """The same for whoever is to move, called from Python."""
    me = root[0].mover
    read_styles(root[0], board[0], players, colours, me, pool, values, room, likely)
