"""Pub/sub between the processes that serve the same tables.

A message says only that a table has new or rewritten events, who watches it, whose seats have
changed, or which device or person was revoked; the events themselves are read from the database.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from manhattan.rules import ManhattanError
from manhattan.server.domain.events import PersonId, TableId

OnUpdate = Callable[[TableId, int], None]
"""Called with a table and the number of its events."""
OnPresence = Callable[[TableId, str, tuple[str, ...]], None]
"""Called with a table, another process, and the people who watch the table there."""
OnRevocation = Callable[[str | None], None]
"""Called with a device that was revoked, or a person who was deleted; with None if one may have
been missed."""
OnReload = Callable[[TableId], None]
"""Called with a table whose stored events were rewritten."""
OnSeats = Callable[[TableId, tuple[PersonId, ...]], None]
"""Called with a table whose seats have changed, and the people who have or had one."""


class BusError(ManhattanError):
    """A bus can't be used as it was asked for."""


class Bus(Protocol):
    """Carries messages between processes."""

    @property
    def assumes_single_process(self) -> bool:
        """Whether the server runs without a bus (no ``--redis``), and so assumes that no other
        process writes events: it reads the store again only after a conflict."""

    @property
    def error(self) -> str | None:
        """What is wrong at the moment."""

    def set_listeners(
        self,
        on_update: OnUpdate,
        on_presence: OnPresence,
        on_revocation: OnRevocation,
        on_seats: OnSeats,
        on_reload: OnReload,
    ) -> None: ...

    async def start(self) -> None: ...

    async def close(self) -> None: ...

    async def subscribe(self, *tables: TableId) -> None:
        """Receive the messages of tables from now on."""

    async def unsubscribe(self, table: TableId) -> None:
        """Undo one subscription of a table: its messages come until all are undone."""

    def publish_update(self, table: TableId, number: int) -> None:
        """Publish how many events a table has."""

    def publish_presence(self, table: TableId, people: tuple[str, ...]) -> None:
        """Publish the people who watch a table here."""

    def publish_seats(self, table: TableId, people: tuple[PersonId, ...]) -> None:
        """Publish that the seats of a table have changed, to every process."""

    def publish_revocation(self, revoked: str) -> None:
        """Publish that a device was revoked, or a person deleted."""

    def publish_reload(self, table: TableId) -> None:
        """Publish that a table's stored events were rewritten."""


class LocalBus:
    """The bus of a single process, which needs none."""

    assumes_single_process = True
    error = None

    def set_listeners(
        self,
        on_update: OnUpdate,
        on_presence: OnPresence,
        on_revocation: OnRevocation,
        on_seats: OnSeats,
        on_reload: OnReload,
    ) -> None:
        pass

    async def start(self) -> None:
        pass

    async def close(self) -> None:
        pass

    async def subscribe(self, *tables: TableId) -> None:
        pass

    async def unsubscribe(self, table: TableId) -> None:
        pass

    def publish_update(self, table: TableId, number: int) -> None:
        pass

    def publish_presence(self, table: TableId, people: tuple[str, ...]) -> None:
        pass

    def publish_seats(self, table: TableId, people: tuple[PersonId, ...]) -> None:
        pass

    def publish_revocation(self, revoked: str) -> None:
        pass

    def publish_reload(self, table: TableId) -> None:
        pass
