"""One game as one flat record, and the tables that go with it.

A site is a bit: site A1 is bit 0, F9 is bit 53, as the rules number them. Blocks are counted a
byte for each size, floors a byte for each colour. Players and colours are numbered as at the
table; a player with two colours has 2p and 2p + 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from manhattan.rules import ROWS, Phase
from manhattan.rules.blocks import FULL_STOCK, SIZES
from manhattan.rules.board import CARDS, CLOCKWISE, SITES, TARGETS

SELECT, BUILD, REMOVE, OVER = 0, 1, 2, 3
"""The phases, in the order of ``rules.Phase``."""

NOBODY, ONE_OWNER = 0, 1
SHARED, OWN_TALLEST, BOARD_TALLEST = 0, 1, 2
"""What rulebooks say about ties, in the order of ``rules.ROWS``."""

ILLEGAL = "The kernel was about to make an illegal move."

PHASES = tuple(Phase)
TALLEST_TIES, FINAL_TIES = ROWS["tallest_tie"], ROWS["final_tie"]

MOST_BUILT = 160
"""A game has 96 blocks at most; constructed positions may start from a full board."""

MOST_ROUNDS = 6

_FIELDS: list[Any] = [
    # What lies open
    ("allowed", np.uint64, (4, 4)),  # colour, size - 1: the sites where such a block may go
    ("owner", np.uint64, (4,)),  # colour: the sites of its towers
    ("floors", np.uint32, (54,)),  # site: floors of each colour, a byte each
    ("heights", np.uint8, (56,)),  # site: all floors; two bytes more, to end on a word
    ("supply", np.uint32, (4,)),  # colour: blocks of each size, a byte each
    ("tableau", np.uint32, (4,)),
    ("taken_out", np.uint32, (4,)),
    ("scores", np.int32, (4,)),  # player
    ("blocks_left", np.int64),  # on all tableaus, so turns left in the round
    # Cards. A hand is kept by where its cards point on the board, 0 to 8
    ("points_at", np.uint64, (4,)),  # player: the positions, a bit each
    ("copies", np.uint64, (4,)),  # player: how many cards for each, 4 bits each
    ("cards", np.uint8, (48,)),  # kinds 0 to 8: the pile from the front, played from the back
    ("pile", np.int64),  # how many are in the pile; the last one is drawn first
    ("played", np.int64),  # how many were played; the first one is the last of the array
    ("in_order", np.int64),  # is the pile shuffled? if not, each draw takes any card of it
    ("shuffles", np.int64),
    # Whose turn
    ("round_number", np.int64),  # from 0
    ("start", np.int64),
    ("mover", np.int64),
    ("phase", np.int64),
    # The table's rules
    ("blocks", np.int64),  # for each colour and round
    ("rounds", np.int64),
    ("tallest_tie", np.int64),
    ("final_tie", np.int64),
    ("names", np.uint8, (4, 9)),  # player, card: the position 0 to 8 that it names on the board
    ("card_for", np.uint8, (4, 9)),  # player, position: the card that names it
    # The way here: what was built, for whoever wants the towers block by block
    ("built", np.int64),
    ("log", np.uint16, (MOST_BUILT,)),  # site * 16 + colour * 4 + size - 1
    ("scored_at", np.uint8, (MOST_ROUNDS,)),  # round: how much was built when it was scored
    # Chance, and room to work in
    ("random", np.uint64),
    ("legal", np.uint64, (8,)),  # own colour * 4 + size - 1: the sites where it may go now
    ("before", np.uint64, (8,)),  # how many placements come before those
]
GAME = np.dtype((np.record, np.dtype(_FIELDS, align=True)))
"""The record. Its fields are aligned, so that the processor reads each in one step."""

ALL_SITES = np.uint64(2 ** len(SITES) - 1)
EVERY_CITY = np.uint64(sum(1 << (9 * city) for city in range(6)))
"""A position times this is that position in each of the six cities."""

FULL_SUPPLY = np.uint32(sum(count << (8 * i) for i, count in enumerate(FULL_STOCK)))

POSITION = np.array(
    [[TARGETS[seat][card][0] % 9 for card in CARDS] for seat in CLOCKWISE], np.uint8
)
"""``[seat, kind]``: the position 0 to 8 on the board that a card names."""

KIND = np.argsort(POSITION, axis=1).astype(np.uint8)
"""``[seat, position]``: the card that names it."""

RING = (0, 1, 2, 5, 8, 7, 6, 3, 4)
"""The positions clockwise from the north-west corner, the centre last: so a turn of the table is
a rotation of the first eight."""


def _multisets(count: int) -> list[tuple[int, int, int, int]]:
    """Every choice of so many blocks, in the order in which the rules list them."""
    return [
        (ones, twos, threes, count - ones - twos - threes)
        for ones in range(count, -1, -1)
        for twos in range(count - ones, -1, -1)
        for threes in range(count - ones - twos, -1, -1)
    ]


MULTISETS = {count: _multisets(count) for count in (4, 6)}
SELECTIONS = np.zeros((7, 128), np.uint32)
"""``[count, n]``: the n-th choice of so many blocks, a byte for each size."""

_FITS_LOW = np.zeros((7, 128, 2), np.uint64)
_FITS_HIGH = np.zeros((7, 128, 2), np.uint64)
for _count, _choices in MULTISETS.items():
    for _n, _choice in enumerate(_choices):
        SELECTIONS[_count, _n] = sum(k << (8 * i) for i, k in enumerate(_choice))
        for _key in range(128):
            _bit = np.uint64(1 << (_n % 64))
            if _choice[0] <= _key % 16 and _choice[1] <= _key // 16:
                _FITS_LOW[_count, _key, _n // 64] |= _bit
            if _choice[2] <= _key % 8 and _choice[3] <= _key // 8:
                _FITS_HIGH[_count, _key, _n // 64] |= _bit
FITS_LOW, FITS_HIGH = _FITS_LOW, _FITS_HIGH
"""``[count, supply, word]``: the choices whose 1s and 2s, whose 3s and 4s, a supply can give."""

CHOICES = {count: len(choices) for count, choices in MULTISETS.items()}
assert SIZES == (1, 2, 3, 4)
