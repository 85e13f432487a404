"""PostgreSQL: for any number of server processes. It decides which of them is first."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Final

import asyncpg

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

_MAX_CONNECTIONS: Final = 8
_TIMEOUT_S: Final = 5.0
_TRANSACTION_TIMEOUT_MS: Final = 3000
"""A process that hangs within a transaction is cut off, before other processes that wait for its
rows give up."""
_MIGRATION_TIMEOUT_S: Final = 3600.0
"""A migration of many tables takes minutes, for which other processes wait."""
_MIGRATION_LOCK: Final = 7_305_642_511
"""The advisory lock of processes that start at the same time."""

_ERRORS: Final = (
    OSError,  # timeouts included
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,  # a connection that broke during a query
)


class Postgres:
    """A ``Database`` on a PostgreSQL server."""

    def __init__(self, pool: asyncpg.Pool) -> None:
        self._pool = pool

    @classmethod
    async def connect(cls, address: str) -> Postgres:
        """Connect to a server, and migrate the database."""
        timeout = str(_TRANSACTION_TIMEOUT_MS)
        try:
            pool = await asyncpg.create_pool(
                address,
                min_size=1,
                max_size=_MAX_CONNECTIONS,
                timeout=_TIMEOUT_S,
                command_timeout=_TIMEOUT_S,
                server_settings={"idle_in_transaction_session_timeout": timeout},
            )
            database = cls(pool)
            try:
                await database._migrate()
            except BaseException:
                await pool.close()
                raise
        except (*_ERRORS, ValueError) as error:
            text = _describe(error)
            raise StoreError(f"The PostgreSQL database can't be used: {text}.") from error
        return database

    async def append(
        self,
        rows: Sequence[tuple[TableId, int, str]],
        follow_ups: Mapping[int, Sequence[Statement]],
    ) -> list[bool]:
        async with self._transaction() as connection:
            returned = await connection.fetch(
                "INSERT INTO events (table_id, number, event) "
                "SELECT * FROM unnest($1::text[], $2::int[], $3::text[]) "
                "ON CONFLICT DO NOTHING RETURNING table_id, number",
                *map(list, zip(*rows, strict=True)),
            )
            inserted = {(table, number) for table, number in returned}
            was_first = [(table, number) in inserted for table, number, _ in rows]
            first = {n: statements for n, statements in follow_ups.items() if was_first[n]}
            for sql, values in in_groups(rows, first):
                await connection.executemany(sql, values)
        return was_first

    async def read(self, sql: str, *values: object) -> list[Row]:
        async with self._connection() as connection:
            return await _fetch(connection, sql, values)

    @asynccontextmanager
    async def snapshot(self) -> AsyncIterator[Reader]:
        async with (
            self._connection() as connection,
            connection.transaction(isolation="repeatable_read", readonly=True),
        ):
            # A backup may take its time between two queries: no other process waits for it.
            await connection.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
            yield _Snapshot(connection)

    async def write(self, *statements: Statement) -> list[Row]:
        async with self._transaction() as connection:
            for statement in statements:
                rows = await connection.fetch(statement.sql, *statement.values)
        return [tuple(row) for row in rows]

    async def close(self) -> None:
        await self._pool.close()

    async def _migrate(self) -> None:
        async with self._transaction() as connection:
            await connection.execute(
                "SELECT pg_advisory_xact_lock($1)", _MIGRATION_LOCK, timeout=_MIGRATION_TIMEOUT_S
            )
            await connection.execute(CREATE_MIGRATIONS)
            applied = [number for (number,) in await connection.fetch(READ_MIGRATIONS)]
            migrations = pending_migrations("The PostgreSQL database", applied)
            for number, name, statements in migrations:
                for statement in statements:
                    await connection.execute(statement, timeout=_MIGRATION_TIMEOUT_S)
                await connection.execute("INSERT INTO migrations VALUES ($1, $2)", number, name)
            if migrations:
                await _rebuild_projections(connection)
        report_migrations(applied, migrations)

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[asyncpg.pool.PoolConnectionProxy]:
        with _translate_errors():
            async with self._pool.acquire(timeout=_TIMEOUT_S) as connection:
                yield connection

    @asynccontextmanager
    async def _transaction(self) -> AsyncIterator[asyncpg.pool.PoolConnectionProxy]:
        async with self._connection() as connection, connection.transaction():
            yield connection


async def _rebuild_projections(connection: asyncpg.pool.PoolConnectionProxy) -> None:
    for (table,) in await connection.fetch(SELECT_TABLES):
        events = [text for (text,) in await connection.fetch(SELECT_EVENTS, table)]
        for statement in rebuild(table, events):
            await connection.execute(statement.sql, *statement.values)


class _Snapshot:
    """A ``Reader`` of one moment."""

    def __init__(self, connection: asyncpg.pool.PoolConnectionProxy) -> None:
        self._connection = connection

    async def read(self, sql: str, *values: object) -> list[Row]:
        with _translate_errors():
            return await _fetch(self._connection, sql, values)


async def _fetch(
    connection: asyncpg.pool.PoolConnectionProxy, sql: str, values: tuple[object, ...]
) -> list[Row]:
    return [tuple(row) for row in await connection.fetch(sql, *values)]


@contextmanager
def _translate_errors() -> Iterator[None]:
    """Raise ``StoreUnavailable`` for the driver's errors."""
    try:
        yield
    except _ERRORS as error:
        raise StoreUnavailable(f"PostgreSQL does not answer: {_describe(error)}.") from error


async def read_migrations(address: str) -> list[int]:
    """Return the migrations that a database has, and change nothing."""
    try:
        connection = await asyncpg.connect(address, timeout=_TIMEOUT_S, command_timeout=_TIMEOUT_S)
        try:
            if await connection.fetchval("SELECT to_regclass('migrations')") is None:
                return []
            return [row[0] for row in await connection.fetch(READ_MIGRATIONS)]
        finally:
            await connection.close()
    except (*_ERRORS, ValueError) as error:
        raise StoreError(f"The PostgreSQL database can't be used: {_describe(error)}.") from error


def _describe(error: BaseException) -> str:
    """Describe an error on one line, without the address, which may hold a password."""
    if isinstance(error, ValueError):  # its text may quote what should be a port
        return (
            "its address can't be parsed. It looks like "
            "postgresql://name:password@host:5432/database, where a special character of the "
            "password is written like %40"
        )
    return f"{type(error).__name__} {error}".splitlines()[0].strip().rstrip(".")
