"""What a player sees in a position: the features that its value is made of.

A position is looked at through one player's eyes, by what lies open and by his own hand. Each
site, each city and the tallest towers fall into one of a few dozen classes; blocks are counted.
The value is the sum of what each of them is worth at this moment of the game (``context``).
docs/bots.md lists the features one by one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from manhattan.judgement.jit import inlined
from manhattan.kernel.bits import U64, lowest, popcount
from manhattan.kernel.layout import EVERY_CITY

Game = Any
"""A record of the kernel's dtype GAME."""

NEVER = 5
"""A block of so many floors would be needed: there is none."""

# How many blocks of rivals could take a tower of mine; how many of mine could take one of theirs.
_NOW = (0, 1, 2, 3, 3, 4, 4, 4, 5)
_LATER = (0, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 4)
THREATS_NOW = np.array([*_NOW, *[5] * (64 - len(_NOW))], np.int64)
THREATS_LATER = np.array([*_LATER, *[4] * (256 - len(_LATER))], np.int64)
CHANCES_NOW = np.array([0, 1, 2, *[3] * 61], np.int64)
CHANCES_LATER = np.array([0, 1, 1, 1, *[2] * 252], np.int64)
EMPTIES = np.array([0, 1, 2, 2, *[3] * 8], np.int64)

_WIDEST, _HIGHEST = 4, 6  # margins of towers in a city, of floors

EMPTY = 0  # an empty site; and, if a card of mine names it, the next
MINE = EMPTY + 2  # threats now * 5 + threats later, times two, plus one if named
THEIRS = MINE + 6 * 5 * 2  # ((need - 1) * 4 + chances now) * 3 + chances later, likewise
CITY = THEIRS + 5 * 4 * 3 * 2  # margin + 4, times 4, + empty sites
TALLEST = CITY + 9 * 4  # margin + 6, times 3, + threats to mine if it leads
MY_SUPPLY = TALLEST + 13 * 3  # from here on numbers, by size
THEIR_SUPPLY = MY_SUPPLY + 4
MY_TABLEAU = THEIR_SUPPLY + 4
THEIR_TABLEAU = MY_TABLEAU + 4
ORDER = THEIR_TABLEAU + 4  # how many have their turn before me in this round
ALWAYS = ORDER + 4
FEATURES = ALWAYS + 1


@inlined
def blocks_on_tableau(g: Game, colours: tuple[int, ...], me: int) -> Any:
    """How many blocks a player has still to build in this round."""
    count: Any = 0
    for own in range(len(colours)):
        stock = g.tableau[me * len(colours) + own]
        for t in range(4):
            count += np.int64((stock >> np.uint32(8 * t)) & np.uint32(255))
    return count


@inlined
def context(g: Game, colours: tuple[int, ...], left: int) -> Any:
    """The moment: with so many blocks left; one more than a round has means: not yet chosen."""
    return g.round_number * (g.blocks * len(colours) + 2) + left


@inlined
def count_able(stocks: Any, count: int, able: Any) -> None:
    """``able[colour, need]``: how many blocks of at least so many floors; none of 5."""
    for q in range(count):
        total: Any = 0
        able[q, NEVER] = 0
        for t in range(3, -1, -1):
            total += np.int64((stocks[q] >> np.uint32(8 * t)) & np.uint32(255))
            able[q, t + 1] = total
        able[q, 0] = total


@inlined
def need(strength: Any, floors: Any, q: int) -> Any:
    """The smallest block with which a colour takes a tower of such a strength; 5: none does."""
    lack = strength - np.int64((floors >> U64(8 * q)) & U64(255))
    return min(max(lack, 1), NEVER)


@inlined
def threats(
    floors: Any, owner: int, me: int, each: int, count: int, now: Any, later: Any
) -> tuple[Any, Any]:
    """How many blocks of rivals could take a tower of mine, of this round's and of the rest."""
    strength = np.int64((floors >> U64(8 * owner)) & U64(255))
    soon, some_day = 0, 0
    for q in range(count):
        if q // each != me:
            n = need(strength, floors, q)
            soon += now[q, n]
            some_day += later[q, n]
    return soon, some_day


@inlined
def chances(
    floors: Any, owner: int, me: int, each: int, now: Any, later: Any
) -> tuple[Any, Any, Any]:
    """The smallest block with which I can take a rival's tower, and how many that are big enough
    I have, of this round's and of the rest."""
    strength = np.int64((floors >> U64(8 * owner)) & U64(255))
    least, soon, some_day = NEVER, 0, 0
    for own in range(me * each, me * each + each):
        n = need(strength, floors, own)
        least = min(least, n)
        soon += now[own, n]
        some_day += later[own, n]
    return least, soon, some_day


