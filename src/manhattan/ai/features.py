"""Features of a position from one player's viewpoint: the inputs of the value function.

They depend only on what lies open and on that player's own hand. Every site, every city and the
tallest towers fall into one of a few dozen classes; blocks are counted. The value of a position is
the sum of the weights of its features, with a set of weights for each moment of the game
(``weight_set_index``). docs/explanation/bots.md lists the features.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from manhattan.ai.jit import inlined
from manhattan.kernel.bits import U64, popcount, trailing_zeros
from manhattan.kernel.layout import EVERY_CITY, GameRecord

NO_BLOCK = 5
"""The size that a takeover requires when no block is large enough: the largest has 4 floors."""

# Counts of blocks are put into buckets. Threats: rivals' blocks that could take an own tower.
# Takeovers: own blocks that could take a rival's tower. Both for this round and for later ones.
_THREATS_NOW = (0, 1, 2, 3, 3, 4, 4, 4, 5)
_THREATS_LATER = (0, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 4)
THREAT_BUCKETS_NOW = np.array([*_THREATS_NOW, *[5] * (64 - len(_THREATS_NOW))], np.int64)
THREAT_BUCKETS_LATER = np.array([*_THREATS_LATER, *[4] * (256 - len(_THREATS_LATER))], np.int64)
TAKEOVER_BUCKETS_NOW = np.array([0, 1, 2, *[3] * 61], np.int64)
TAKEOVER_BUCKETS_LATER = np.array([0, 1, 1, 1, *[2] * 252], np.int64)
EMPTY_SITE_BUCKETS = np.array([0, 1, 2, 2, *[3] * 8], np.int64)

_MAX_TOWER_MARGIN, _MAX_HEIGHT_MARGIN = 4, 6

# The first index of each group of features.
EMPTY_SITE = 0  # not named by an own card, named
OWN_TOWER = EMPTY_SITE + 2  # (threats now * 5 + threats later) * 2 + named
RIVAL_TOWER = OWN_TOWER + 6 * 5 * 2  # (((size - 1) * 4 + takeovers now) * 3 + later) * 2 + named
CITY = RIVAL_TOWER + 5 * 4 * 3 * 2  # (margin + 4) * 4 + empty sites
TALLEST = CITY + 9 * 4  # (margin + 6) * 3 + threats to the own tallest tower if it leads
OWN_SUPPLY = TALLEST + 13 * 3  # from here on counts, by size
RIVAL_SUPPLY = OWN_SUPPLY + 4
OWN_TABLEAU = RIVAL_SUPPLY + 4
RIVAL_TABLEAU = OWN_TABLEAU + 4
TURN_ORDER = RIVAL_TABLEAU + 4  # how many players have their turn earlier in this round
BIAS = TURN_ORDER + 4
FEATURE_COUNT = BIAS + 1


@inlined
def blocks_on_tableau(g: GameRecord, colours: tuple[int, ...], player: int) -> Any:
    """Count the blocks that a player has yet to build in this round."""
    count: Any = 0
    for own in range(len(colours)):
        stock = g.tableau[player * len(colours) + own]
        for t in range(4):
            count += np.int64((stock >> np.uint32(8 * t)) & np.uint32(255))
    return count


@inlined
def weight_set_index(g: GameRecord, colours: tuple[int, ...], blocks_left: int) -> Any:
    """Return the index of the set of weights for this round and number of blocks left on the
    player's tableaus. One more than a full tableau stands for the time before the selection."""
    return g.round_number * (g.blocks * len(colours) + 2) + blocks_left


@inlined
def count_blocks_at_least(stocks: Any, colour_count: int, counts: Any) -> None:
    """Fill ``counts[colour, size]``: blocks of at least that many floors; none for NO_BLOCK."""
    for q in range(colour_count):
        total: Any = 0
        counts[q, NO_BLOCK] = 0
        for t in range(3, -1, -1):
            total += np.int64((stocks[q] >> np.uint32(8 * t)) & np.uint32(255))
            counts[q, t + 1] = total
        counts[q, 0] = total


@inlined
def required_size(strength: Any, floors: Any, q: int) -> Any:
    """Return the smallest block with which colour ``q`` takes a tower whose owner has ``strength``
    floors; NO_BLOCK if none does."""
    missing = strength - np.int64((floors >> U64(8 * q)) & U64(255))
    return min(max(missing, 1), NO_BLOCK)


@inlined
def count_threats(
    floors: Any,
    owner: int,
    player: int,
    per_player: int,
    colour_count: int,
    tableau: Any,
    supply: Any,
) -> tuple[Any, Any]:
    """Count the rivals' blocks that could take a tower of the player: in this round, later."""
    strength = np.int64((floors >> U64(8 * owner)) & U64(255))
    now, later = 0, 0
    for q in range(colour_count):
        if q // per_player != player:
            size = required_size(strength, floors, q)
            now += tableau[q, size]
            later += supply[q, size]
    return now, later


@inlined
def count_takeovers(
    floors: Any, owner: int, player: int, per_player: int, tableau: Any, supply: Any
) -> tuple[Any, Any, Any]:
    """Find the smallest block with which the player can take a rival's tower, and count the
    player's blocks that are large enough: in this round, later."""
    strength = np.int64((floors >> U64(8 * owner)) & U64(255))
    smallest, now, later = NO_BLOCK, 0, 0
    for q in range(player * per_player, player * per_player + per_player):
        size = required_size(strength, floors, q)
        smallest = min(smallest, size)
        now += tableau[q, size]
        later += supply[q, size]
    return smallest, now, later


@inlined
def own_tower_feature(now: Any, later: Any) -> Any:
    return OWN_TOWER + 2 * (5 * THREAT_BUCKETS_NOW[now] + THREAT_BUCKETS_LATER[later])


