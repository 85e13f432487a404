"""What happened: the frozen facts that logs, records, replays and screens feed on.

Cards that only one player has seen, and the order of a pile, are None where they are not for
the eyes of whoever reads (``manhattan.view`` does that).
"""

from __future__ import annotations

from typing import NamedTuple

from manhattan.rules.blocks import Block, Colour
from manhattan.rules.board import Card, Site
from manhattan.rules.moves import Build, Remove, Select
from manhattan.rules.scoring import Result, Sheet


class Selected(NamedTuple):
    """A player chose his blocks for the round."""

    player: int
    move: Select


class Built(NamedTuple):
    """A player played a card, placed a block and drew a card."""

    player: int
    move: Build
    block: Block
    card: Card
    taken_from: Colour | None
    """The colour that owned the tower before, if this was a takeover."""
    drew: Card | None

    @property
    def site(self) -> Site:
        return self.move.site


class Shuffled(NamedTuple):
    """The played cards became the new draw pile. Stands before the event whose draw needed it."""

    number: int
    """The deal is shuffle 0, so the first of these is number 1."""
    pile: tuple[Card, ...] | None


class Redrew(NamedTuple):
    """A player could place nothing: he showed his hand and drew a new one."""

    player: int
    hand: tuple[Card, ...]
    drew: tuple[Card, ...] | None


class Removed(NamedTuple):
    """Still nothing could be placed: a block was taken out of the game."""

    player: int
    move: Remove
    block: Block


class Scored(NamedTuple):
    """A round was scored."""

    sheet: Sheet


class Ended(NamedTuple):
    """The game is over."""

    result: Result


Event = Selected | Built | Shuffled | Redrew | Removed | Scored | Ended
