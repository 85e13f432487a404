"""The event store: a table's events, appended with optimistic concurrency.

Beside the events are the people, and what follows from the events and serves lists and timers. The
SQL is the same for every ``Database``.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final, Literal, NamedTuple

import msgspec

from manhattan.server.domain.clocks import Milliseconds
from manhattan.server.domain.events import PersonId, TableId
from manhattan.server.storage.database import (
    MAX_VALUES,
    Database,
    Reader,
    Row,
    Statement,
    chunks,
)
from manhattan.server.storage.follow_ups import follow_ups, write_names, write_names_if_latest
from manhattan.server.storage.game_list import GameList
from manhattan.server.storage.identity_store import IdentityStore, Person, delete_person
from manhattan.server.storage.operator_store import OperatorStore
from manhattan.server.storage.projection import Append, Summary
from manhattan.server.storage.readable_rows import readable_rows

_SMALL_WRITE: Final = 12
"""Bytes that show whether anything can be written."""
_LARGE_WRITE: Final = 30_000
"""More bytes than an event needs with all that is written with it."""
_TABLES_PER_SCAN: Final = 200
"""Tables whose events are searched in one query, so that others don't wait for it."""
_LISTED_PER_HOST: Final = 2
"""Listed tables of one host: the list is for everyone."""


_Listing = dict[str, Any]


class Rewrite(NamedTuple):
    """Stored events of a table that are replaced, and what lists show of it then."""

    table: TableId
    events: Mapping[int, str]
    summary: Summary


class ReadOnlyStore:
    """The store without its writes."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    async def events(self, table: TableId, since: int = 0) -> list[str]:
        """Return a table's events from a number on."""
        rows = await self._reader.read(
            "SELECT event FROM events WHERE table_id = $1 AND number >= $2 ORDER BY number",
            table,
            since,
        )
        return [row[0] for row in rows]

    async def read(self, sql: str, *values: object) -> list[Row]:
        """Return the rows of a query that has no method here: for backups and exports."""
        return await self._reader.read(sql, *values)


