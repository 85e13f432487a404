"""What is written down of a table: the one thing that is stored, in the order in which it happened.

The number of an entry is its place in the list. Whoever writes says which number comes next, and
the database takes each number once: that is how two processes, or two people, can't both be first.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from manhattan.server.clocks import Milliseconds
from manhattan.server.terms import Terms

PersonId = str
"""Who somebody is, whatever he is called. Known to the server alone."""


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True)

    at: Milliseconds
    """When, in milliseconds since 1970."""
    by: PersonId | None = None
    """Who did it; None if it happened by itself."""
    command: str | None = None
    """His command's own name for itself, so that a repeated command is recognized."""


class Opened(_Entry):
    """A table was opened."""

    type: Literal["opened"] = "opened"
    terms: Terms
    name: str
    """Of who opened it."""
    after: str | None = None
    """The table that this one is the rematch of."""


class Sat(_Entry):
    """Somebody sat down."""

    type: Literal["sat"] = "sat"
    chair: int
    name: str


class Vacated(_Entry):
    """A chair is free again, before the game."""

    type: Literal["vacated"] = "vacated"
    chair: int


class Filled(_Entry):
    """A bot was put into a chair, before the game."""

    type: Literal["filled"] = "filled"
    chair: int
    level: str


class Closed(_Entry):
    """Nobody will play here."""

    type: Literal["closed"] = "closed"


class Begun(_Entry):
    """The cards were shuffled and dealt."""

    type: Literal["begun"] = "begun"
    seed: str = Field(repr=False)
    """64 hex digits. Hidden until the game is over."""


class Played(_Entry):
    """Somebody, or a bot, made a move."""

    type: Literal["played"] = "played"
    player: int
    move: str


class UndoAsked(_Entry):
    """Somebody wants to take moves back; where nobody else has to agree, that is it."""

    type: Literal["undo_asked"] = "undo_asked"
    player: int
    ply: int
    """What the game would go back to."""


class UndoAnswered(_Entry):
    """Somebody else agreed, or did not; or the question got too old."""

    type: Literal["undo_answered"] = "undo_answered"
    yes: bool


class Resigned(_Entry):
    """Somebody gave up; a bot plays on."""

    type: Literal["resigned"] = "resigned"
    player: int


class RanOut(_Entry):
    """Somebody's time ran out; a bot plays for him."""

    type: Literal["ran_out"] = "ran_out"
    player: int


class Returned(_Entry):
    """He is back."""

    type: Literal["returned"] = "returned"
    player: int


class LinkMade(_Entry):
    """Somebody wants to move a chair to another device."""

    type: Literal["link_made"] = "link_made"
    chair: int
    digest: str
    """Of the link's secret."""


class SeatMoved(_Entry):
    """The chair is held by the other device from now on."""

    type: Literal["seat_moved"] = "seat_moved"
    chair: int
    digest: str


class Said(_Entry):
    """Somebody said something to all."""

    type: Literal["said"] = "said"
    name: str
    text: str


class Rematched(_Entry):
    """The same people play again, at a new table."""

    type: Literal["rematched"] = "rematched"
    table: str


Entry = (
    Opened
    | Sat
    | Vacated
    | Filled
    | Closed
    | Begun
    | Played
    | UndoAsked
    | UndoAnswered
    | Resigned
    | RanOut
    | Returned
    | LinkMade
    | SeatMoved
    | Said
    | Rematched
)

_READER: TypeAdapter[Entry] = TypeAdapter(Annotated[Entry, Field(discriminator="type")])


def to_text(entry: Entry) -> str:
    """An entry as it is stored."""
    return entry.model_dump_json(exclude_none=True)


def from_text(text: str) -> Entry:
    """The entry that was stored."""
    return _READER.validate_json(text)
