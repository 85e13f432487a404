"""Routes for monitoring: liveness, readiness and metrics."""

from __future__ import annotations

import asyncio
import secrets
import time
from contextlib import suppress
from typing import Final, NamedTuple

from aiohttp import hdrs, web
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from manhattan.server.ops import metrics
from manhattan.server.service.table_service import TableService
from manhattan.server.storage import StoreUnavailable
from manhattan.server.storage.backup import LAST_BACKUP_SETTING

LIVENESS_PATH: Final = "/healthz"
MONITORING_PATHS: Final = frozenset({"/readyz", "/metrics"})
CHECK_INTERVAL_S: Final = 1.0
"""The database is tried no more often, however often a monitor asks."""


class State(NamedTuple):
    """Whether a process can serve, in words for people who ask."""

    is_ready: bool
    text: str
    has_redis: bool = True
    """True also where none is configured."""


class Readiness:
    """Whether a process can serve: what it knows already is reported at once; whether the database
    accepts a write is tried, and the result is kept for a moment."""

    def __init__(self, tables: TableService) -> None:
        self._tables = tables
        self._lock = asyncio.Lock()
        self._checked_at: float | None = None

    async def check(self) -> State:
        """Return whether the process is ready. Without Redis it is: games go on, and a balancer
        that took such processes out of service would take them all."""
        if self._tables.storage_error is None:
            async with self._lock:
                await self._try_storage()
        problem = self._tables.bus.error
        if self._tables.storage_error is not None:
            return State(False, "storage unavailable", has_redis=problem is None)
        text = f"ready, but {problem}" if problem else "ready"
        return State(is_ready=True, text=text, has_redis=problem is None)

    async def read_last_backup(self) -> float:
        """Return when the database was last copied, in seconds; 0 if never."""
        return int(await self._tables.store.find_setting(LAST_BACKUP_SETTING) or 0) / 1000

    async def _try_storage(self) -> None:
        if self._checked_at is not None and time.monotonic() - self._checked_at < CHECK_INTERVAL_S:
            return
        try:
            await self._tables.store.check_writable()
        except StoreUnavailable as error:  # housekeeping finds out when it is over
            self._tables.registry.report_storage_error(error)
        self._checked_at = time.monotonic()


def add_health(
    app: web.Application,
    readiness: Readiness,
    *,
    metrics_token: str | None = None,
    public_metrics: bool = False,
) -> None:
    """Add the monitoring routes."""

    async def show_readiness(_: web.Request) -> web.Response:
        state = await readiness.check()
        return web.Response(text=state.text, status=200 if state.is_ready else 503)

    async def show_metrics(request: web.Request) -> web.Response:
        """By default for nobody: metrics reveal how much is going on. That a request comes from
        this computer means nothing, since a proxy may have forwarded it."""
        if not (public_metrics or _has_token(request, metrics_token)):
            raise web.HTTPForbidden(reason="Metrics need the token of --metrics-token")
        state = await readiness.check()  # a full disk shows also while there are no moves
        metrics.DATABASE_AVAILABLE.set(state.is_ready)
        metrics.REDIS_AVAILABLE.set(state.has_redis)
        with suppress(StoreUnavailable):
            metrics.LAST_BACKUP.set(await readiness.read_last_backup())
        body = generate_latest(metrics.REGISTRY)
        return web.Response(body=body, headers={hdrs.CONTENT_TYPE: CONTENT_TYPE_LATEST})

    app.router.add_get(LIVENESS_PATH, _show_liveness, allow_head=False)
    app.router.add_get("/readyz", show_readiness, allow_head=False)
    app.router.add_get("/metrics", show_metrics, allow_head=False)


def _has_token(request: web.Request, token: str | None) -> bool:
    given = request.headers.get(hdrs.AUTHORIZATION, "")
    expected = f"Bearer {token}"
    return token is not None and secrets.compare_digest(given.encode(), expected.encode())


async def _show_liveness(_: web.Request) -> web.Response:
    return web.Response(text="alive")
