"""Routes of the account: a name, and the cookie that proves it."""

from __future__ import annotations

from aiohttp import web

from manhattan.server.protocol.requests import AccountRequest
from manhattan.server.protocol.responses import Account
from manhattan.server.service.accounts import COOKIE, COOKIE_MAX_AGE_S
from manhattan.server.service.clock_and_secrets import now_ms
from manhattan.server.transport.http.routing import RouteTable, json_response
from manhattan.server.transport.request_context import (
    client_key,
    find_person,
    require_person,
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
    person = await find_person(request)
    if person is not None:
        person = await services.accounts.rename(person, body.name, now_ms())
    if person is None:
        services.rate_limiter.registrations.take(client_key(request))
        person = await services.accounts.register(body.name, now_ms())
    response = json_response(Account(name=person.name))
    response.set_cookie(
        COOKIE,
        services.accounts.cookie_for(person),
        max_age=COOKIE_MAX_AGE_S,
        httponly=True,
        samesite="Lax",
        secure=services.proxies.is_https(request),
    )
    return response


@accounts.route("DELETE", "/api/me", response=Account)
async def revoke_account(request: web.Request) -> web.Response:
    """Sign out on all devices, for good."""
    services = services_of(request)
    person = await require_person(request)
    await services.accounts.revoke(person, now_ms())
    await services.push_subscriptions.remove_all(person.id)
    services.tables.disconnect(person.id)
    response = json_response(Account(name=None))
    response.del_cookie(COOKIE)
    return response
