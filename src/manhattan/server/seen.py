"""What each viewer is told. What is hidden was filtered before, by ``manhattan.view``."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from typing import cast

import orjson

from manhattan.record import event_json, result_json
from manhattan.rules import (
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
from manhattan.rules.prospect import Standing
from manhattan.server.clocks import Clocks, Milliseconds
from manhattan.server.entries import PersonId
from manhattan.server.places import SITE_NAMES, places_told
from manhattan.server.protocol import (
    BuildMoves,
    ChairTold,
    ClockTold,
    EventTold,
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
        "position": position_of(sitting) if game else None,
        "own": own_told(view(game.state, eyes), lambda: Standing(game.table)) if game else None,
        "events": events_told(game.events, game.setup, steady_eyes(sitting, person))
        if game
        else [],
        "talk": [
            {"number": o.number, "at": o.at, "name": o.name, "chair": o.chair, "text": o.text}
            for o in sitting.talk
        ],
        "presence": presence,
    }


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


def steady_eyes(sitting: Sitting, person: PersonId | None) -> int | None:
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


def position_of(sitting: Sitting) -> PositionTold:
    """All that lies open."""
    game = sitting.game
    assert game is not None
    told = position_told(game.table, game.ply)
    told["clock"] = clock_told(sitting.clocks)
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
            SITE_NAMES[site]: tower_told(tower, table.setup.colours)
            for site, tower in enumerate(table.board)
            if tower.blocks
        },
        "supplies": stocks_told(table.setup, table.supplies),
        "tableaus": stocks_told(table.setup, table.tableaus),
        "taken_out": stocks_told(table.setup, table.taken_out),
        "played": list(table.played),
        "pile": table.pile_size,
        "shuffles": table.shuffles,
        "scores": list(table.scores),
        "standing": list(Standing(table).points),
        "sheets": sheets_told(table),
        "result": result_json(table.result),  # type: ignore[typeddict-item]
    }


def events_told(
    events: tuple[Event, ...], setup: Setup, eyes: int | None = None
) -> list[EventTold]:
    """What happened, as somebody may know it."""
    told = [one for event in events if (one := event_json(seen_by(eyes, event), setup)) is not None]
    return cast("list[EventTold]", told)  # a record's words are the protocol's


def sheets_told(table: Table) -> list[ScoreTold]:
    return cast("list[ScoreTold]", events_told(tuple(map(Scored, table.sheets)), table.setup))


def stocks_told(setup: Setup, stocks: tuple[Stock, ...]) -> dict[str, Stock]:
    return dict(zip(_names(setup.colours), stocks, strict=True))


@cache
def _names(colours: tuple[Colour, ...]) -> tuple[str, ...]:
    return tuple(colour.value for colour in colours)


@lru_cache(maxsize=10_000)
def tower_told(tower: Tower, colours: tuple[Colour, ...]) -> TowerTold:
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


def clock_told(clocks: Clocks) -> ClockTold:
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
