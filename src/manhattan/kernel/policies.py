"""Compiled playout policies: uniform random and greedy."""

from __future__ import annotations

from typing import Any

import numpy as np

from manhattan.kernel.action_api import selection_count
from manhattan.kernel.actions import BUILDS, REMOVALS
from manhattan.kernel.bits import U64, below, nth_bit, popcount, trailing_zeros
from manhattan.kernel.jit import compiled, inlined, never_inlined
from manhattan.kernel.layout import ONE_OWNER, OVER, REMOVE, SELECT, GameRecord
from manhattan.kernel.scoring import greatest_height, tallest_scorer
from manhattan.kernel.transition import (
    NO_FORCED_PILE,
    apply_build,
    apply_removal,
    apply_selection,
    available_selections,
    draw_cards,
    has_block,
    next_random,
)
from manhattan.rules.scoring import MAJORITY_POINTS, TALLEST_POINTS, TOWER_POINTS

UNIFORM_POLICY, GREEDY_POLICY = -2, -1
"""Policy ids, in the kernel and in ``manhattan.ai``, whose trained value functions have the ids
from 0 on. UNIFORM_POLICY makes a random legal placement. GREEDY_POLICY makes the one that adds most
to own points minus the mean of the others' points, ties at random. In the kernel both select blocks
at random; ``ai.playout_policy`` lets every policy select by plans."""


@compiled
def pick(g: GameRecord, players: tuple[int, ...], colours: tuple[int, ...], policy: int) -> Any:
    """Return the action that a policy picks for the mover."""
    per_player, player = len(colours), g.mover
    if g.phase == SELECT:
        selection = np.int64(pick_selection(g, player * per_player))
        if per_player == 2:
            second = np.int64(pick_selection(g, player * per_player + 1))
            selection = selection * selection_count(g) + second
        return (BUILDS + REMOVALS) * per_player + selection
    if g.phase == REMOVE:
        return BUILDS * per_player + pick_removal(g, colours, player)
    random = next_random(g) if policy == UNIFORM_POLICY else U64(0)
    block, bit = pick_placement(g, players, colours, policy, random)
    return block // 4 * BUILDS + 4 * np.int64(trailing_zeros(bit)) + block % 4


