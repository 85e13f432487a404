"""Decisions about the seats of a table, its beginning and its end, and the next game.

A part of the decider: see ``decide``.
"""

from __future__ import annotations

import hashlib

from manhattan.bots.names import free_bot_name
from manhattan.server.domain.clocks import Milliseconds
from manhattan.server.domain.commands import (
    AbortGame,
    Actor,
    ClaimSeatTransfer,
    CloseTable,
    CreateSeatTransfer,
    DeclineOffer,
    FreeSeat,
    LeaveTable,
    LobbyCommand,
    OpenRematch,
    RevealNonces,
    SeatBot,
    SeatCommand,
    StartGame,
    SubstitutePlayer,
    TakeSeat,
)
from manhattan.server.domain.conditions import (
    check_host,
    check_lobby,
    check_person_limit,
    check_table_limit,
    find_seat,
    own_player,
    own_seats,
    started_game,
)
from manhattan.server.domain.decide_deal import reveal_nonces, start_game
from manhattan.server.domain.errors import CommandRejected, CommandSuperseded, ErrorCode
from manhattan.server.domain.events import (
    BotSeated,
    OfferAccepted,
    OfferDeclined,
    PersonId,
    PlayerSubstituted,
    RematchOpened,
    SeatTaken,
    SeatTransferCreated,
    SeatTransferred,
    SeatVacated,
    TableClosed,
    TableEvent,
)
from manhattan.server.domain.state import TRANSFER_LIFETIME, TableState


def decide_lobby_command(
    state: TableState, command: LobbyCommand, actor: Actor, now: Milliseconds
) -> TableEvent:
    """Return the event that a command about seats, the start or the next game becomes."""
    match command:
        case StartGame():
            return start_game(state, command, actor.person, now)
        case RevealNonces():
            return reveal_nonces(state, command, actor.person, now)
        case CloseTable():
            return _close_table(state, actor.person, now)
        case AbortGame():
            return _abort_game(state, actor.person, now)
        case OpenRematch():
            return _open_rematch(state, command, actor.person, now)
    return _decide_seat_command(state, command, actor, now)


def _decide_seat_command(
    state: TableState, command: SeatCommand, actor: Actor, now: Milliseconds
) -> TableEvent:
    match command:
        case TakeSeat():
            return _take_seat(state, command, actor, now)
        case LeaveTable():
            return _leave_table(state, actor.person, now)
        case DeclineOffer():
            return _decline_offer(state, actor.person, now)
        case SeatBot() | FreeSeat():
            return _assign_seat(state, command, actor.person, now)
        case SubstitutePlayer():
            return _substitute_player(state, command, actor.person, now)
        case CreateSeatTransfer():
            return _create_seat_transfer(state, command, actor.person, now)
        case ClaimSeatTransfer():
            return _claim_seat_transfer(state, command, actor.person, now)


def _take_seat(
    state: TableState, command: TakeSeat, actor: Actor, now: Milliseconds
) -> SeatTaken | OfferAccepted:
    """Take a seat: the named one, those that are offered to the person, or the first open one."""
    check_lobby(state)
    person = actor.person
    if state.seats_of(person):
        raise CommandRejected(ErrorCode.ALREADY_SEATED)
    if person in state.removed:
        raise CommandRejected(ErrorCode.REMOVED_BY_HOST, host=state.host_name)
    number, offered = command.seat, offered_seats(state, person)
    if offered and (number is None or number in offered):
        hashes = command.nonce_hashes[: len(offered)]
        return OfferAccepted(at=now, by=person, seats=offered, nonce_hashes=hashes)
    if number is None:
        number = _first_open_seat(state)
    seat = find_seat(state, number)
    if not seat.is_open:
        raise CommandRejected(ErrorCode.SEAT_TAKEN, name=seat.name)
    if seat.offered_to is not None:
        raise CommandRejected(ErrorCode.SEAT_OFFERED, name=seat.name)
    check_table_limit(state, person)
    nonce_hash = next(iter(command.nonce_hashes), None)
    return SeatTaken(at=now, by=person, seat=number, name=actor.name, nonce_hash=nonce_hash)


def _first_open_seat(state: TableState) -> int:
    for number, seat in enumerate(state.seats):
        if seat.is_open and seat.offered_to is None:
            return number
    raise CommandRejected(ErrorCode.TABLE_FULL)


def _decline_offer(state: TableState, person: PersonId, now: Milliseconds) -> OfferDeclined:
    check_lobby(state)
    seats = offered_seats(state, person)
    if not seats:
        raise CommandRejected(ErrorCode.NO_OFFER)
    return OfferDeclined(at=now, by=person, seats=seats)


def offered_seats(state: TableState, person: PersonId | None) -> tuple[int, ...]:
    """Return the seats that are offered to a person: several if people shared their screen."""
    if person is None:
        return ()
    return tuple(n for n, seat in enumerate(state.seats) if seat.offered_to == person)


