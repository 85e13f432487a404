"""Notices: which people an event concerns while they are not at the table."""

from __future__ import annotations

from typing import Literal

import msgspec

from manhattan.server.domain.events import GameStarted, PersonId, TableEvent
from manhattan.server.domain.state import TableState

NoticeKind = Literal["turn", "start", "offer", "end"]
"""It is the person's turn; the game has started, or a seat in a rematch is offered; it is over."""


class Notice(msgspec.Struct, frozen=True):
    """Something that a person wants to know."""

    person: PersonId
    kind: NoticeKind


def notices_of(before: TableState, after: TableState, event: TableEvent) -> tuple[Notice, ...]:
    """Return the notices of an event. The person who caused it needs none."""
    if after.stage == "over" and before.stage != "over":
        return tuple(Notice(person, "end") for person in sorted(after.people() - {event.by}))
    turn = _person_to_move(after)
    notices: list[Notice] = []
    if isinstance(event, GameStarted):
        others = sorted(after.people() - {event.by, turn})
        notices += [Notice(person, "start") for person in others]
    is_new_turn = before.game is None or before.mover != after.mover
    if turn is not None and turn != event.by and is_new_turn:
        notices.append(Notice(turn, "turn"))
    return tuple(notices)


def offers_of(state: TableState) -> tuple[Notice, ...]:
    """Return the notices of a new table that offers seats."""
    people = {seat.offered_to for seat in state.seats if seat.offered_to is not None}
    return tuple(Notice(person, "offer") for person in sorted(people))


def is_current(notice: Notice, state: TableState) -> bool:
    """Return whether a notice is still true."""
    match notice.kind:
        case "turn":
            return _person_to_move(state) == notice.person
        case "offer":
            return any(seat.offered_to == notice.person for seat in state.seats)
    return True


def _person_to_move(state: TableState) -> PersonId | None:
    """Return the person whose turn it is, unless a bot plays for them."""
    if state.mover is None or state.bot_to_move is not None:
        return None
    return state.seats[state.mover].person