@inlined
def class_of_mine(soon: Any, some_day: Any) -> Any:
    return MINE + 2 * (5 * THREATS_NOW[soon] + THREATS_LATER[some_day])


@inlined
def class_of_theirs(least: Any, soon: Any, some_day: Any) -> Any:
    return THEIRS + 2 * ((4 * (least - 1) + CHANCES_NOW[soon]) * 3 + CHANCES_LATER[some_day])


@inlined
def class_of_city(mine: Any, theirs: Any, empty: Any) -> Any:
    margin = min(max(mine - theirs, -_WIDEST), _WIDEST)
    return CITY + 4 * (margin + _WIDEST) + EMPTIES[empty]


@inlined
def class_of_tallest(mine: Any, theirs: Any, soon: Any) -> Any:
    margin = min(max(mine - theirs, -_HIGHEST), _HIGHEST)
    danger = 0
    if margin > 0 and soon > 0:
        danger = 1 if soon < 3 else 2
    return TALLEST + 3 * (margin + _HIGHEST) + danger


@inlined
def city_counts(g: Game, city: int, me: int, each: int, count: int) -> tuple[Any, Any, Any]:
    """Most towers of a colour of mine in a city, most of a rival's, and the empty sites."""
    mine: Any = 0
    theirs: Any = 0
    standing: Any = 0
    for q in range(count):
        towers = np.int64(popcount((g.owner[q] >> U64(9 * city)) & U64(511)))
        standing += towers
        if q // each == me:
            mine = max(mine, towers)
        else:
            theirs = max(theirs, towers)
    return mine, theirs, 9 - standing


@inlined
def describe(
    g: Game, players: tuple[int, ...], colours: tuple[int, ...], me: int, room: Any, out: Any
) -> None:
    """Write all features of a position into ``out``, through one player's eyes."""
    each = len(colours)
    count = len(players) * each
    now, later = room[0].now, room[0].later
    count_able(g.tableau, count, now)
    count_able(g.supply, count, later)
    out[:] = 0
    named = g.points_at[me] * EVERY_CITY
    empty = U64((1 << 54) - 1)
    my_height: Any = 0
    their_height: Any = 0
    my_site: Any = 0
    my_danger = 0
    for q in range(count):
        left = g.owner[q]
        empty &= ~left
        while left != U64(0):
            site = lowest(left)
            left &= left - U64(1)
            floors = U64(g.floors[site])
            height = np.int64(g.heights[site])
            here = np.int64((named >> site) & U64(1))
            if q // each == me:
                soon, some_day = threats(floors, q, me, each, count, now, later)
                out[class_of_mine(soon, some_day) + here] += 1
                if height > my_height or (height == my_height and np.int64(site) < my_site):
                    my_height, my_danger, my_site = height, soon, np.int64(site)
            else:
                least, soon, some_day = chances(floors, q, me, each, now, later)
                out[class_of_theirs(least, soon, some_day) + here] += 1
                their_height = max(their_height, height)
    out[EMPTY + 1] = np.int64(popcount(empty & named))
    out[EMPTY] = np.int64(popcount(empty)) - out[EMPTY + 1]
    for city in range(6):
        mine, theirs, free = city_counts(g, city, me, each, count)
        out[class_of_city(mine, theirs, free)] += 1
    out[class_of_tallest(my_height, their_height, my_danger)] = 1
    for q in range(count):
        mine = q // each == me
        for t in range(4):
            shift = np.uint32(8 * t)
            out[(MY_SUPPLY if mine else THEIR_SUPPLY) + t] += np.int64(
                (g.supply[q] >> shift) & np.uint32(255)
            )
            out[(MY_TABLEAU if mine else THEIR_TABLEAU) + t] += np.int64(
                (g.tableau[q] >> shift) & np.uint32(255)
            )
    out[ORDER + (me - g.start + len(players)) % len(players)] = 1
    out[ALWAYS] = 1


_ROOM: list[Any] = [
    ("now", np.int64, (4, 6)),  # colour, need: blocks on the tableau that are big enough
    ("later", np.int64, (4, 6)),  # the same of the supply
    ("towers", np.int64, (6, 4)),  # city, colour
    ("worth", np.float32, (8, 54, 2)),  # own colour * 4 + size - 1, site, named: a rival's tower
    ("sums", np.float32, (8, 9, 2)),  # ... all sites of a position
    ("values", np.float32, (8, 54)),  # ... of a placement
    ("who", np.int64, (4,)),  # in a trial: how each player plays
    ("after", np.float32, (8, 9)),  # ... all sites, once a card for the position was played
]
ROOM = np.dtype((np.record, np.dtype(_ROOM, align=True)))
"""Room to work in, for whoever weighs placements."""
