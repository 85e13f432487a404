"""What is kept, and the one way to write it: a table's next entry, if nobody else was first.

The statements are the same for every database; a ``Database`` runs them.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from importlib import resources
from typing import Any, Final, Literal, NamedTuple, Protocol, TypeVar

import orjson

from manhattan import __version__
from manhattan.rules import ManhattanError
from manhattan.server.clocks import Milliseconds
from manhattan.server.entries import PersonId
from manhattan.server.store.acquaintances import Acquaintances

Row = tuple[Any, ...]
TableId = str
T = TypeVar("T")


class StoreError(ManhattanError):
    """A database that can't be used as it was asked for."""


class StoreNewer(StoreError):
    """A database that a newer version of this program has brought up to date: what it wrote there
    can't be read here, and what would be written here might be wrong."""

    def __init__(self, database: str, done: int, known: int) -> None:
        super().__init__(
            f"{database} belongs to a newer version of Manhattan than this one, {__version__} "
            f"(it is at step {done}, this version knows {known}): install that version, or name "
            "another database."
        )


class StoreAway(StoreError):
    """The database does not answer, or can't write, at the moment."""


class Statement(NamedTuple):
    """A statement with ``$1``, ``$2`` … for its values."""

    sql: str
    values: tuple[object, ...] = ()


@dataclass(frozen=True, slots=True)
class Summary:
    """What lists and timers need to know of a table."""

    stage: str
    public: bool
    opened_at: Milliseconds
    due: Milliseconds | None
    told: Mapping[str, Any]
    """What is shown in a list."""
    host: PersonId | None = None
    """Who has opened it."""


class Append(NamedTuple):
    """A table's next entry."""

    table: TableId
    number: int
    entry: str
    at: Milliseconds
    summary: Summary | None = None
    """None if it has not changed."""
    people: frozenset[PersonId] | None = None
    """Who sits there; None if they are the same as before."""


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who has said his name."""

    id: PersonId
    name: str
    generation: int
    """Cookies of an earlier one are no longer his."""


class Reading(Protocol):
    """Runs queries."""

    async def read(self, sql: str, *values: object) -> list[Row]:
        """The rows that a query finds."""


class Database(Reading, Protocol):
    """Runs statements."""

    alone: bool
    """Is there no other process that writes to it?"""

    async def append(
        self, rows: Sequence[tuple[TableId, int, str]], then: Mapping[int, Sequence[Statement]]
    ) -> list[bool]:
        """Write entries, no two with the same number of a table, all of them durably before this
        is over, and tell which were first with it. What stands in ``then`` for a row is run with
        it, if it was."""

    def snapshot(self) -> AbstractAsyncContextManager[Reading]:
        """Everything as it stands now, whatever is written meanwhile. Nobody waits for it."""

    async def write(self, *statements: Statement) -> list[Row]:
        """Run statements, all or none; the rows of the last one come back."""

    async def close(self) -> None: ...


_LITTLE: Final = 12
"""Bytes that are enough to find out whether anything can be written."""
_MUCH: Final = 30_000
"""More bytes than an entry needs with all that is written with it: where this fits, that does."""
_AT_ONCE: Final = 200
"""So much is asked for at once."""
_OF_ONE_HOST: Final = 2
"""So many of his tables are in a list: the list is for all."""
MIGRATIONS: Final = resources.files("manhattan.server.store").joinpath("migrations")
VERSIONS: Final = "CREATE TABLE IF NOT EXISTS migrations (number INTEGER PRIMARY KEY, name TEXT)"


def migrations(database: str, done: int) -> list[tuple[int, str, list[str]]]:
    """The steps that a database still lacks: number, name and statements. Raises ``StoreNewer`` if
    it has taken steps that nobody here knows."""
    files = {int(file.name[:4]): file for file in MIGRATIONS.iterdir()}
    known = max(files)
    if done > known:
        raise StoreNewer(database, done, known)
    steps = []
    for number in sorted(number for number in files if number > done):
        file = files[number]
        lines = file.read_text("utf-8").splitlines()
        text = "\n".join(line for line in lines if not line.startswith("--"))
        statements = [one.strip() for one in text.split(";") if one.strip()]
        steps.append((number, file.name, statements))
    return steps


class Kept:
    """What is kept, to be read."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading

    async def entries(self, table: TableId, since: int = 0) -> list[str]:
        """What was written down of a table, from a number on."""
        rows = await self._reading.read(
            "SELECT entry FROM entries WHERE table_id = $1 AND number >= $2 ORDER BY number",
            table,
            since,
        )
        return [row[0] for row in rows]

    async def read(self, sql: str, *values: object) -> list[Row]:
        """The rows of a query that has no method here: for copies and exports."""
        return await self._reading.read(sql, *values)


