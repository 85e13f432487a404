"""The application: services, routes and middleware put together."""

from __future__ import annotations

from typing import Final

from aiohttp import web

from manhattan.server.config import ServerConfig
from manhattan.server.protocol.schema import message_schema
from manhattan.server.pubsub.base import Bus, LocalBus
from manhattan.server.service.accounts import Accounts
from manhattan.server.service.bans import Bans
from manhattan.server.service.bot_pool import BotPool
from manhattan.server.service.clock_keeper import ClockKeeper
from manhattan.server.service.housekeeping import Housekeeping
from manhattan.server.service.passkeys import Passkeys
from manhattan.server.service.public_tables import PublicTables
from manhattan.server.service.push_notifier import PushNotifier
from manhattan.server.service.record_checker import RecordChecker
from manhattan.server.service.recovery_codes import RecoveryCodes
from manhattan.server.service.retention import Retention, RetentionPolicy
from manhattan.server.service.table_service import TableService
from manhattan.server.service.web_push import WebPush
from manhattan.server.storage import open_store
from manhattan.server.storage.push_subscriptions import PushSubscriptions
from manhattan.server.transport.allowed_hosts import AllowedHosts
from manhattan.server.transport.client_address import TrustedProxies
from manhattan.server.transport.http.api import ROUTES
from manhattan.server.transport.http.documentation import Documentation, add_documentation
from manhattan.server.transport.http.health import Readiness, add_health
from manhattan.server.transport.http.middleware import (
    add_security_headers,
    check_request,
    handle_errors,
    log_access,
)
from manhattan.server.transport.http.openapi import openapi
from manhattan.server.transport.http.routing import add_routes, json_response
from manhattan.server.transport.http.static import Page, add_page
from manhattan.server.transport.ratelimit import MAX_BODY_BYTES, RateLimiter
from manhattan.server.transport.request_context import SERVICES, SOCKET_ROUTES, Services
from manhattan.server.transport.ws.client_socket import CLIENT_SOCKETS, close_websockets
from manhattan.server.transport.ws.connection import serve_table
from manhattan.server.transport.ws.live_lists import serve_live_lists

_SOCKETS: Final = {"table_socket": serve_table, "live_lists_socket": serve_live_lists}


async def open_services(config: ServerConfig) -> Services:
    """Open the database and start the services; ``close_services`` ends them."""
    store = await open_store(config.database)
    clock = ClockKeeper(store)
    await clock.restore()
    push = await WebPush.of(store, config.push_contact, config.push_services)
    subscriptions = PushSubscriptions(store)
    tables = TableService(
        store,
        _open_bus(config),
        BotPool(config.bot_workers),
        PushNotifier(push, subscriptions, enabled=config.push),
        config.reveal_ms,
    )
    bans = Bans(tables)
    await bans.refresh()
    services = Services(
        tables=tables,
        housekeeping=Housekeeping(tables, clock, bans, Retention(tables, _retention(config))),
        bans=bans,
        accounts=await Accounts.of(store),
        passkeys=await Passkeys.of(store),
        recovery_codes=await RecoveryCodes.of(store),
        push=push,
        push_subscriptions=subscriptions,
        rate_limiter=RateLimiter(config.limits),
        proxies=TrustedProxies(config.trusted_proxy),
        allowed_hosts=_allowed_hosts(config),
        record_checker=RecordChecker(),
        public_tables=PublicTables(store, config.limits.public_tables_per_address),
    )
    await tables.start()
    services.housekeeping.start()
    if config.warm_up:
        tables.bots.start()
    return services


async def close_services(services: Services) -> None:
    """Write what is pending, and close the database."""
    services.housekeeping.stop()
    services.record_checker.stop()
    await services.tables.stop()


def make_app(services: Services, config: ServerConfig) -> web.Application:
    """Return the web application of a server."""
    app = web.Application(
        middlewares=[log_access, handle_errors, check_request], client_max_size=MAX_BODY_BYTES
    )
    app[SERVICES] = services
    app[CLIENT_SOCKETS] = set()
    app.on_response_prepare.append(add_security_headers)
    app.on_shutdown.append(close_websockets)
    add_routes(app, ROUTES)
    for name, path in SOCKET_ROUTES.items():
        app.router.add_get(path, _SOCKETS[name], name=name, allow_head=False)
    _add_document(app, "/api/openapi.json", openapi(ROUTES))
    _add_document(app, "/api/messages.schema.json", message_schema())
    add_health(
        app,
        Readiness(services.tables),
        metrics_token=config.metrics_token,
        public_metrics=config.public_metrics,
    )
    add_documentation(app, Documentation())
    add_page(app, Page())
    return app


def _add_document(app: web.Application, path: str, document: object) -> None:
    async def show(_: web.Request) -> web.Response:
        return json_response(document)

    app.router.add_get(path, show, allow_head=False)


def _allowed_hosts(config: ServerConfig) -> AllowedHosts:
    """Behind a proxy any name is allowed, unless names are set: the proxy knows its names."""
    names = config.allowed_host or (("*",) if config.trusted_proxy is not None else ())
    return AllowedHosts((*names, config.host))


def _retention(config: ServerConfig) -> RetentionPolicy:
    return RetentionPolicy(config.keep_games, config.keep_people)


def _open_bus(config: ServerConfig) -> Bus:
    if config.redis is None:
        return LocalBus()
    from manhattan.server.pubsub.redis import RedisBus

    return RedisBus(config.redis)
