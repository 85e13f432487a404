"""Conditions that several commands share: each returns what it found, or rejects the command."""

from __future__ import annotations

from typing import Final

from manhattan.game import Game
from manhattan.rules import IllegalMove, Move
from manhattan.server.domain.errors import CommandRejected, ErrorCode
from manhattan.server.domain.events import PersonId
from manhattan.server.domain.state import Seat, TableState

MAX_EVENTS_PER_PERSON: Final = 500
"""Events of one person at one table besides moves and chat: taking and leaving seats, transfers,
undos. A long game needs some dozens. Without a limit one person could fill the disk, and a table is
replayed from its first event."""
MAX_EVENTS: Final = 2000
"""Events of one table besides moves and chat. Replaying 2,000 moves and undos takes two fifths of
a second."""


def find_seat(state: TableState, number: int) -> Seat:
    if not 0 <= number < len(state.seats):
        raise CommandRejected(ErrorCode.NO_SUCH_SEAT, seat=number, last=len(state.seats) - 1)
    return state.seats[number]


def own_seats(state: TableState, person: PersonId) -> tuple[int, ...]:
    own = state.seats_of(person)
    if not own:
        raise CommandRejected(ErrorCode.NOT_AT_THE_TABLE)
    return own


def own_player(state: TableState, person: PersonId, player: int | None) -> int:
    """Return the seat that a person means: the named one, their only one, or the mover's."""
    own = own_seats(state, person)
    if player is None:
        return state.mover if state.mover is not None and state.mover in own else own[0]
    if player not in own:
        raise CommandRejected(ErrorCode.NOT_YOUR_SEAT, name=find_seat(state, player).name)
    return player


def check_host(state: TableState, person: PersonId) -> None:
    if person != state.host:
        raise CommandRejected(ErrorCode.NOT_THE_HOST, host=state.host_name)


def check_lobby(state: TableState) -> None:
    if state.stage == "closed":
        raise CommandRejected(ErrorCode.CLOSED)
    if state.are_seats_final:
        raise CommandRejected(ErrorCode.ALREADY_STARTED)


def started_game(state: TableState) -> Game:
    match state.stage:
        case "lobby":
            raise CommandRejected(ErrorCode.NOT_STARTED)
        case "closed":
            raise CommandRejected(ErrorCode.CLOSED)
        case "over":
            raise CommandRejected(ErrorCode.OVER)
    assert state.game is not None
    return state.game


def check_ply(game: Game, command_ply: int) -> None:
    if command_ply < game.ply:
        raise CommandRejected(ErrorCode.TOO_LATE, command_ply=command_ply, ply=game.ply)
    if command_ply > game.ply:
        raise CommandRejected(ErrorCode.TOO_EARLY, command_ply=command_ply, ply=game.ply)


def check_legal(game: Game, move: Move, player: int) -> None:
    """Reject an illegal move. ``evolve`` plays it by the same rules, which check it once more: a
    cheap safeguard for stored events."""
    refusal = game.why_not(move, player)
    if refusal is not None:
        raise IllegalMove(move, refusal)


def check_in_control(seat: Seat) -> None:
    if seat.resigned:
        raise CommandRejected(ErrorCode.RESIGNED)
    if seat.bot_controlled:
        raise CommandRejected(ErrorCode.BOT_CONTROLLED)


def check_table_limit(state: TableState, person: PersonId) -> None:
    """Limit the events that people can repeat at will. Moves, and events that end or answer
    something, have no limit: every game that has started can be finished."""
    check_person_limit(state, person)
    if state.event_count >= MAX_EVENTS:
        raise CommandRejected(
            ErrorCode.TABLE_LIMIT_REACHED, limit=MAX_EVENTS, what="changes besides moves"
        )


def check_person_limit(state: TableState, person: PersonId) -> None:
    """Limit what one person can repeat at will where the events of other people must not count:
    at the person's seat or table."""
    if state.event_count_of(person) >= MAX_EVENTS_PER_PERSON:
        raise CommandRejected(
            ErrorCode.TABLE_LIMIT_REACHED,
            limit=MAX_EVENTS_PER_PERSON,
            what="changes besides moves",
        )