class Store(Kept):
    """The tables, the people and the server's own secrets."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._database = database
        self._known = Acquaintances() if database.alone else None

    @asynccontextmanager
    async def snapshot(self) -> AsyncIterator[Kept]:
        """Everything of one moment, while others write."""
        async with self._database.snapshot() as reading:
            yield Kept(reading)

    async def append(self, batch: Sequence[Append]) -> list[bool]:
        """Write entries down, in an order that is the same for all who write; which of them were
        first with their number."""
        # Who asked for an entry may be gone before it is written, and another come for its number.
        wanted: dict[tuple[TableId, int], int] = {}
        for at, one in enumerate(batch):
            wanted.setdefault((one.table, one.number), at)
        # Two processes that wait for each other's rows would wait for ever.
        places = [at for _, at in sorted(wanted.items())]
        unique = [batch[at] for at in places]
        rows = [(one.table, one.number, one.entry) for one in unique]
        then = {
            n: _also_written(one)
            for n, one in enumerate(unique)
            if one.summary is not None or one.people is not None
        }
        found = await self._database.append(rows, then)
        first = [False] * len(batch)
        for at, was_first in zip(places, found, strict=True):
            first[at] = was_first
        return first

    async def with_news(self, known: Mapping[TableId, int]) -> list[TableId]:
        """Those of some tables of which there is more than so many entries. (Only the next one is
        looked for: that costs the same however long a table is.)"""
        found: list[TableId] = []
        for some in _batched(sorted(known.items())):
            row = "(CAST(${} AS TEXT), CAST(${} AS INTEGER))"
            rows = ", ".join(row.format(2 * n + 1, 2 * n + 2) for n in range(len(some)))
            news = await self._database.read(
                f"WITH known (id, next) AS (VALUES {rows}) "  # noqa: S608 - our own places
                "SELECT id FROM known JOIN entries ON table_id = id AND number = next",
                *(value for table in some for value in table),
            )
            found += [row[0] for row in news]
        return found

    async def listed(
        self,
        stage: Literal["gathering", "playing", "over"],
        limit: int,
        since: Milliseconds = 0,
        looked_at: Collection[TableId] = (),
    ) -> list[tuple[TableId, Mapping[str, Any]]]:
        """The public tables of a stage, the latest first, a few of each host. Something has changed
        at them since a moment, or somebody looks at them."""
        waiting = sorted(looked_at)[:_AT_ONCE]
        places = ", ".join(f"${n}" for n in range(4, len(waiting) + 4))
        seen = f"OR id IN ({places})" if waiting else ""
        # Not "the first of each host": that would look at all tables that there ever were.
        rows = await self._database.read(
            "SELECT id, summary FROM tables t WHERE stage = $1 AND public = 1 "  # noqa: S608 - places
            f"AND (changed_at >= $3 {seen}) AND NOT EXISTS (SELECT 1 FROM tables later "
            "WHERE later.host = t.host AND later.stage = t.stage AND later.public = 1 "
            "AND (later.changed_at, later.id) > (t.changed_at, t.id) "
            f"LIMIT 1 OFFSET {_OF_ONE_HOST - 1}) ORDER BY changed_at DESC LIMIT $2",
            stage,
            limit,
            since,
            *waiting,
        )
        return [(row[0], orjson.loads(row[1])) for row in rows]

    async def tables_of(self, person: PersonId, limit: int) -> list[TableId]:
        """Where somebody sits, the latest first."""
        rows = await self._database.read(
            "SELECT t.id FROM sitters s JOIN tables t ON t.id = s.table_id "
            "WHERE s.person_id = $1 AND t.stage <> 'closed' ORDER BY t.changed_at DESC LIMIT $2",
            person,
            limit,
        )
        return [row[0] for row in rows]

    async def overdue(self, before: Milliseconds, limit: int) -> list[TableId]:
        """Tables at which something should have happened by a moment."""
        rows = await self._database.read(
            "SELECT id FROM tables WHERE due < $1 ORDER BY due LIMIT $2", before, limit
        )
        return [row[0] for row in rows]

    async def person(self, id: PersonId) -> Person | None:
        known = self._known
        if known is not None and (person := known.person(id)) is not None:
            return person
        asked = known.asked() if known is not None else 0
        rows = await self._database.read(
            "SELECT id, name, generation FROM people WHERE id = $1", id
        )
        if not rows:
            return None
        person = Person(*rows[0])
        if known is not None:
            known.met(person, asked)
        return person

    async def generations(self, people: Collection[PersonId]) -> dict[PersonId, int]:
        """Which of these people's cookies are theirs."""
        found: dict[PersonId, int] = {}
        if self._known is not None:
            met = filter(None, map(self._known.person, people))
            found = {person.id: person.generation for person in met}
        for some in _batched(sorted(set(people) - found.keys())):
            places = ", ".join(f"${n}" for n in range(1, len(some) + 1))
            rows = await self._database.read(
                f"SELECT id, generation FROM people WHERE id IN ({places})",  # noqa: S608
                *some,
            )
            found.update(rows)
        return found

    async def add_person(self, person: Person, now: Milliseconds) -> None:
        """Somebody new."""
        await self._database.write(
            Statement(
                "INSERT INTO people (id, name, generation, changed_at) VALUES ($1, $2, $3, $4)",
                (person.id, person.name, person.generation, now),
            )
        )

    async def rename_person(self, person: Person, name: str, now: Milliseconds) -> bool:
        """Call somebody something else; false if he is of another generation by now."""
        return await self._change_person(person, "name = $4", name, now)

    async def void_person(self, person: Person, now: Milliseconds) -> bool:
        """Begin a new generation; false if that was done before."""
        return await self._change_person(person, "generation = $4", person.generation + 1, now)

    async def _change_person(
        self, person: Person, change: str, to: str | int, now: Milliseconds
    ) -> bool:
        # One statement, which asks for the generation itself: what was read before it is over.
        try:
            rows = await self._database.write(
                Statement(
                    f"UPDATE people SET {change}, changed_at = $3 "  # noqa: S608 - our own words
                    "WHERE id = $1 AND generation = $2 RETURNING id",
                    (person.id, person.generation, now, to),
                )
            )
        finally:  # what is known of him may be over even if nobody can tell
            if self._known is not None:
                self._known.forget(person.id)
        return bool(rows)

    async def secret(self, name: str) -> str:
        """A secret of the server's, the same for every process that uses this database."""
        await self._database.write(
            Statement(
                "INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING",
                (name, secrets.token_urlsafe(32)),
            )
        )
        rows = await self._database.read("SELECT value FROM settings WHERE name = $1", name)
        return str(rows[0][0])

    async def answers(self) -> None:
        """Raise ``StoreAway`` if it does not, or if nothing can be written."""
        await self._scribble(_LITTLE)

    async def has_space(self) -> None:
        """Raise ``StoreAway`` if there is no space for what tables write."""
        await self._scribble(_MUCH)

    async def _scribble(self, length: int) -> None:
        await self._database.write(
            Statement(
                "INSERT INTO settings (name, value) VALUES ('asked', $1) ON CONFLICT (name) "
                "DO UPDATE SET value = excluded.value",
                (secrets.token_urlsafe(length),),  # never the same: that would not be written
            )
        )

    async def write(self, *statements: Statement) -> None:
        """Run statements that have no method here, all or none."""
        await self._database.write(*statements)

    async def close(self) -> None:
        await self._database.close()


