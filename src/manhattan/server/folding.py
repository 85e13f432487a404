"""What an entry does to a table: the only way from one standing to the next.

A move is played by the rules, so an entry that can't have happened raises instead of being
written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from manhattan.game import Game
from manhattan.rules import Build, Built, Redrew, lot
from manhattan.server.clocks import (
    Clocks,
    Milliseconds,
    given_time,
    passed_on,
    taken_back,
    wound_up,
)
from manhattan.server.entries import (
    Begun,
    Closed,
    Entry,
    Filled,
    LinkMade,
    Opened,
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
from manhattan.server.sitting import (
    COMMANDS_KEPT,
    NOTHING_DONE,
    TALK_KEPT,
    Chair,
    Chairs,
    Done,
    Line,
    Link,
    Sitting,
    Stage,
    Undo,
)


def opened(table: str, entry: Opened) -> Sitting:
    """A table at its beginning."""
    terms = entry.terms
    assert entry.by is not None  # somebody opens it
    setup = terms.setup([f"Player {n}" for n in range(1, len(terms.chairs) + 1)])
    bots = 0
    chairs: list[Chair] = []
    awaited = {one.chair: one for one in entry.awaited}
    for number, (wanted, place) in enumerate(zip(terms.chairs, setup.players, strict=True)):
        chair = Chair(place.seat, place.colours)
        if wanted.who in ("me", "here"):
            chair = replace(chair, name=wanted.name or entry.name, person=entry.by)
        elif (other := awaited.get(number)) is not None:
            chair = replace(chair, name=other.name, person=other.person)
        elif wanted.level is not None:
            bots += 1
            chair = replace(chair, name=bot_name(wanted.level, bots), level=wanted.level)
        chairs.append(chair)
    return Sitting(
        number=1,
        changed_at=entry.at,
        clocks=wound_up(terms.clock, len(chairs)),
        stage="gathering",
        game=None,
        undo=None,
        seen=-1,
        done=NOTHING_DONE,
        done_before=NOTHING_DONE,
        id=table,
        terms=terms,
        host=entry.by,
        host_name=entry.name,
        opened_at=entry.at,
        chairs=Chairs(chairs),
        schedule=setup.schedule,
        after=entry.after,
    )


def bot_name(level: str, number: int) -> str:
    """What a bot is called at a table."""
    return f"{level.title()} {number}"


def folded(table: str, entries: Iterable[Entry], sitting: Sitting | None = None) -> Sitting | None:
    """How a table stands after all that was written down of it, or after some more of that."""
    for entry in entries:
        sitting = opened(table, entry) if isinstance(entry, Opened) else fold(sitting, entry)
    return sitting


Changes = dict[str, Any]
"""What is different after an entry, by the sitting's own names."""


def fold(sitting: Sitting | None, entry: Entry) -> Sitting:
    """How a table stands after one more entry."""
    assert sitting is not None  # the first entry opens the table
    if isinstance(entry, Played):
        return _played(sitting, entry)
    changes = _happened(sitting, entry)
    if not isinstance(entry, Said):
        changes["besides"] = sitting.besides + 1
        if entry.by is not None:
            changes["besides_of"] = {
                **sitting.besides_of,
                entry.by: sitting.changes_of(entry.by) + 1,
            }
    changes["done"], changes["done_before"] = _done(sitting, entry)
    return sitting._replace(number=sitting.number + 1, **changes)


def _played(sitting: Sitting, entry: Played) -> Sitting:
    """The same for a move, a little quicker: it changes only what stands first."""
    assert sitting.game is not None
    game = sitting.game.after(entry.move, entry.player)
    clocks, stage = _waiting(sitting, sitting.chairs, game, entry.at, moved=True)
    seen = _last_seen(sitting, game)
    done = _done(sitting, entry)
    first = sitting.number + 1, entry.at, clocks, stage, game, None, seen, *done
    return Sitting._make((*first, *sitting[len(first) :]))


def _done(sitting: Sitting, entry: Entry) -> tuple[Done, Done]:
    """The commands that were carried out lately, and those before them."""
    done, before = sitting.done, sitting.done_before
    if entry.by is None or entry.command is None:
        return done, before
    if len(done) == COMMANDS_KEPT:
        done, before = NOTHING_DONE, done
    return {**done, (entry.by, entry.command): sitting.number}, before


