"""The tables in this process's memory: loading them by replaying their events, and catching up
with what other processes have written."""

from __future__ import annotations

import asyncio
import logging
from typing import Final

from manhattan.server.domain.clocks import Milliseconds
from manhattan.server.domain.errors import CommandRejected, ErrorCode, Unreadable
from manhattan.server.domain.events import decode_event
from manhattan.server.domain.evolve import evolve, replay_events
from manhattan.server.domain.state import TableState
from manhattan.server.ops import metrics
from manhattan.server.pubsub.base import Bus
from manhattan.server.service.background import BackgroundTasks
from manhattan.server.service.clock_and_secrets import now_ms
from manhattan.server.service.scheduler import TAKEOVER_DELAY, TableScheduler
from manhattan.server.service.table_session import TableSession
from manhattan.server.storage import Store, StoreUnavailable

log = logging.getLogger("manhattan.server")

_REPLAY_CHUNK: Final = 100
"""Events that are replayed in one go: three milliseconds."""
_UNREADABLE_PAUSE: Final[Milliseconds] = 60_000
"""The time until a table that couldn't be read is tried again."""


class TableRegistry:
    """Table sessions by table id."""

    def __init__(
        self, store: Store, bus: Bus, scheduler: TableScheduler, tasks: BackgroundTasks
    ) -> None:
        self._store = store
        self._bus = bus
        self._scheduler = scheduler
        self._tasks = tasks
        self.storage_error: str | None = None
        """Why the database couldn't be used. A small write that succeeds doesn't clear it, only
        the check for the space that tables need (``housekeeping``)."""
        self.unreadable: dict[str, Milliseconds] = {}
        """Tables that couldn't be read, and when they are tried again."""
        self._sessions: dict[str, TableSession] = {}
        self._loading: dict[str, asyncio.Task[TableSession]] = {}
        self._replaying = asyncio.Lock()
        """Tables are replayed one at a time and in chunks, so that players don't wait for it."""

    @property
    def sessions(self) -> tuple[TableSession, ...]:
        return tuple(self._sessions.values())

    def find(self, table: str) -> TableSession | None:
        """Return a table's session if it is in memory."""
        return self._sessions.get(table)

    async def get(self, table: str) -> TableSession:
        """Return a table's session, loading it if needed."""
        if (session := self._sessions.get(table)) is not None:
            return session
        if self.unreadable.get(table, 0) > now_ms():
            raise Unreadable
        if table not in self._loading:
            loading = self._tasks.spawn(self._load(table))
            self._loading[table] = loading
            loading.add_done_callback(lambda _: self._loading.pop(table, None))
        return await asyncio.shield(self._loading[table])

    def add(self, state: TableState) -> TableSession:
        """Create a table's session, unless another task has loaded it meanwhile."""
        if (session := self._sessions.get(state.id)) is not None:
            return session
        session = self._sessions[state.id] = TableSession(state, now_ms())
        metrics.LOADED_TABLES.set(len(self._sessions))
        self._scheduler.schedule(session)
        return session

    def unload(self, session: TableSession) -> None:
        """Drop a table from memory; it is loaded again when it is needed."""
        self._scheduler.cancel(session)
        del self._sessions[session.id]
        metrics.LOADED_TABLES.set(len(self._sessions))
        self._tasks.spawn(self._bus.unsubscribe(session.id))

    async def sync(self, session: TableSession) -> bool:
        """Apply and broadcast the events that other processes have written; return whether there
        were any. The caller holds the session's lock."""
        try:
            texts = await self._store.events(session.id, session.state.number)
        except StoreUnavailable as error:
            session.needs_sync = True
            self.report_storage_error(error)
            raise CommandRejected(ErrorCode.STORAGE_UNAVAILABLE) from error
        was_unsure, session.needs_sync = session.needs_sync, False
        for text in texts:
            try:
                event = decode_event(text)
                update = session.apply(event, evolve(session.state, event))
            except Exception as error:
                raise self._mark_unreadable(session.id, error) from error
            session.broadcast(update)
        if was_unsure:  # the last event may be ours, and unknown to the other processes
            self._bus.publish_update(session.id, session.state.number)
        if texts or was_unsure:
            self._scheduler.schedule(session, delay=TAKEOVER_DELAY)
        return bool(texts)

    async def reload(self, session: TableSession) -> None:
        """Read a table again whose stored events were rewritten. The caller holds the session's
        lock."""
        state = await self._replay(session.id)
        session.replace_state(state, now_ms())
        self._scheduler.cancel(session)
        self._scheduler.schedule(session)

    def report_storage_error(self, error: Exception) -> None:
        if self.storage_error is None:
            log.error("the database is unavailable", extra={"why": str(error)})
        self.storage_error = str(error)

    def clear_storage_error(self) -> None:
        if self.storage_error is not None:
            log.warning("the database is available again")
        self.storage_error = None

    async def _load(self, table: str) -> TableSession:
        await self._bus.subscribe(table)  # first, so that no event is missed
        try:
            state = await self._replay(table)
        except Exception:
            await self._bus.unsubscribe(table)  # or clients could make us subscribe to any name
            raise
        self.unreadable.pop(table, None)
        return self.add(state)

    async def _replay(self, table: str) -> TableState:
        try:
            texts = await self._store.events(table)
        except StoreUnavailable as error:
            self.report_storage_error(error)
            raise CommandRejected(ErrorCode.STORAGE_UNAVAILABLE) from error
        state: TableState | None = None
        async with self._replaying:
            for first in range(0, len(texts), _REPLAY_CHUNK):
                chunk = map(decode_event, texts[first : first + _REPLAY_CHUNK])
                try:
                    state = replay_events(table, chunk, state)
                except Exception as error:
                    raise self._mark_unreadable(table, error) from error
                await asyncio.sleep(0)
        if state is None:
            raise CommandRejected(ErrorCode.NO_SUCH_TABLE, table=table)
        return state

    def _mark_unreadable(self, table: str, error: Exception) -> Unreadable:
        """Log an unreadable table once, leave it alone for a while, and return the error."""
        if table not in self.unreadable:
            log.error("a table can't be read", exc_info=error)
        self.unreadable[table] = now_ms() + _UNREADABLE_PAUSE
        return Unreadable()
