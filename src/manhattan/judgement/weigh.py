"""Weighing placements: the value of the position after each of them, without playing any.

A placement changes one site, one city, perhaps the tallest tower, the own tableau and the hand.
What the other sites are worth depends on the block that is gone and on the card that is gone:
``look_round`` sums that up once for each size and card, and each placement then costs a few steps.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from manhattan.judgement.features import (
    CHANCES_LATER,
    CHANCES_NOW,
    EMPTY,
    MY_TABLEAU,
    THEIRS,
    Game,
    chances,
    class_of_city,
    class_of_mine,
    class_of_tallest,
    count_able,
    need,
    threats,
)
from manhattan.judgement.jit import inlined, never_inlined
from manhattan.kernel.bits import U64, below, lowest, popcount
from manhattan.kernel.turn import random_number


@inlined
def look_round(
    g: Game, players: tuple[int, ...], colours: tuple[int, ...], me: int, w: Any, r: Any
) -> Any:
    """What every site is worth as it is, for each block that may be gone and with or without a
    card that names it. Tells the greatest heights, mine and theirs, and where and how endangered
    my tallest tower is."""
    each = len(colours)
    count = len(players) * each
    count_able(g.tableau, count, r.now)
    count_able(g.supply, count, r.later)
    for j in range(4 * each):
        for position in range(9):
            r.sums[j, position, 0] = np.float32(0)
            r.sums[j, position, 1] = np.float32(0)
    my_height: Any = 0
    their_height: Any = 0
    my_site: Any = 0
    my_danger = 0
    empty = U64((1 << 54) - 1)
    for q in range(count):
        left = g.owner[q]
        empty &= ~left
        while left != U64(0):
            site: Any = np.int64(lowest(left))
            left &= left - U64(1)
            floors = U64(g.floors[site])
            height = np.int64(g.heights[site])
            position = site % 9
            if q // each == me:
                soon, some_day = threats(floors, q, me, each, count, r.now, r.later)
                f = class_of_mine(soon, some_day)
                for j in range(4 * each):
                    r.worth[j, site, 0] = w[f]
                    r.worth[j, site, 1] = w[f + 1]
                    r.sums[j, position, 0] += w[f]
                    r.sums[j, position, 1] += w[f + 1]
                if height > my_height or (height == my_height and site < my_site):
                    my_height, my_danger, my_site = height, soon, site
            else:
                strength = np.int64((floors >> U64(8 * q)) & U64(255))
                least, soon, some_day = chances(floors, q, me, each, r.now, r.later)
                f = THEIRS + 2 * (12 * (least - 1) + CHANCES_LATER[some_day])
                for j in range(4 * each):
                    gone = 1 if j % 4 + 1 >= need(strength, floors, me * each + j // 4) else 0
                    k = f + 6 * CHANCES_NOW[max(soon - gone, 0)]
                    r.worth[j, site, 0] = w[k]
                    r.worth[j, site, 1] = w[k + 1]
                    r.sums[j, position, 0] += w[k]
                    r.sums[j, position, 1] += w[k + 1]
                their_height = max(their_height, height)
    while empty != U64(0):
        site = np.int64(lowest(empty))
        empty &= empty - U64(1)
        for j in range(4 * each):
            r.worth[j, site, 0] = w[EMPTY]
            r.worth[j, site, 1] = w[EMPTY + 1]
            r.sums[j, site % 9, 0] += w[EMPTY]
            r.sums[j, site % 9, 1] += w[EMPTY + 1]
    for city in range(6):
        for q in range(count):
            r.towers[city, q] = np.int64(popcount((g.owner[q] >> U64(9 * city)) & U64(511)))
    return my_height, their_height, my_danger, my_site


@inlined
def sum_up(g: Game, colours: tuple[int, ...], me: int, w: Any, r: Any) -> None:
    """What all sites together are worth once a block is gone and a card was played."""
    held = g.points_at[me]
    for j in range(4 * len(colours)):
        total = np.float32(0)
        for position in range(9):
            total += r.sums[j, position, np.int64((held >> U64(position)) & U64(1))]
        total -= w[MY_TABLEAU + j % 4]
        for position in range(9):
            copies = (g.copies[me] >> U64(4 * position)) & U64(15)
            last = r.sums[j, position, 0] - r.sums[j, position, 1]
            r.after[j, position] = total + (last if copies == U64(1) else np.float32(0))


@inlined
def weigh_city(
    r: Any, city: int, me: int, each: int, count: int, colour: int, owner: int, w: Any
) -> Any:
    """What it changes in a city if a colour of mine takes a site there."""
    mine, theirs, standing = 0, 0, 0
    new_mine, new_theirs = 0, 0
    for q in range(count):
        towers = r.towers[city, q]
        then = towers + (1 if q == colour else 0) - (1 if q == owner else 0)
        standing += towers
        if q // each == me:
            mine, new_mine = max(mine, towers), max(new_mine, then)
        else:
            theirs, new_theirs = max(theirs, towers), max(new_theirs, then)
    empty = 9 - standing
    left = empty - (1 if owner < 0 else 0)
    return w[class_of_city(new_mine, new_theirs, left)] - w[class_of_city(mine, theirs, empty)]


@inlined
def greatest_of_theirs(g: Game, me: int, each: int, count: int, but: Any) -> Any:
    """The greatest height of a rival's tower, one site left out."""
    height: Any = 0
    for q in range(count):
        if q // each != me:
            left = g.owner[q] & ~but
            while left != U64(0):
                height = max(height, np.int64(g.heights[lowest(left)]))
                left &= left - U64(1)
    return height


