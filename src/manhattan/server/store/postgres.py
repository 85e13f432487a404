"""PostgreSQL: for any number of processes. It decides who was first."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager

import asyncpg

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

_CONNECTIONS = 8
_PATIENCE = 5.0
"""Seconds to wait for an answer."""
_HANGS = 3000
"""Milliseconds after which a process that hangs in the middle of writing is cut off: before others,
who wait for it at a table, give up."""
_MIGRATING = 7_305_642_511
"""The lock that processes take which start at the same time."""

_TROUBLE = (
    OSError,  # a time-out is one
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,  # a connection that broke in the middle of something
)


class Postgres:
    """A ``Database`` on a PostgreSQL server."""

    alone = False

    def __init__(self, pool: asyncpg.Pool) -> None:
        self._pool = pool

    @classmethod
    async def at(cls, address: str) -> Postgres:
        try:
            pool = await asyncpg.create_pool(
                address,
                min_size=1,
                max_size=_CONNECTIONS,
                timeout=_PATIENCE,
                command_timeout=_PATIENCE,
                server_settings={"idle_in_transaction_session_timeout": str(_HANGS)},
            )
            database = cls(pool)
            try:
                await database._migrate()
            except BaseException:
                await pool.close()
                raise
        except (*_TROUBLE, ValueError) as error:
            raise StoreError(f"The PostgreSQL database can't be used: {_said(error)}.") from error
        return database

    async def append(
        self, rows: Sequence[tuple[TableId, int, str]], then: Mapping[int, Sequence[Statement]]
    ) -> list[bool]:
        async with self._transaction() as connection:
            written = await connection.fetch(
                "INSERT INTO entries (table_id, number, entry) "
                "SELECT * FROM unnest($1::text[], $2::int[], $3::text[]) "
                "ON CONFLICT DO NOTHING RETURNING table_id, number",
                *map(list, zip(*rows, strict=True)),
            )
            taken = {(table, number) for table, number in written}
            first = [(table, number) in taken for table, number, _ in rows]
            for at, statements in sorted(then.items()):
                if first[at]:
                    for statement in statements:
                        await connection.execute(statement.sql, *statement.values)
        return first

    async def read(self, sql: str, *values: object) -> list[Row]:
        async with self._connection() as connection:
            return await _found(connection, sql, values)

    @asynccontextmanager
    async def snapshot(self) -> AsyncIterator[Reading]:
        async with (
            self._connection() as connection,
            connection.transaction(isolation="repeatable_read", readonly=True),
        ):
            # Whoever copies may take his time between two questions: he keeps nobody waiting.
            await connection.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
            yield _Snapshot(connection)

    async def write(self, *statements: Statement) -> list[Row]:
        async with self._transaction() as connection:
            for statement in statements:
                found = await connection.fetch(statement.sql, *statement.values)
        return [tuple(row) for row in found]

    async def close(self) -> None:
        await self._pool.close()

    async def _migrate(self) -> None:
        async with self._transaction() as connection:
            await connection.execute("SELECT pg_advisory_xact_lock($1)", _MIGRATING)
            await connection.execute(VERSIONS)
            done = await connection.fetchval("SELECT coalesce(max(number), 0) FROM migrations")
            for number, name, statements in migrations("The PostgreSQL database", done):
                for statement in statements:
                    await connection.execute(statement)
                await connection.execute("INSERT INTO migrations VALUES ($1, $2)", number, name)

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[asyncpg.pool.PoolConnectionProxy]:
        with _told():
            async with self._pool.acquire(timeout=_PATIENCE) as connection:
                yield connection

    @asynccontextmanager
    async def _transaction(self) -> AsyncIterator[asyncpg.pool.PoolConnectionProxy]:
        async with self._connection() as connection, connection.transaction():
            yield connection


class _Snapshot:
    """A ``Reading`` of one moment."""

    def __init__(self, connection: asyncpg.pool.PoolConnectionProxy) -> None:
        self._connection = connection

    async def read(self, sql: str, *values: object) -> list[Row]:
        with _told():
            return await _found(self._connection, sql, values)


async def _found(
    connection: asyncpg.pool.PoolConnectionProxy, sql: str, values: tuple[object, ...]
) -> list[Row]:
    return [tuple(row) for row in await connection.fetch(sql, *values)]


@contextmanager
def _told() -> Iterator[None]:
    """Trouble, as what everybody else expects."""
    try:
        yield
    except _TROUBLE as error:
        raise StoreAway(f"PostgreSQL does not answer: {_said(error)}.") from error


def _said(error: BaseException) -> str:
    """What went wrong, on one line and without the address, which may hold a password."""
    if isinstance(error, ValueError):  # its text may be what stands where a port should
        return (
            "its address can't be read. It looks like postgresql://name:password@host:5432/database"
            ", where a special character of the password is written like %40"
        )
    return f"{type(error).__name__} {error}".splitlines()[0].strip().rstrip(".")
