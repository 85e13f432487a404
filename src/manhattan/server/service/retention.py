"""Retention: games and people that nobody has used for a long time are deleted, if the operator
wants it. A few at a time, so that players don't notice."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Final

from manhattan.server.domain.clocks import Milliseconds
from manhattan.server.service.clock_and_secrets import now_ms
from manhattan.server.service.table_service import TableService

log = logging.getLogger("manhattan.server")

_DAY: Final[Milliseconds] = 24 * 60 * 60 * 1000
_PAUSE: Final[Milliseconds] = 60 * 60 * 1000
"""The time between two searches, when there is nothing left to delete."""
BATCH: Final = 5
"""Tables, and people, that are deleted in one sweep. A table has some hundreds of events."""


@dataclass(frozen=True, slots=True)
class RetentionPolicy:
    """How long something is kept after its last use, in days; None keeps it for ever."""

    games: int | None = None
    """Finished games, and tables that were closed."""
    people: int | None = None
    """People without a game."""


class Retention:
    """Deletes what is older than a policy allows."""

    def __init__(self, tables: TableService, policy: RetentionPolicy) -> None:
        self._tables = tables
        self._store = tables.store.operators
        self._policy = policy
        self._next_search: Milliseconds = 0

    async def prune(self) -> None:
        """Delete a few tables and people."""
        if now_ms() < self._next_search:
            return
        tables, people = await self._prune_tables(), await self._prune_people()
        if tables or people:
            log.info("old data deleted", extra={"tables": tables, "people": people})
        else:
            self._next_search = now_ms() + _PAUSE

    async def _prune_tables(self) -> int:
        if self._policy.games is None:
            return 0
        before = now_ms() - self._policy.games * _DAY
        # Somebody may look at an old game, or write there at this moment.
        loaded = {session.id for session in self._tables.sessions}
        found = await self._store.prunable_tables(before, BATCH + len(loaded))
        idle = [table for table in found if table not in loaded]
        return sum([await self._prune_table(table, before) for table in idle[:BATCH]])

    async def _prune_table(self, table: str, before: Milliseconds) -> bool:
        is_pruned = await self._store.prune_table(table, before)
        if is_pruned:  # perhaps another process has it in memory
            await self._tables.reload(table)
        return is_pruned

    async def _prune_people(self) -> int:
        if self._policy.people is None:
            return 0
        before = now_ms() - self._policy.people * _DAY
        connected = self._tables.connected_people()
        found = await self._store.prunable_people(before, BATCH + len(connected))
        idle = [person for person in found if person not in connected]
        return sum([await self._store.prune_person(person) for person in idle[:BATCH]])
