"""The linear value function: the value after each legal placement, without playing any of them.

A placement changes one site, one city, perhaps the tallest tower, the player's tableau and hand.
The value of the other sites depends on the block and on the card that are gone.
``evaluate_sites`` and ``sum_sites`` compute that once for each block and card, so that each
placement then costs a few additions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from manhattan.ai.features import (
    EMPTY_SITE,
    OWN_TABLEAU,
    blocks_on_tableau,
    city_feature,
    count_blocks_at_least,
    count_takeovers,
    count_threats,
    own_tower_feature,
    required_size,
    rival_tower_feature,
    tallest_feature,
    weight_set_index,
)
from manhattan.ai.jit import compiled, inlined, never_inlined
from manhattan.kernel.actions import BUILDS
from manhattan.kernel.bits import U64, below, popcount, trailing_zeros
from manhattan.kernel.layout import GameRecord
from manhattan.kernel.transition import list_placements, next_random


@inlined
def set_site_value(s: Any, block: int, site: Any, weights: Any, feature: Any) -> None:
    """Store the value of a site, not named and named by a card, and add it to the sums."""
    for named in range(2):
        s.site_values[block, site, named] = weights[feature + named]
        s.position_sums[block, site % 9, named] += weights[feature + named]


@inlined
def evaluate_rival_tower(
    floors: Any, owner: int, site: Any, player: int, per_player: int, weights: Any, s: Any
) -> None:
    """Evaluate a rival's tower: a block that leaves the tableau can't take it any more."""
    strength = np.int64((floors >> U64(8 * owner)) & U64(255))
    smallest, now, later = count_takeovers(
        floors, owner, player, per_player, s.tableau_counts, s.supply_counts
    )
    for block in range(4 * per_player):
        size = required_size(strength, floors, player * per_player + block // 4)
        used = 1 if block % 4 + 1 >= size else 0
        feature = rival_tower_feature(smallest, max(now - used, 0), later)
        set_site_value(s, block, site, weights, feature)


@inlined
def evaluate_sites(
    g: GameRecord,
    players: tuple[int, ...],
    colours: tuple[int, ...],
    player: int,
    weights: Any,
    s: Any,
) -> Any:
    """Evaluate every site as it stands, for each block that may leave the tableau and with or
    without a card that names the site.

    Returns the greatest own and rival heights, and the threats to and site of the own tallest
    tower.
    """
    per_player = len(colours)
    colour_count = len(players) * per_player
    count_blocks_at_least(g.tableau, colour_count, s.tableau_counts)
    count_blocks_at_least(g.supply, colour_count, s.supply_counts)
    s.position_sums[:] = np.float32(0)
    own_height: Any = 0
    rival_height: Any = 0
    own_site: Any = 0
    own_threats = 0
    empty = U64((1 << 54) - 1)
    for q in range(colour_count):
        left = g.owner[q]
        empty &= ~left
        while left != U64(0):
            site: Any = np.int64(trailing_zeros(left))
            left &= left - U64(1)
            floors = U64(g.floors[site])
            height = np.int64(g.heights[site])
            if q // per_player == player:
                now, later = count_threats(
                    floors, q, player, per_player, colour_count, s.tableau_counts, s.supply_counts
                )
                for block in range(4 * per_player):
                    set_site_value(s, block, site, weights, own_tower_feature(now, later))
                if height > own_height or (height == own_height and site < own_site):
                    own_height, own_threats, own_site = height, now, site
            else:
                evaluate_rival_tower(floors, q, site, player, per_player, weights, s)
                rival_height = max(rival_height, height)
    while empty != U64(0):
        site = np.int64(trailing_zeros(empty))
        empty &= empty - U64(1)
        for block in range(4 * per_player):
            set_site_value(s, block, site, weights, EMPTY_SITE)
    for city in range(6):
        for q in range(colour_count):
            s.towers[city, q] = np.int64(popcount((g.owner[q] >> U64(9 * city)) & U64(511)))
    return own_height, rival_height, own_threats, own_site


@inlined
def sum_sites(g: GameRecord, colours: tuple[int, ...], player: int, weights: Any, s: Any) -> None:
    """Sum the values of all sites for each block that is gone and each card that is played."""
    hand = g.hand_mask[player]
    for block in range(4 * len(colours)):
        total = np.float32(0)
        for position in range(9):
            named = np.int64((hand >> U64(position)) & U64(1))
            total += s.position_sums[block, position, named]
        total -= weights[OWN_TABLEAU + block % 4]
        for position in range(9):
            copies = (g.copies[player] >> U64(4 * position)) & U64(15)
            last_copy = s.position_sums[block, position, 0] - s.position_sums[block, position, 1]
            s.sums_after[block, position] = total + (
                last_copy if copies == U64(1) else np.float32(0)
            )


@inlined
def city_delta(
    s: Any,
    city: int,
    player: int,
    per_player: int,
    colour_count: int,
    colour: int,
    owner: int,
    weights: Any,
) -> Any:
    """Return how the value of a city changes when an own colour takes a site there from
    ``owner`` (-1: the site was empty)."""
    own, rival, total = 0, 0, 0
    own_after, rival_after = 0, 0
    for q in range(colour_count):
        towers = s.towers[city, q]
        after = towers + (1 if q == colour else 0) - (1 if q == owner else 0)
        total += towers
        if q // per_player == player:
            own, own_after = max(own, towers), max(own_after, after)
        else:
            rival, rival_after = max(rival, towers), max(rival_after, after)
    empty = 9 - total
    empty_after = empty - (1 if owner < 0 else 0)
    return (
        weights[city_feature(own_after, rival_after, empty_after)]
        - weights[city_feature(own, rival, empty)]
    )


@inlined
def tallest_rival(
    g: GameRecord, player: int, per_player: int, colour_count: int, excluded: Any
) -> Any:
    """Return the greatest height of a rival's tower, without the site ``excluded``."""
    height: Any = 0
    for q in range(colour_count):
        if q // per_player != player:
            left = g.owner[q] & ~excluded
            while left != U64(0):
                height = max(height, np.int64(g.heights[trailing_zeros(left)]))
                left &= left - U64(1)
    return height


