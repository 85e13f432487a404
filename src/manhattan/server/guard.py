"""At the door: nobody's page acts for another's visitor, nobody sends too much, and every answer
carries the headers that keep a browser safe."""

from __future__ import annotations

import logging
import time
from typing import Final
from urllib.parse import urlsplit

import orjson
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from manhattan.rules import ManhattanError
from manhattan.server import metrics
from manhattan.server.denials import Denial, Denied
from manhattan.server.limits import LONGEST_BODY, Gates, neighbourhood
from manhattan.server.refusing import refusal_of, status_of

log = logging.getLogger("manhattan.server.http")

_SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_HEADERS: Final = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "font-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'; "
        "media-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=()",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


class Guard:
    """Wraps the application."""

    def __init__(self, app: ASGIApp, sockets: ASGIApp, gates: Gates) -> None:
        self._app = app
        self._sockets = sockets
        self._gates = gates

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._http(scope, receive, send)
        elif scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif foreign(Headers(scope=scope)):
            await send({"type": "websocket.close", "code": 1008})  # HTTP 403
        else:
            scope["app"] = self._app
            await self._sockets(scope, receive, send)

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun = time.perf_counter()
        status = 500

        async def guarded(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
                if scope["path"].startswith("/api/"):
                    headers.setdefault("cache-control", "no-store")
            await send(message)

        try:
            self._check(scope)
            await self._app(scope, await _bounded(scope, receive), guarded)
        except ManhattanError as error:
            await _refuse(error, guarded)
        finally:
            self._note(scope, status, time.perf_counter() - begun)

    def _check(self, scope: Scope) -> None:
        headers = Headers(scope=scope)
        if scope["method"] not in _SAFE and foreign(headers):
            raise Denied(Denial.FOREIGN_ORIGIN)
        length = headers.get("content-length", "0")
        if not length.isascii() or not length.isdigit() or int(length) > LONGEST_BODY:
            raise Denied(Denial.TOO_LARGE, limit=LONGEST_BODY, unit="bytes")
        if scope["path"].startswith("/api/"):
            self._gates.requests.take(neighbourhood(address_of(scope)))

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        # The route, not the path: a table's name is known only to those who have its link.
        route = getattr(scope.get("route"), "path", "other")
        metrics.REQUESTS.labels(route, status).inc()
        log.info(
            "request",
            extra={
                "method": scope["method"],
                "route": route,
                "status": status,
                "ms": round(seconds * 1000, 2),
            },
        )


def address_of(scope: Scope) -> str:
    """Where a request comes from."""
    client = scope.get("client")
    return str(client[0]) if client else ""


def foreign(headers: Headers) -> bool:
    """Does this come from a page of another site? Programs that are no browsers say nothing."""
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return True
    origin = headers.get("origin")
    if origin is None:
        return False
    try:
        return urlsplit(origin).netloc.lower() != headers.get("host", "").lower()
    except ValueError:  # no address at all
        return True


async def _bounded(scope: Scope, receive: Receive) -> Receive:
    """A body that does not say how long it is may not be longer, either: it is read first, since
    whoever reads it later would take its end for a mistake in it."""
    if "transfer-encoding" not in Headers(scope=scope):
        return receive
    read, length = [await receive()], 0
    while read[-1]["type"] == "http.request":
        length += len(read[-1].get("body", b""))
        if length > LONGEST_BODY:
            raise Denied(Denial.TOO_LARGE, limit=LONGEST_BODY, unit="bytes")
        if not read[-1].get("more_body", False):
            break
        read.append(await receive())
    read.reverse()

    async def again() -> Message:
        return read.pop() if read else await receive()

    return again


async def _refuse(error: ManhattanError, send: Send) -> None:
    told = refusal_of(error)
    metrics.REFUSED.labels(told["reason"]).inc()
    headers = [(b"content-type", b"application/json")]
    if isinstance(error, Denied) and error.reason is Denial.TOO_OFTEN:
        headers.append((b"retry-after", str(error.figures["seconds"]).encode()))
    start = {"type": "http.response.start", "status": status_of(error), "headers": headers}
    await send(start)
    await send({"type": "http.response.body", "body": orjson.dumps(told)})
