"""Housekeeping: a periodic sweep over the tables.

It takes over tables whose process has died, catches up with events that were not published, checks
the database, publishes the presence of people again, unloads idle tables, does what operators have
asked for, and deletes what is too old.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from random import Random
from typing import Final

from manhattan.server.domain.clocks import Milliseconds
from manhattan.server.ops.tuning import IdleGarbageCollector
from manhattan.server.service.bans import Bans
from manhattan.server.service.clock_and_secrets import now_ms
from manhattan.server.service.clock_keeper import ClockKeeper
from manhattan.server.service.operator_requests import OperatorRequests
from manhattan.server.service.retention import Retention
from manhattan.server.service.scheduler import TAKEOVER_DELAY
from manhattan.server.service.table_service import TableService
from manhattan.server.service.table_session import TableSession
from manhattan.server.storage import StoreUnavailable

log = logging.getLogger("manhattan.server")

_SWEEP_S: Final = 1.0
_PRESENCE_INTERVAL: Final[Milliseconds] = 10_000
"""How often this process publishes the viewers of its tables."""
_SYNC_INTERVAL: Final[Milliseconds] = 5_000
"""How often the database is searched for events that were written but not published, at all watched
tables at once."""
_IDLE: Final[Milliseconds] = 60_000
"""How long a table without viewers stays in memory; loading it again takes some milliseconds. A
table whose game is over is needed less."""
_OVER_IDLE: Final[Milliseconds] = 5_000
_MAX_TAKEOVERS: Final = 100
"""Overdue tables that are taken over in one sweep."""


class Housekeeping:
    """Sweeps over a service's tables until it is stopped."""

    def __init__(
        self,
        service: TableService,
        clock: ClockKeeper,
        bans: Bans,
        retention: Retention,
    ) -> None:
        self._service = service
        self._clock = clock
        self._bans = bans
        self._retention = retention
        self._operator_requests = OperatorRequests(service)
        self._task: asyncio.Task[None] | None = None
        self._garbage: IdleGarbageCollector | None = None
        self._last_sync = now_ms()
        self._failing: set[str] = set()
        """The jobs that failed last time."""

    def start(self) -> None:
        self._garbage = IdleGarbageCollector(now_ms())
        self._task = asyncio.create_task(self._sweep())

    def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()

    async def _sweep(self) -> None:
        while True:
            # Jitter, so that several processes don't all ask the database at once.
            await asyncio.sleep(_SWEEP_S * Random().uniform(0.8, 1.2))  # noqa: S311 - no secret
            try:
                await self._run_job(self._clock.check)
                await self._run_job(self._take_over_overdue)
                await self._run_job(self._sync_tables)
                await self._run_job(self._service.disconnect_revoked)
                await self._run_job(self._check_storage)
                await self._run_job(self._bans.refresh)
                await self._run_job(self._operator_requests.execute_next)
                await self._run_job(self._retention.prune)
            except StoreUnavailable as error:
                self._service.registry.report_storage_error(error)
            await self._run_job(self._tidy_up)

    async def _run_job(self, job: Callable[[], Awaitable[None]]) -> None:
        """Run a job. An unexpected error ends nothing else; it is logged once, until the job
        succeeds again, or the logs would be full of it."""
        name = getattr(job, "__name__", "")
        try:
            await job()
        except StoreUnavailable:
            raise
        except Exception as error:
            if name not in self._failing:
                log.error("a housekeeping job failed", exc_info=error)
            self._failing.add(name)
        else:
            self._failing.discard(name)

    async def _take_over_overdue(self) -> None:
        """Schedule tables whose process has died."""
        service = self._service
        limit = _MAX_TAKEOVERS + len(service.registry.unreadable)  # which stay overdue
        for table in await service.store.overdue_tables(now_ms() - TAKEOVER_DELAY, limit):
            await service.tasks.run_isolated(self._take_over(table))

    async def _take_over(self, table: str) -> None:
        session = await self._service.session(table)
        await self._service.sync_from_store(session)
        due = session.state.due
        if due is None or due > now_ms():  # an older version has stored another moment
            await self._service.store.postpone(table, due, now_ms())
            return
        # Our timer may be late as well: a computer that slept ran none.
        if not session.bot_is_choosing:
            self._service.scheduler.cancel(session)
            self._service.scheduler.schedule(session)

    async def _sync_tables(self) -> None:
        """Read events that no message announced: those of an append with an unknown
        outcome, those published while the bus was down, and those of a process that died before it
        published them."""
        service, is_bus_down = self._service, bool(self._service.bus.error)
        outdated = {session.id for session in service.sessions if session.needs_sync}
        is_due = is_bus_down or now_ms() - self._last_sync > _SYNC_INTERVAL
        if not service.bus.assumes_single_process and is_due:
            self._last_sync = now_ms()
            numbers = {
                session.id: session.state.number
                for session in service.sessions
                if session.viewers or is_bus_down
            }
            outdated.update(await service.store.tables_with_new_events(numbers))
        for session in service.sessions:
            if session.id in outdated:
                await service.tasks.run_isolated(service.sync_from_store(session))

    async def _check_storage(self) -> None:
        """See whether a database that was unavailable has space for tables again."""
        if self._service.storage_error is not None:
            await self._service.store.check_space()
            self._service.registry.clear_storage_error()

    async def _tidy_up(self) -> None:
        """Publish the presence of people again, and unload idle tables."""
        if self._garbage is not None:
            self._garbage.collect_if_idle(self._service.last_activity, now_ms())
        failure: Exception | None = None
        for session in self._service.sessions:
            try:
                now = now_ms()
                if session.viewers and now - session.presence_published_at > _PRESENCE_INTERVAL:
                    session.broadcast_presence(now)  # processes that went silent are dropped
                    self._service.publish_presence(session)
                self._unload_if_idle(session)
            except Exception as error:  # must not affect the other tables
                failure = error
        if failure is not None:
            raise failure

    def _unload_if_idle(self, session: TableSession) -> None:
        due = session.state.due
        is_due_soon = due is not None and due < now_ms() + _IDLE
        is_busy = session.viewers or session.lock.locked() or session.bot_is_choosing or is_due_soon
        is_active = session.state.stage in ("lobby", "playing")
        if is_busy or now_ms() - session.last_used < (_IDLE if is_active else _OVER_IDLE):
            return
        self._service.registry.unload(session)