@inlined
def play_move(
    g: GameRecord, players: tuple[int, ...], colours: tuple[int, ...], policy: int
) -> None:
    """Let a policy move: like ``step`` with ``pick``, but without encoding the move."""
    per_player, player = len(colours), g.mover
    random = U64(0)
    if g.phase == SELECT:
        first = pick_selection(g, player * per_player)
        second = pick_selection(g, player * per_player + 1) if per_player == 2 else U64(0)
        cards = apply_selection(g, players, colours, first, second)
    elif g.phase == REMOVE:
        block = pick_removal(g, colours, player)
        cards = apply_removal(g, players, colours, block // 4, block % 4 + 1)
    else:
        random = next_random(g)  # its low half picks the placement, its high half the card
        block, bit = pick_placement(g, players, colours, policy, random)
        cards = apply_build(g, players, colours, block // 4, block % 4 + 1, bit)
    draw_cards(g, players, colours, cards, random >> U64(32), NO_FORCED_PILE)


@compiled
def finish_game(
    g: GameRecord, players: tuple[int, ...], colours: tuple[int, ...], policy: int
) -> None:
    """Let a policy play until the game is over."""
    while g.phase != OVER:
        play_move(g, players, colours, policy)


@inlined
def pick_placement(
    g: GameRecord, players: tuple[int, ...], colours: tuple[int, ...], policy: int, random: Any
) -> Any:
    """Return the mover's placement: the index of its colour and size in ``g.legal``, and the bit
    of its site."""
    if policy == GREEDY_POLICY:
        return pick_greedy(g, players, colours, g.mover)
    return pick_uniform(g, colours, random)


@inlined
def pick_selection(g: GameRecord, colour: int) -> Any:
    """Return a random selection that a colour's supply has the blocks for."""
    low, high = available_selections(g, colour, 0), available_selections(g, colour, 1)
    count = popcount(low)
    k = below(next_random(g), count + popcount(high))
    # Without a branch: the processor can't predict which half the selection is in.
    in_high = U64(0) - U64(k >= count)
    bits = low ^ (in_high & (low ^ high))
    return (in_high & U64(64)) + trailing_zeros(nth_bit(bits, k - (in_high & count)))


@inlined
def pick_uniform(g: GameRecord, colours: tuple[int, ...], random: Any) -> Any:
    """Return a random one of the mover's legal placements."""
    last = 4 * len(colours) - 1
    k = below(random, g.before[last] + popcount(g.legal[last]))
    block = 0
    for i in range(1, 4 * len(colours)):
        block += 1 if k >= g.before[i] else 0
    return block, nth_bit(g.legal[block], k - g.before[block])


@never_inlined
def pick_removal(g: GameRecord, colours: tuple[int, ...], player: int) -> int:
    """Return a random colour and size of a player's tableau, each with equal probability."""
    per_player = len(colours)
    kinds = U64(0)
    for block in range(4 * per_player):
        if has_block(g, player * per_player + block // 4, block % 4 + 1):
            kinds += U64(1)
    k = below(next_random(g), kinds)
    picked, passed = 0, U64(0)
    for block in range(4 * per_player):
        if has_block(g, player * per_player + block // 4, block % 4 + 1):
            if k == passed:
                picked = block
            passed += U64(1)
    return picked


@inlined
def _towers(g: GameRecord, colour: int, city: int) -> Any:
    return np.int64(popcount((g.owner[colour] >> U64(9 * city)) & U64(511)))


@never_inlined
def pick_greedy(
    g: GameRecord, players: tuple[int, ...], colours: tuple[int, ...], player: int
) -> Any:
    """Return the placement that adds most to own points minus the others' mean, ties at random.

    The values are integers: own points count once for each opponent.
    """
    per_player, player_count = len(colours), len(players)
    colour_count = player_count * per_player
    top = greatest_height(g)
    scorer = tallest_scorer(g, colour_count, top) if top > 0 else -1
    best, ties = np.int64(-1_000_000), U64(0)
    best_block, best_bit = 0, U64(0)
    towers = np.empty((6, 4), np.int64)
    for city in range(6):
        for q in range(colour_count):
            towers[city, q] = _towers(g, q, city)
    for own in range(per_player):
        colour = player * per_player + own
        lost = _value(scorer, player, per_player, player_count, TALLEST_POINTS)
        higher = _value(colour, player, per_player, player_count, TALLEST_POINTS) - lost
        equal = -lost
        if g.tallest_tie == ONE_OWNER and scorer == colour:
            equal = np.int64(0)
        left = U64(0)
        for t in range(4):
            left |= g.legal[4 * own + t]
        while left != U64(0):
            bit = left & (~left + U64(1))
            left ^= bit
            site = np.int64(trailing_zeros(bit))
            owner = -1
            for q in range(colour_count):
                if g.owner[q] & bit != U64(0):
                    owner = q
            city_gain = _city_gain(
                towers, site // 9, colour, owner, player, per_player, player_count
            )
            floors = np.int64(g.heights[site])
            for t in range(4):
                if g.legal[4 * own + t] & bit != U64(0):
                    gain = city_gain
                    if floors + t + 1 > top:
                        gain += higher
                    elif floors + t + 1 == top:
                        gain += equal
                    if gain > best:
                        best, ties = gain, U64(0)
                    if gain == best:
                        # Reservoir sampling: every tie has the same chance.
                        ties += U64(1)
                        if ties == U64(1) or below(next_random(g), ties) == U64(0):
                            best_block, best_bit = 4 * own + t, bit
    return best_block, best_bit


@inlined
def _value(colour: int, player: int, per_player: int, player_count: int, points: int) -> Any:
    """Return the value of a colour's points to a player; colour -1 is none."""
    if colour < 0:
        return np.int64(0)
    is_own = colour // per_player == player
    return np.int64(points * (player_count - 1)) if is_own else np.int64(-points)


@inlined
def _city_gain(
    towers: Any, city: Any, colour: int, owner: int, player: int, per_player: int, player_count: int
) -> Any:
    """Return the gain in towers and majority if a colour takes a site of a city."""
    if owner == colour:
        return np.int64(0)
    before, after = -1, -1
    most_before, most_after = np.int64(0), np.int64(0)
    for q in range(player_count * per_player):
        count = towers[city, q]
        if count > most_before:
            most_before, before = count, q
        elif count == most_before:
            before = -1
        count += (1 if q == colour else 0) - (1 if q == owner else 0)
        if count > most_after:
            most_after, after = count, q
        elif count == most_after:
            after = -1
    gain = _value(colour, player, per_player, player_count, TOWER_POINTS)
    gain -= _value(owner, player, per_player, player_count, TOWER_POINTS)
    gain += _value(after, player, per_player, player_count, MAJORITY_POINTS)
    return gain - _value(before, player, per_player, player_count, MAJORITY_POINTS)
