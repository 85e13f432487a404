"""The projection of a table: the columns by which the database lists tables, finds overdue ones and
counts statistics.

All of it follows from the events, and is written in the same transaction as they are. A row is
written only when an event has changed it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, NamedTuple

import msgspec

from manhattan.bots import LEVELS
from manhattan.rules import Colour, PublicState
from manhattan.server.domain.clocks import Milliseconds, NoClock
from manhattan.server.domain.events import PersonId, TableEvent, TableId, TableOpened, encode_event
from manhattan.server.domain.evolve import evolve, initial_state
from manhattan.server.domain.names import DELETED_NAME
from manhattan.server.domain.state import TableState

GameState = Literal["your_turn", "running", "lobby", "finished"]
"""The state of a game for one of its people."""
GAME_STATES: Final[tuple[GameState, ...]] = ("your_turn", "running", "lobby", "finished")
"""In the order of the list."""

_LETTERS: Final = {colour.value: colour.letter for colour in Colour}
_STRENGTH: Final = {level: strength for strength, level in enumerate(LEVELS)}


class ListedSeat(msgspec.Struct, frozen=True):
    """A seat, as the players of a table see it in their lists."""

    name: str
    level: str | None
    open: bool
    colours: tuple[Colour, ...]


class GameSummary(msgspec.Struct, frozen=True):
    """A table, as its players see it in their lists."""

    edition: str
    seats: tuple[ListedSeat, ...]
    rounds: int
    round: int
    scores: tuple[tuple[int, ...], ...]
    """The points of all players after each round."""
    winners: tuple[int, ...]


class Turn(NamedTuple):
    """The columns of a table that change with every move."""

    mover: int | None = None
    awaited: int | None = None
    """The mover, unless a bot moves."""
    moved_at: Milliseconds = 0
    board: str = ""
    """The letter of the colour on top of each site, or a dot."""


NO_TURN: Final = Turn()
"""Before the game."""


@dataclass(frozen=True, slots=True)
class Summary:
    """A table's row for lists and timers."""

    stage: str
    public: bool
    opened_at: Milliseconds
    due: Milliseconds | None
    listing: Mapping[str, Any]
    """What a list of public tables shows."""
    host: PersonId | None = None
    timed: bool = False
    """Whether the table has a clock: only then is the moment at which it is due a deadline."""
    game: GameSummary | None = None
    turn: Turn = NO_TURN


class Holding(NamedTuple):
    """A person's row."""

    stage: str
    since: Milliseconds
    """When the game got into this stage for the person."""
    seats: str
    """Their seats, one digit each."""
    players: int = 0
    bots: str = ""
    """The level of the strongest bot; empty among people."""
    counted: bool = False
    """Whether the game counts in the person's statistics, with the next two columns."""
    won: bool = False
    score: int = 0


class Append(NamedTuple):
    """A table's next event, and what changes with it."""

    table: TableId
    number: int
    event: str
    at: Milliseconds
    summary: Summary | None = None
    """None if it hasn't changed."""
    holdings: Mapping[PersonId, Holding | None] = {}
    """The rows of people that have changed; None for a person without a seat any more."""
    turn: Turn | None = None
    """None if it hasn't changed, or is part of the summary."""


def project(before: TableState | None, after: TableState, event: TableEvent) -> Append:
    """Return an event, and the rows that it has changed. A new table has no state before it."""
    number, text = after.number - 1, encode_event(event)
    if before is None:
        holdings = {person: _holding(after, person, event.at) for person in _holders(after)}
        return Append(after.id, number, text, event.at, summarize(after), holdings)
    summary = turn = None
    if _is_summary_changed(before, after):
        summary = summarize(after)
    elif before.game is not after.game:
        turn = _turn(after)
    return Append(after.id, number, text, event.at, summary, _changed(before, after, event), turn)


def replay(table: TableId, events: Iterable[TableEvent]) -> Append | None:
    """Return the rows of a table after all its events, as one change."""
    state: TableState | None = None
    changed_at: Milliseconds = 0
    turn = NO_TURN
    holdings: dict[PersonId, Holding | None] = {}
    for event in events:
        if isinstance(event, TableOpened):
            after = initial_state(table, event)
        else:
            assert state is not None  # the first event opens the table
            after = evolve(state, event)
        row = project(state, after, event)
        if row.summary is not None:
            changed_at, turn = row.at, row.summary.turn
        elif row.turn is not None:
            turn = row.turn
        holdings.update(
            {person: _merge(holdings.get(person), new) for person, new in row.holdings.items()}
        )
        state = after
    if state is None:
        return None
    summary = replace(summarize(state), turn=turn)
    return Append(table, state.number, "", changed_at, summary, holdings)


