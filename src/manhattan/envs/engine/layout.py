"""The layout of an observation: a row of bytes, field by field, the same in every environment.

An observation belongs to one player, the viewer. Players and colours are relative to the viewer:
the viewer is player 0, the next player clockwise is player 1; own colours come first. What a table
does not have (a third player, a fourth colour) is 0. Sites and positions are those of the board,
as in the actions: a hand says where its cards point, not what is printed on them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from math import prod
from typing import Final

import numpy as np


@dataclass(frozen=True, slots=True)
class Field:
    """A part of the observation."""

    name: str
    offset: int
    shape: tuple[int, ...]
    high: int
    """The greatest value; the least is 0."""
    meaning: str

    @property
    def size(self) -> int:
        return prod(self.shape)

    @property
    def end(self) -> int:
        return self.offset + self.size


_FIELDS: Final[tuple[tuple[str, tuple[int, ...], int, str], ...]] = (
    ("floors", (54, 4), 47, "floors of a colour on a site"),
    ("owner", (54, 4), 1, "1 if the colour owns the tower on the site"),
    ("supply", (4, 4), 11, "blocks of a colour and size (1 to 4) in the supply"),
    ("tableau", (4, 4), 6, "blocks selected for this round and not yet built"),
    ("taken_out", (4, 4), 24, "blocks removed from the game"),
    ("hand", (9,), 4, "the viewer's cards that name a position of each city"),
    ("unseen", (9,), 5, "hidden cards, by the position that they would name for the viewer"),
    ("points", (4,), 255, "points of a player (255 stands for 255 or more)"),
    ("to_move", (4,), 1, "1 for the mover; all 0 after the end"),
    ("start_player", (4,), 1, "1 for the start player of the round"),
    ("side", (4,), 3, "quarter turns clockwise from the viewer's side of the board to a player's"),
    ("phase", (4,), 1, "1 for the phase: select, build, remove, over"),
    ("round", (1,), 6, "the round, from 1"),
    ("rounds", (1,), 6, "the number of rounds"),
    ("turns_left", (1,), 96, "building turns of all players left in the round; 0 while selecting"),
    ("pile", (1,), 45, "cards in the draw pile"),
    ("shuffles", (1,), 24, "how often cards were shuffled; the deal is the first time"),
    ("players", (1,), 4, "the number of players"),
    ("colours", (1,), 2, "the number of colours per player"),
    ("blocks", (1,), 6, "the number of blocks per colour and round"),
    ("tallest_tie", (1,), 1, "the rule `tallest_tie`: 0 `nobody`, 1 `one_owner`"),
    ("final_tie", (1,), 2, "the rule `final_tie`: `shared`, `own_tallest`, `board_tallest`"),
)

_OFFSETS = [0, *accumulate(prod(shape) for _, shape, _, _ in _FIELDS)]
FIELDS: Final = tuple(
    Field(name, offset, shape, high, meaning)
    for offset, (name, shape, high, meaning) in zip(_OFFSETS, _FIELDS, strict=False)
)
SIZE: Final = _OFFSETS[-1]
"""The number of bytes of an observation."""

HIGHS: Final = np.concatenate([np.full(field.size, field.high, np.uint8) for field in FIELDS])
"""The greatest value of each byte."""
