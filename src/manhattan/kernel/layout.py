"""The memory layout: one game as one flat record, and the tables that go with it.

A site is a bit: site A1 is bit 0, F9 is bit 53, as the rules number them. Blocks are counted in
one byte per size, floors in one byte per colour. Players and colours are numbered as at the table;
a player p with two colours has the colours 2p and 2p + 1.

The vocabulary of all compiled code:

``players``, ``colours``
    Tuples of which only the length counts: see ``table_shape``.
``per_player``, ``colour_count``
    The number of colours of each player, and of all players.
``colour``, ``q``, ``own``
    A colour at the table (``q`` in loops over all of them), and one of a player's own, 0 or 1.
``size``, ``t``
    The floors of a block, 1 to 4, and the same counted from 0.
``block``
    A block of a player: ``4 * own + t``, as in the field ``legal``.
``position``
    A place in a city, 0 to 8. (The rules count from 1.)
``selection``
    The index of some blocks of one colour in ``SELECTIONS``.
``games``
    An array whose first record is meant. Functions with the suffix ``_of`` are entry points from
    Python: an array of one record is cheaper to pass than a record.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from manhattan.rules import HOUSE_RULES, Phase
from manhattan.rules.blocks import FULL_STOCK, SIZES
from manhattan.rules.board import CARDS, CLOCKWISE, SITES, TARGETS

SELECT, BUILD, REMOVE, OVER = 0, 1, 2, 3
"""The phases, in the order of ``rules.Phase``."""

NOBODY, ONE_OWNER = 0, 1
SHARED, OWN_TALLEST, BOARD_TALLEST = 0, 1, 2
"""The rules for ties, in the order of ``rules.HOUSE_RULES``."""

ILLEGAL = "The kernel was about to make an illegal move."

PHASES = tuple(Phase)
TALLEST_TIES, FINAL_TIES = HOUSE_RULES["tallest_tie"], HOUSE_RULES["final_tie"]

MAX_BLOCKS = 160
"""A game has 96 blocks at most, but constructed positions may start from a full board."""

MAX_ROUNDS = 6

CARD_SLOTS = 48
"""The length of the array of cards: played cards lie at its back, the first one last."""

_FIELDS: list[Any] = [
    # Public state
    ("allowed", np.uint64, (4, 4)),  # colour, size - 1: the sites where such a block may go
    ("owner", np.uint64, (4,)),  # colour: the sites of its towers
    ("floors", np.uint32, (54,)),  # site: floors of each colour, one byte each
    ("heights", np.uint8, (56,)),  # site: all floors; two more bytes for alignment
    ("supply", np.uint32, (4,)),  # colour: blocks of each size, one byte each
    ("tableau", np.uint32, (4,)),
    ("taken_out", np.uint32, (4,)),
    ("scores", np.int32, (4,)),  # player
    ("blocks_left", np.int64),  # on all tableaus: the building turns left in the round
    # Cards. A hand is stored by the positions 0 to 8 that its cards name on the board.
    ("hand_mask", np.uint64, (4,)),  # player: the positions, one bit each
    ("copies", np.uint64, (4,)),  # player: the number of cards for each position, 4 bits each
    ("cards", np.uint8, (CARD_SLOTS,)),  # kinds 0 to 8: the pile first, played ones from the back
    ("pile", np.int64),  # the size of the pile; its last card is drawn first
    ("played", np.int64),  # the number of played cards; the first one is the array's last
    ("in_order", np.int64),  # 1 if the pile has a fixed order; else each draw is random
    ("shuffles", np.int64),
    # Whose turn it is
    ("round_number", np.int64),  # from 0
    ("start", np.int64),
    ("mover", np.int64),
    ("phase", np.int64),
    # The rules of the table
    ("blocks", np.int64),  # per colour and round
    ("rounds", np.int64),
    ("tallest_tie", np.int64),
    ("final_tie", np.int64),
    ("card_to_position", np.uint8, (4, 9)),  # player, card: the position that the card names
    ("position_to_card", np.uint8, (4, 9)),  # player, position: the card that names it
    # The log of builds, from which the towers can be rebuilt block by block
    ("built", np.int64),
    ("log", np.uint16, (MAX_BLOCKS,)),  # site * 16 + colour * 4 + size - 1
    # Round: the length of the log when it was scored. Two more bytes for alignment: NumPy does not
    # copy the bytes between fields, so without them two copies could differ as bytes.
    ("scored_at", np.uint8, (MAX_ROUNDS + 2,)),
    # The random number generator, and scratch space
    ("random", np.uint64),
    ("legal", np.uint64, (8,)),  # own colour * 4 + size - 1: the mover's legal sites
    ("before", np.uint64, (8,)),  # the number of placements that come before those
]
GAME = np.dtype((np.record, np.dtype(_FIELDS, align=True)))
"""The record. Its fields are aligned, so that the processor reads each in one access."""


def table_shape(players: int, colours: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return two tuples, as long as there are players and as each player has colours.

    Compiled code takes these numbers as the lengths of tuples, which are part of a tuple's type:
    the compiler knows them, unrolls its loops and is a third faster. The items don't count.
    """
    return (0,) * players, (0,) * colours


