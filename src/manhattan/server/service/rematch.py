"""The next game: the same people and options at a new table."""

from __future__ import annotations

from msgspec.structs import replace

from manhattan.server.domain.events import PersonId, ReservedSeat
from manhattan.server.domain.options import NonceHash, SeatOptions, TableOptions
from manhattan.server.domain.state import TableState


def rematch_options(
    old: TableState, person: PersonId, nonce_hashes: tuple[NonceHash, ...] = ()
) -> TableOptions:
    """Return the options of the next game, opened by a person. The left neighbour of the last start
    player starts, unless the start player is drawn at random."""
    options = old.options
    hashes = dict(zip(old.seats_of(person), nonce_hashes, strict=False))
    seats = tuple(
        replace(_seat_options(old, number, person), nonce_hash=hashes.get(number))
        for number in range(len(old.seats))
    )
    first = options.first if options.first == "random" else (options.first + 1) % len(seats)
    return replace(options, seats=seats, first=first)


def _seat_options(old: TableState, number: int, person: PersonId) -> SeatOptions:
    seat, options = old.seats[number], old.options.seats[number]
    if seat.level is not None:
        return replace(options, occupant="bot", level=seat.level, name=None, nonce_hash=None)
    if seat.person != person:
        return replace(options, occupant="open", level=None, name=None, nonce_hash=None)
    is_first = number == old.seats_of(person)[0]
    return replace(options, occupant="me" if is_first else "here", level=None, name=seat.name)


def rematch_offers(old: TableState, person: PersonId) -> tuple[ReservedSeat, ...]:
    """Return the seats that are offered to the other people."""
    return tuple(
        ReservedSeat(seat=number, person=seat.person, name=seat.name)
        for number, seat in enumerate(old.seats)
        if seat.person is not None and seat.person != person
    )
