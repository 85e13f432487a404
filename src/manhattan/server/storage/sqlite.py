"""SQLite: one file, nothing to install. A write is on the disk before it returns.

One connection writes, in a thread of its own; another one reads. In WAL mode neither waits for the
other, and a backup delays neither.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, Final, TypeVar

from manhattan.server.domain.events import TableId
from manhattan.server.storage.database import (
    CREATE_MIGRATIONS,
    READ_MIGRATIONS,
    Reader,
    Row,
    Statement,
    StoreError,
    StoreUnavailable,
    in_groups,
    pending_migrations,
    report_migrations,
)
from manhattan.server.storage.rebuild import SELECT_EVENTS, SELECT_TABLES, rebuild

T = TypeVar("T")
_NAMES: Final = [str(number) for number in range(1, 1000)]
_BUSY_TIMEOUT_S: Final = 5.0
"""How long to wait while another process writes."""


class Sqlite:
    """A ``Database`` in a file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._writing = ThreadPoolExecutor(1, "sqlite-writer")
        self._reading = ThreadPoolExecutor(1, "sqlite-reader")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            _create_private(path)
            _check_writable(path)
            self._writer = _connect(path)
            self._reader = _connect(path)
        except (sqlite3.Error, OSError) as error:
            raise StoreError(f"The database {path} can't be opened: {error}.") from error
        try:
            _migrate(self._writer, path)
            self._file = path.stat()
        except BaseException:
            self._reader.close()
            self._writer.close()
            raise

    async def append(
        self,
        rows: Sequence[tuple[TableId, int, str]],
        follow_ups: Mapping[int, Sequence[Statement]],
    ) -> list[bool]:
        return await _run_in(self._writing, lambda: self._append(rows, follow_ups))

    async def read(self, sql: str, *values: object) -> list[Row]:
        statement = Statement(sql, values)
        return await _run_in(self._reading, lambda: _execute(self._reader, statement))

    @asynccontextmanager
    async def snapshot(self) -> AsyncIterator[Reader]:
        # It needs a connection of its own: within its transaction, reads see nothing newer.
        def open_snapshot() -> _Snapshot:
            self._check_file()  # or SQLite would create a new one
            return _Snapshot(self._path)

        snapshot = await _run_in(self._reading, open_snapshot)
        try:
            yield snapshot
        finally:
            await snapshot.close()

    async def write(self, *statements: Statement) -> list[Row]:
        def work() -> list[Row]:
            self._check_file()
            with _transaction(self._writer):
                for statement in statements:
                    rows = _execute(self._writer, statement)
            return rows

        return await _run_in(self._writing, work)

    async def close(self) -> None:
        await _close(self._writing, self._writer)
        await _close(self._reading, self._reader)

    def _check_file(self) -> None:
        """Raise if the file was deleted or replaced: SQLite would go on writing into the deleted
        one, and all of it would be lost with the process."""
        try:
            is_same = os.path.samestat(self._path.stat(), self._file)
        except OSError as error:
            if not isinstance(error, FileNotFoundError):
                raise StoreUnavailable(f"The database can't be used: {error}.") from error
            is_same = False
        if not is_same:
            raise StoreUnavailable(
                f"The database {self._path} was deleted or replaced while it was in use. Stop the "
                "server, restore the file or a backup, and start the server again."
            )

    def _append(
        self,
        rows: Sequence[tuple[TableId, int, str]],
        follow_ups: Mapping[int, Sequence[Statement]],
    ) -> list[bool]:
        # One statement for all rows: each statement, and each row that it returns, releases and
        # takes the interpreter's lock, for which it would have to wait on a busy server.
        values = list(chain.from_iterable(rows))
        self._check_file()
        with _transaction(self._writer):
            try:
                self._writer.execute(_insert_events(len(rows)), values)
                was_first = [True] * len(rows)
            except sqlite3.IntegrityError:  # at least one number is taken
                insert = f"{_insert_events(len(rows))} ON CONFLICT DO NOTHING"
                returned = self._writer.execute(f"{insert} RETURNING table_id, number", values)
                inserted = set(returned.fetchall())
                was_first = [(table, number) in inserted for table, number, _ in rows]
            first = {n: statements for n, statements in follow_ups.items() if was_first[n]}
            for sql, group in in_groups(rows, first):
                self._writer.executemany(sql, map(_named, group))
        return was_first


