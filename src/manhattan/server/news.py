"""What happened at a table, told to each viewer as he may know it: what lies differently, and what
he can do now."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, cast

import orjson

from manhattan.record import result_json
from manhattan.rules import Build, Table
from manhattan.rules.board import SITES, Site
from manhattan.rules.prospect import Standing
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
from manhattan.server.places import SITE_NAMES
from manhattan.server.protocol import NewsMessage, PositionTold
from manhattan.server.seen import (
    clock_told,
    events_told,
    own_told,
    position_of,
    sheets_told,
    steady_eyes,
    stocks_told,
    table_told,
    tower_told,
)
from manhattan.server.sitting import Sitting
from manhattan.view import view


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
                eyes = steady_eyes(now, person)
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


def _changes(
    before: Sitting, after: Sitting, sites: Iterable[Site], standing: Callable[[], Standing]
) -> PositionTold:
    """What lies differently. Most of a table is the very same thing as before."""
    game = after.game
    assert game is not None
    if before.game is None:
        return position_of(after)
    old, new = before.game.table, game.table
    told: PositionTold = {"clock": clock_told(after.clocks)}
    if old is new:
        return told
    told["ply"] = game.ply
    told["mover"] = new.mover
    if new.phase is not old.phase:
        told["phase"] = new.phase.value
    if new.board is not old.board:
        told["towers"] = {
            SITE_NAMES[site]: tower_told(tower, new.setup.colours) if tower.blocks else None
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
        told["sheets"] = sheets_told(new)
        told["result"] = result_json(new.result)  # type: ignore[typeddict-item]
    _tell_stocks(told, old, new)
    return told


def _tell_stocks(told: PositionTold, old: Table, new: Table) -> None:
    if new.supplies is not old.supplies:
        told["supplies"] = stocks_told(new.setup, new.supplies)
    if new.tableaus is not old.tableaus:
        told["tableaus"] = stocks_told(new.setup, new.tableaus)
    if new.taken_out is not old.taken_out:
        told["taken_out"] = stocks_told(new.setup, new.taken_out)


def _built_on(before: Sitting, after: Sitting, entry: Entry) -> Sequence[Site]:
    """The sites that may look different after an entry."""
    old, new = before.game, after.game
    if new is None or old is None or old.table.board is new.table.board:
        return ()
    move = new.last_move if isinstance(entry, Played) else None
    return (move.site,) if isinstance(move, Build) else SITES  # perhaps it was taken back
