"""What is told to those who watch over a server: is it alive, can it serve, what does it count?"""

from __future__ import annotations

import asyncio
import time
from ipaddress import ip_address
from typing import Final

from fastapi import FastAPI, Request
from fastapi.responses import PlainTextResponse
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.exceptions import HTTPException

from manhattan.server import metrics
from manhattan.server.guard import address_of
from manhattan.server.house import House
from manhattan.server.store import StoreAway

_REMEMBERED: Final = 1.0
"""Seconds: however often somebody asks, the disk is bothered no more often."""
_PASSED_ON: Final = ("forwarded", "x-forwarded-for", "x-real-ip", "via")
_AWAY: Final = "storage is away"


class Readiness:
    """Can a process serve people? What it knows already is told at once; whether the database can
    be written to is tried, by one at a time, and remembered for a moment."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._one_at_a_time = asyncio.Lock()
        self._tried: float | None = None
        self._failed = False

    async def why_not(self) -> str | None:
        """What is wrong; None if it is ready."""
        if self._house.trouble is None:
            async with self._one_at_a_time:
                await self._try()
        if self._failed or self._house.trouble is not None:
            return _AWAY
        return self._house.bus.trouble

    async def _try(self) -> None:
        if self._tried is not None and time.monotonic() - self._tried < _REMEMBERED:
            return
        try:
            await self._house.store.answers()
        except StoreAway:
            self._failed = True
        else:
            self._failed = False
        self._tried = time.monotonic()


def add_health(app: FastAPI, *, public_metrics: bool) -> None:
    """The addresses at which a server is watched over."""

    @app.get("/healthz", include_in_schema=False)
    async def healthz() -> PlainTextResponse:
        """The process is alive."""
        return PlainTextResponse("alive")

    @app.get("/readyz", include_in_schema=False)
    async def readyz() -> PlainTextResponse:
        """It can serve people: the database answers, and so does Redis."""
        readiness: Readiness = app.state.readiness
        why_not = await readiness.why_not()
        return PlainTextResponse(why_not or "ready", 503 if why_not else 200)

    @app.get("/metrics", include_in_schema=False)
    async def figures(request: Request) -> PlainTextResponse:
        """What it counts: how much is going on here is not for everybody to know."""
        if not (public_metrics or _from_this_computer(request)):
            raise HTTPException(403, "The figures are told to this computer alone")
        text = generate_latest(metrics.REGISTRY).decode()
        return PlainTextResponse(text, media_type=CONTENT_TYPE_LATEST)


def _from_this_computer(request: Request) -> bool:
    """Not what a proxy on this computer passes on for somebody else."""
    try:
        here = ip_address(address_of(request.scope)).is_loopback
    except ValueError:  # no address at all
        return False
    return here and not any(name in request.headers for name in _PASSED_ON)