@inlined
def rival_tower_feature(smallest: Any, now: Any, later: Any) -> Any:
    takeovers = (4 * (smallest - 1) + TAKEOVER_BUCKETS_NOW[now]) * 3 + TAKEOVER_BUCKETS_LATER[later]
    return RIVAL_TOWER + 2 * takeovers


@inlined
def city_feature(own: Any, rival: Any, empty: Any) -> Any:
    margin = min(max(own - rival, -_MAX_TOWER_MARGIN), _MAX_TOWER_MARGIN)
    return CITY + 4 * (margin + _MAX_TOWER_MARGIN) + EMPTY_SITE_BUCKETS[empty]


@inlined
def tallest_feature(own: Any, rival: Any, threats: Any) -> Any:
    margin = min(max(own - rival, -_MAX_HEIGHT_MARGIN), _MAX_HEIGHT_MARGIN)
    danger = 0
    if margin > 0 and threats > 0:
        danger = 1 if threats < 3 else 2
    return TALLEST + 3 * (margin + _MAX_HEIGHT_MARGIN) + danger


@inlined
def city_counts(
    g: GameRecord, city: int, player: int, per_player: int, colour_count: int
) -> tuple[Any, Any, Any]:
    """Return the most towers of one own colour in a city, the most of one rival colour, and the
    number of empty sites."""
    own: Any = 0
    rival: Any = 0
    total: Any = 0
    for q in range(colour_count):
        towers = np.int64(popcount((g.owner[q] >> U64(9 * city)) & U64(511)))
        total += towers
        if q // per_player == player:
            own = max(own, towers)
        else:
            rival = max(rival, towers)
    return own, rival, 9 - total


@inlined
def extract_features(
    g: GameRecord,
    players: tuple[int, ...],
    colours: tuple[int, ...],
    player: int,
    scratch: Any,
    out: Any,
) -> None:
    """Write all features of a position into ``out``, from one player's viewpoint."""
    out[:] = 0
    extract_tower_features(g, players, colours, player, scratch[0], out)
    per_player = len(colours)
    for city in range(6):
        own, rival, empty = city_counts(g, city, player, per_player, len(players) * per_player)
        out[city_feature(own, rival, empty)] += 1
    for q in range(len(players) * per_player):
        is_own = q // per_player == player
        for t in range(4):
            shift = np.uint32(8 * t)
            out[(OWN_SUPPLY if is_own else RIVAL_SUPPLY) + t] += np.int64(
                (g.supply[q] >> shift) & np.uint32(255)
            )
            out[(OWN_TABLEAU if is_own else RIVAL_TABLEAU) + t] += np.int64(
                (g.tableau[q] >> shift) & np.uint32(255)
            )
    out[TURN_ORDER + (player - g.start + len(players)) % len(players)] = 1
    out[BIAS] = 1


@inlined
def extract_tower_features(
    g: GameRecord, players: tuple[int, ...], colours: tuple[int, ...], player: int, s: Any, out: Any
) -> None:
    """Count the classes of all sites, and find the class of the tallest towers."""
    per_player = len(colours)
    colour_count = len(players) * per_player
    count_blocks_at_least(g.tableau, colour_count, s.tableau_counts)
    count_blocks_at_least(g.supply, colour_count, s.supply_counts)
    named = g.hand_mask[player] * EVERY_CITY
    empty = U64((1 << 54) - 1)
    own_height: Any = 0
    rival_height: Any = 0
    own_site: Any = 0
    own_threats = 0
    for q in range(colour_count):
        left = g.owner[q]
        empty &= ~left
        while left != U64(0):
            site = trailing_zeros(left)
            left &= left - U64(1)
            floors = U64(g.floors[site])
            height = np.int64(g.heights[site])
            is_named = np.int64((named >> site) & U64(1))
            if q // per_player == player:
                now, later = count_threats(
                    floors, q, player, per_player, colour_count, s.tableau_counts, s.supply_counts
                )
                out[own_tower_feature(now, later) + is_named] += 1
                if height > own_height or (height == own_height and np.int64(site) < own_site):
                    own_height, own_threats, own_site = height, now, np.int64(site)
            else:
                smallest, now, later = count_takeovers(
                    floors, q, player, per_player, s.tableau_counts, s.supply_counts
                )
                out[rival_tower_feature(smallest, now, later) + is_named] += 1
                rival_height = max(rival_height, height)
    out[EMPTY_SITE + 1] = np.int64(popcount(empty & named))
    out[EMPTY_SITE] = np.int64(popcount(empty)) - out[EMPTY_SITE + 1]
    out[tallest_feature(own_height, rival_height, own_threats)] = 1


_SCRATCH: list[Any] = [
    ("tableau_counts", np.int64, (4, 6)),  # colour, size: blocks of at least that size
    ("supply_counts", np.int64, (4, 6)),
    ("towers", np.int64, (6, 4)),  # city, colour
    ("site_values", np.float32, (8, 54, 2)),  # block (own colour * 4 + size - 1), site, named
    ("position_sums", np.float32, (8, 9, 2)),  # block, position in the city, named
    ("placement_values", np.float32, (8, 54)),  # block, site
    ("policy_ids", np.int64, (4,)),  # player: the policy in the current rollout
    ("sums_after", np.float32, (8, 9)),  # block, position of the card that is played
]
SCRATCH = np.dtype((np.record, np.dtype(_SCRATCH, align=True)))
"""Working memory for the evaluation of placements."""


def new_scratch() -> Any:
    """Allocate working memory: an array of one record, as compiled code takes it."""
    return np.zeros(1, SCRATCH).view(np.recarray)