# Tables.


def summarize(state: TableState) -> Summary:
    """Return a table's summary."""
    listing = {
        "edition": state.options.edition,
        "house_rules": state.options.house_rules,
        "players": [
            {"name": seat.name, "level": seat.level, "open": seat.is_open} for seat in state.seats
        ],
        "host": state.host_name,
        "clock": msgspec.to_builtins(state.options.clock),
        "hints_disabled": state.options.hints_disabled,
        "round": _round(state),
        "opened_at": state.opened_at,
    }
    return Summary(
        state.stage,
        state.options.public,
        state.opened_at,
        state.due,
        listing,
        state.host,
        not isinstance(state.options.clock, NoClock),
        _summarize_game(state),
        _turn(state),
    )


def _is_summary_changed(before: TableState, after: TableState) -> bool:
    return not (
        before.seats is after.seats
        and before.stage == after.stage
        and before.host == after.host
        and _round(before) == _round(after)
        and before.due == after.due
    )


def _summarize_game(state: TableState) -> GameSummary:
    public = state.game.public if state.game else None
    return GameSummary(
        edition=state.options.edition,
        seats=tuple(
            ListedSeat(seat.name, seat.level, seat.is_open, seat.colours) for seat in state.seats
        ),
        rounds=state.schedule.rounds,
        round=_round(state),
        scores=tuple(sheet.scores for sheet in public.sheets) if public else (),
        winners=public.result.winners if public and public.result else (),
    )


def _round(state: TableState) -> int:
    return state.game.public.round if state.game else 0


def _turn(state: TableState) -> Turn:
    if state.game is None:
        return Turn(moved_at=state.changed_at)
    mover = state.mover
    is_awaited = mover is not None and state.seats[mover].bot_level is None
    return Turn(mover, mover if is_awaited else None, state.changed_at, _board(state.game.public))


def _board(public: PublicState) -> str:
    owners = [tower.owner for tower in public.board]
    # By value, because the hash of a member of an enumeration takes longer than all the rest.
    return "".join(["." if owner is None else _LETTERS[owner._value_] for owner in owners])


# People.


def _holders(state: TableState) -> dict[PersonId, tuple[int, ...]]:
    """Return the seats of each person who has games to list; a deleted person has none."""
    return {
        person: seats
        for person, seats in state.seats.by_person.items()
        if state.seats[seats[0]].name != DELETED_NAME
    }


def _changed(
    before: TableState, after: TableState, event: TableEvent
) -> dict[PersonId, Holding | None]:
    """Return the rows of people that an event has changed."""
    if before.seats is after.seats and before.stage == after.stage:
        return {}
    old, new = _holders(before), _holders(after)
    is_changed_for_all = before.stage != after.stage or _bots(before) != _bots(after)
    changed: dict[PersonId, Holding | None] = dict.fromkeys(old.keys() - new.keys())
    for person, seats in new.items():
        if is_changed_for_all or old.get(person) != seats:
            # A seat may change hands after the game, which ended before.
            has_ended = before.stage == after.stage == "over"
            changed[person] = _holding(after, person, after.clocks.since if has_ended else event.at)
    return changed


def _listed_stage(state: TableState) -> str:
    """Return the stage by which a game is listed: one that everybody abandoned is kept among the
    finished ones, without a result."""
    is_abandoned = state.close_reason == "abandoned" and state.game is not None
    return "over" if is_abandoned else state.stage


def _merge(old: Holding | None, new: Holding | None) -> Holding | None:
    """Return the later row of a person, as the database merges the two: as long as the stage and
    the seats stay, a game is in this stage since the earlier moment."""
    if old is None or new is None or (old.stage, old.seats) != (new.stage, new.seats):
        return new
    return new._replace(since=old.since)


def _bots(state: TableState) -> str:
    """Return the level of the strongest bot."""
    levels = [seat.level for seat in state.seats if seat.level is not None]
    return max(levels, key=lambda level: _STRENGTH.get(level, -1), default="")


def _holding(state: TableState, person: PersonId, now: Milliseconds) -> Holding:
    seats = state.seats.by_person[person]
    holding = Holding(
        _listed_stage(state), now, "".join(map(str, seats)), len(state.seats), _bots(state)
    )
    result = state.game.result if state.game else None
    # On a shared screen nobody knows which of the players the person is.
    if state.stage != "over" or result is None or len(seats) != 1:
        return holding
    own = seats[0]
    return holding._replace(
        counted=True,
        won=own in result.winners and not state.seats[own].bot_controlled,
        score=result.scores[own],
    )
