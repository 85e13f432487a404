"""Opening the store that somebody names by its address."""

from __future__ import annotations

from pathlib import Path

from manhattan.server.store.keeping import Store, StoreError
from manhattan.server.store.sqlite import Sqlite


async def open_store(address: str) -> Store:
    """``postgresql://…``, or a file's name for SQLite. The database is brought up to date."""
    if address.startswith(("postgresql://", "postgres://")):
        try:
            from manhattan.server.store.postgres import Postgres
        except ImportError as error:
            raise StoreError(
                "For PostgreSQL something has to be installed: pip install '.[cluster]' in the "
                "folder of this project."
            ) from error
        return Store(await Postgres.at(address))
    if "://" in address:
        raise StoreError(
            "A database is postgresql://… or the name of a file for SQLite; "
            f"{address.partition('://')[0]}:// is neither."
        )
    return Store(Sqlite(Path(address)))
