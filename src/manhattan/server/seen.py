"""What each viewer is told. What is hidden was filtered before, by ``manhattan.view``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from typing import Any, cast

import orjson

from manhattan.record import event_json, result_json
from manhattan.rules import (
    Build,
    Colour,
    Event,
    Phase,
    Refusal,
    Scored,
    Setup,
    Stock,
    Table,
    Tower,
)
from manhattan.rules.blocks import LARGEST
from manhattan.rules.board import SITES, Site
from manhattan.rules.prospect import Standing
from manhattan.server.clocks import Clocks, Milliseconds
from manhattan.server.entries import (
    Entry,
    Filled,
    LinkMade,
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
from manhattan.server.places import SITE_NAMES, places_told
from manhattan.server.protocol import (
    BuildMoves,
    ChairTold,
    ClockTold,
    EventTold,
    NewsMessage,
    OwnTold,
    PlaceTold,
    PositionTold,
    PresenceTold,
    RefusalTold,
    RemoveMoves,
    ScoreTold,
    SelectMoves,
    TableTold,
    TowerTold,
    UndoTold,
    ViewMessage,
)
from manhattan.server.sitting import Chair, Sitting, Undo
from manhattan.view import View, seen_by, view


def view_message(
    sitting: Sitting, person: PersonId | None, presence: PresenceTold, now: Milliseconds
) -> ViewMessage:
    """Everything that somebody may see."""
    game, eyes = sitting.game, sitting.eyes_of(person)
    return {
        "type": "view",
        "number": sitting.number,
        "now": now,
        "table": table_told(sitting, person),
        "position": _position(sitting) if game else None,
        "own": own_told(view(game.state, eyes), lambda: Standing(game.table)) if game else None,
        "events": events_told(game.events, game.setup, _steady_eyes(sitting, person))
        if game
        else [],
        "talk": [
            {"number": o.number, "at": o.at, "name": o.name, "chair": o.chair, "text": o.text}
            for o in sitting.talk
        ],
        "presence": presence,
    }


class News:
    """What an entry is to everybody: told to each viewer as he may know it."""

    def __init__(
        self, before: Sitting, after: Sitting, entry: Entry, known: Standing | None = None
    ) -> None:
        """With the standing before, if it is known, the one after it is quickly found."""
        self.before = before
        self.after = after
        self.entry = entry
        self._known = known
        self._sites = _built_on(before, after, entry)
        self._standing: Standing | None = None
        self._for_all: NewsMessage | None = None

    @property
    def number(self) -> int:
        return self.before.number

    def standing(self) -> Standing:
        """The points, as the board stands now."""
        if self._standing is None:
            self._standing = self._stands()
        return self._standing

    def handed_on(self) -> Standing | None:
        """The points, for whoever goes on from here, if they are known. What is told is told, and
        not kept: whoever comes back for it has it made again."""
        standing, self._standing, self._for_all = self._standing or self._known, None, None
        self._known = None
        return standing

    def _stands(self) -> Standing:
        before, game = self.before.game, self.after.game
        assert game is not None
        known, self._known = self._known, None  # or all would hang together for ever
        if known is None or before is None or known.board is not before.table.board:
            return Standing(game.table)
        if len(self._sites) > 1:
            return Standing(game.table)
        return known.after(game.table, self._sites[0] if self._sites else None)

    def told(self, person: PersonId | None, now: Sitting) -> NewsMessage:
        """For a viewer, as the table stands now: only the latest news say what he may do."""
        entry, after = self.entry, self.after
        told = self.for_all().copy()
        if isinstance(entry, Said):
            return told
        if (game := after.game) is not None:
            if isinstance(entry, Played):
                eyes = _steady_eyes(now, person)
                told["events"] = events_told(game.last_events, game.setup, eyes)
            if now is after:
                seen = view(game.state, after.eyes_of(person))
                told["own"] = own_told(seen, self.standing)
        if not isinstance(entry, Played) or after.stage == "over" or self.before.undo is not None:
            told["table"] = table_told(after, person)
        return told

    def for_all(self) -> NewsMessage:
        """What is the same for everybody, which is written once."""
        if self._for_all is None:
            self._for_all = self._told_to_all()
        return self._for_all

    def _told_to_all(self) -> NewsMessage:
        entry, after = self.entry, self.after
        told: NewsMessage = {
            "type": "news",
            "number": self.number,
            "at": entry.at,
            "what": what_told(entry),
        }
        if isinstance(entry, Said):
            told["what"]["chair"] = after.talk[-1].chair
        elif after.game is not None:
            changes = _changes(self.before, after, self._sites, self.standing)
            told["changes"] = cast("PositionTold", orjson.Fragment(orjson.dumps(changes)))
        return told


def _built_on(before: Sitting, after: Sitting, entry: Entry) -> Sequence[Site]:
    """The sites that may look different after an entry."""
    old, new = before.game, after.game
    if new is None or old is None or old.table.board is new.table.board:
        return ()
    move = new.last_move if isinstance(entry, Played) else None
    return (move.site,) if isinstance(move, Build) else SITES  # perhaps it was taken back


def what_told(entry: Entry) -> dict[str, Any]:
    """An entry as everybody may know it: who did it is told by his chair."""
    told: dict[str, Any] = {"type": entry.type}
    match entry:
        case Played():
            told |= {"player": entry.player, "move": entry.move}
        case Sat() | Filled() | Vacated() | LinkMade() | SeatMoved():
            told |= {"chair": entry.chair, **_told_of_chair(entry)}
        case UndoAsked():
            told |= {"player": entry.player, "ply": entry.ply}
        case UndoAnswered():
            told["yes"] = entry.yes
        case Resigned() | RanOut() | Returned():
            told["player"] = entry.player
        case Said():
            told |= {"name": entry.name, "text": entry.text}
        case Rematched():
            told["table"] = entry.table
    return told


def _told_of_chair(entry: Sat | Filled | Vacated | LinkMade | SeatMoved) -> dict[str, Any]:
    match entry:
        case Sat():
            return {"name": entry.name}
        case Filled():
            return {"level": entry.level}
        case Vacated():
            return {"chairs": [entry.chair, *entry.also]}
    return {}


def refusal_told(refusal: Refusal) -> RefusalTold:
    """What the rules refuse."""
    figures = dict(refusal.figures)
    return {"reason": refusal.reason.value, "figures": figures, "text": str(refusal)}


def own_told(seen: View, standing: Callable[[], Standing]) -> OwnTold:
    """What a viewer alone may know: his cards, and what he can do with them."""
    return {"player": seen.player, "hand": list(seen.hand), "moves": _moves(seen, standing)}


def table_told(sitting: Sitting, person: PersonId | None) -> TableTold:
    """A table and who sits at it."""
    terms, game = sitting.terms, sitting.game
    return {
        "id": sitting.id,
        "stage": sitting.stage,
        "edition": terms.edition,
        "house_rules": terms.house_rules,
        "chairs": [_chair(chair, person) for chair in sitting.chairs],
        "host": person == sitting.host,
        "host_name": sitting.host_name,
        "first": game.setup.first if game else terms.first,
        "rounds": sitting.schedule.rounds,
        "blocks": sitting.schedule.blocks,
        "public": terms.public,
        "serious": terms.serious,
        "pace": terms.pace,
        # told as pydantic writes it
        "clock": terms.clock.model_dump(),  # type: ignore[typeddict-item]
        "commitment": game.commitment if game else None,
        "seed": game.seed.hex() if game and game.seed and sitting.stage == "over" else None,
        "undo": _undo(sitting, sitting.undo, person) if sitting.undo else None,
        "after": sitting.after,
        "next": sitting.next,
    }


def _steady_eyes(sitting: Sitting, person: PersonId | None) -> int | None:
    """Whose drawn cards somebody may read about: where several share a screen, nobody's, since
    what is told of one's draw is still there when it is the other's turn."""
    chairs = sitting.chairs_of(person)
    return chairs[0] if len(chairs) == 1 else None


def _chair(chair: Chair, person: PersonId | None) -> ChairTold:
    return {
        "side": chair.side.value,
        "colours": [colour.value for colour in chair.colours],
        "name": chair.name,
        "who": "open" if chair.open else "bot" if chair.person is None else "person",
        "level": chair.level,
        "you": chair.person is not None and chair.person == person,
        "played_for": chair.played_for,
        "resigned": chair.resigned,
    }


def _undo(sitting: Sitting, undo: Undo, person: PersonId | None) -> UndoTold:
    waits_for = sitting.must_agree(undo.person) - undo.agreed
    return {"player": undo.player, "ply": undo.ply, "you_decide": person in waits_for}


def _position(sitting: Sitting) -> PositionTold:
    """All that lies open."""
    game = sitting.game
    assert game is not None
    told = position_told(game.table, game.ply)
    told["clock"] = _clock(sitting.clocks)
    return told


def position_told(table: Table, ply: int) -> PositionTold:
    """All that lies open, but for clocks: not every table has them."""
    return {
        "ply": ply,
        "round": table.round,
        "phase": table.phase.value,
        "mover": table.mover,
        "start_player": table.start_player,
        "towers": {
            SITE_NAMES[site]: _tower(tower, table.setup.colours)
            for site, tower in enumerate(table.board)
            if tower.blocks
        },
        "supplies": _stocks(table.setup, table.supplies),
        "tableaus": _stocks(table.setup, table.tableaus),
        "taken_out": _stocks(table.setup, table.taken_out),
        "played": list(table.played),
        "pile": table.pile_size,
        "shuffles": table.shuffles,
        "scores": list(table.scores),
        "standing": list(Standing(table).points),
        "sheets": _sheets(table),
        "result": result_json(table.result),  # type: ignore[typeddict-item]
    }


def _changes(
    before: Sitting, after: Sitting, sites: Iterable[Site], standing: Callable[[], Standing]
) -> PositionTold:
    """What lies differently. Most of a table is the very same thing as before."""
    game = after.game
    assert game is not None
    if before.game is None:
        return _position(after)
    old, new = before.game.table, game.table
    told: PositionTold = {"clock": _clock(after.clocks)}
    if old is new:
        return told
    told["ply"] = game.ply
    told["mover"] = new.mover
    if new.phase is not old.phase:
        told["phase"] = new.phase.value
    if new.board is not old.board:
        told["towers"] = {
            SITE_NAMES[site]: _tower(tower, new.setup.colours) if tower.blocks else None
            for site in sites
            if (tower := new.board[site]) is not old.board[site]
        }
        told["standing"] = list(standing().points)
    if new.played is not old.played:
        told["played"] = list(new.played)
        told["pile"] = new.pile_size
        told["shuffles"] = new.shuffles
    if new.sheets is not old.sheets:
        told["round"] = new.round
        told["start_player"] = new.start_player
        told["scores"] = list(new.scores)
        told["sheets"] = _sheets(new)
        told["result"] = result_json(new.result)  # type: ignore[typeddict-item]
    _tell_stocks(told, old, new)
    return told


def _tell_stocks(told: PositionTold, old: Table, new: Table) -> None:
    if new.supplies is not old.supplies:
        told["supplies"] = _stocks(new.setup, new.supplies)
    if new.tableaus is not old.tableaus:
        told["tableaus"] = _stocks(new.setup, new.tableaus)
    if new.taken_out is not old.taken_out:
        told["taken_out"] = _stocks(new.setup, new.taken_out)


def events_told(
    events: tuple[Event, ...], setup: Setup, eyes: int | None = None
) -> list[EventTold]:
    """What happened, as somebody may know it."""
    told = [one for event in events if (one := event_json(seen_by(eyes, event), setup)) is not None]
    return cast("list[EventTold]", told)  # a record's words are the protocol's


def _sheets(table: Table) -> list[ScoreTold]:
    return cast("list[ScoreTold]", events_told(tuple(map(Scored, table.sheets)), table.setup))


def _stocks(setup: Setup, stocks: tuple[Stock, ...]) -> dict[str, Stock]:
    return dict(zip(_names(setup.colours), stocks, strict=True))


@cache
def _names(colours: tuple[Colour, ...]) -> tuple[str, ...]:
    return tuple(colour.value for colour in colours)


@lru_cache(maxsize=10_000)
def _tower(tower: Tower, colours: tuple[Colour, ...]) -> TowerTold:
    assert tower.owner is not None
    needs = {colour: tower.smallest_for(colour) for colour in colours}
    told: TowerTold = {
        "blocks": str(tower),
        "owner": tower.owner.value,
        "height": tower.height,
        "floors": {colour.value: floors for colour, floors in tower.floors.items()},
        "needs": {c.value: least if least <= LARGEST else None for c, least in needs.items()},
    }
    return cast("TowerTold", orjson.Fragment(orjson.dumps(told)))


def _clock(clocks: Clocks) -> ClockTold:
    return {"left": list(clocks.left), "running": clocks.running, "since": clocks.since}


def _moves(
    seen: View, standing: Callable[[], Standing]
) -> SelectMoves | BuildMoves | RemoveMoves | None:
    table = seen.table
    if not seen.to_move:
        return None
    if table.phase is Phase.SELECT:
        own = table.setup.own[table.mover]
        return {
            "kind": "select",
            "blocks": table.setup.schedule.blocks,
            "supplies": {one.colour.value: table.supplies[one.slot] for one in own},
        }
    if table.phase is Phase.REMOVE:
        return {"kind": "remove", "moves": list(map(str, seen.legal_moves()))}
    places = places_told(table.seat, standing().outlook(seen.hand))
    return {"kind": "build", "places": cast("list[PlaceTold]", places)}
