"""The outlook between two rounds: how likely is it that a player wins, and by how much?

A small network looks at every site through the player's eyes, sums the sites of a city, looks at
every city, sums the cities, and then at that together with supplies, scores and the order of
turns. There is a network for each round that may come next; docs/bots.md describes the inputs.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from manhattan.judgement.cells import CELLS, cells_at, keep, positive, together, weighed
from manhattan.judgement.features import NEVER, Game, count_able, need
from manhattan.judgement.jit import compiled, inlined, never_inlined
from manhattan.kernel.bits import U64, lowest

COLOURS = 4
OWNERS = COLOURS + 1
"""Nobody, then the colours: the player's own first, on from there clockwise."""

_FLOORS = OWNERS
_HEIGHT = _FLOORS + COLOURS
_NEED = _HEIGHT + 1  # colour, need - 1: yes or no
_ABLE = _NEED + COLOURS * NEVER
_NAMED = _ABLE + COLOURS
SITE_INPUTS = _NAMED + 1

_SEEN = 3
_SEEN_OF_COLOUR = 3
_MOST_SEEN = _SEEN + _SEEN_OF_COLOUR * COLOURS
"""Of all the inputs of a site, so many at most are not 0: only these are kept and weighed."""

_EMPTY = 54
"""Every site without a tower looks alike; one that is named by a card comes after it."""

_AHEAD = 4 * COLOURS
_ORDER = _AHEAD + 3
TABLE_INPUTS = _ORDER + 4

SITE_CELLS, CITY_CELLS, TABLE_CELLS = CELLS, CELLS, 2 * CELLS
WIN, LEAD, POINTS = 0, 1, 2
ANSWERS = 3
"""The answers: the log-odds of a win; and, in tens of points, by how much the lead over the mean
of the others will grow, and how many points the player will still make."""


class Outlook(NamedTuple):
    """The network's numbers, for each round that may come next."""

    site: npt.NDArray[np.float32]
    site_bias: npt.NDArray[np.float32]
    city: npt.NDArray[np.float32]
    city_bias: npt.NDArray[np.float32]
    table: npt.NDArray[np.float32]
    table_bias: npt.NDArray[np.float32]
    answer: npt.NDArray[np.float32]
    answer_bias: npt.NDArray[np.float32]


SHAPES: dict[str, tuple[int, ...]] = {
    "site": (SITE_INPUTS, SITE_CELLS),
    "site_bias": (SITE_CELLS,),
    "city": (SITE_CELLS + OWNERS, CITY_CELLS),
    "city_bias": (CITY_CELLS,),
    "table": (CITY_CELLS + SITE_CELLS + TABLE_INPUTS, TABLE_CELLS),
    "table_bias": (TABLE_CELLS,),
    "answer": (TABLE_CELLS, ANSWERS),
    "answer_bias": (ANSWERS,),
}

_SIGHT: list[Any] = [
    ("owners", np.int64, (54,)),  # as in OWNERS
    ("named", np.int64, (54,)),  # is it named by a card of the player's?
    ("which", np.int64, (54 + 2, _MOST_SEEN)),  # inputs of towers, then of empty sites
    ("inputs", np.float32, (54 + 2, _MOST_SEEN)),
    ("table", np.float32, (TABLE_INPUTS,)),
    ("able", np.int64, (COLOURS, 6)),
    ("at_empty", np.float32, (2, SITE_CELLS)),
    ("standing", np.float32, (OWNERS,)),
    ("here", np.float32, (SITE_CELLS,)),
    ("all_cities", np.float32, (CITY_CELLS,)),
    ("all_sites", np.float32, (SITE_CELLS,)),
    ("at_table", np.float32, (TABLE_CELLS,)),
    ("answers", np.float32, (ANSWERS,)),
    ("chances", np.float64, (4,)),  # ... of all players, one after another
]
SIGHT = np.dtype((np.record, np.dtype(_SIGHT, align=True)))
"""A position between two rounds as a player sees it, and room to think about it."""


@inlined
def see_site(
    floors: Any, owner: int, named: Any, me: int, each: int, count: int, s: Any, site: Any
) -> None:
    """Note the inputs of one site; its owner is counted from the player's first colour on."""
    which, inputs = s.which[site], s.inputs[site]
    first = me * each
    strength: Any = 0
    if owner > 0:
        strength = np.int64((floors >> U64(8 * ((first + owner - 1) % count))) & U64(255))
    height: Any = 0
    for k in range(count):
        q = (first + k) % count
        own = np.int64((floors >> U64(8 * q)) & U64(255))
        n = need(strength, floors, q)
        height += own
        at = _SEEN + _SEEN_OF_COLOUR * k
        which[at], inputs[at] = _FLOORS + k, np.float32(own) / np.float32(5)
        which[at + 1], inputs[at + 1] = _NEED + NEVER * k + n - 1, np.float32(1)
        which[at + 2], inputs[at + 2] = _ABLE + k, np.float32(s.able[q, n]) / np.float32(6)
    which[0], inputs[0] = owner, np.float32(1)
    which[1], inputs[1] = _HEIGHT, np.float32(height) / np.float32(8)
    which[2], inputs[2] = _NAMED, np.float32(named)


