"""Whose file it is: two servers with one SQLite file would each know only half of what happens."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from manhattan.server.store.keeping import StoreError

if sys.platform != "win32":
    import fcntl


@contextmanager
def claimed(path: Path) -> Iterator[None]:
    """Have a database's file for oneself, among all who serve tables. The lock ends with the
    process, however that ends; who makes a back-up needs none."""
    if sys.platform == "win32":  # which has no such locks
        yield
        return
    lock = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise StoreError(
                f"The tables of {path} are served already, by another process. Use that one, or "
                "name another file with --database. For several processes there is PostgreSQL "
                "with Redis."
            ) from error
        yield
    finally:
        os.close(lock)
