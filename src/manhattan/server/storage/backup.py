"""Backups: copies of a whole database, while the server runs, into any other database.

A backup is a database itself, with which a server can be started at once. It is a snapshot: all of
it comes from one moment.
"""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing, asynccontextmanager, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from manhattan.server.storage.database import Row, Statement, StoreError, StoreUnavailable
from manhattan.server.storage.factory import open_store
from manhattan.server.storage.store import ReadOnlyStore, Store

Progress = tuple[str, int]
"""An SQL table, and the number of its rows that are copied."""
SQL_TABLES: Final = {
    "people": ("id", "name", "generation", "changed_at"),
    "devices": ("id", "person_id", "label", "created_at", "seen_at", "revoked_at"),
    "passkeys": (
        "id",
        "person_id",
        "public_key",
        "sign_count",
        "rp_id",
        "label",
        "created_at",
        "used_at",
    ),
    "recovery_codes": ("digest", "selector", "person_id", "created_at", "used_at"),
    "push_subscriptions": (
        "endpoint",
        "person_id",
        "p256dh",
        "auth",
        "language",
        "kinds",
        "created_at",
        "device_id",
    ),
    "settings": ("name", "value"),
    "bans": ("subject", "created_at"),
    "operator_requests": ("id", "action", "subject", "created_at", "outcome"),
    "tables": (
        "id",
        "stage",
        "public",
        "opened_at",
        "changed_at",
        "due",
        "listing",
        "host",
        "timed",
        "game",
        "mover",
        "awaited",
        "moved_at",
        "board",
    ),
    "seat_holders": (
        "table_id",
        "person_id",
        "stage",
        "since",
        "seats",
        "players",
        "bots",
        "counted",
        "won",
        "score",
        "removed",
    ),
    "events": ("table_id", "number", "event"),
}
"""The columns of each SQL table; the key comes first. Challenges are left out: they expire."""
_KEY_LENGTHS: Final = {"seat_holders": 2, "events": 2}
_ON_CONFLICT: Final = {"settings": "(name) DO UPDATE SET value = excluded.value"}
"""A database that has been served has a secret, which must give way to that of the cookies."""
_CHUNK: Final = 1000
LAST_BACKUP_SETTING: Final = "last_backup"
"""The setting of a database that holds when it was last copied, in milliseconds."""


async def copy(source: Store, target: Store) -> AsyncGenerator[Progress, None]:
    """Copy a snapshot of a store into an empty one, and report the progress."""
    if await target.read("SELECT 1 FROM tables LIMIT 1"):
        raise StoreError("That database already has tables: copy into an empty one.")
    async with source.snapshot() as snapshot:
        for sql_table, columns in SQL_TABLES.items():
            copied = 0
            async for rows in _read_chunks(snapshot, sql_table, columns):
                names = ", ".join(columns)
                placeholders = ", ".join(f"${n}" for n in range(1, len(columns) + 1))
                statement = (
                    f"INSERT INTO {sql_table} ({names}) VALUES ({placeholders}) "  # noqa: S608 - our own names
                    f"ON CONFLICT {_ON_CONFLICT.get(sql_table, 'DO NOTHING')}"
                )
                await target.write(*(Statement(statement, row) for row in rows))
                copied += len(rows)
                yield sql_table, copied


async def _read_chunks(
    snapshot: ReadOnlyStore, sql_table: str, columns: tuple[str, ...]
) -> AsyncIterator[list[Row]]:
    """Read all rows in the order of their keys, some at a time."""
    keys = columns[: _KEY_LENGTHS.get(sql_table, 1)]
    order = ", ".join(keys)
    names = ", ".join(columns)
    last: tuple[object, ...] = ()
    while True:
        placeholders = ", ".join(f"${n}" for n in range(1, len(last) + 1))
        after = f"WHERE ({order}) > ({placeholders}) " if last else ""
        rows = await snapshot.read(
            f"SELECT {names} FROM {sql_table} {after}ORDER BY {order} LIMIT {_CHUNK}",  # noqa: S608
            *last,
        )
        if not rows:
            return
        yield rows
        last = rows[-1][: len(keys)]


async def back_up(address: str, to: str) -> AsyncGenerator[Progress, None]:
    """Copy the database at an address into another one."""
    async with _closing(await open_store(address)) as source:
        with _complete_or_absent(to) as path:
            async with (
                _closing(await open_store(path)) as target,
                aclosing(copy(source, target)) as progress,
            ):
                async for step in progress:
                    yield step
        with suppress(StoreUnavailable):  # the copy is complete, even if nobody hears of it
            await source.write_setting(LAST_BACKUP_SETTING, str(time.time_ns() // 1_000_000))


@contextmanager
def _complete_or_absent(to: str) -> Iterator[str]:
    """Return where to write a copy. A new file gets its name when it is complete: an interrupted
    backup leaves no file."""
    path = Path(to)
    if "://" in to or path.exists():
        yield to
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        folder = TemporaryDirectory(prefix=f".{path.name[:50]}.", dir=path.parent)
    except OSError as error:
        raise StoreError(f"The database {path} can't be written: {error}.") from error
    with folder as name:
        unfinished = Path(name) / path.name
        yield str(unfinished)
        unfinished.replace(path)


@asynccontextmanager
async def _closing(store: Store) -> AsyncIterator[Store]:
    try:
        yield store
    finally:
        await store.close()
