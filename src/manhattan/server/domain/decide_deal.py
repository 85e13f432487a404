"""Decisions about the start of a game: the clients reveal their nonces, and the cards are dealt.

A part of the decider: see ``decide``. The server committed to its part of the seed when the table
was opened; now the hashes of the clients' parts are final, too, before the first part is revealed.
Hence nobody can choose a part that suits them. Nobody can leave, either: a player who could undo
the start after the nonces are known could let the server try again.
"""

from __future__ import annotations

import hashlib

from manhattan.rules.chance import is_usable_nonce
from manhattan.server.domain.clocks import Milliseconds
from manhattan.server.domain.commands import RevealNonces, StartGame
from manhattan.server.domain.conditions import check_host, check_lobby, own_seats
from manhattan.server.domain.errors import CommandRejected, ErrorCode
from manhattan.server.domain.events import (
    GameStarted,
    NoncesRequested,
    NoncesRevealed,
    PersonId,
)
from manhattan.server.domain.state import PendingDeal, TableState


def start_game(
    state: TableState, command: StartGame, person: PersonId, now: Milliseconds
) -> GameStarted | NoncesRequested:
    """Start the game: ask for nonces, or deal at once if no client has sent a hash."""
    if state.rematch_of is None:
        check_host(state, person)
    else:
        own_seats(state, person)
    check_lobby(state)
    if any(seat.is_open for seat in state.seats):
        raise CommandRejected(ErrorCode.SEATS_OPEN)
    if state.server_seed is None:  # an older version opened the table
        return GameStarted(at=now, by=person, seed=command.seed)
    if all(seat.nonce_hash is None for seat in state.seats):
        return GameStarted(at=now, by=person)
    return NoncesRequested(at=now, by=person, until=now + command.reveal_ms)


def reveal_nonces(
    state: TableState, command: RevealNonces, person: PersonId, now: Milliseconds
) -> GameStarted | NoncesRevealed:
    """Reveal the nonces of some seats. With the last one the cards are dealt."""
    pending = _pending_deal(state)
    revealed: dict[int, str] = {}
    for nonce in command.nonces:
        revealed |= dict.fromkeys(_seats_of_nonce(state, nonce), nonce)
    new = {seat: nonce for seat, nonce in revealed.items() if pending.nonces[seat] is None}
    if not new:
        raise CommandRejected(ErrorCode.ALREADY_REVEALED)
    nonces = tuple(new.get(seat, nonce) for seat, nonce in enumerate(pending.nonces))
    is_complete = all(
        nonce is not None or seat.nonce_hash is None
        for nonce, seat in zip(nonces, state.seats, strict=True)
    )
    if is_complete:
        return GameStarted(at=now, by=person, nonces=nonces)
    return NoncesRevealed(at=now, by=person, seats=tuple(new), nonces=tuple(new.values()))


def deal_without_missing_nonces(pending: PendingDeal, now: Milliseconds) -> GameStarted:
    """Deal the cards with the nonces that were revealed in time."""
    is_any = any(nonce is not None for nonce in pending.nonces)
    return GameStarted(at=now, nonces=pending.nonces if is_any else ())


def _pending_deal(state: TableState) -> PendingDeal:
    match state.stage:
        case "closed":
            raise CommandRejected(ErrorCode.CLOSED)
        case "playing" | "over":
            raise CommandRejected(ErrorCode.ALREADY_STARTED)
    if state.pending_deal is None:
        raise CommandRejected(ErrorCode.NOT_STARTED)
    return state.pending_deal


def _seats_of_nonce(state: TableState, nonce: str) -> tuple[int, ...]:
    """Return the seats whose hash a nonce has."""
    secret = bytes.fromhex(nonce)
    if not is_usable_nonce(secret):
        raise CommandRejected(
            ErrorCode.BAD_REQUEST,
            what="This nonce is the padding of SHA-256, with which its owner would know the seed.",
            path="$.nonces",
        )
    digest = hashlib.sha256(secret).hexdigest()
    seats = tuple(n for n, seat in enumerate(state.seats) if seat.nonce_hash == digest)
    if not seats:
        raise CommandRejected(ErrorCode.NONCE_MISMATCH)
    return seats
