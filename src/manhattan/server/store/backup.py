"""Copying everything that is kept, while tables go on: from any database into any other.

A back-up is a database itself: a file with which a server can be started at once.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Final

from manhattan.server.store.keeping import Row, Statement, Store, StoreError
from manhattan.server.store.opening import open_store

PARTS: Final = {
    "people": ("id", "name", "generation", "changed_at"),
    "settings": ("name", "value"),
    "tables": ("id", "stage", "public", "opened_at", "changed_at", "due", "summary"),
    "sitters": ("table_id", "person_id"),
    "entries": ("table_id", "number", "entry"),
}
"""What is kept, and its columns; the first ones tell rows apart."""
_KEYS: Final = {"sitters": 2, "entries": 2}
_AT_ONCE: Final = 1000


async def copy(source: Store, target: Store) -> AsyncIterator[tuple[str, int]]:
    """Copy everything into an empty database, and tell how far it is: the part, and how many rows
    so far. Entries are read last: what happened meanwhile is there, too, or is missing with all
    that came after it, so that every table is a table that there was."""
    if await target.read("SELECT 1 FROM tables LIMIT 1"):
        raise StoreError("There are tables in that database already: copy into an empty one.")
    for part, columns in PARTS.items():
        done = 0
        async for rows in _rows(source, part, columns):
            names = ", ".join(columns)
            places = ", ".join(f"${n}" for n in range(1, len(columns) + 1))
            statement = (
                f"INSERT INTO {part} ({names}) VALUES ({places}) "  # noqa: S608 - our own names
                "ON CONFLICT DO NOTHING"
            )
            await target.write(*(Statement(statement, row) for row in rows))
            done += len(rows)
            yield part, done


async def _rows(source: Store, part: str, columns: tuple[str, ...]) -> AsyncIterator[list[Row]]:
    """All rows of a part, some at a time, in the order of what tells them apart."""
    keys = columns[: _KEYS.get(part, 1)]
    order = ", ".join(keys)
    names = ", ".join(columns)
    last: tuple[object, ...] = ()
    while True:
        places = ", ".join(f"${n}" for n in range(1, len(last) + 1))
        after = f"WHERE ({order}) > ({places}) " if last else ""
        rows = await source.read(
            f"SELECT {names} FROM {part} {after}ORDER BY {order} LIMIT {_AT_ONCE}",  # noqa: S608
            *last,
        )
        if not rows:
            return
        yield rows
        last = rows[-1][: len(keys)]


async def back_up(address: str, file: str) -> AsyncIterator[tuple[str, int]]:
    """Copy the database at an address into another one."""
    source = await open_store(address)
    try:
        target = await open_store(file)
        try:
            async for progress in copy(source, target):
                yield progress
        finally:
            await target.close()
    finally:
        await source.close()
