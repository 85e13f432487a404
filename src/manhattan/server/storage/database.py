"""The interface of a database, its errors, and the migrations of its schema."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from importlib import resources
from typing import Any, Final, NamedTuple, Protocol, TypeVar

from manhattan import __version__
from manhattan.rules import ManhattanError
from manhattan.server.domain.events import TableId

log = logging.getLogger("manhattan.server")

Row = tuple[Any, ...]
T = TypeVar("T")

MIGRATIONS: Final = resources.files("manhattan.server.storage").joinpath("migrations")
CREATE_MIGRATIONS: Final = (
    "CREATE TABLE IF NOT EXISTS migrations (number INTEGER PRIMARY KEY, name TEXT)"
)
READ_MIGRATIONS: Final = "SELECT number FROM migrations"
MAX_VALUES: Final = 200
"""Values in one query: databases limit their number."""


class StoreError(ManhattanError):
    """A database can't be used as it was asked for."""


class StoreNewer(StoreError):
    """A newer version of this program has migrated the database: this version can neither read what
    the newer one wrote there, nor write correctly."""

    def __init__(self, database: str, applied: int, known: int) -> None:
        super().__init__(
            f"{database} belongs to a newer version of Manhattan than this one, {__version__} "
            f"(it has migration {applied}, this version knows {known}). Install that version, or "
            "choose another database."
        )


class StoreUnavailable(StoreError):
    """The database doesn't answer, or can't write, at the moment."""


class Statement(NamedTuple):
    """An SQL statement with ``$1``, ``$2`` … for its values."""

    sql: str
    values: tuple[object, ...] = ()


class Reader(Protocol):
    """Runs queries."""

    async def read(self, sql: str, *values: object) -> list[Row]:
        """Return the rows of a query."""


class Database(Reader, Protocol):
    """Runs queries and statements."""

    async def append(
        self,
        rows: Sequence[tuple[TableId, int, str]],
        follow_ups: Mapping[int, Sequence[Statement]],
    ) -> list[bool]:
        """Write events, given as table, number and text with no number twice, in one transaction
        that is durable when this returns. Returns for each row whether its number was free; the
        statements in ``follow_ups`` for a row are executed if it was."""

    def snapshot(self) -> AbstractAsyncContextManager[Reader]:
        """Return a reader of the current contents, which later writes don't change or delay."""

    async def write(self, *statements: Statement) -> list[Row]:
        """Execute statements in one transaction, and return the rows of the last one."""

    async def close(self) -> None: ...


class Migration(NamedTuple):
    """A change of the schema."""

    number: int
    name: str
    """The name of its file."""
    statements: list[str]


def pending_migrations(database: str, applied: Collection[int]) -> list[Migration]:
    """Return the migrations that a database lacks: also those with a lower number than others that
    it has. Raises ``StoreNewer`` if it has migrations that this version doesn't know."""
    files = {int(file.name[:4]): file for file in MIGRATIONS.iterdir()}
    latest = max(files)
    if (newest := max(applied, default=0)) > latest:
        raise StoreNewer(database, newest, latest)
    migrations = []
    for number in sorted(files.keys() - set(applied)):
        file = files[number]
        lines = file.read_text("utf-8").splitlines()
        sql = "\n".join(line for line in lines if not line.startswith("--"))
        statements = [part.strip() for part in sql.split(";") if part.strip()]
        migrations.append(Migration(number, file.name, statements))
    return migrations


def report_migrations(applied: Collection[int], migrations: Sequence[Migration]) -> None:
    """Log what was migrated, unless the database is new. It is a warning, because it can't be
    undone, and operators who log no requests have to see it as well."""
    if applied and migrations:
        names = [migration.name for migration in migrations]
        log.warning("the database was migrated", extra={"migrations": names})


def chunks(values: Sequence[T]) -> Iterator[Sequence[T]]:
    """Split values so that each part fits into one query."""
    for start in range(0, len(values), MAX_VALUES):
        yield values[start : start + MAX_VALUES]


def in_groups(
    rows: Sequence[tuple[TableId, int, str]], follow_ups: Mapping[int, Sequence[Statement]]
) -> list[tuple[str, list[tuple[object, ...]]]]:
    """Group the same statements of different tables: a database executes a group faster. A
    table that has several rows in the batch gets its later statements in later groups."""
    groups: dict[tuple[int, str], list[tuple[object, ...]]] = {}
    rows_before: Counter[TableId] = Counter()
    for index, statements in sorted(follow_ups.items()):
        table = rows[index][0]
        for statement in statements:
            groups.setdefault((rows_before[table], statement.sql), []).append(statement.values)
        rows_before[table] += 1
    ordered = sorted(groups.items(), key=lambda group: group[0][0])
    return [(sql, values) for (_, sql), values in ordered]
