"""What a player sees, as a row of bytes: field by field, the same in every environment.

A row is seen by one player, the viewer. Players and colours are told relative to him: he is
player 0, the next one clockwise is player 1; his own colours come first. What a table does not
have (a third player, a fourth colour) is 0. Sites and positions are those of the board, as in
the numbers of the moves: so a hand says where its cards point, not what is printed on them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from math import prod
from typing import Any, Final

import numpy as np

from manhattan.kernel.layout import GAME


@dataclass(frozen=True, slots=True)
class Field:
    """A part of the row."""

    name: str
    offset: int
    shape: tuple[int, ...]
    most: int
    """The greatest value; the least is 0."""
    meaning: str

    @property
    def size(self) -> int:
        return prod(self.shape)

    @property
    def end(self) -> int:
        return self.offset + self.size


_FIELDS: Final[tuple[tuple[str, tuple[int, ...], int, str], ...]] = (
    ("floors", (54, 4), 47, "floors that a colour has on a site"),
    ("owner", (54, 4), 1, "1 if the colour owns the tower on the site"),
    ("supply", (4, 4), 11, "blocks of a colour and size (1 to 4) not yet chosen"),
    ("tableau", (4, 4), 6, "blocks chosen for this round and not yet built"),
    ("taken_out", (4, 4), 24, "blocks taken out of the game"),
    ("hand", (9,), 4, "the viewer's cards that name a position of each city"),
    ("unseen", (9,), 5, "cards that he can't see, by the position they would name for him"),
    ("points", (4,), 255, "points of a player (more than 255 are told as 255)"),
    ("to_move", (4,), 1, "1 for whoever is to move; nobody's after the end"),
    ("start_player", (4,), 1, "1 for the start player of the round"),
    ("side", (4,), 3, "quarter turns clockwise from the viewer's side of the board to a player's"),
    ("phase", (4,), 1, "1 for what is to be done: choose, build, take out, nothing (the end)"),
    ("round", (1,), 6, "the round, from 1"),
    ("rounds", (1,), 6, "how many rounds there are"),
    ("turns_left", (1,), 96, "building turns left in the round, everybody's; 0 while choosing"),
    ("pile", (1,), 45, "cards in the draw pile"),
    ("shuffles", (1,), 24, "how often cards were shuffled; the deal is the first time"),
    ("players", (1,), 4, "how many players there are"),
    ("colours", (1,), 2, "how many colours each of them has"),
    ("blocks", (1,), 6, "how many blocks of each colour are chosen a round"),
    ("tallest_tie", (1,), 1, "the rule `tallest_tie`: 0 `nobody`, 1 `one_owner`"),
    ("final_tie", (1,), 2, "the rule `final_tie`: `shared`, `own_tallest`, `board_tallest`"),
)

_OFFSETS = [0, *accumulate(prod(shape) for _, shape, _, _ in _FIELDS)]
FIELDS: Final = tuple(
    Field(name, offset, shape, most, meaning)
    for offset, (name, shape, most, meaning) in zip(_OFFSETS, _FIELDS, strict=False)
)
SIZE: Final = _OFFSETS[-1]
"""Bytes in a row."""

HIGHS: Final = np.concatenate([np.full(field.size, field.most, np.uint8) for field in FIELDS])
"""The greatest value of each byte."""

# The same bytes as the compiled code writes them: eight or four at a time where it can.
_AS_WORDS: dict[str, list[Any]] = {
    "supply": [("supply", np.uint32, (4,))],
    "tableau": [("tableau", np.uint32, (4,))],
    "taken_out": [("taken_out", np.uint32, (4,))],
    "hand": [("hand", np.uint64), ("hand_9", np.uint8)],
    "unseen": [("unseen", np.uint64), ("unseen_9", np.uint8)],
    "to_move": [("to_move", np.uint32)],
    "start_player": [("start_player", np.uint32)],
    "phase": [("phase", np.uint32)],
}
_SEEN: list[Any] = [
    part
    for field in FIELDS
    for part in _AS_WORDS.get(
        field.name,
        [(field.name, np.uint8, field.shape) if field.size > 1 else (field.name, np.uint8)],
    )
]
SEEN = np.dtype((np.record, np.dtype(_SEEN)))
assert SEEN.itemsize == SIZE
assert SIZE % 8 == 0


CARD_KINDS = 9
SHUFFLE = 9
"""The outcome of chance that makes the played cards the pile; 0 to 8 are the cards 1 to 9."""

# What happened, in the order in which it did. Everybody is told, except what somebody drew.
DECIDED = 0x0800
"""A player made a move: this times the player, plus the number of the move."""
DREW = 0x4000
"""A card was drawn: plus 16 times the player, plus its kind."""
SHUFFLED = 0x7000
SHOWED = 0x8000
"""A hand was shown and put down: plus 8,192 times the player, plus its kinds as four digits to
the base of nine."""
A_HAND = 0x2000
MOST_TOLD = 768
"""112 decisions, 16 cards dealt, and in 96 turns at the very most a hand shown, four cards drawn
for it and one for the block; 18 shuffles."""

DEALING, BUILT, REDRAWING = 0, 1, 2
"""Why cards are drawn."""

_DRAWING: list[Any] = [
    ("drawer", np.int64),  # whose cards are to be drawn
    ("to_draw", np.int64),  # how many; 0 if somebody is to decide
    ("because", np.int64),  # of a deal, a block that was built, a hand that was shown
    ("events", np.int64),
    ("told", np.uint16, (MOST_TOLD,)),
]
DRAWING = np.dtype((np.record, np.dtype(_DRAWING, align=True)))
"""What chance has to do next, and what happened so far."""

TABLE_SIZE: Final = GAME.itemsize + DRAWING.itemsize
"""A game whose cards are drawn from outside: the kernel's record, and this one after it."""
assert GAME.itemsize % 8 == 0

_BATCH: list[Any] = [
    ("count", np.int64),  # how many games
    ("actions", np.int64),  # how many actions there are
    ("seed", np.uint64),
    ("asked", np.int64),  # the one who decides, or everybody
    ("policy", np.int64),  # how the others play
    ("utility", np.int64),
    ("payday", np.int64),
    ("at_once", np.int64),  # is a game that ended dealt anew in the same step?
    ("fine", np.float64),  # for an illegal move
]
BATCH = np.dtype((np.record, np.dtype(_BATCH, align=True)))
"""What is the same for all games that step together."""
