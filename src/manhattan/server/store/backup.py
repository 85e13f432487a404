"""Copying everything that is kept, while tables go on: from any database into any other.

A back-up is a database itself: a file with which a server can be started at once. Everything in it
is of one moment: nobody sits at a table who is not known, and no table has begun by halves.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing, asynccontextmanager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from manhattan.server.store.keeping import Kept, Row, Statement, Store, StoreError
from manhattan.server.store.opening import open_store

Progress = tuple[str, int]
"""A part, and how many of its rows are copied."""
PARTS: Final = {
    "people": ("id", "name", "generation", "changed_at"),
    "settings": ("name", "value"),
    "tables": ("id", "stage", "public", "opened_at", "changed_at", "due", "summary", "host"),
    "sitters": ("table_id", "person_id"),
    "entries": ("table_id", "number", "entry"),
}
"""What is kept, and its columns; the first ones tell rows apart."""
_KEYS: Final = {"sitters": 2, "entries": 2}
_CONFLICTS: Final = {"settings": "(name) DO UPDATE SET value = excluded.value"}
"""A database that was served before has a secret of its own, by which nobody's cookie would be
his."""
_AT_ONCE: Final = 1000


async def copy(source: Store, target: Store) -> AsyncGenerator[Progress, None]:
    """Copy everything as it stands now into an empty database, and tell how far it is."""
    if await target.read("SELECT 1 FROM tables LIMIT 1"):
        raise StoreError("There are tables in that database already: copy into an empty one.")
    async with source.snapshot() as kept:
        for part, columns in PARTS.items():
            done = 0
            async for rows in _rows(kept, part, columns):
                names = ", ".join(columns)
                places = ", ".join(f"${n}" for n in range(1, len(columns) + 1))
                statement = (
                    f"INSERT INTO {part} ({names}) VALUES ({places}) "  # noqa: S608 - our own names
                    f"ON CONFLICT {_CONFLICTS.get(part, 'DO NOTHING')}"
                )
                await target.write(*(Statement(statement, row) for row in rows))
                done += len(rows)
                yield part, done


async def _rows(kept: Kept, part: str, columns: tuple[str, ...]) -> AsyncIterator[list[Row]]:
    """All rows of a part, some at a time, in the order of what tells them apart."""
    keys = columns[: _KEYS.get(part, 1)]
    order = ", ".join(keys)
    names = ", ".join(columns)
    last: tuple[object, ...] = ()
    while True:
        places = ", ".join(f"${n}" for n in range(1, len(last) + 1))
        after = f"WHERE ({order}) > ({places}) " if last else ""
        rows = await kept.read(
            f"SELECT {names} FROM {part} {after}ORDER BY {order} LIMIT {_AT_ONCE}",  # noqa: S608
            *last,
        )
        if not rows:
            return
        yield rows
        last = rows[-1][: len(keys)]


async def back_up(address: str, to: str) -> AsyncGenerator[Progress, None]:
    """Copy the database at an address into another one."""
    async with _closed(await open_store(address)) as source:
        with _whole_or_not_at_all(to) as place:
            async with (
                _closed(await open_store(place)) as target,
                aclosing(copy(source, target)) as copying,
            ):
                async for progress in copying:
                    yield progress


@contextmanager
def _whole_or_not_at_all(to: str) -> Iterator[str]:
    """Where to write a copy: a new file gets its name when it is complete, so that nobody takes
    half a copy for a back-up."""
    path = Path(to)
    if "://" in to or path.exists():
        yield to
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = TemporaryDirectory(prefix=f".{path.name[:50]}.", dir=path.parent)
    except OSError as error:
        raise StoreError(f"The database {path} can't be written: {error}.") from error
    with beside as folder:
        unfinished = Path(folder) / path.name
        yield str(unfinished)
        unfinished.replace(path)


@asynccontextmanager
async def _closed(store: Store) -> AsyncIterator[Store]:
    try:
        yield store
    finally:
        await store.close()
