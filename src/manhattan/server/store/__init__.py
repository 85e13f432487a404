"""Where tables are kept: SQLite on one machine, PostgreSQL for many."""

from manhattan.server.store.keeping import (
    Append,
    Person,
    Store,
    StoreAway,
    StoreError,
    StoreNewer,
    Summary,
)
from manhattan.server.store.opening import open_store

__all__ = [
    "Append",
    "Person",
    "Store",
    "StoreAway",
    "StoreError",
    "StoreNewer",
    "Summary",
    "open_store",
]
