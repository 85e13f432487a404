"""Opening a store by its address."""

from __future__ import annotations

from pathlib import Path

from manhattan.server.storage.database import StoreError
from manhattan.server.storage.sqlite import Sqlite
from manhattan.server.storage.store import Store


async def open_store(address: str) -> Store:
    """Open ``postgresql://…``, or a file's name for SQLite, and migrate the database."""
    if address.startswith(("postgresql://", "postgres://")):
        try:
            from manhattan.server.storage.postgres import Postgres
        except ImportError as error:
            raise StoreError(
                "PostgreSQL needs more packages: run pip install '.[cluster]' in the folder of "
                "this project."
            ) from error
        return Store(await Postgres.connect(address))
    if "://" in address:
        raise StoreError(
            "A database is postgresql://… or the name of a file for SQLite; "
            f"{address.partition('://')[0]}:// is neither."
        )
    return Store(Sqlite(Path(address)))
