"""How a table stands: everything that follows from what was written down of it.

``fold`` is the only way to get from one standing to the next; it plays a move by the rules, so an
entry that can't have happened raises instead of being written.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, NamedTuple

from manhattan.game import Game
from manhattan.rules import Build, Built, Colour, Redrew, Seat, lot
from manhattan.rules.editions import Schedule
from manhattan.server.clocks import Clocks, Milliseconds, given_time, passed_on, wound_up
from manhattan.server.entries import (
    Begun,
    Closed,
    Entry,
    Filled,
    LinkMade,
    Opened,
    PersonId,
    Played,
    RanOut,
    Rematched,
    Resigned,
    Returned,
    Said,
    Sat,
    SeatMoved,
    UndoAnswered,
    UndoAsked,
    Vacated,
)
from manhattan.server.terms import Terms

Stage = Literal["gathering", "playing", "over", "closed"]

STAND_IN: Final = "hard"
"""Who plays for somebody who has resigned or is away."""
TALK_KEPT: Final = 100
COMMANDS_KEPT: Final = 64
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


@dataclass(frozen=True, slots=True)
class Done:
    """A command that was carried out, and the entry that it became."""

    person: PersonId
    command: str
    number: int


class Sitting(NamedTuple):
    """A table with those who sit at it. (A named tuple, because every move makes a new one.)"""

    id: str
    number: int
    """How many entries there are; the next one has this number."""
    terms: Terms
    host: PersonId
    host_name: str
    opened_at: Milliseconds
    changed_at: Milliseconds
    chairs: tuple[Chair, ...]
    schedule: Schedule
    clocks: Clocks
    stage: Stage = "gathering"
    game: Game | None = None
    undo: Undo | None = None
    seen: int = -1
    """The last move whose new card somebody has seen."""
    talk: tuple[Line, ...] = ()
    """The last of what was said."""
    said: int = 0
    """How much was said in all."""
    links: tuple[Link, ...] = ()
    done: tuple[Done, ...] = ()
    after: str | None = None
    """The table that this one is the rematch of."""
    next: str | None = None
    """The rematch."""

    def chairs_of(self, person: PersonId | None) -> tuple[int, ...]:
        """Where a person sits: at more than one place where several share a screen."""
        if person is None:
            return ()
        return tuple([n for n, chair in enumerate(self.chairs) if chair.person == person])

    def eyes_of(self, person: PersonId | None) -> int | None:
        """Whose cards a person may see now: his own; and where several share his screen, those of
        whoever of them is to move, unless a bot does it: the others sit there and would see what
        it holds. None is an onlooker's eyes."""
        chairs, mover = self.chairs_of(person), self.mover
        if len(chairs) == 1:
            return chairs[0]
        if mover is not None and mover in chairs and not self.chairs[mover].played_for:
            return mover
        return None

    def people(self) -> frozenset[PersonId]:
        """Everybody who sits here."""
        return frozenset(chair.person for chair in self.chairs if chair.person is not None)

    @property
    def mover(self) -> int | None:
        """Whose turn it is."""
        if self.game is None or self.stage != "playing":
            return None
        return self.game.table.mover

    @property
    def bot_to_move(self) -> str | None:
        """The bot whose turn it is. It waits while people talk about taking something back."""
        if self.mover is None or self.undo is not None:
            return None
        return self.chairs[self.mover].played_by

    @property
    def due(self) -> Milliseconds | None:
        """When somebody has to look at this table, because something will have to happen."""
        if self.stage != "playing":
            return None
        moments = [self.clocks.due]
        if self.undo is not None:
            moments.append(self.undo.at + UNDO_WAITS)
        elif self.bot_to_move:
            moments.append(self.changed_at + self.terms.pace)
        else:
            return self.clocks.due
        return min(moment for moment in moments if moment is not None)

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