def _batched(many: Sequence[T]) -> Iterator[Sequence[T]]:
    """Some at a time: no database takes any number of values."""
    for start in range(0, len(many), _AT_ONCE):
        yield many[start : start + _AT_ONCE]


def _also_written(one: Append) -> list[Statement]:
    """What changes with an entry: the table's line in the lists, and who sits there."""
    return [*_summarized(one.table, one.at, one.summary), *_seated(one.table, one.people)]


def _summarized(table: TableId, at: Milliseconds, summary: Summary | None) -> list[Statement]:
    if summary is None:
        return []
    told = orjson.dumps(summary.told).decode()
    public = int(summary.public)
    return [
        Statement(
            "INSERT INTO tables (id, stage, public, opened_at, changed_at, due, summary, host) "
            "VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (id) DO UPDATE SET "
            "stage = excluded.stage, public = excluded.public, changed_at = excluded.changed_at, "
            "due = excluded.due, summary = excluded.summary, host = excluded.host",
            (table, summary.stage, public, summary.opened_at, at, summary.due, told, summary.host),
        )
    ]


def _seated(table: TableId, people: frozenset[PersonId] | None) -> list[Statement]:
    if people is None:
        return []
    return [
        Statement("DELETE FROM sitters WHERE table_id = $1", (table,)),
        *(
            Statement("INSERT INTO sitters (table_id, person_id) VALUES ($1, $2)", (table, person))
            for person in sorted(people)
        ),
    ]
