"""Routes of the account: a name, the cookie that proves it, its export and its deletion."""

from __future__ import annotations

from aiohttp import hdrs, web

from manhattan.server.domain.names import check_person_name
from manhattan.server.protocol.requests import AccountRequest
from manhattan.server.protocol.responses import Account, AccountExport
from manhattan.server.protocol.serialize import encode
from manhattan.server.service.account_data import delete_account, export_account, export_tables
from manhattan.server.service.accounts import COOKIE, COOKIE_MAX_AGE_S
from manhattan.server.service.clock_and_secrets import now_ms
from manhattan.server.storage import Identity, StoreUnavailable
from manhattan.server.transport.http.routing import JSON, RouteTable, json_response
from manhattan.server.transport.request_context import (
    client_key,
    find_identity,
    find_person,
    label_of,
    require_identity,
    services_of,
)

accounts = RouteTable("accounts")


@accounts.route("GET", "/api/me")
async def show_account(request: web.Request) -> Account:
    """Show the account of your cookie."""
    person = await find_person(request)
    return Account(name=person.name if person else None)


@accounts.route("PUT", "/api/me", response=Account, examples={"a name": {"name": "Ada"}})
async def set_name(request: web.Request, body: AccountRequest) -> web.Response:
    """Register with a name, or change it. A cookie identifies you from then on."""
    services = services_of(request)
    identity = await find_identity(request)
    if identity is None or identity.person.name != body.name:  # an older name stays valid
        check_person_name(body.name)
    if identity is not None:
        identity = await services.accounts.rename(identity, body.name, now_ms())
    if identity is None:
        services.rate_limiter.registrations.take(client_key(request))
        identity = await services.accounts.register(body.name, label_of(request), now_ms())
    return account_response(request, identity)


@accounts.route("GET", "/api/me/export", response=AccountExport)
async def export_everything(request: web.Request) -> web.StreamResponse:
    """Download everything that the server knows about you: the account, and all tables at which you
    did something, as you may see them."""
    services = services_of(request)
    identity = await require_identity(request)
    services.rate_limiter.exports.take(client_key(request))
    store = services.tables.store
    account = await export_account(store, identity, now_ms())
    response = web.StreamResponse()
    response.content_type = JSON
    response.headers[hdrs.CONTENT_DISPOSITION] = 'attachment; filename="manhattan.json"'
    await response.prepare(request)
    # Piece by piece, since there may be hundreds of tables.
    await response.write(b'{"account":' + encode(account) + b',"tables":[')
    separator = b""
    try:
        async for table in export_tables(store, identity.person.id):
            await response.write(separator + encode(table))
            separator = b","
    except StoreUnavailable as error:
        # Too late for an error response: an export that is cut off is not taken for a whole one.
        if request.transport is not None:
            request.transport.abort()
        raise ConnectionResetError from error
    await response.write(b"]}")
    await response.write_eof()
    return response


@accounts.route("DELETE", "/api/me", response=Account)
async def delete_everything(request: web.Request) -> web.Response:
    """Delete your account, for good: your devices, passkeys, recovery codes and push
    subscriptions, your name and your chat messages at all tables. Your seats before a game are
    open again, and bots play on where you play."""
    services = services_of(request)
    identity = await require_identity(request)
    services.rate_limiter.exports.take(client_key(request))
    await delete_account(services.tables, identity.person)
    response = json_response(Account(name=None))
    response.del_cookie(COOKIE)
    return response


def account_response(request: web.Request, identity: Identity) -> web.Response:
    """Return the account, and set the cookie of this device."""
    services = services_of(request)
    response = json_response(Account(name=identity.person.name))
    response.set_cookie(
        COOKIE,
        services.accounts.cookie_for(identity),
        max_age=COOKIE_MAX_AGE_S,
        httponly=True,
        samesite="Lax",
        secure=services.proxies.is_https(request),
    )
    return response
