"""How a table stands: everything that follows from what was written down of it.

From one standing to the next leads an entry (``folding``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Final, Literal, NamedTuple

from manhattan.game import Game
from manhattan.rules import Colour, Seat
from manhattan.rules.editions import Schedule
from manhattan.server.clocks import Clocks, Milliseconds
from manhattan.server.entries import PersonId
from manhattan.server.terms import Terms

Stage = Literal["gathering", "playing", "over", "closed"]

STAND_IN: Final = "hard"
"""Who plays for somebody who has resigned or is away."""
TALK_KEPT: Final = 100
COMMANDS_KEPT: Final = 32
"""At least so many are remembered, at most twice as many."""
UNDO_WAITS: Final[Milliseconds] = 60_000
LINK_LASTS: Final[Milliseconds] = 60 * 60_000


@dataclass(frozen=True, slots=True)
class Chair:
    """A place at the table, and who holds it: a person, a bot or nobody yet."""

    side: Seat
    colours: tuple[Colour, ...]
    name: str = ""
    person: PersonId | None = None
    level: str | None = None
    """The bot that sits here."""
    played_for: bool = False
    """A person's chair for which a bot plays at the moment."""
    resigned: bool = False

    @property
    def open(self) -> bool:
        return self.person is None and self.level is None

    @property
    def played_by(self) -> str | None:
        """The bot that plays here now, if one does."""
        return STAND_IN if self.played_for else self.level


class Chairs(tuple[Chair, ...]):
    """The chairs of a table, player by player."""

    @cached_property
    def by_person(self) -> Mapping[PersonId, tuple[int, ...]]:
        """Where everybody sits: asked for several times at every move, and seldom changed."""
        found: dict[PersonId, tuple[int, ...]] = {}
        for number, chair in enumerate(self):
            if chair.person is not None:
                found[chair.person] = (*found.get(chair.person, ()), number)
        return found

    @cached_property
    def played_by(self) -> tuple[str | None, ...]:
        """The bots that play now, each where it plays."""
        return tuple(chair.played_by for chair in self)

    @cached_property
    def alone(self) -> frozenset[int]:
        """The chairs of people who have their screens to themselves."""
        return frozenset(own[0] for own in self.by_person.values() if len(own) == 1)


@dataclass(frozen=True, slots=True)
class Undo:
    """A question that the others have to answer."""

    person: PersonId
    player: int
    ply: int
    at: Milliseconds
    agreed: frozenset[PersonId] = frozenset()


@dataclass(frozen=True, slots=True)
class Line:
    """Something that was said."""

    number: int
    at: Milliseconds
    name: str
    chair: int | None
    text: str


@dataclass(frozen=True, slots=True)
class Link:
    """A way to take a chair to another device."""

    chair: int
    digest: str
    at: Milliseconds


Done = Mapping[tuple[PersonId, str], int]
"""Commands that were carried out, by who sent them and what they called themselves: the number of
the entry that each became."""
NOTHING_DONE: Final[Done] = MappingProxyType({})


class Sitting(NamedTuple):
    """A table with those who sit at it. (A named tuple, because every move makes a new one.)"""

    # First what every move changes, so that it is quickly put before the rest.
    number: int
    """How many entries there are; the next one has this number."""
    changed_at: Milliseconds
    clocks: Clocks
    stage: Stage
    game: Game | None
    undo: Undo | None
    seen: int
    """The last move whose new card somebody has seen."""
    done: Done
    """The last commands that were carried out, and the entry that each became."""
    done_before: Done
    """As many of those before them: so a move has few to copy."""

    id: str
    terms: Terms
    host: PersonId
    host_name: str
    opened_at: Milliseconds
    chairs: Chairs
    schedule: Schedule
    talk: tuple[Line, ...] = ()
    """The last of what was said."""
    said: int = 0
    """How much was said in all."""
    overheard: int = 0
    """How much of it by those who don't sit here."""
    besides: int = 0
    """How much happened here in all besides moves and talk."""
    besides_of: Mapping[PersonId, int] = MappingProxyType({})
    """How much of it each person did."""
    links: tuple[Link, ...] = ()
    after: str | None = None
    """The table that this one is the rematch of."""
    next: str | None = None
    """The rematch."""

    def became(self, person: PersonId, command: str) -> int | None:
        """The entry that a command has become, if it was carried out lately."""
        key = person, command
        number = self.done.get(key)
        return self.done_before.get(key) if number is None else number

    def chairs_of(self, person: PersonId | None) -> tuple[int, ...]:
        """Where a person sits: at more than one place where several share a screen."""
        return () if person is None else self.chairs.by_person.get(person, ())

    def eyes_of(self, person: PersonId | None) -> int | None:
        """Whose cards a person may see now: his own; and where several share his screen, those of
        whoever of them is to move, unless a bot does it: the others sit there and would see what
        it holds. None is an onlooker's eyes."""
        chairs = self.chairs_of(person)
        if len(chairs) == 1:
            return chairs[0]
        mover = self.mover
        if mover is not None and mover in chairs and not self.chairs[mover].played_for:
            return mover
        return None

    def changes_of(self, person: PersonId) -> int:
        """How much a person has done here besides moves and talk."""
        return self.besides_of.get(person, 0)

    def people(self) -> frozenset[PersonId]:
        """Everybody who sits here."""
        return frozenset(self.chairs.by_person)

    @property
    def mover(self) -> int | None:
        """Whose turn it is."""
        if self.game is None or self.stage != "playing":
            return None
        return self.game.table.mover

    @property
    def bot_to_move(self) -> str | None:
        """The bot whose turn it is. It waits while people talk about taking something back."""
        if self.game is None or self.stage != "playing" or self.undo is not None:
            return None
        return self.chairs.played_by[self.game.table.mover]

    @property
    def due(self) -> Milliseconds | None:
        """When somebody has to look at this table, because something will have to happen."""
        if self.stage != "playing":
            return None
        clock = self.clocks.due
        if self.undo is not None:
            other = self.undo.at + UNDO_WAITS
        elif self.bot_to_move is not None:
            other = self.changed_at + self.terms.pace
        else:
            return clock
        return other if clock is None else min(clock, other)

    def must_agree(self, asker: PersonId) -> frozenset[PersonId]:
        """The other people at the table who are still playing themselves."""
        return frozenset(
            chair.person
            for chair in self.chairs
            if chair.person not in (None, asker) and not chair.played_for
        ) - {None}

    def card_seen_since(self, ply: int) -> bool:
        """Has anybody seen a card that was drawn or shown since a point of the game? What was
        seen stays seen, even if the moves after it are taken back."""
        return self.seen >= ply
