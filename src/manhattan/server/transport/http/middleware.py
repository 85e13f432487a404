"""Middleware: access log, errors as problem bodies, limits, the cross-origin check, and the
security headers of every response."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from typing import Final

from aiohttp import hdrs, web

from manhattan.rules import ManhattanError
from manhattan.server.domain.errors import CommandRejected, ErrorCode
from manhattan.server.ops import metrics
from manhattan.server.protocol.errors import status_of, to_problem
from manhattan.server.protocol.messages import Problem
from manhattan.server.transport.errors import public_error
from manhattan.server.transport.http.health import LIVENESS_PATH, MONITORING_PATHS
from manhattan.server.transport.http.routing import json_response
from manhattan.server.transport.ratelimit import MAX_BODY_BYTES
from manhattan.server.transport.request_context import (
    SOCKET_ROUTES,
    client_key,
    is_cross_origin,
    services_of,
)

log = logging.getLogger("manhattan.server.http")

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

BODY_TIMEOUT_S: Final = 10.0
"""The time for a request's body."""
PROBLEM_STATUS_200: Final = "problem-status=200"
"""The preference of browsers, which report every other status to their console: refusals that are
part of ordinary use would look like errors of the page."""
_SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
SECURITY_HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "font-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'; "
        "media-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def is_api(path: str) -> bool:
    return path.startswith("/api/")


async def add_security_headers(request: web.Request, response: web.StreamResponse) -> None:
    """Signal handler: complete the headers of every response."""
    response.headers.pop(hdrs.SERVER, None)
    for name, value in SECURITY_HEADERS.items():
        response.headers.setdefault(name, value)
    if is_api(request.path):
        response.headers.setdefault(hdrs.CACHE_CONTROL, "no-store")


@web.middleware
async def log_access(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Log and count every request."""
    started, status = time.perf_counter(), 500
    try:
        response = await handler(request)
        status = response.status
        return response
    finally:
        # The route, not the path: a table's id is known only to the people who have its link.
        resource = request.match_info.route.resource
        route = resource.canonical if resource is not None else "other"
        metrics.HTTP_REQUESTS.labels(route, status).inc()
        log.info(
            "request",
            extra={
                "method": request.method,
                "route": route,
                "status": status,
                "ms": round((time.perf_counter() - started) * 1000, 2),
            },
        )


@web.middleware
async def handle_errors(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Turn every error into a problem body."""
    try:
        return await handler(request)
    except ManhattanError as error:
        return problem_response(request, error)
    except web.HTTPRequestEntityTooLarge:
        return problem_response(request, _too_large())
    except web.HTTPException as error:
        response = _http_problem(request, error.status, error.reason)
        if isinstance(error, web.HTTPMethodNotAllowed):
            response.headers[hdrs.ALLOW] = ", ".join(sorted(error.allowed_methods))
        return response
    except (ConnectionError, asyncio.CancelledError):
        raise
    except Exception as error:
        log.error("a request failed", exc_info=error)
        return _http_problem(request, 500, "Internal Server Error")


@web.middleware
async def check_request(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Reject requests for or from other sites, floods, and bodies that are too long or too slow."""
    if not all(map(services_of(request).allowed_hosts.allows, request.headers.getall("Host", ()))):
        raise _MisdirectedRequest
    if request.path not in (LIVENESS_PATH, *MONITORING_PATHS) and services_of(
        request
    ).bans.has_address(services_of(request).proxies.client_address(request)):
        raise CommandRejected(ErrorCode.BANNED)
    is_websocket = request.headers.get(hdrs.UPGRADE, "").lower() == "websocket"
    if is_websocket != (request.match_info.route.name in SOCKET_ROUTES):
        raise web.HTTPForbidden if is_websocket else web.HTTPNotFound
    if request.method not in _SAFE_METHODS and is_cross_origin(request.headers):
        raise CommandRejected(ErrorCode.CROSS_ORIGIN)
    if (request.content_length or 0) > MAX_BODY_BYTES:
        raise _too_large()
    _charge(request)
    if request.body_exists:
        try:
            async with asyncio.timeout(BODY_TIMEOUT_S):
                await request.read()  # kept for the handler
        except TimeoutError:
            raise web.HTTPRequestTimeout from None
    return await handler(request)


class _MisdirectedRequest(web.HTTPClientError):
    """The request is for a name that isn't this server's."""

    status_code = 421
    reason = (
        "This server has another name. Its operator can allow this one: behind a proxy with "
        "--trusted-proxy, otherwise with --allowed-host"
    )


def _charge(request: web.Request) -> None:
    """Take a token for a request; raises if its address has none left."""
    limiter, path = services_of(request).rate_limiter, request.path
    if is_api(path):
        limiter.requests.take(client_key(request))
    elif path in MONITORING_PATHS:
        limiter.monitoring.take(client_key(request))
    elif path != LIVENESS_PATH:
        limiter.page.take(client_key(request))


def problem_response(request: web.Request, error: ManhattanError) -> web.Response:
    """Describe an error to the client that caused it."""
    error = public_error(error)
    problem = to_problem(error)
    metrics.REJECTED_COMMANDS.labels(problem.reason).inc()
    response = _problem_body(request, problem, status_of(error))
    if isinstance(error, CommandRejected) and error.reason is ErrorCode.TOO_OFTEN:
        response.headers[hdrs.RETRY_AFTER] = str(error.params["seconds"])
    if response.status < 500 and PROBLEM_STATUS_200 in _preferences(request):
        response.set_status(200)
        response.headers["Preference-Applied"] = PROBLEM_STATUS_200
    return response


def _preferences(request: web.Request) -> list[str]:
    """Return the preferences of a request (RFC 7240)."""
    values = ",".join(request.headers.getall("Prefer", ()))
    return [preference.strip() for preference in values.split(",")]


def _http_problem(request: web.Request, status: int, reason: str) -> web.Response:
    problem = Problem(reason="http", params={"status": status}, text=f"{reason}.")
    return _problem_body(request, problem, status)


def _problem_body(request: web.Request, problem: Problem, status: int) -> web.Response:
    """Describe a problem to a program, or to a person whose browser opens an address."""
    if not is_api(request.path) and "text/html" in request.headers.get(hdrs.ACCEPT, ""):
        return web.Response(text=f"{problem.text}\n", status=status)
    return json_response(problem, status)


def _too_large() -> CommandRejected:
    return CommandRejected(ErrorCode.TOO_LARGE, limit=MAX_BODY_BYTES, unit="bytes")
