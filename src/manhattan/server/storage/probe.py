"""Trying a database without changing it: no file is created and nothing is migrated."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from manhattan.server.storage.database import READ_MIGRATIONS, StoreError, pending_migrations
from manhattan.server.storage.factory import NEEDS_PACKAGES, is_postgres


async def probe(address: str) -> str:
    """Describe the database at an address; raises ``StoreError`` if a server couldn't use it."""
    if not is_postgres(address):
        return _probe_file(Path(address))
    try:
        from manhattan.server.storage.postgres import read_migrations
    except ImportError as error:
        raise StoreError(NEEDS_PACKAGES) from error
    return _describe_migrations("The PostgreSQL database", await read_migrations(address))


def _probe_file(path: Path) -> str:
    if not path.exists():
        folder = next(parent for parent in path.absolute().parents if parent.exists())
        if not os.access(folder, os.W_OK | os.X_OK) or not folder.is_dir():
            raise StoreError(f"The database {path} can't be created: {folder} is not writable.")
        return "the file will be created at the first start"
    for place in (path, path.absolute().parent):  # SQLite writes its journal beside the file
        if not os.access(place, os.W_OK):
            raise StoreError(f"The database {path} can't be used: {place} is not writable.")
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True)) as database:
            has_any = database.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchall()
            applied = [row[0] for row in database.execute(READ_MIGRATIONS)] if has_any else []
    except sqlite3.Error as error:
        raise StoreError(f"The database {path} can't be opened: {error}.") from error
    return _describe_migrations(f"The database {path}", applied)


def _describe_migrations(database: str, applied: list[int]) -> str:
    names = [
        migration.name.removesuffix(".sql") for migration in pending_migrations(database, applied)
    ]
    if not names:
        return "reachable"
    return f"reachable; the next start migrates it: {', '.join(names)}"