def _pick_by_value(
    g: Game,
    players: tuple[int, ...],
    colours: tuple[int, ...],
    me: int,
    w: Any,
    r: Any,
) -> Any:
    """The placement after which the position is worth most, ties at random: which colour and
    size (as in ``g.legal``), and the site's bit. What each of them is worth, up to what is the
    same for all, stays in ``r.values``."""
    each = len(colours)
    count = len(players) * each
    my_height, their_height, my_danger, my_site = look_round(g, players, colours, me, w, r)
    sum_up(g, colours, me, w, r)
    tallest_before = class_of_tallest(my_height, their_height, my_danger)
    best, ties, best_j, best_bit = np.float32(-1e9), U64(0), 0, U64(0)
    for own in range(each):
        colour = me * each + own
        left = U64(0)
        for t in range(4):
            left |= g.legal[4 * own + t]
        while left != U64(0):
            bit = left & (~left + U64(1))
            left ^= bit
            site: Any = np.int64(lowest(bit))
            owner = -1
            for q in range(count):
                if g.owner[q] & bit != U64(0):
                    owner = q
            position = site % 9
            here = 0 if (g.copies[me] >> U64(4 * position)) & U64(15) == U64(1) else 1
            city = np.float32(0)
            if owner != colour:
                city = weigh_city(r, site // 9, me, each, count, colour, owner, w)
            rivals = their_height
            if owner >= 0 and owner // each != me and np.int64(g.heights[site]) == their_height:
                rivals = greatest_of_theirs(g, me, each, count, bit)
            for t in range(4):
                j = 4 * own + t
                if g.legal[j] & bit == U64(0):
                    continue
                floors = U64(g.floors[site]) + (U64(t + 1) << U64(8 * colour))
                soon, some_day = threats(floors, colour, me, each, count, r.now, r.later)
                height = np.int64(g.heights[site]) + t + 1
                mine, danger = my_height, my_danger
                if height > mine or (height == mine and site < my_site):
                    mine, danger = height, soon
                worth = r.after[j, position] - r.worth[j, site, here]
                worth += w[class_of_mine(soon, some_day) + here] + city
                worth += w[class_of_tallest(mine, rivals, danger)] - w[tallest_before]
                r.values[j, site] = worth
                if worth > best:
                    best, ties = worth, U64(0)
                if worth == best:
                    ties += U64(1)
                    if ties == U64(1) or below(random_number(g), ties) == U64(0):
                        best_j, best_bit = j, bit
    return best_j, best_bit


pick_by_value = never_inlined(_pick_by_value)
