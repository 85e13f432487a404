"""What is written down of a table: the one thing that is stored, in the order in which it happened.

The number of an entry is its place in the list. Whoever writes says which number comes next, and
the database takes each number once: that is how two processes, or two people, can't both be first.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Literal

import orjson
from pydantic import BaseModel, Field, TypeAdapter

from manhattan.server.clocks import Milliseconds
from manhattan.server.terms import Terms

PersonId = str
"""Who somebody is, whatever he is called. Known to the server alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    at: Milliseconds
    """When, in milliseconds since 1970."""
    by: PersonId | None = None
    """Who did it; None if it happened by itself."""
    command: str | None = None
    """His command's own name for itself, so that a repeated command is recognized."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Awaited:
    """Somebody whose chair is kept for him at a new table."""

    chair: int
    person: PersonId
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened(_Entry):
    """A table was opened."""

    type: Literal["opened"] = "opened"
    terms: Terms
    name: str
    """Of who opened it."""
    after: str | None = None
    """The table that this one is the rematch of."""
    awaited: tuple[Awaited, ...] = ()
    """The others who played there: they sit from the first moment, so that nobody else can."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sat(_Entry):
    """Somebody sat down."""

    type: Literal["sat"] = "sat"
    chair: int
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Vacated(_Entry):
    """A chair is free again, before the game."""

    type: Literal["vacated"] = "vacated"
    chair: int
    also: tuple[int, ...] = ()
    """Those of others at the same screen, who leave with him."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled(_Entry):
    """A bot was put into a chair, before the game."""

    type: Literal["filled"] = "filled"
    chair: int
    level: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Closed(_Entry):
    """Nobody will play here."""

    type: Literal["closed"] = "closed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun(_Entry):
    """The cards were shuffled and dealt."""

    type: Literal["begun"] = "begun"
    seed: str = field(repr=False)
    """64 hex digits. Hidden until the game is over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Played(_Entry):
    """Somebody, or a bot, made a move."""

    type: Literal["played"] = "played"
    player: int
    move: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoAsked(_Entry):
    """Somebody wants to take moves back; where nobody else has to agree, that is it."""

    type: Literal["undo_asked"] = "undo_asked"
    player: int
    ply: int
    """What the game would go back to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoAnswered(_Entry):
    """Somebody else agreed, or did not; or the question got too old."""

    type: Literal["undo_answered"] = "undo_answered"
    yes: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Resigned(_Entry):
    """Somebody gave up; a bot plays on."""

    type: Literal["resigned"] = "resigned"
    player: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RanOut(_Entry):
    """Somebody's time ran out; a bot plays for him."""

    type: Literal["ran_out"] = "ran_out"
    player: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Returned(_Entry):
    """He is back."""

    type: Literal["returned"] = "returned"
    player: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkMade(_Entry):
    """Somebody wants to move a chair to another device."""

    type: Literal["link_made"] = "link_made"
    chair: int
    digest: str
    """Of the link's secret."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatMoved(_Entry):
    """The chair is held by the other device from now on."""

    type: Literal["seat_moved"] = "seat_moved"
    chair: int
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Said(_Entry):
    """Somebody said something to all."""

    type: Literal["said"] = "said"
    name: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
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
    return orjson.dumps(entry, _plain).decode()


def _plain(terms: object) -> object:
    assert isinstance(terms, BaseModel)
    return terms.model_dump(mode="json")


def from_text(text: str) -> Entry:
    """The entry that was stored."""
    return _READER.validate_json(text)
