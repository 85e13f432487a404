"""Opening a store by its address."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from manhattan.server.storage.database import StoreError
from manhattan.server.storage.sqlite import Sqlite
from manhattan.server.storage.store import Store

NEEDS_PACKAGES: Final = (
    "PostgreSQL needs more packages: install manhattan-game with its extra cluster, for example "
    "pip install 'WHEEL[cluster]' or pipx install --force 'WHEEL[cluster]' with the file of the "
    "package."
)


async def open_store(address: str) -> Store:
    """Open ``postgresql://…``, or a file's name for SQLite, and migrate the database."""
    if not is_postgres(address):
        return Store(Sqlite(Path(address)))
    try:
        from manhattan.server.storage.postgres import Postgres
    except ImportError as error:
        raise StoreError(NEEDS_PACKAGES) from error
    return Store(await Postgres.connect(address))


def is_postgres(address: str) -> bool:
    """Whether a database is on PostgreSQL; raises for other addresses that are no files."""
    if address.startswith(("postgresql://", "postgres://")):
        return True
    if "://" in address:
        raise StoreError(
            "A database is postgresql://… or the name of a file for SQLite; "
            f"{address.partition('://')[0]}:// is neither."
        )
    return False