@cache
def _insert_events(rows: int) -> str:
    placeholders = ", ".join(["(?, ?, ?)"] * rows)
    return f"INSERT INTO events (table_id, number, event) VALUES {placeholders}"  # noqa: S608


class _Snapshot:
    """A ``Reader`` of one moment: in WAL mode a transaction sees what was there when it began."""

    def __init__(self, path: Path) -> None:
        self._pool = ThreadPoolExecutor(1, "sqlite-snapshot")
        self._connection = _connect(path)
        self._connection.execute("BEGIN")

    async def read(self, sql: str, *values: object) -> list[Row]:
        statement = Statement(sql, values)
        return await _run_in(self._pool, lambda: _execute(self._connection, statement))

    async def close(self) -> None:
        await _close(self._pool, self._connection)


async def _run_in(pool: ThreadPoolExecutor, work: Callable[[], T]) -> T:
    try:
        return await asyncio.get_running_loop().run_in_executor(pool, work)
    except sqlite3.Error as error:
        raise StoreUnavailable(f"The database can't be used at the moment: {error}.") from error


async def _close(pool: ThreadPoolExecutor, connection: sqlite3.Connection) -> None:
    await asyncio.get_running_loop().run_in_executor(pool, connection.close)
    pool.shutdown()


def _create_private(path: Path) -> None:
    """Create a new file for its owner alone, as SQLite's files beside it will be: it holds the
    seeds of running games, and the secret that signs cookies."""
    # Only a new file: closing one that SQLite has open would release SQLite's locks.
    with suppress(FileExistsError):
        os.close(os.open(os.path.realpath(path), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


def _check_writable(path: Path) -> None:
    """Raise if SQLite couldn't write: it needs the file, and files of its own beside it."""
    for place in (path, path.parent):
        if not os.access(place, os.W_OK):
            raise StoreError(
                f"The database {path} can't be written: {place} is read-only for you. Change its "
                "permissions, or choose another file with --database."
            )


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path,
        timeout=_BUSY_TIMEOUT_S,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=256,
    )
    _switch_to_wal(connection)
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA temp_store = MEMORY")  # or each batch creates and removes a file
    return connection


def _switch_to_wal(connection: sqlite3.Connection) -> None:
    """Switch to WAL mode. SQLite doesn't wait by itself while another process does the same."""
    deadline = time.monotonic() + _BUSY_TIMEOUT_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        else:
            return


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _execute(connection: sqlite3.Connection, statement: Statement) -> list[Row]:
    return connection.execute(statement.sql, _named(statement.values)).fetchall()


def _named(values: Sequence[Any]) -> dict[str, Any]:
    """Return the values of ``$1``, ``$2`` … as SQLite expects them."""
    return dict(zip(_NAMES, values, strict=False))


def _migrate(connection: sqlite3.Connection, path: Path) -> None:
    try:
        with _transaction(connection):
            connection.execute(CREATE_MIGRATIONS)
            applied = [number for (number,) in connection.execute(READ_MIGRATIONS)]
            migrations = pending_migrations(f"The database {path}", applied)
            for number, name, statements in migrations:
                for statement in statements:
                    connection.execute(statement)
                connection.execute("INSERT INTO migrations VALUES (?, ?)", (number, name))
            if migrations:
                _rebuild_projections(connection)
        report_migrations(applied, migrations)
    except sqlite3.Error as error:
        raise StoreError(f"The database {path} can't be migrated: {error}.") from error


def _rebuild_projections(connection: sqlite3.Connection) -> None:
    for (table,) in connection.execute(SELECT_TABLES).fetchall():
        events = [text for (text,) in _execute(connection, Statement(SELECT_EVENTS, (table,)))]
        for statement in rebuild(table, events):
            _execute(connection, statement)