def opened(table: str, entry: Opened) -> Sitting:
    """A table at its beginning."""
    terms = entry.terms
    assert entry.by is not None  # somebody opens it
    setup = terms.setup([f"Player {n}" for n in range(1, len(terms.chairs) + 1)])
    bots = 0
    chairs: list[Chair] = []
    for wanted, place in zip(terms.chairs, setup.players, strict=True):
        chair = Chair(place.seat, place.colours)
        if wanted.who in ("me", "here"):
            chair = replace(chair, name=wanted.name or entry.name, person=entry.by)
        elif wanted.level is not None:
            bots += 1
            chair = replace(chair, name=bot_name(wanted.level, bots), level=wanted.level)
        chairs.append(chair)
    return Sitting(
        id=table,
        number=1,
        terms=terms,
        host=entry.by,
        host_name=entry.name,
        opened_at=entry.at,
        changed_at=entry.at,
        chairs=tuple(chairs),
        schedule=setup.schedule,
        clocks=wound_up(terms.clock, len(chairs)),
        after=entry.after,
    )


def bot_name(level: str, number: int) -> str:
    """What a bot is called at a table."""
    return f"{level.title()} {number}"


def folded(table: str, entries: Iterable[Entry]) -> Sitting | None:
    """How a table stands after all that was written down of it."""
    sitting: Sitting | None = None
    for entry in entries:
        sitting = opened(table, entry) if isinstance(entry, Opened) else fold(sitting, entry)
    return sitting


Changes = dict[str, Any]
"""What is different after an entry, by the sitting's own names."""


def fold(sitting: Sitting | None, entry: Entry) -> Sitting:
    """How a table stands after one more entry."""
    assert sitting is not None  # the first entry opens the table
    changes = _happened(sitting, entry)
    if entry.by is not None and entry.command is not None:
        this = Done(entry.by, entry.command, sitting.number)
        changes["done"] = (*sitting.done[-COMMANDS_KEPT + 1 :], this)
    return sitting._replace(number=sitting.number + 1, **changes)


def _happened(sitting: Sitting, entry: Entry) -> Changes:
    match entry:
        case Played():
            assert sitting.game is not None
            game = sitting.game.after(entry.move, entry.player)
            changes = _gone_on(sitting, sitting.chairs, game, entry.at, moved=True)
            changes["seen"] = _last_seen(sitting, game)
            return changes
        case Said():
            line = Line(
                sitting.number,
                entry.at,
                entry.name,
                next(iter(sitting.chairs_of(entry.by)), None),
                entry.text,
            )
            talk = (*sitting.talk[-TALK_KEPT + 1 :], line)
            return {"talk": talk, "said": sitting.said + 1}
        case UndoAsked() | UndoAnswered():
            return _undone(sitting, entry)
        case Begun():
            return _begun(sitting, entry)
        case Resigned() | RanOut() | Returned():
            return _played_for(sitting, entry)
        case Opened():
            raise AssertionError("a table is opened once")
    return {"changed_at": entry.at, **_sat_down(sitting, entry)}


def _sat_down(
    sitting: Sitting, entry: Sat | Vacated | Filled | Closed | LinkMade | SeatMoved | Rematched
) -> Changes:
    """Chairs change hands."""
    match entry:
        case Sat():
            return {"chairs": _with(sitting, entry.chair, name=entry.name, person=entry.by)}
        case Vacated():
            chairs = _with(sitting, entry.chair, name="", person=None, level=None)
            # Nor does he keep a way back: the chair, and its cards, will be another's.
            links = tuple(one for one in sitting.links if one.chair != entry.chair)
            return {"chairs": chairs, "links": links, **_host(sitting, chairs)}
        case Filled():
            bots = sum(chair.level is not None for chair in sitting.chairs)
            name = bot_name(entry.level, bots + 1)
            chairs = _with(sitting, entry.chair, name=name, level=entry.level, person=None)
            return {"chairs": chairs}
        case Closed():
            return {"stage": "closed"}
        case LinkMade():
            link = Link(entry.chair, entry.digest, entry.at)
            others = (one for one in sitting.links if one.chair != entry.chair)
            return {"links": (*others, link)}
        case SeatMoved():
            links = tuple(one for one in sitting.links if one.digest != entry.digest)
            chairs = _with(sitting, entry.chair, person=entry.by)
            return {"chairs": chairs, "links": links, **_host(sitting, chairs)}
        case Rematched():
            return {"next": entry.table}


