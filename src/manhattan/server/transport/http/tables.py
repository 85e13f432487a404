"""Routes of tables: listing, opening, starting and closing them, and the rematch."""

from __future__ import annotations

from typing import Final

import msgspec
from aiohttp import web

from manhattan.server.domain.clocks import Milliseconds
from manhattan.server.domain.commands import AbortGame, CloseTable, RevealNonces
from manhattan.server.domain.names import check_person_name
from manhattan.server.domain.options import TableOptions
from manhattan.server.protocol.messages import TableInfo, ViewMessage
from manhattan.server.protocol.requests import (
    NoncesRequest,
    SeatRequest,
    StartQuery,
    TableListQuery,
)
from manhattan.server.protocol.responses import (
    ListedTable,
    RematchTable,
    TableList,
)
from manhattan.server.protocol.serialize import table_info, view_message
from manhattan.server.service.clock_and_secrets import now_ms
from manhattan.server.service.public_tables import interleave
from manhattan.server.storage.readable_rows import readable_rows
from manhattan.server.transport.http.routing import RouteTable
from manhattan.server.transport.request_context import (
    client_key,
    find_person,
    require_actor,
    services_of,
    table_id,
)

tables = RouteTable("tables")

MAX_LISTED: Final = 50
"""Tables on a page of the list."""
MAX_FOUND: Final = 200
"""Tables on all pages."""
EXAMPLE_NONCE: Final = "9f" * 32
LOBBY_LISTING_MS: Milliseconds = 12 * 60 * 60 * 1000
"""A table without viewers is listed for this time after the last person took or left a seat."""


@tables.route("GET", "/api/tables")
async def list_tables(request: web.Request, query: TableListQuery) -> TableList:
    """List the public tables of a stage, the latest first, at most two of each host; the tables of
    different addresses take turns. A table in the lobby is listed for twelve hours after the last
    person came or went, and while it has viewers."""
    service = services_of(request).tables
    since = now_ms() - LOBBY_LISTING_MS if query.stage == "lobby" else 0
    watched = [
        session.id
        for session in service.sessions
        if session.viewers and session.state.stage == query.stage
    ]
    found = await service.store.list_public_tables(query.stage, MAX_FOUND, since, watched)
    rows = readable_rows(found, lambda row: msgspec.convert({"id": row[0], **row[1]}, ListedTable))
    opened_by = services_of(request).public_tables.address_of
    tables = interleave(rows, lambda table: opened_by(table.id) or table.id)
    start = query.page * MAX_LISTED
    page = tables[start : start + MAX_LISTED]
    more = start + MAX_LISTED < len(tables)
    return TableList(tables=list(page), total=len(tables), more=more)


@tables.route(
    "POST",
    "/api/tables",
    status=201,
    examples={
        "against bots": {
            "seats": [
                {"occupant": "me"},
                {"occupant": "bot", "level": "medium"},
                {"occupant": "bot", "level": "hard"},
            ]
        },
        "with friends": {
            "edition": "hig-1994",
            "seats": [{"occupant": "me"}, {"occupant": "open"}],
            "clock": {"kind": "correspondence", "days": 2},
        },
    },
)
async def open_table(request: web.Request, body: TableOptions, query: StartQuery) -> TableInfo:
    """Open a table."""
    services = services_of(request)
    actor = await require_actor(request)
    for seat in body.seats:
        if seat.name is not None and seat.name != actor.name:
            check_person_name(seat.name)
    services.rate_limiter.tables.take(actor.person)
    address = client_key(request)
    if body.public:
        await services.public_tables.check(address)
    session = await services.tables.open_table(actor, body)
    if body.public:
        services.public_tables.add(session.id, address)
    if query.start:
        await services.tables.start_game(session.id, actor)
    return table_info(session.state, actor.person)


@tables.route("GET", "/api/tables/{table}")
async def show_table(request: web.Request) -> ViewMessage:
    """Show a table as you may see it, like the first message of its websocket."""
    table = table_id(request)
    person = await find_person(request)
    session = await services_of(request).tables.session(table)
    presence = session.presence(now_ms())
    return view_message(session.state, person.id if person else None, presence, now_ms())


@tables.route("POST", "/api/tables/{table}/start")
async def start_game(request: web.Request) -> TableInfo:
    """Start the game when every seat is taken; only for the host. If clients have sent the hashes
    of nonces, the cards are dealt when they have revealed them."""
    table = table_id(request)
    actor = await require_actor(request)
    update = await services_of(request).tables.start_game(table, actor)
    return table_info(update.after, actor.person)


@tables.route(
    "POST", "/api/tables/{table}/nonces", examples={"a nonce": {"nonces": [EXAMPLE_NONCE]}}
)
async def reveal_nonces(request: web.Request, body: NoncesRequest) -> TableInfo:
    """Reveal the nonces of your seats when the game starts: the table says until when. With the
    last nonce the cards are dealt."""
    return await _execute(request, RevealNonces(body.nonces))


@tables.route("POST", "/api/tables/{table}/close")
async def close_table(request: web.Request) -> TableInfo:
    """Close a table before the game; only for the host."""
    return await _execute(request, CloseTable())


@tables.route("POST", "/api/tables/{table}/abort")
async def abort_game(request: web.Request) -> TableInfo:
    """End a game without a result, before every player has moved once."""
    return await _execute(request, AbortGame())


@tables.route("POST", "/api/tables/{table}/rematch", examples={"without nonces": {}})
async def open_rematch(
    request: web.Request, query: StartQuery, body: SeatRequest | None
) -> RematchTable:
    """Play again with the same people after the game. Everyone gets the same new table: the first
    who asks opens it, the others are offered their seats there and accept by asking, too. The body
    may be left out."""
    services, table = services_of(request), table_id(request)
    actor = await require_actor(request)
    services.rate_limiter.tables.take(actor.person)
    hashes = tuple(body.nonce_hashes) if body else ()
    following = await services.tables.rematch(table, actor, start=query.start, nonce_hashes=hashes)
    return RematchTable(table=following)


async def _execute(
    request: web.Request, command: RevealNonces | CloseTable | AbortGame
) -> TableInfo:
    table = table_id(request)
    actor = await require_actor(request)
    update = await services_of(request).tables.execute(table, command, actor)
    return table_info(update.after, actor.person)
