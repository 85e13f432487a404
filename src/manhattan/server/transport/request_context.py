"""What the handlers of requests and of websockets share: the services, the person who asks, path
parameters, and the cross-origin check."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from aiohttp import hdrs, web

from manhattan.rules.errors import printable
from manhattan.server.domain.commands import Actor
from manhattan.server.domain.errors import CommandRejected, ErrorCode
from manhattan.server.service.accounts import COOKIE, Accounts
from manhattan.server.service.bans import Bans
from manhattan.server.service.clock_and_secrets import now_ms
from manhattan.server.service.device_label import device_label
from manhattan.server.service.housekeeping import Housekeeping
from manhattan.server.service.passkeys import Passkeys
from manhattan.server.service.public_tables import PublicTables
from manhattan.server.service.record_checker import RecordChecker
from manhattan.server.service.recovery_codes import RecoveryCodes
from manhattan.server.service.table_service import TableService
from manhattan.server.service.web_push import WebPush
from manhattan.server.storage import Identity, Person
from manhattan.server.storage.push_subscriptions import PushSubscriptions
from manhattan.server.transport.allowed_hosts import AllowedHosts
from manhattan.server.transport.client_address import TrustedProxies
from manhattan.server.transport.ratelimit import RateLimiter, address_key

_TABLE_ID: Final = re.compile("[a-z0-9]{14}")
_HOST: Final = re.compile(
    r"[A-Za-z0-9.\-]{1,253}(:[0-9]{1,5})?|\[[0-9A-Fa-f:.]{2,45}\](:[0-9]{1,5})?"
)
_SEAT: Final = re.compile("[0-9]{1,2}")
_MAX_ECHO: Final = 40
"""Characters of a wrong table id that are sent back."""


@dataclass(frozen=True, slots=True)
class Services:
    """The parts of the server that handlers use."""

    tables: TableService
    housekeeping: Housekeeping
    accounts: Accounts
    passkeys: Passkeys
    recovery_codes: RecoveryCodes
    push: WebPush
    push_subscriptions: PushSubscriptions
    rate_limiter: RateLimiter
    proxies: TrustedProxies
    allowed_hosts: AllowedHosts
    bans: Bans
    public_tables: PublicTables
    record_checker: RecordChecker


SOCKET_ROUTES: Final = {
    "table_socket": "/api/tables/{table:[^/]{1,40}}/socket",
    "live_lists_socket": "/api/me/socket",
}
"""The routes that accept websockets, and nothing else, by name."""
SERVICES: Final = web.AppKey("services", Services)


def services_of(request: web.Request) -> Services:
    return request.app[SERVICES]


def is_cross_origin(headers: Mapping[str, str]) -> bool:
    """Return whether a page of another site sent a request.

    A client that isn't a browser sends no origin, and acts only for itself.
    """
    if headers.get("Sec-Fetch-Site", "same-origin") not in ("same-origin", "none"):
        return True
    origin = headers.get(hdrs.ORIGIN)
    if origin is None:
        return False
    try:
        return urlsplit(origin).netloc.lower() != headers.get(hdrs.HOST, "").lower()
    except ValueError:  # not a URL
        return True


def origin_of(request: web.Request) -> str | None:
    """Return the address of this server as the client knows it; None if it is malformed."""
    if _HOST.fullmatch(request.host) is None:
        return None
    scheme = "https" if services_of(request).proxies.is_https(request) else "http"
    return f"{scheme}://{request.host}"


def client_key(request: web.Request) -> str:
    """Return the key under which the client's address is counted."""
    return address_key(services_of(request).proxies.client_address(request))


def label_of(request: web.Request) -> str:
    """Return the label of the device that sends a request."""
    return device_label(request.headers.get(hdrs.USER_AGENT, ""))


async def find_identity(request: web.Request) -> Identity | None:
    """Return the person and the device whose cookie the request carries."""
    services = services_of(request)
    cookie = request.cookies.get(COOKIE)
    identity = await services.accounts.authenticate(cookie, label_of(request), now_ms())
    if identity is not None and services.bans.has_person(identity.person.id):
        raise CommandRejected(ErrorCode.BANNED)
    return identity


async def require_identity(request: web.Request) -> Identity:
    """Return the person and the device whose cookie the request carries; raises if there is
    none."""
    identity = await find_identity(request)
    if identity is None:
        raise CommandRejected(ErrorCode.NO_IDENTITY)
    return identity


async def find_person(request: web.Request) -> Person | None:
    """Return the person whose cookie the request carries."""
    identity = await find_identity(request)
    return identity.person if identity else None


async def require_person(request: web.Request) -> Person:
    """Return the person whose cookie the request carries; raises if there is none."""
    return (await require_identity(request)).person


async def require_actor(request: web.Request) -> Actor:
    """Return the person who asks, as the author of commands."""
    person = await require_person(request)
    return Actor(person.id, person.name)


def is_table_id(name: str) -> bool:
    return _TABLE_ID.fullmatch(name) is not None


def table_id(request: web.Request) -> str:
    """Return the path's table."""
    name = request.match_info["table"]
    if not is_table_id(name):
        raise CommandRejected(ErrorCode.NO_SUCH_TABLE, table=printable(name[:_MAX_ECHO]))
    return name


def seat_number(request: web.Request) -> int:
    """Return the path's seat."""
    number = request.match_info["seat"]
    if not _SEAT.fullmatch(number):
        raise CommandRejected(ErrorCode.BAD_REQUEST, what="A seat is a number from 0 to 99.")
    return int(number)
