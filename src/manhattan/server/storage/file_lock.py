"""A file lock: two servers with one SQLite file would each know only half of the events."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from manhattan.server.storage.database import StoreError

if sys.platform != "win32":
    import fcntl


@contextmanager
def exclusive_lock(path: Path) -> Iterator[None]:
    """Lock a database file against other servers. The lock ends with the process, however that
    ends; a backup needs none."""
    if sys.platform == "win32":  # which has no such locks
        yield
        return
    try:
        lock = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise StoreError(f"The file {path}.lock can't be written: {error.strerror}.") from error
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise StoreError(
                f"Another process already serves the tables of {path}. Use that one, or choose "
                "another file with --database. Several processes need PostgreSQL and Redis."
            ) from error
        yield
    finally:
        os.close(lock)
