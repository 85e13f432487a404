"""Game events: the immutable facts from which logs, records, replays and screens are made.

``manhattan.view`` redacts them: drawn cards and the order of a pile are None for a reader who may
not know them.
"""

from __future__ import annotations

from typing import NamedTuple

from manhattan.rules.blocks import Block, Colour
from manhattan.rules.board import Card, Site
from manhattan.rules.moves import Build, Remove, Select
from manhattan.rules.scoring import Result, Sheet


class Selected(NamedTuple):
    """A player chose their blocks for the round."""

    player: int
    move: Select


class Built(NamedTuple):
    """A player played a card, placed a block and drew a card."""

    player: int
    move: Build
    block: Block
    card: Card
    taken_from: Colour | None
    """The colour that owned the tower before, if this was a takeover. It can be the player's own
    other colour. None if the site was empty, or if the tower was already the block's colour."""
    drew: Card | None

    @property
    def site(self) -> Site:
        return self.move.site


class Shuffled(NamedTuple):
    """The played cards became the new draw pile. Comes before the event whose draw needed it."""

    number: int
    """The deal is shuffle 0, so the first of these is number 1."""
    pile: tuple[Card, ...] | None


class Redrew(NamedTuple):
    """A player had no legal placement, showed their hand and drew a new one."""

    player: int
    hand: tuple[Card, ...]
    drew: tuple[Card, ...] | None


class Removed(NamedTuple):
    """A player still had no legal placement and took a block out of the game."""

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
