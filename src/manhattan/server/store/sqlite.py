"""SQLite: one file, nothing to install. What is written is on the disk before it is told.

One connection writes, in a thread of its own; another one reads. In WAL mode neither waits for
the other, and whoever makes a back-up waits for nobody.
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
from typing import TypeVar

from manhattan.server.store.keeping import (
    VERSIONS,
    Reading,
    Row,
    Statement,
    StoreAway,
    StoreError,
    TableId,
    migrations,
)

T = TypeVar("T")
_BUSY = 5.0
"""Seconds to wait while another process writes."""


class Sqlite:
    """A ``Database`` in a file."""

    alone = True  # two processes that serve tables would each know half of what happens

    def __init__(self, path: Path) -> None:
        self._path = path
        self._writing = ThreadPoolExecutor(1, "sqlite-writer")
        self._reading = ThreadPoolExecutor(1, "sqlite-reader")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            _make_private(path)
            self._writer = _connect(path)
            self._reader = _connect(path)
        except (sqlite3.Error, OSError) as error:
            raise StoreError(f"The database {path} can't be opened: {error}.") from error
        try:
            _migrate(self._writer, path)
        except BaseException:
            self._reader.close()
            self._writer.close()
            raise

    async def append(
        self, rows: Sequence[tuple[TableId, int, str]], then: Mapping[int, Sequence[Statement]]
    ) -> list[bool]:
        return await _in(self._writing, lambda: self._append(rows, then))

    async def read(self, sql: str, *values: object) -> list[Row]:
        return await _in(self._reading, lambda: _run(self._reader, Statement(sql, values)))

    @asynccontextmanager
    async def snapshot(self) -> AsyncIterator[Reading]:
        # On a connection of its own: what the reader would find meanwhile would be of that moment.
        taken = await _in(self._reading, lambda: _Snapshot(self._path))
        try:
            yield taken
        finally:
            await taken.close()

    async def write(self, *statements: Statement) -> list[Row]:
        def work() -> list[Row]:
            with _transaction(self._writer):
                for statement in statements:
                    found = _run(self._writer, statement)
            return found

        return await _in(self._writing, work)

    async def close(self) -> None:
        await _close(self._writing, self._writer)
        await _close(self._reading, self._reader)

    def _append(
        self, rows: Sequence[tuple[TableId, int, str]], then: Mapping[int, Sequence[Statement]]
    ) -> list[bool]:
        # One statement for all: each one, and each row that it gives back, gives up and takes back
        # the interpreter's lock, for which it would have to wait when much is going on.
        values = list(chain.from_iterable(rows))
        with _transaction(self._writer):
            try:
                self._writer.execute(_written(len(rows)), values)
                first = [True] * len(rows)
            except sqlite3.IntegrityError:  # somebody else was first with one of them
                new = f"{_written(len(rows))} ON CONFLICT DO NOTHING RETURNING table_id, number"
                taken = set(self._writer.execute(new, values).fetchall())
                first = [(table, number) in taken for table, number, _ in rows]
            for at, statements in then.items():
                if first[at]:
                    for statement in statements:
                        _run(self._writer, statement)
        return first


@cache
def _written(rows: int) -> str:
    """What writes so many entries."""
    places = ", ".join(["(?, ?, ?)"] * rows)
    return f"INSERT INTO entries (table_id, number, entry) VALUES {places}"  # noqa: S608 - places


class _Snapshot:
    """A ``Reading`` of one moment: in WAL mode a transaction sees what was there when it began."""

    def __init__(self, path: Path) -> None:
        self._pool = ThreadPoolExecutor(1, "sqlite-snapshot")
        self._connection = _connect(path)
        self._connection.execute("BEGIN")

    async def read(self, sql: str, *values: object) -> list[Row]:
        return await _in(self._pool, lambda: _run(self._connection, Statement(sql, values)))

    async def close(self) -> None:
        await _close(self._pool, self._connection)


async def _in(pool: ThreadPoolExecutor, work: Callable[[], T]) -> T:
    try:
        return await asyncio.get_running_loop().run_in_executor(pool, work)
    except sqlite3.Error as error:
        raise StoreAway(f"The database can't be used at the moment: {error}.") from error


async def _close(pool: ThreadPoolExecutor, connection: sqlite3.Connection) -> None:
    await asyncio.get_running_loop().run_in_executor(pool, connection.close)
    pool.shutdown()


def _make_private(path: Path) -> None:
    """A new file is for its owner alone, and so is what SQLite puts beside it: there are seeds of
    running games in it, and the secret that signs cookies."""
    # Only if it is new: who opens and closes a file that SQLite has open loses SQLite its locks.
    with suppress(FileExistsError):
        os.close(os.open(os.path.realpath(path), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path, timeout=_BUSY, isolation_level=None, check_same_thread=False, cached_statements=256
    )
    _switch_to_wal(connection)
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA temp_store = MEMORY")  # or every batch makes a file and removes it
    return connection


def _switch_to_wal(connection: sqlite3.Connection) -> None:
    """SQLite does not wait here by itself while another process does the same."""
    until = time.monotonic() + _BUSY
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > until:
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


def _run(connection: sqlite3.Connection, statement: Statement) -> list[Row]:
    values = {str(number): value for number, value in enumerate(statement.values, start=1)}
    return connection.execute(statement.sql, values).fetchall()


def _migrate(connection: sqlite3.Connection, path: Path) -> None:
    try:
        with _transaction(connection):
            connection.execute(VERSIONS)
            [[done]] = connection.execute("SELECT coalesce(max(number), 0) FROM migrations")
            for number, name, statements in migrations(f"The database {path}", done):
                for statement in statements:
                    connection.execute(statement)
                connection.execute("INSERT INTO migrations VALUES (?, ?)", (number, name))
    except sqlite3.Error as error:
        raise StoreError(f"The database {path} can't be brought up to date: {error}.") from error
