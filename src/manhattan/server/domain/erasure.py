"""Erasure: a table's events without what a person has told about themselves.

The events stay, because the other players' game depends on them: without the person's name, their
chat messages, and the names that they gave to people at their screen.
"""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from manhattan.server.domain.events import (
    ChatSent,
    PersonId,
    ReservedSeat,
    SeatTaken,
    TableEvent,
    TableOpened,
)
from manhattan.server.domain.names import DELETED_NAME
from manhattan.server.domain.options import SeatOptions

ERASED_TEXT: Final = "…"
"""Replaces a chat message."""


def erase_person(event: TableEvent, person: PersonId) -> TableEvent:
    """Return an event without a person's name and texts; the event itself if it has none."""
    if event.by == person and event.command is not None:  # an id that their program has chosen
        event = replace(event, command=None)
    match event:
        case TableOpened():
            return _erase_from_opening(event, person)
        case SeatTaken() if event.by == person:
            return replace(event, name=DELETED_NAME)
        case ChatSent() if event.by == person:
            return replace(event, name=DELETED_NAME, text=ERASED_TEXT)
    return event


def _erase_from_opening(event: TableOpened, person: PersonId) -> TableOpened:
    event = replace(
        event,
        offered=tuple(_erase_from_reservation(seat, person) for seat in event.offered),
        reserved=tuple(_erase_from_reservation(seat, person) for seat in event.reserved),
    )
    if event.by != person:
        return event
    options = replace(event.options, seats=tuple(map(_erase_from_seat, event.options.seats)))
    return replace(event, name=DELETED_NAME, options=options)


def _erase_from_reservation(seat: ReservedSeat, person: PersonId) -> ReservedSeat:
    return replace(seat, name=DELETED_NAME) if seat.person == person else seat


def _erase_from_seat(seat: SeatOptions) -> SeatOptions:
    return seat if seat.name is None else replace(seat, name=DELETED_NAME)