@inlined
def site_owner(g: GameRecord, colour_count: int, bit: Any) -> Any:
    """Return the colour that owns a site; -1 if the site is empty."""
    owner = -1
    for q in range(colour_count):
        if g.owner[q] & bit != U64(0):
            owner = q
    return owner


@inlined
def evaluate_site_placements(
    g: GameRecord,
    player: int,
    per_player: int,
    colour_count: int,
    own: int,
    bit: Any,
    tallest_towers: Any,
    weights: Any,
    s: Any,
) -> None:
    """Write the value after each legal placement of one own colour on one site."""
    own_height, rival_height, own_threats, own_site = tallest_towers
    tallest_before = tallest_feature(own_height, rival_height, own_threats)
    colour = player * per_player + own
    site: Any = np.int64(trailing_zeros(bit))
    position = site % 9
    owner = site_owner(g, colour_count, bit)
    still_named = 0 if (g.copies[player] >> U64(4 * position)) & U64(15) == U64(1) else 1
    city = np.float32(0)
    if owner != colour:
        city = city_delta(s, site // 9, player, per_player, colour_count, colour, owner, weights)
    rival_after = rival_height
    if owner >= 0 and owner // per_player != player and np.int64(g.heights[site]) == rival_height:
        rival_after = tallest_rival(g, player, per_player, colour_count, bit)
    for t in range(4):
        block = 4 * own + t
        if g.legal[block] & bit == U64(0):
            continue
        floors = U64(g.floors[site]) + (U64(t + 1) << U64(8 * colour))
        now, later = count_threats(
            floors, colour, player, per_player, colour_count, s.tableau_counts, s.supply_counts
        )
        height = np.int64(g.heights[site]) + t + 1
        own_after, threats_after = own_height, own_threats
        if height > own_after or (height == own_after and site < own_site):
            own_after, threats_after = height, now
        value = s.sums_after[block, position] - s.site_values[block, site, still_named]
        value += weights[own_tower_feature(now, later) + still_named] + city
        tallest_after = tallest_feature(own_after, rival_after, threats_after)
        value += weights[tallest_after] - weights[tallest_before]
        s.placement_values[block, site] = value


@never_inlined
def pick_by_value(
    g: GameRecord,
    players: tuple[int, ...],
    colours: tuple[int, ...],
    player: int,
    weights: Any,
    s: Any,
) -> Any:
    """Pick the placement after which the position has the greatest value, ties at random.

    Returns the colour and size (as in ``g.legal``) and the site's bit. The value of every
    placement, up to a common constant, stays in ``s.placement_values``.
    """
    per_player = len(colours)
    colour_count = len(players) * per_player
    tallest_towers = evaluate_sites(g, players, colours, player, weights, s)
    sum_sites(g, colours, player, weights, s)
    best, ties, best_block, best_bit = np.float32(-1e9), U64(0), 0, U64(0)
    for own in range(per_player):
        left = U64(0)
        for t in range(4):
            left |= g.legal[4 * own + t]
        while left != U64(0):
            bit = left & (~left + U64(1))
            left ^= bit
            evaluate_site_placements(
                g, player, per_player, colour_count, own, bit, tallest_towers, weights, s
            )
            for t in range(4):
                block = 4 * own + t
                if g.legal[block] & bit == U64(0):
                    continue
                value = s.placement_values[block, np.int64(trailing_zeros(bit))]
                if value > best:
                    best, ties = value, U64(0)
                if value == best:
                    # Reservoir sampling: each of the ties so far is kept with the same chance.
                    ties += U64(1)
                    if ties == U64(1) or below(next_random(g), ties) == U64(0):
                        best_block, best_bit = block, bit
    return best_block, best_bit


@compiled
def evaluate_placements(
    root: Any,
    players: Any,
    colours: Any,
    policy_id: int,
    value_weights: Any,
    scratch: Any,
    values: Any,
) -> None:
    """Write the value of each legal placement to its action number; leave all others unchanged."""
    g = root[0]
    player = g.mover
    list_placements(g, colours, player)
    weight_set = weight_set_index(g, colours, blocks_on_tableau(g, colours, player) - 1)
    pick_by_value(g, players, colours, player, value_weights[policy_id, weight_set], scratch[0])
    for block in range(4 * len(colours)):
        sites = g.legal[block]
        while sites != U64(0):
            site = np.int64(trailing_zeros(sites))
            sites &= sites - U64(1)
            action = block // 4 * BUILDS + 4 * site + block % 4
            values[action] = scratch[0].placement_values[block, site]
