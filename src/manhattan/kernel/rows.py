"""Rows: the numbers of many games side by side, one place in each row for each game.

Two things are kept otherwise than in a single record. Sites are numbered clockwise within their
city (0 to 7 from the north-west corner, 8 the centre), so that turning the table is a rotation,
and cards are 45 bits, kind + 9 * copy, a hand's by where they point on the board.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from manhattan.kernel.bits import U64, mixed, stepped
from manhattan.kernel.jit import inlined
from manhattan.kernel.lanes import load, store
from manhattan.kernel.layout import ALL_SITES, EVERY_CITY

NOTED = 8
"""The numbers of a note on a turn: what each own colour has on the tableau, the hand, the hand
once the first one was shown if it had to be, the number of legal placements, the chosen kind of
block (own colour * 4 + size - 1), the site, the hand after the turn."""

GAMES = 32
"""How many games go abreast: few enough for their rows to stay in the fastest cache."""

NOWHERE = 64
"""The row of no site: where a block goes that is taken out of the game."""

_WORDS = np.uint64
_ROWS: list[Any] = [
    ("allowed", _WORDS, (4, 4, GAMES)),  # colour, size - 1: as far as it has caught up
    ("owner", _WORDS, (4, GAMES)),
    ("floors", np.uint32, (NOWHERE + 1, GAMES)),  # site: floors of each colour, a byte each
    ("supply", _WORDS, (4, GAMES)),  # colour: blocks of each size, a byte each
    ("tableau", _WORDS, (4, GAMES)),
    ("scores", _WORDS, (4, GAMES)),  # colour
    ("hand", _WORDS, (4, GAMES)),  # player: cards by where they point
    ("pile", _WORDS, (GAMES,)),  # cards by kind
    ("random", _WORDS, (GAMES,)),
    # The newest placement of each turn
    ("new_site", _WORDS, (4, GAMES)),  # a bit; none if a block was taken out
    ("new_floors", _WORDS, (4, GAMES)),  # what stands there then
    ("new_owner", _WORDS, (4, GAMES)),  # the colour
    # The choice of the present turn
    ("legal", _WORDS, (8, GAMES)),  # own colour * 4 + size - 1
    ("before", _WORDS, (8, GAMES)),
    ("sites", _WORDS, (GAMES,)),  # of the chosen colour and size: the legal sites
    ("nth", _WORDS, (GAMES,)),  # which of them
    ("kind", _WORDS, (GAMES,)),  # own colour * 4 + size - 1
    ("added", _WORDS, (GAMES,)),  # its floors, in its colour's byte
    ("draw", _WORDS, (GAMES,)),  # which card of the pile
    ("drawn", _WORDS, (GAMES,)),
    ("height", _WORDS, (GAMES,)),  # at a scoring: of the tallest towers
    ("tallest", _WORDS, (GAMES,)),  # their sites
    # The table
    ("first_allowed", _WORDS, (4, 4)),  # the board that every game begins with: an empty one
    ("first_owner", _WORDS, (4,)),
    ("first_floors", np.uint32, (NOWHERE + 1,)),
    ("turned", np.int64, (4,)),  # player: the quarters that his side is turned by
    ("blocks", np.int64),
    ("rounds", np.int64),
    ("tallest_tie", np.int64),
    ("final_tie", np.int64),
]
ABREAST = np.dtype((np.record, np.dtype(_ROWS, align=True)))

ALL_CARDS = U64(2**45 - 1)
_ALL_CENTRES = U64(int(EVERY_CITY) << 8)


@inlined
def everywhere(bits: Any) -> Any:
    """The positions of some cards, or of a site, in each city."""
    bits |= bits >> U64(27)
    bits = (bits | (bits >> U64(9)) | (bits >> U64(18))) & U64(511)
    bits |= bits << U64(9)
    bits |= bits << U64(18)
    return (bits | (bits << U64(36))) & ALL_SITES


@inlined
def turned(cards: Any, quarters: int) -> Any:
    """Cards by their kinds, as cards by where they point from a side of the table."""
    shift = U64(2 * quarters)
    low = ((U64(1) << shift) - U64(1)) * EVERY_CITY
    kept = ~(low | _ALL_CENTRES)
    wrapped = (cards >> (U64(8) - shift)) & low
    return ((cards << shift) & kept) | wrapped | (cards & _ALL_CENTRES)


@inlined
def turned_back(cards: Any, quarters: int) -> Any:
    return turned(cards, (4 - quarters) % 4)


@inlined
def step_random(r: Any, at: int) -> Any:
    """The next random numbers of the games that begin at a lane."""
    counter = stepped(load(r.random, at))
    store(r.random, at, counter)
    return mixed(counter)


@inlined
def step_random_of(r: Any, game: int) -> Any:
    """The next random number of one game."""
    r.random[game] = stepped(r.random[game])
    return mixed(r.random[game])
