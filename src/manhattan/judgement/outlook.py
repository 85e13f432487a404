"""The outlook between two rounds: how likely is it that a player wins, and by how much?

A small network looks at every site through the player's eyes, sums the sites of a city, looks at
every city, sums the cities, and then at that together with supplies, scores and the order of
turns. There is a network for each round that may come next; docs/bots.md describes the inputs.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

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

_AHEAD = 4 * COLOURS
_ORDER = _AHEAD + 3
TABLE_INPUTS = _ORDER + 4

SITE_CELLS, CITY_CELLS, TABLE_CELLS = 32, 32, 64
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
    ("sites", np.float32, (54, SITE_INPUTS)),  # where there is a tower
    ("empty", np.float32, (2, SITE_INPUTS)),  # an empty site; one that is named
    ("table", np.float32, (TABLE_INPUTS,)),
    ("able", np.int64, (COLOURS, 6)),
    ("at_site", np.float32, (SITE_CELLS,)),
    ("at_empty", np.float32, (2, SITE_CELLS)),
    ("in_city", np.float32, (SITE_CELLS + OWNERS,)),
    ("at_city", np.float32, (CITY_CELLS,)),
    ("in_all", np.float32, (CITY_CELLS + SITE_CELLS + TABLE_INPUTS,)),
    ("at_table", np.float32, (TABLE_CELLS,)),
    ("answers", np.float32, (ANSWERS,)),
    ("chances", np.float64, (4,)),  # ... of all players, one after another
]
SIGHT = np.dtype((np.record, np.dtype(_SIGHT, align=True)))
"""A position between two rounds as a player sees it, and room to think about it."""


@inlined
def see_site(
    floors: Any, owner: int, named: Any, me: int, each: int, count: int, able: Any, x: Any
) -> None:
    """Write the inputs of one site; its owner is counted from the player's first colour on."""
    for i in range(SITE_INPUTS):
        x[i] = np.float32(0)
    first = me * each
    strength: Any = 0
    if owner > 0:
        strength = np.int64((floors >> U64(8 * ((first + owner - 1) % count))) & U64(255))
    x[owner] = np.float32(1)
    height: Any = 0
    for k in range(count):
        q = (first + k) % count
        own = np.int64((floors >> U64(8 * q)) & U64(255))
        n = need(strength, floors, q)
        height += own
        x[_FLOORS + k] = np.float32(own) / np.float32(5)
        x[_NEED + NEVER * k + n - 1] = np.float32(1)
        x[_ABLE + k] = np.float32(able[q, n]) / np.float32(6)
    x[_HEIGHT] = np.float32(height) / np.float32(8)
    x[_NAMED] = np.float32(named)


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
            x = s.sites[tower]
            see_site(U64(g.floors[tower]), k + 1, s.named[tower], me, each, count, s.able, x)
    for named in range(2):
        see_site(U64(0), 0, named, me, each, count, s.able, s.empty[named])
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
def layer(inputs: Any, matrix: Any, bias: Any, cells: Any) -> None:
    """Weigh the inputs and add them up."""
    for h in range(len(cells)):
        cells[h] = bias[h]
    for i in range(len(inputs)):
        x = inputs[i]
        if x != np.float32(0):
            for h in range(len(cells)):
                cells[h] += x * matrix[i, h]


@inlined
def add_positive(cells: Any, to: Any) -> None:
    for h in range(len(cells)):
        to[h] += max(cells[h], np.float32(0))


def _think(s: Any, round_number: int, net: Any) -> None:
    """From what is seen to the answers."""
    matrix, bias = net.site[round_number], net.site_bias[round_number]
    s.in_all[:] = np.float32(0)
    cities, sites = s.in_all[:CITY_CELLS], s.in_all[CITY_CELLS : CITY_CELLS + SITE_CELLS]
    for named in range(2):
        layer(s.empty[named], matrix, bias, s.at_empty[named])
    for city in range(6):
        s.in_city[:] = np.float32(0)
        here, owners = s.in_city[:SITE_CELLS], s.in_city[SITE_CELLS:]
        for site in range(9 * city, 9 * city + 9):
            owner = s.owners[site]
            owners[owner] += np.float32(1)
            if owner > 0:
                layer(s.sites[site], matrix, bias, s.at_site)
                add_positive(s.at_site, here)
            else:
                add_positive(s.at_empty[s.named[site]], here)
        layer(s.in_city, net.city[round_number], net.city_bias[round_number], s.at_city)
        add_positive(s.at_city, cities)
        for h in range(SITE_CELLS):
            sites[h] += here[h]
    for i in range(TABLE_INPUTS):
        s.in_all[CITY_CELLS + SITE_CELLS + i] = s.table[i]
    layer(s.in_all, net.table[round_number], net.table_bias[round_number], s.at_table)
    for h in range(TABLE_CELLS):
        s.at_table[h] = max(s.at_table[h], np.float32(0))
    layer(s.at_table, net.answer[round_number], net.answer_bias[round_number], s.answers)


think = never_inlined(_think)


@compiled
def look_at_many(
    boards: Any, who: Any, players: Any, colours: Any, s: Any, sites: Any, table: Any
) -> None:
    """What is seen of many positions, each through one player's eyes: to learn from."""
    for i in range(len(boards)):
        look(boards[i], players, colours, who[i], s[0])
        for site in range(54):
            if s[0].owners[site] > 0:
                sites[i, site] = s[0].sites[site]
            else:
                sites[i, site] = s[0].empty[s[0].named[site]]
        table[i] = s[0].table


@compiled
def ask_outlook(
    boards: Any, who: Any, players: Any, colours: Any, s: Any, net: Any, answers: Any
) -> None:
    """The answers for many positions."""
    for i in range(len(boards)):
        look(boards[i], players, colours, who[i], s[0])
        think(s[0], boards[i].round_number, net)
        answers[i] = s[0].answers