def _look(g: Game, players: tuple[int, ...], colours: tuple[int, ...], me: int, s: Any) -> None:
    """See a position between two rounds through a player's eyes."""
    n, each = len(players), len(colours)
    count = n * each
    count_able(g.supply, count, s.able)
    for site in range(54):
        s.owners[site] = 0
        s.named[site] = np.int64((g.points_at[me] >> U64(site % 9)) & U64(1))
    for k in range(count):
        left = g.owner[(me * each + k) % count]
        while left != U64(0):
            tower = np.int64(lowest(left))
            left &= left - U64(1)
            s.owners[tower] = k + 1
            see_site(U64(g.floors[tower]), k + 1, s.named[tower], me, each, count, s, tower)
    for named in range(2):
        see_site(U64(0), 0, named, me, each, count, s, _EMPTY + named)
    for i in range(TABLE_INPUTS):
        s.table[i] = np.float32(0)
    for k in range(count):
        stock = g.supply[(me * each + k) % count]
        for t in range(4):
            blocks = np.int64((stock >> np.uint32(8 * t)) & np.uint32(255))
            s.table[4 * k + t] = np.float32(blocks) / np.float32(6)
    for k in range(1, n):
        ahead = g.scores[(me + k) % n] - g.scores[me]
        s.table[_AHEAD + k - 1] = np.float32(ahead) / np.float32(10)
    s.table[_ORDER + (me - g.start + n) % n] = np.float32(1)


look = never_inlined(_look)


@inlined
def site_cells(s: Any, site: int, seen: int, matrix: Any, bias: Any) -> Any:
    """What the cells make of a site's inputs, so many of them."""
    cells = cells_at(bias, 0)
    for i in range(seen):
        cells = weighed(cells, s.inputs[site, i], matrix, CELLS * s.which[site, i])
    return positive(cells)


@inlined
def add_weighed(inputs: Any, row: int, matrix: Any, each_row: int, at: int, cells: Any) -> Any:
    """Weigh inputs by the rows of a matrix from one on, and add them to the cells."""
    for i in range(len(inputs)):
        cells = weighed(cells, inputs[i], matrix, each_row * (row + i) + at)
    return cells


def _think(s: Any, count: int, round_number: int, net: Any) -> None:
    """From what is seen of so many colours to the answers."""
    seen = _SEEN + _SEEN_OF_COLOUR * count
    matrix, bias = net.site[round_number], net.site_bias[round_number]
    city_matrix, city_bias = net.city[round_number], net.city_bias[round_number]
    for named in range(2):
        keep(s.at_empty, CELLS * named, site_cells(s, _EMPTY + named, seen, matrix, bias))
    s.all_cities[:] = np.float32(0)
    s.all_sites[:] = np.float32(0)
    for city in range(6):
        s.standing[:] = np.float32(0)
        s.here[:] = np.float32(0)
        here = cells_at(s.here, 0)
        for site in range(9 * city, 9 * city + 9):
            owner = s.owners[site]
            s.standing[owner] += np.float32(1)
            if owner > 0:
                here = together(here, site_cells(s, site, seen, matrix, bias))
            else:
                here = together(here, cells_at(s.at_empty, CELLS * s.named[site]))
        keep(s.here, 0, here)
        keep(s.all_sites, 0, together(cells_at(s.all_sites, 0), here))
        cells = add_weighed(s.here, 0, city_matrix, CELLS, 0, cells_at(city_bias, 0))
        cells = add_weighed(s.standing, SITE_CELLS, city_matrix, CELLS, 0, cells)
        keep(s.all_cities, 0, together(cells_at(s.all_cities, 0), positive(cells)))
    table, table_bias = net.table[round_number], net.table_bias[round_number]
    for at in range(0, TABLE_CELLS, CELLS):
        cells = cells_at(table_bias, at)
        cells = add_weighed(s.all_cities, 0, table, TABLE_CELLS, at, cells)
        cells = add_weighed(s.all_sites, CITY_CELLS, table, TABLE_CELLS, at, cells)
        cells = add_weighed(s.table, CITY_CELLS + SITE_CELLS, table, TABLE_CELLS, at, cells)
        keep(s.at_table, at, positive(cells))
    for answer in range(ANSWERS):
        s.answers[answer] = net.answer_bias[round_number, answer]
        for h in range(TABLE_CELLS):
            s.answers[answer] += s.at_table[h] * net.answer[round_number, h, answer]


think = never_inlined(_think)


@compiled
def look_at_many(
    boards: Any, who: Any, players: Any, colours: Any, s: Any, sites: Any, table: Any
) -> None:
    """What is seen of many positions, each through one player's eyes: to learn from."""
    seen = _SEEN + _SEEN_OF_COLOUR * len(players) * len(colours)
    for i in range(len(boards)):
        look(boards[i], players, colours, who[i], s[0])
        for site in range(54):
            kept = site if s[0].owners[site] > 0 else _EMPTY + s[0].named[site]
            sites[i, site] = np.float32(0)
            for n in range(seen):
                sites[i, site, s[0].which[kept, n]] = s[0].inputs[kept, n]
        table[i] = s[0].table


@compiled
def ask_outlook(
    boards: Any, who: Any, players: Any, colours: Any, s: Any, net: Any, answers: Any
) -> None:
    """The answers for many positions."""
    for i in range(len(boards)):
        look(boards[i], players, colours, who[i], s[0])
        think(s[0], len(players) * len(colours), boards[i].round_number, net)
        answers[i] = s[0].answers