def _happened(sitting: Sitting, entry: Entry) -> Changes:
    match entry:
        case Said():
            line = Line(
                sitting.number,
                entry.at,
                entry.name,
                next(iter(sitting.chairs_of(entry.by)), None),
                entry.text,
            )
            talk = (*sitting.talk[-TALK_KEPT + 1 :], line)
            overheard = sitting.overheard + (line.chair is None)
            return {"talk": talk, "said": sitting.said + 1, "overheard": overheard}
        case UndoAsked() | UndoAnswered():
            return _undone(sitting, entry)
        case Begun():
            return _begun(sitting, entry)
        case Resigned() | RanOut() | Returned():
            return _played_for(sitting, entry)
        case Opened() | Played():
            raise AssertionError("a table is opened once, and moves go another way")
    return {"changed_at": entry.at, **_sat_down(sitting, entry)}


def _sat_down(
    sitting: Sitting, entry: Sat | Vacated | Filled | Closed | LinkMade | SeatMoved | Rematched
) -> Changes:
    """Chairs change hands."""
    match entry:
        case Sat():
            return {"chairs": _with(sitting, entry.chair, name=entry.name, person=entry.by)}
        case Vacated():
            freed = (entry.chair, *entry.also)
            chairs = Chairs(
                replace(chair, name="", person=None, level=None) if number in freed else chair
                for number, chair in enumerate(sitting.chairs)
            )
            # Nor does he keep a way back: the chair, and its cards, will be another's.
            links = tuple(one for one in sitting.links if one.chair not in freed)
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
            seen = _seen_alone(sitting, chairs)
            return {"chairs": chairs, "links": links, "seen": seen, **_host(sitting, chairs)}
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
    movers = Counter(map(game.mover_at, range(undo.ply, game.ply)))
    on_the_clock = {n: m for n, m in movers.items() if sitting.chairs[n].played_by is None}
    left = sitting.clocks.left_at(entry.at)
    clocks = taken_back(sitting.clocks._replace(left=left, since=entry.at), on_the_clock)
    sitting = sitting._replace(clocks=clocks)
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


def _gone_on(sitting: Sitting, chairs: Chairs, game: Game, now: Milliseconds) -> Changes:
    """The game goes on, and nobody is asked any more whether it should go back."""
    clocks, stage = _waiting(sitting, chairs, game, now)
    return {"game": game, "clocks": clocks, "stage": stage, "undo": None, "changed_at": now}


def _waiting(
    sitting: Sitting, chairs: Chairs, game: Game, now: Milliseconds, *, moved: bool = False
) -> tuple[Clocks, Stage]:
    """The clock runs for the person to move; or the game is over."""
    over, mover = game.over, game.table.mover
    waits_for = None if over or chairs.played_by[mover] else mover
    clocks = passed_on(sitting.clocks, waits_for, now, moved=moved)
    return clocks, "over" if over else "playing"


def _last_seen(sitting: Sitting, game: Game) -> int:
    """The last move whose new card somebody has seen: one's own at once, but who shares a screen
    sees his when it is his turn again. Whoever could place nothing has shown his hand to all."""
    seen, last, alone = sitting.seen, game.ply - 1, sitting.chairs.alone
    for event in game.last_events:
        if isinstance(event, Redrew) or (isinstance(event, Built) and event.player in alone):
            seen = last
    mover = game.table.mover
    if mover not in alone and sitting.chairs[mover].person is not None:
        seen = max(seen, _newest_draw(game, mover))
    return seen


def _seen_alone(sitting: Sitting, chairs: Chairs) -> int:
    """The last move whose new card somebody has seen, when chairs have changed hands: who has a
    screen to himself from now on sees what was drawn behind the curtain."""
    seen, game = sitting.seen, sitting.game
    for player in chairs.alone - sitting.chairs.alone if game else ():
        assert game is not None
        seen = max(seen, _newest_draw(game, player))
    return seen


def _newest_draw(game: Game, player: int) -> int:
    """The move with which a player has drawn since he last had a decision; -1 if there is none."""
    own = (ply for ply in reversed(range(game.ply)) if game.mover_at(ply) == player)
    last = next(own, None)
    return last if last is not None and isinstance(game.moves[last], Build) else -1


def _with(sitting: Sitting, number: int, **changes: Any) -> Chairs:
    """The chairs, one of them changed."""
    chairs = list(sitting.chairs)
    chairs[number] = replace(chairs[number], **changes)
    return Chairs(chairs)


def _host(sitting: Sitting, chairs: Chairs) -> Changes:
    """Who opened the table and has left it hands it on."""
    people = [chair for chair in chairs if chair.person is not None]
    if not people or any(chair.person == sitting.host for chair in people):
        return {}
    return {"host": people[0].person, "host_name": people[0].name}