def _begun(sitting: Sitting, entry: Begun) -> Changes:
    seed = bytes.fromhex(entry.seed)
    count = len(sitting.chairs)
    first = lot(seed, count) if sitting.terms.first == "lot" else sitting.terms.first
    setup = sitting.terms.setup([chair.name for chair in sitting.chairs], first)
    return _gone_on(sitting, sitting.chairs, Game.from_seed(setup, seed), entry.at)


def _undone(sitting: Sitting, entry: UndoAsked | UndoAnswered) -> Changes:
    """A question is asked or answered; when all have agreed, the game goes back."""
    game = sitting.game
    assert game is not None
    if isinstance(entry, UndoAsked):
        assert entry.by is not None
        undo = Undo(entry.by, entry.player, entry.ply, entry.at)
    else:
        assert sitting.undo is not None
        if not entry.yes or entry.by is None:
            return _gone_on(sitting, sitting.chairs, game, entry.at)
        undo = replace(sitting.undo, agreed=sitting.undo.agreed | {entry.by})
    if sitting.must_agree(undo.person) - undo.agreed:
        return {"undo": undo, "changed_at": entry.at}
    return _gone_on(sitting, sitting.chairs, game.at(undo.ply), entry.at)


def _played_for(sitting: Sitting, entry: Resigned | RanOut | Returned) -> Changes:
    """A bot takes over, or gives the seat back."""
    game = sitting.game
    assert game is not None
    match entry:
        case Resigned():
            chairs = _with(sitting, entry.player, played_for=True, resigned=True)
        case RanOut():
            chairs = _with(sitting, entry.player, played_for=True)
        case Returned():
            chairs = _with(sitting, entry.player, played_for=False)
            sitting = sitting._replace(clocks=given_time(sitting.clocks, entry.player))
    return {"chairs": chairs, **_gone_on(sitting, chairs, game, entry.at)}


def _gone_on(
    sitting: Sitting,
    chairs: tuple[Chair, ...],
    game: Game,
    now: Milliseconds,
    *,
    moved: bool = False,
) -> Changes:
    """The game has gone on: the clock runs for the person to move, the game may be over, and
    nobody is asked any more whether it should go back."""
    over, mover = game.over, game.table.mover
    waits_for = None if over or chairs[mover].played_by else mover
    return {
        "game": game,
        "clocks": passed_on(sitting.clocks, waits_for, now, moved=moved),
        "stage": "over" if over else "playing",
        "undo": None,
        "changed_at": now,
    }


def _last_seen(sitting: Sitting, game: Game) -> int:
    """The last move whose new card somebody has seen: one's own at once, but who shares a screen
    sees his when it is his turn again. Whoever could place nothing has shown his hand to all."""
    seen, last = sitting.seen, game.ply - 1
    for event in game.last_events:
        if isinstance(event, Redrew) or (
            isinstance(event, Built) and _alone(sitting, event.player)
        ):
            seen = last
    mover = game.table.mover
    if sitting.chairs[mover].person is not None and not _alone(sitting, mover):
        earlier = (ply for ply in reversed(range(game.ply)) if game.mover_at(ply) == mover)
        before = next(earlier, None)
        if before is not None and isinstance(game.moves[before], Build):
            seen = max(seen, before)
    return seen


def _alone(sitting: Sitting, player: int) -> bool:
    """Does a person sit there, who has his screen to himself?"""
    return len(sitting.chairs_of(sitting.chairs[player].person)) == 1


def _with(sitting: Sitting, number: int, **changes: Any) -> tuple[Chair, ...]:
    """The chairs, one of them changed."""
    chairs = list(sitting.chairs)
    chairs[number] = replace(chairs[number], **changes)
    return tuple(chairs)


def _host(sitting: Sitting, chairs: tuple[Chair, ...]) -> Changes:
    """Who opened the table and has left it hands it on."""
    people = [chair for chair in chairs if chair.person is not None]
    if not people or any(chair.person == sitting.host for chair in people):
        return {}
    return {"host": people[0].person, "host_name": people[0].name}