def copy_records(records: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Copy an array of records. NumPy's own copy goes field by field and takes 30 times as long."""
    return np.frombuffer(bytearray(records.tobytes()), records.dtype)


GameRecord = Any
"""A record of dtype GAME. Numba knows its exact type; mypy has none for it."""

ALL_SITES = np.uint64(2 ** len(SITES) - 1)
EVERY_CITY = np.uint64(sum(1 << (9 * city) for city in range(6)))
"""A set of positions times this is the set of these positions in all six cities."""

FULL_SUPPLY = np.uint32(sum(count << (8 * i) for i, count in enumerate(FULL_STOCK)))

CARD_TO_POSITION = np.array(
    [[TARGETS[side][card][0] % 9 for card in CARDS] for side in CLOCKWISE], np.uint8
)
"""``[side, card]``: the position 0 to 8 on the board that a card names."""

POSITION_TO_CARD = np.argsort(CARD_TO_POSITION, axis=1).astype(np.uint8)
"""``[side, position]``: the card that names it."""


def _all_selections(count: int) -> list[tuple[int, int, int, int]]:
    """Return every selection of ``count`` blocks, in the order in which the rules list them."""
    return [
        (ones, twos, threes, count - ones - twos - threes)
        for ones in range(count, -1, -1)
        for twos in range(count - ones, -1, -1)
        for threes in range(count - ones - twos, -1, -1)
    ]


SELECTIONS = {count: _all_selections(count) for count in (4, 6)}
"""``[count][n]``: the n-th selection of ``count`` blocks, as the number of blocks of each size."""
PACKED_SELECTIONS = np.zeros((7, 128), np.uint32)
"""``[count, n]``: the same, one byte per size."""

_FITS_LOW = np.zeros((7, 128, 2), np.uint64)
_FITS_HIGH = np.zeros((7, 128, 2), np.uint64)
for _count, _selections in SELECTIONS.items():
    for _n, _selection in enumerate(_selections):
        PACKED_SELECTIONS[_count, _n] = sum(k << (8 * i) for i, k in enumerate(_selection))
        for _key in range(128):
            _bit = np.uint64(1 << (_n % 64))
            if _selection[0] <= _key % 16 and _selection[1] <= _key // 16:
                _FITS_LOW[_count, _key, _n // 64] |= _bit
            if _selection[2] <= _key % 8 and _selection[3] <= _key // 8:
                _FITS_HIGH[_count, _key, _n // 64] |= _bit
FITS_LOW, FITS_HIGH = _FITS_LOW, _FITS_HIGH
"""``[count, supply, word]``: the selections whose 1s and 2s (LOW), whose 3s and 4s (HIGH), a
supply has."""

assert SIZES == (1, 2, 3, 4)