def _leave_table(
    state: TableState, person: PersonId, now: Milliseconds
) -> SeatVacated | TableClosed:
    """Give up all seats of a person. The last person closes the table."""
    check_lobby(state)
    seats = own_seats(state, person)
    if state.people() == {person}:
        return TableClosed(at=now, by=person)
    return SeatVacated(at=now, by=person, seats=seats)


def _assign_seat(
    state: TableState, command: SeatBot | FreeSeat, person: PersonId, now: Milliseconds
) -> BotSeated | SeatVacated:
    """Give a seat to a bot, or open it for people."""
    check_host(state, person)
    check_lobby(state)
    seat = find_seat(state, command.seat)
    if seat.person is not None and (seat.person == person or isinstance(command, SeatBot)):
        raise CommandRejected(ErrorCode.SEAT_TAKEN, name=seat.name)
    check_person_limit(state, person)
    if isinstance(command, SeatBot):
        others = (seat.name for n, seat in enumerate(state.seats) if n != command.seat)
        name = free_bot_name(command.level, others)
        return BotSeated(at=now, by=person, seat=command.seat, level=command.level, name=name)
    return SeatVacated(
        at=now, by=person, seats=_seats_with(state, command.seat), removed=seat.person
    )


def _seats_with(state: TableState, number: int) -> tuple[int, ...]:
    """Return a seat and the others of its holder: people who share a screen leave together."""
    return state.seats_of(state.seats[number].person) or (number,)


def _close_table(state: TableState, person: PersonId, now: Milliseconds) -> TableClosed:
    check_host(state, person)
    check_lobby(state)
    return TableClosed(at=now, by=person)


# Aborted games and absent players.


def _abort_game(state: TableState, person: PersonId, now: Milliseconds) -> TableClosed:
    own_seats(state, person)
    if started_game(state).ply >= len(state.seats):
        raise CommandRejected(ErrorCode.TOO_LATE_TO_ABORT)
    return TableClosed(at=now, by=person, reason="aborted")


def _substitute_player(
    state: TableState, command: SubstitutePlayer, person: PersonId, now: Milliseconds
) -> PlayerSubstituted:
    """Let a bot play for the player to move, who has been absent for long enough. Absence counts
    from the beginning of their turn, since nobody has to wait for them before."""
    own = own_seats(state, person)
    started_game(state)
    seat, player, limit = find_seat(state, command.player), command.player, state.options
    is_waited_for = state.mover == player and state.clocks.running == player and player not in own
    absent_since = command.absent_since
    if not is_waited_for or seat.person is None or absent_since is None:
        raise CommandRejected(ErrorCode.NOT_ABSENT, seconds=limit.absence_limit_s)
    if now < max(absent_since, state.clocks.since) + limit.absence_limit_s * 1000:
        raise CommandRejected(ErrorCode.NOT_ABSENT, seconds=limit.absence_limit_s)
    check_person_limit(state, person)
    return PlayerSubstituted(at=now, by=person, player=player)


# Seats on other devices, and the next game.


def _create_seat_transfer(
    state: TableState, command: CreateSeatTransfer, person: PersonId, now: Milliseconds
) -> SeatTransferCreated:
    seat = own_player(state, person, command.seat)
    check_table_limit(state, person)
    return SeatTransferCreated(at=now, by=person, seat=seat, digest=_digest(command.secret))


def _claim_seat_transfer(
    state: TableState, command: ClaimSeatTransfer, person: PersonId, now: Milliseconds
) -> SeatTransferred:
    """Take over a seat: once, and within the transfer's lifetime."""
    digest = _digest(command.secret)
    for transfer in state.transfers:
        if transfer.digest == digest and now - transfer.at <= TRANSFER_LIFETIME:
            return SeatTransferred(
                at=now,
                by=person,
                seat=transfer.seat,
                digest=digest,
                nonce_hash=None if state.are_seats_final else command.nonce_hash,
            )
    raise CommandRejected(ErrorCode.TRANSFER_EXPIRED)


def _open_rematch(
    state: TableState, command: OpenRematch, person: PersonId, now: Milliseconds
) -> RematchOpened:
    check_rematch(state, person)
    if state.rematch != command.replaces:
        raise CommandSuperseded
    return RematchOpened(at=now, by=person, table=command.table)


def check_rematch(state: TableState, person: PersonId) -> None:
    """Reject a rematch before the game is over, or by a person who didn't play."""
    own_seats(state, person)
    if state.stage != "over":
        raise CommandRejected(ErrorCode.NOT_OVER)


def _digest(secret: str) -> str:
    """Return what the events keep of a transfer's secret."""
    return hashlib.sha256(secret.encode()).hexdigest()
