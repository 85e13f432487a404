"""The application: everything put together, for uvicorn to run."""

from __future__ import annotations

import mimetypes
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any, Final

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Scope

from manhattan import __version__
from manhattan.rules import ManhattanError
from manhattan.rules.errors import printable
from manhattan.server import metrics
from manhattan.server.api import api
from manhattan.server.bus import Bus, NoBus
from manhattan.server.denials import Denial, Denied
from manhattan.server.guard import Guard
from manhattan.server.health import Readiness, add_health
from manhattan.server.house import House
from manhattan.server.limits import Gates, Limits
from manhattan.server.people import People
from manhattan.server.refusing import explained, refusal_of, status_of
from manhattan.server.schema import message_schema
from manhattan.server.socket import serve_socket
from manhattan.server.store import open_store
from manhattan.server.thinking import Thinkers

PAGE: Final = Path(str(resources.files("manhattan").joinpath("page")))


@dataclass(frozen=True, slots=True)
class Settings:
    """How a server runs."""

    database: str
    """A file for SQLite, or ``postgresql://…``."""
    redis: str | None = None
    """``redis://…`` carries the news where several processes share a PostgreSQL."""
    workers: int = 1
    """Processes in which bots think."""
    warm: bool = True
    """Compile what bots need as soon as the server starts."""
    limits: Limits = field(default_factory=Limits)
    public_metrics: bool = False
    """Tell everybody what is counted, not this computer alone."""


def make_app(settings: Settings) -> ASGIApp:
    """The whole server."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        store = await open_store(settings.database)
        house = House(store, _bus(settings), Thinkers(settings.workers))
        app.state.house = house
        app.state.readiness = Readiness(house)
        app.state.people = await People.of(store)
        await house.start()
        if settings.warm:
            house.thinkers.start()
        _get_ready(app)
        try:
            yield
        finally:
            await house.stop()

    app = FastAPI(
        title="Manhattan",
        version=__version__,
        description="The board game Manhattan over the network. Moves go over a websocket, whose "
        "messages are described by `/api/messages.schema.json`.",
        lifespan=lifespan,
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,  # where to would be what the visitor says that we are called
    )
    app.state.gates = Gates(settings.limits)
    app.include_router(api)
    add_health(app, public_metrics=settings.public_metrics)
    _add_schema(app)
    _add_errors(app)
    app.mount("/", _Page(directory=PAGE), name="page")
    return Guard(app, serve_socket, app.state.gates)


_PLACES: Final = re.compile(
    r"/((?P<kind>new|table|learn|rules|replay)(/[A-Za-z0-9-]+)?|(?P<alone>watch))?/?"
)
"""What the page itself shows by its address."""
_FOR_EVER: Final = "public, max-age=31536000, immutable"
_ASK_AGAIN: Final = "no-cache"


class _Page(StaticFiles):
    """The page's files. What is not there in the API is no file, whatever one wants to do to it."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        if path.startswith("api/"):
            raise HTTPException(405 if _allowed(scope["path"]) else 404)
        status = 200
        if place := _PLACES.fullmatch(scope["path"]):
            # Each kind names the files that it needs.
            path = f"{place['kind'] or place['alone'] or 'index'}.html"
        elif path in ("", "."):  # what comes to the same in a roundabout way
            raise HTTPException(404)
        elif "text/html" in Headers(scope=scope).get("accept", "") and not Path(path).suffix:
            path, status = "index.html", 404  # somebody is lost: the page itself tells him
        response = await self._compressed(path, scope)
        if status != 200 and response.status_code == 200:
            response.status_code = status
        # A built file's name changes with what is in it.
        response.headers["cache-control"] = _FOR_EVER if path.startswith("assets/") else _ASK_AGAIN
        response.headers["vary"] = "accept-encoding"
        return response

    async def _compressed(self, path: str, scope: Scope) -> Response:
        """The file as it was compressed when the page was built, for who can read that."""
        if "br" not in Headers(scope=scope).get("accept-encoding", "") or path.endswith(".br"):
            return await super().get_response(path, scope)
        try:
            response = await super().get_response(f"{path}.br", scope)
        except HTTPException:
            return await super().get_response(path, scope)
        kind, _ = mimetypes.guess_type(path)
        response.headers["content-type"] = kind or "application/octet-stream"
        response.headers["content-encoding"] = "br"
        return response


def _get_ready(app: FastAPI) -> None:
    """FastAPI makes what it needs to find its way when it is first asked: not while the first
    visitor waits."""
    for route in app.routes:
        route.matches({"type": "http", "method": "GET", "path": "/"})


def _bus(settings: Settings) -> Bus:
    if settings.redis is None:
        return NoBus()
    from manhattan.server.redis_bus import RedisBus

    return RedisBus(settings.redis)


def _add_schema(app: FastAPI) -> None:
    @app.get("/api/messages.schema.json", include_in_schema=False)
    async def messages() -> dict[str, Any]:
        return message_schema()


def _add_errors(app: FastAPI) -> None:
    @app.exception_handler(ManhattanError)
    async def refused(_: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, ManhattanError)
        return _answer(error)

    @app.exception_handler(RequestValidationError)
    async def misunderstood(_: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)
        first = error.errors()[0]
        if tuple(first["loc"]) == ("path", "table"):  # no table has such a name
            return _answer(Denied(Denial.NO_SUCH_TABLE, table=printable(str(first["input"])[:40])))
        return _answer(Denied(Denial.BAD_REQUEST, what=explained(error.errors())))

    @app.exception_handler(HTTPException)
    async def not_there(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, HTTPException)
        if error.status_code == 400:  # so FastAPI calls a body that it can't even read
            return _answer(Denied(Denial.BAD_REQUEST, what="The body can't be read as JSON."))
        told = {"reason": "http", "figures": {}, "text": f"{error.detail}."}
        headers = dict(error.headers or {})
        if error.status_code == 405:
            headers |= _allowed(request.url.path)
        return JSONResponse(told, error.status_code, headers)


def _allowed(path: str) -> dict[str, str]:
    """What can be done with a path, by all its routes; Starlette tells of the first one alone."""
    routes = [one for one in api.routes if isinstance(one, APIRoute) and one.path_regex.match(path)]
    methods = sorted({method for route in routes for method in route.methods or ()})
    return {"allow": ", ".join(methods)} if methods else {}


def _answer(error: ManhattanError) -> JSONResponse:
    told = refusal_of(error)
    metrics.REFUSED.labels(told["reason"]).inc()
    retry = {}
    if isinstance(error, Denied) and error.reason is Denial.TOO_OFTEN:
        retry["retry-after"] = str(error.figures["seconds"])
    return JSONResponse(told, status_of(error), retry)
