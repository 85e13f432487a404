"""The event store: SQLite on one machine, PostgreSQL for many processes."""

from manhattan.server.storage.database import StoreError, StoreNewer, StoreUnavailable
from manhattan.server.storage.factory import open_store
from manhattan.server.storage.identity_store import (
    Device,
    DeviceId,
    Identity,
    Passkey,
    Person,
    RecoveryCode,
)
from manhattan.server.storage.projection import Append, Summary
from manhattan.server.storage.store import Rewrite, Store

__all__ = [
    "Append",
    "Device",
    "DeviceId",
    "Identity",
    "Passkey",
    "Person",
    "RecoveryCode",
    "Rewrite",
    "Store",
    "StoreError",
    "StoreNewer",
    "StoreUnavailable",
    "Summary",
    "open_store",
]
