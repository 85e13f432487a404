"""Routes of seats: taking and leaving them, bots, and the transfer to another device."""

from __future__ import annotations

from typing import Final

from aiohttp import web

from manhattan.server.domain.commands import (
    ClaimSeatTransfer,
    CreateSeatTransfer,
    DeclineOffer,
    FreeSeat,
    LeaveTable,
    LobbyCommand,
    SeatBot,
    TakeSeat,
)
from manhattan.server.protocol.messages import TableInfo
from manhattan.server.protocol.requests import (
    BotRequest,
    SeatClaimRequest,
    SeatRequest,
    SeatTransferRequest,
)
from manhattan.server.protocol.responses import SeatTransferSecret
from manhattan.server.protocol.serialize import table_info
from manhattan.server.service.clock_and_secrets import new_transfer_secret
from manhattan.server.transport.http.routing import RouteTable
from manhattan.server.transport.request_context import (
    require_actor,
    seat_number,
    services_of,
    table_id,
)

seats = RouteTable("seats")

_SEAT_EXAMPLES: Final = {"with the hash of a nonce": {"nonce_hashes": ["3c" * 32]}}


@seats.route("POST", "/api/tables/{table}/seats", examples=_SEAT_EXAMPLES)
async def take_any_seat(request: web.Request, body: SeatRequest | None) -> TableInfo:
    """Take the seats that a rematch offers you, or the first open one, before the game. The body
    may be left out."""
    return await _take_seat(request, None, body)


@seats.route("POST", "/api/tables/{table}/seats/{seat}", examples=_SEAT_EXAMPLES)
async def take_seat(request: web.Request, body: SeatRequest | None) -> TableInfo:
    """Take an open seat, before the game. The body may be left out."""
    return await _take_seat(request, seat_number(request), body)


@seats.route("DELETE", "/api/tables/{table}/seats/{seat}")
async def free_seat(request: web.Request) -> TableInfo:
    """Open the seat of a bot or another person, before the game; only for the host. A person is
    removed: they can't take a seat at this table again."""
    return await _execute(request, FreeSeat(seat_number(request)))


@seats.route("POST", "/api/tables/{table}/decline")
async def decline_offer(request: web.Request) -> TableInfo:
    """Decline the seats that a rematch offers you; they are open for everyone then."""
    return await _execute(request, DeclineOffer())


@seats.route("POST", "/api/tables/{table}/seats/{seat}/substitute")
async def substitute_player(request: web.Request) -> TableInfo:
    """Let a bot play for the player to move, if they have been absent for the table's limit. They
    take the seat back with the command `resume`."""
    table, player = table_id(request), seat_number(request)
    actor = await require_actor(request)
    update = await services_of(request).tables.substitute_player(table, player, actor)
    return table_info(update.after, actor.person)


@seats.route("PUT", "/api/tables/{table}/seats/{seat}/bot", examples={"a bot": {"level": "hard"}})
async def seat_bot(request: web.Request, body: BotRequest) -> TableInfo:
    """Give a seat to a bot, before the game; only for the host."""
    return await _execute(request, SeatBot(seat_number(request), body.level))


@seats.route("POST", "/api/tables/{table}/leave")
async def leave_table(request: web.Request) -> TableInfo:
    """Give up your seats before the game, and those of the people on your screen. The last person
    closes the table."""
    return await _execute(request, LeaveTable())


@seats.route(
    "POST",
    "/api/tables/{table}/seat-transfers",
    examples={"the only seat": {}, "a certain seat": {"seat": 1}},
)
async def create_seat_transfer(
    request: web.Request, body: SeatTransferRequest
) -> SeatTransferSecret:
    """Create a secret with which another device takes over your seat: once, within an hour."""
    secret = new_transfer_secret()
    await _execute(request, CreateSeatTransfer(body.seat, secret))
    return SeatTransferSecret(secret=secret)


@seats.route(
    "POST",
    "/api/tables/{table}/seat-transfers/claim",
    examples={"a secret": {"secret": "Zx0-dV9hKpQ2rT7mW4sYbN1c"}},
)
async def claim_seat_transfer(request: web.Request, body: SeatClaimRequest) -> TableInfo:
    """Take over the seat of a transfer."""
    return await _execute(request, ClaimSeatTransfer(body.secret, body.nonce_hash))


async def _take_seat(request: web.Request, seat: int | None, body: SeatRequest | None) -> TableInfo:
    return await _execute(request, TakeSeat(seat, tuple(body.nonce_hashes) if body else ()))


async def _execute(request: web.Request, command: LobbyCommand) -> TableInfo:
    table = table_id(request)
    actor = await require_actor(request)
    update = await services_of(request).tables.execute(table, command, actor)
    return table_info(update.after, actor.person)
