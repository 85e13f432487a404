"""Playing by itself: uniform and greedy players, to the end of a round or of the game."""

from __future__ import annotations

from typing import Any

import numpy as np

from manhattan.kernel.bits import U64, below, lowest, nth_bit, popcount
from manhattan.kernel.jit import compiled, inlined, never_inlined
from manhattan.kernel.layout import ONE_OWNER, OVER, REMOVE, SELECT
from manhattan.kernel.scoring import greatest_height, score_round, tallest_scorer
from manhattan.kernel.turn import (
    NO_FATE,
    Game,
    begin_turn,
    build,
    fitting_selections,
    has_block,
    left_of,
    pass_selection,
    random_number,
    remove,
    take_blocks,
)

UNIFORM, GREEDY = 0, 1
"""Who plays: any legal move, all alike; or the placement that changes the points most, own less
the mean of the others', ties at random. Both choose their blocks uniformly."""


@inlined
def pick_selection(g: Game, colour: int) -> Any:
    """Any choice of blocks that a colour's supply can give, all alike."""
    low, high = fitting_selections(g, colour, 0), fitting_selections(g, colour, 1)
    count = popcount(low)
    k = below(random_number(g), count + popcount(high))
    if k < count:
        return lowest(nth_bit(low, k))
    return U64(64) + lowest(nth_bit(high, k - count))


@inlined
def pick_anywhere(g: Game, colours: tuple[int, ...], count: Any, random: Any) -> Any:
    """Any of the legal placements, all alike: which colour and size (as in ``g.legal``), and the
    site's bit."""
    k = below(random, count)
    j = 0
    for i in range(1, 4 * len(colours)):
        j += 1 if k >= g.before[i] else 0
    return j, nth_bit(g.legal[j], k - g.before[j])


def _pick_removal(g: Game, colours: tuple[int, ...], player: int) -> int:
    """Any block of a player's tableau, each size of each colour alike."""
    each = len(colours)
    kinds = U64(0)
    for j in range(4 * each):
        if has_block(g, player * each + j // 4, j % 4 + 1):
            kinds += U64(1)
    k = below(random_number(g), kinds)
    picked, passed = 0, U64(0)
    for j in range(4 * each):
        if has_block(g, player * each + j // 4, j % 4 + 1):
            if k == passed:
                picked = j
            passed += U64(1)
    return picked


pick_removal = never_inlined(_pick_removal)


@inlined
def _towers(g: Game, colour: int, city: int) -> Any:
    return np.int64(popcount((g.owner[colour] >> U64(9 * city)) & U64(511)))


def _pick_greedily(g: Game, players: tuple[int, ...], colours: tuple[int, ...], player: int) -> Any:
    """The placement that changes own points less the others' mean most, ties at random.

    Points are weighed as whole numbers: own ones count as often as there are others.
    """
    each, n = len(colours), len(players)
    count = n * each
    top = greatest_height(g)
    scorer = tallest_scorer(g, count, top) if top > 0 else -1
    best, ties = np.int64(-1_000_000), U64(0)
    best_j, best_bit = 0, U64(0)
    towers = np.empty((6, 4), np.int64)
    for city in range(6):
        for q in range(count):
            towers[city, q] = _towers(g, q, city)
    for own in range(each):
        colour = player * each + own
        lost = _weight(scorer, player, each, n, 3)
        higher = _weight(colour, player, each, n, 3) - lost
        equal = -lost
        if g.tallest_tie == ONE_OWNER and scorer == colour:
            equal = np.int64(0)
        left = U64(0)
        for s in range(4):
            left |= g.legal[4 * own + s]
        while left != U64(0):
            bit = left & (~left + U64(1))
            left ^= bit
            site = np.int64(lowest(bit))
            owner = -1
            for q in range(count):
                if g.owner[q] & bit != U64(0):
                    owner = q
            base = _city_gain(towers, site // 9, colour, owner, player, each, n)
            floors = np.int64(g.heights[site])
            for s in range(4):
                if g.legal[4 * own + s] & bit != U64(0):
                    worth = base
                    if floors + s + 1 > top:
                        worth += higher
                    elif floors + s + 1 == top:
                        worth += equal
                    if worth > best:
                        best, ties = worth, U64(0)
                    if worth == best:
                        # Keep each of the ties with the chance that makes all alike.
                        ties += U64(1)
                        if ties == U64(1) or below(random_number(g), ties) == U64(0):
                            best_j, best_bit = 4 * own + s, bit
    return best_j, best_bit


@inlined
def _weight(colour: int, player: int, each: int, n: int, points: int) -> Any:
    """What points of a colour weigh for a player; colour -1 is nobody's."""
    if colour < 0:
        return np.int64(0)
    return np.int64(points * (n - 1)) if colour // each == player else np.int64(-points)


@inlined
def _city_gain(
    towers: Any, city: Any, colour: int, owner: int, player: int, each: int, n: int
) -> Any:
    """What it changes in towers and majority if a colour takes a site of a city."""
    if owner == colour:
        return np.int64(0)
    count = n * each
    was, now = -1, -1
    was_best, now_best = np.int64(0), np.int64(0)
    for q in range(count):
        had = towers[city, q]
        has = had + (1 if q == colour else 0) - (1 if q == owner else 0)
        if had > was_best:
            was_best, was = had, q
        elif had == was_best:
            was = -1
        if has > now_best:
            now_best, now = has, q
        elif has == now_best:
            now = -1
    gain = _weight(colour, player, each, n, 1) - _weight(owner, player, each, n, 1)
    return gain + _weight(now, player, each, n, 2) - _weight(was, player, each, n, 2)


pick_greedily = never_inlined(_pick_greedily)


@inlined
def finish_round(g: Game, players: tuple[int, ...], colours: tuple[int, ...], policy: int) -> None:
    """Play on until the round is scored."""
    while g.phase == SELECT:
        for own in range(len(colours)):
            colour = g.mover * len(colours) + own
            take_blocks(g, colour, pick_selection(g, colour))
        pass_selection(g, players, colours)
    player = g.mover
    for _ in range(g.blocks_left):
        count = U64(0)
        if g.phase != REMOVE:
            count = begin_turn(g, colours, player, NO_FATE)
        if count == U64(0):
            j = pick_removal(g, colours, player)
            remove(g, colours, player, j // 4, j % 4 + 1)
        else:
            random = random_number(g)  # one serves both the choice and the draw
            if policy == GREEDY:
                j, bit = pick_greedily(g, players, colours, player)
            else:
                j, bit = pick_anywhere(g, colours, count, random)
            build(g, players, colours, player, j // 4, j % 4 + 1, bit, random >> U64(32), NO_FATE)
        player = left_of(player, players)
    g.blocks_left = 0
    score_round(g, players, colours)


@compiled
def finish_game(g: Game, players: tuple[int, ...], colours: tuple[int, ...], policy: int) -> None:
    """Play on until the game is over."""
    while g.phase != OVER:
        finish_round(g, players, colours, policy)