class Store(ReadOnlyStore):
    """The tables, the people and the server's secrets."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._database = database
        self.identities = IdentityStore(database)
        self.games = GameList(database)
        self.operators = OperatorStore(database)

    @asynccontextmanager
    async def snapshot(self) -> AsyncIterator[ReadOnlyStore]:
        """Return the store as it is now, whatever is written meanwhile."""
        async with self._database.snapshot() as reader:
            yield ReadOnlyStore(reader)

    async def close(self) -> None:
        await self._database.close()

    # Tables.

    async def append(self, batch: Sequence[Append]) -> list[bool]:
        """Append events, and return for each whether it was the first with its number."""
        # Two appends of one batch may have the same number: the first one counts.
        first_index: dict[tuple[TableId, int], int] = {}
        for index, append in enumerate(batch):
            first_index.setdefault((append.table, append.number), index)
        # Sorted, so that two processes can't wait for each other's rows (deadlock).
        indexes = [index for _, index in sorted(first_index.items())]
        unique = [batch[index] for index in indexes]
        rows = [(append.table, append.number, append.event) for append in unique]
        statements = {n: changes for n, row in enumerate(unique) if (changes := follow_ups(row))}
        written = await self._database.append(rows, statements)
        outcomes = [False] * len(batch)
        for index, was_first in zip(indexes, written, strict=True):
            outcomes[index] = was_first
        return outcomes

    async def tables_with_new_events(self, numbers: Mapping[TableId, int]) -> list[TableId]:
        """Return those tables that have an event with the given number. (A count would take longer
        at long tables.)"""
        tables: list[TableId] = []
        for chunk in chunks(sorted(numbers.items())):
            row = "(CAST(${} AS TEXT), CAST(${} AS INTEGER))"
            values = ", ".join(row.format(2 * n + 1, 2 * n + 2) for n in range(len(chunk)))
            rows = await self._database.read(
                f"WITH known (id, next) AS (VALUES {values}) "  # noqa: S608 - placeholders
                "SELECT id FROM known JOIN events ON table_id = id AND number = next",
                *(value for item in chunk for value in item),
            )
            tables += [row[0] for row in rows]
        return tables

    async def list_public_tables(
        self,
        stage: Literal["lobby", "playing", "over"],
        limit: int,
        since: Milliseconds = 0,
        watched: Collection[TableId] = (),
    ) -> list[tuple[TableId, Mapping[str, Any]]]:
        """Return public tables of a stage with what a list shows, the latest first and a few for
        each host: tables that have changed since a moment, and watched ones."""
        included = sorted(watched)[:MAX_VALUES]
        placeholders = ", ".join(f"${n}" for n in range(4, len(included) + 4))
        or_watched = f"OR id IN ({placeholders})" if included else ""
        # Not "the first two of each host", which would read all tables that have ever existed.
        rows = await self._database.read(
            "SELECT id, listing FROM tables t WHERE stage = $1 AND public = 1 "  # noqa: S608 - placeholders
            f"AND (changed_at >= $3 {or_watched}) AND NOT EXISTS (SELECT 1 FROM tables later "
            "WHERE later.host = t.host AND later.stage = t.stage AND later.public = 1 "
            "AND (later.changed_at, later.id) > (t.changed_at, t.id) "
            f"LIMIT 1 OFFSET {_LISTED_PER_HOST - 1}) ORDER BY changed_at DESC LIMIT $2",
            stage,
            limit,
            since,
            *included,
        )
        return readable_rows(rows, lambda row: (row[0], msgspec.json.decode(row[1], type=_Listing)))

    async def tables_in_lobby(self, tables: Sequence[TableId]) -> list[TableId]:
        """Return those tables that wait for players."""
        return await self._tables_in(tables, "stage = 'lobby'")

    async def overdue_tables(self, before: Milliseconds, limit: int) -> list[TableId]:
        """Return tables that were due before a moment."""
        rows = await self._database.read(
            "SELECT id FROM tables WHERE due < $1 ORDER BY due LIMIT $2", before, limit
        )
        return [row[0] for row in rows]

    async def postpone(self, table: TableId, due: Milliseconds | None, now: Milliseconds) -> None:
        """Correct the moment at which a table is due, if it lies in the past."""
        await self._database.write(
            Statement(
                "UPDATE tables SET due = $2 WHERE id = $1 AND due <= $3 RETURNING id",
                (table, due, now),
            )
        )

    # People.

    async def find_person(self, id: PersonId) -> Person | None:
        rows = await self._database.read(
            "SELECT id, name, generation FROM people WHERE id = $1", id
        )
        return Person(*rows[0]) if rows else None

    async def add_person(self, person: Person, now: Milliseconds) -> None:
        await self._database.write(
            Statement(
                "INSERT INTO people (id, name, generation, changed_at) VALUES ($1, $2, $3, $4)",
                (person.id, person.name, person.generation, now),
            )
        )

    async def rename_person(self, person: PersonId, name: str, now: Milliseconds) -> bool:
        """Rename a person; False if they have been deleted."""
        rows = await self._database.write(
            Statement(
                "UPDATE people SET name = $2, changed_at = $3 WHERE id = $1 RETURNING id",
                (person, name, now),
            )
        )
        return bool(rows)

    async def delete_person(self, person: PersonId, rewrites: Sequence[Rewrite]) -> bool:
        """Delete a person, and rewrite the tables that name them; False if they were deleted
        before."""
        return bool(await self._database.write(*_rewrite(rewrites), *delete_person(person)))

    async def rewrite(self, rewrites: Sequence[Rewrite]) -> None:
        """Replace stored events."""
        if rewrites:
            await self._database.write(*_rewrite(rewrites))

    async def write_names(self, table: TableId, summary: Summary, number: int) -> bool:
        """Correct the names that lists show of a table; False if it has more events than a number,
        so that the summary is out of date."""
        statement = write_names_if_latest(table, summary, number)
        return bool(await self._database.write(statement))

    async def tables_naming(self, person: PersonId) -> AsyncIterator[TableId]:
        """Return the tables with an event that a person caused, or that names them. It reads all
        events of all tables, some tables at a time."""
        last = ""
        while True:
            rows = await self._database.read(
                "SELECT id FROM tables WHERE id > $1 ORDER BY id LIMIT $2", last, _TABLES_PER_SCAN
            )
            if not rows:
                return
            first, last = rows[0][0], rows[-1][0]
            found = await self._database.read(
                "SELECT DISTINCT table_id FROM events WHERE table_id >= $1 AND table_id <= $2 "
                "AND event LIKE $3",
                first,
                last,
                f"%{person}%",
            )
            for (table,) in found:
                yield table

    async def unfinished_tables(self, tables: Sequence[TableId]) -> list[TableId]:
        """Return those tables whose game is not over."""
        return await self._tables_in(tables, "stage IN ('lobby', 'playing')")

    async def _tables_in(self, tables: Sequence[TableId], condition: str) -> list[TableId]:
        found: list[TableId] = []
        for chunk in chunks(tables):
            placeholders = ", ".join(f"${n}" for n in range(1, len(chunk) + 1))
            rows = await self._database.read(
                f"SELECT id FROM tables WHERE {condition} AND id IN ({placeholders})",  # noqa: S608 - placeholders
                *chunk,
            )
            found += [row[0] for row in rows]
        return found

    async def count_tables_of(self, person: PersonId) -> int:
        """Return at how many tables a person has a seat."""
        [[tables]] = await self._database.read(
            "SELECT count(*) FROM seat_holders s JOIN tables t ON t.id = s.table_id "
            "WHERE s.person_id = $1 AND t.stage <> 'closed'",
            person,
        )
        return int(tables)

    # The server's own.

    async def secret(self, name: str) -> str:
        """Return a secret, the same for every process that uses this database."""
        return await self.setting(name, secrets.token_urlsafe(32))

    async def setting(self, name: str, initial: str) -> str:
        """Return a setting of the server, which the first process that asks for it stores."""
        await self._database.write(
            Statement(
                "INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING",
                (name, initial),
            )
        )
        rows = await self._database.read("SELECT value FROM settings WHERE name = $1", name)
        return str(rows[0][0])

    async def find_setting(self, name: str) -> str | None:
        """Return a setting of the server, if there is one."""
        rows = await self._database.read("SELECT value FROM settings WHERE name = $1", name)
        return str(rows[0][0]) if rows else None

    async def write_setting(self, name: str, value: str) -> None:
        """Store a setting of the server."""
        await self._database.write(
            Statement(
                "INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT (name) "
                "DO UPDATE SET value = excluded.value",
                (name, value),
            )
        )

    async def latest_change(self) -> Milliseconds:
        """Return the moment of the latest event of all tables; 0 if there is none."""
        [[latest]] = await self._database.read("SELECT max(changed_at) FROM tables")
        return int(latest or 0)

    async def check_writable(self) -> None:
        """Raise ``StoreUnavailable`` if nothing can be written."""
        await self._write_probe(_SMALL_WRITE)

    async def check_space(self) -> None:
        """Raise ``StoreUnavailable`` if there is no space for what tables write."""
        await self._write_probe(_LARGE_WRITE)

    async def _write_probe(self, length: int) -> None:
        # A random value: an unchanged one would not be written.
        await self.write_setting("probe", secrets.token_urlsafe(length))

    async def write(self, *statements: Statement) -> None:
        """Execute statements that have no method here, in one transaction."""
        await self._database.write(*statements)


def _rewrite(rewrites: Sequence[Rewrite]) -> list[Statement]:
    update_event = "UPDATE events SET event = $3 WHERE table_id = $1 AND number = $2"
    statements = []
    # Sorted, so that two processes can't wait for each other's rows (deadlock).
    for table, events, summary in sorted(rewrites, key=lambda rewrite: rewrite.table):
        statements += [
            Statement(update_event, (table, number, event))
            for number, event in sorted(events.items())
        ]
        statements.append(write_names(table, summary))
    return statements
