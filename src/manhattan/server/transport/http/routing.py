"""Typed routes: a table of handlers from which the router and the OpenAPI description follow.

A handler is a coroutine function of a request. Its ``body`` and ``query`` parameters, if it has
them, are decoded by their types, and its result is encoded as JSON.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import NoneType
from typing import Any, Final, TypeVar, get_args, get_type_hints

import msgspec
from aiohttp import hdrs, web

from manhattan.server.domain.errors import CommandRejected, ErrorCode
from manhattan.server.protocol.errors import malformed
from manhattan.server.protocol.serialize import encode

JSON: Final = "application/json"

Handler = Callable[..., Awaitable[Any]]
H = TypeVar("H", bound=Handler)


@dataclass(frozen=True, slots=True)
class Route:
    """An operation of the HTTP API."""

    method: str
    path: str
    handler: Handler
    tag: str
    status: int
    response: Any
    """The type of the body of a successful response."""
    body: Any = None
    body_required: bool = True
    """False if the body may be left out."""
    query: type[msgspec.Struct] | None = None
    body_schema: Mapping[str, Any] | None = None
    """Replaces the schema of the body's type."""
    examples: Mapping[str, Any] = field(default_factory=dict)
    """Bodies to try, by a short name."""
    media_type: str = JSON
    """The type of a successful response; one that isn't JSON is a file."""


class RouteTable:
    """The routes of one resource."""

    def __init__(self, tag: str) -> None:
        self.tag = tag
        self.routes: list[Route] = []

    def route(
        self,
        method: str,
        path: str,
        *,
        status: int = 200,
        response: Any = None,
        body_schema: Mapping[str, Any] | None = None,
        examples: Mapping[str, Any] | None = None,
        media_type: str = JSON,
    ) -> Callable[[H], H]:
        """Add a handler. ``response`` is needed only if the handler returns a ``web.Response``."""

        def add(handler: H) -> H:
            types = get_type_hints(handler, include_extras=True)
            body, body_required = types.get("body"), True
            if NoneType in get_args(body):
                (body,), body_required = set(get_args(body)) - {NoneType}, False
            self.routes.append(
                Route(
                    method=method,
                    path=path,
                    handler=handler,
                    tag=self.tag,
                    status=status,
                    response=response or types["return"],
                    body=body,
                    body_required=body_required,
                    query=types.get("query"),
                    body_schema=body_schema,
                    examples=examples or {},
                    media_type=media_type,
                )
            )
            return handler

        return add


def add_routes(app: web.Application, routes: Iterable[Route]) -> None:
    """Register routes with aiohttp's router."""
    for route in routes:
        app.router.add_route(route.method, route.path, _adapt(route))


def json_response(payload: object, status: int = 200) -> web.Response:
    """Encode a payload as a response."""
    return web.Response(body=encode(payload), status=status, content_type=JSON)


def _adapt(route: Route) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
    """Return the aiohttp handler of a route."""
    decoder = None if route.body is None else msgspec.json.Decoder(route.body)

    async def handle(request: web.Request) -> web.StreamResponse:
        arguments: dict[str, Any] = {}
        if decoder is not None:
            is_absent = not route.body_required and not request.body_exists
            arguments["body"] = None if is_absent else await _decode_body(request, decoder)
        if route.query is not None:
            arguments["query"] = _decode_query(request, route.query)
        result = await route.handler(request, **arguments)
        return (
            result
            if isinstance(result, web.StreamResponse)
            else json_response(result, route.status)
        )

    return handle


async def _decode_body(request: web.Request, decoder: msgspec.json.Decoder[Any]) -> Any:
    # A page of another site can send other content types without asking first.
    if request.headers.get(hdrs.CONTENT_TYPE, "").partition(";")[0].strip().lower() != JSON:
        raise CommandRejected(ErrorCode.BAD_REQUEST, what=f"The body has to be {JSON}.")
    try:
        return decoder.decode(await request.read())
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise malformed(error) from None


def _decode_query(request: web.Request, query: type[msgspec.Struct]) -> Any:
    if len(set(request.query)) < len(request.query):
        raise CommandRejected(ErrorCode.BAD_REQUEST, what="A query parameter is given twice.")
    try:
        return msgspec.convert(dict(request.query), query, strict=False)
    except msgspec.ValidationError as error:
        raise malformed(error) from None
