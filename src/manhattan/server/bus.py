"""News between processes: that a table has a new entry, who is there, and who is nobody any more.
Never what the entry is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from manhattan.server.entries import PersonId
from manhattan.server.store.keeping import TableId

HeardOf = Callable[[TableId, int], None]
"""A table has so many entries now."""
HeardFrom = Callable[[TableId, str, tuple[str, ...]], None]
"""At a table, these people are seen by another process."""
HeardGone = Callable[[PersonId | None], None]
"""Somebody is nobody any more; None if that may have been said while it could not be heard."""


class Bus(Protocol):
    """Carries news between the processes that serve the same tables."""

    @property
    def alone(self) -> bool:
        """Is there nobody else who could have written anything?"""

    def listen(self, heard_of: HeardOf, heard_from: HeardFrom, heard_gone: HeardGone) -> None: ...

    def tell(self, table: TableId, number: int) -> None:
        """A table has so many entries now."""

    def tell_present(self, table: TableId, people: tuple[str, ...]) -> None:
        """These people look at a table through this process."""

    def tell_gone(self, person: PersonId) -> None:
        """Somebody is nobody any more, wherever he looks on."""

    async def follow(self, table: TableId) -> None:
        """Hear of a table from now on."""

    async def forget(self, table: TableId) -> None: ...

    @property
    def trouble(self) -> str | None:
        """What is wrong with it at the moment."""

    async def start(self) -> None: ...

    async def close(self) -> None: ...


class NoBus:
    """One process has nobody to tell."""

    alone = True
    trouble = None

    def listen(self, heard_of: HeardOf, heard_from: HeardFrom, heard_gone: HeardGone) -> None:
        pass

    def tell(self, table: TableId, number: int) -> None:
        pass

    def tell_present(self, table: TableId, people: tuple[str, ...]) -> None:
        pass

    def tell_gone(self, person: PersonId) -> None:
        pass

    async def follow(self, table: TableId) -> None:
        pass

    async def forget(self, table: TableId) -> None:
        pass

    async def start(self) -> None:
        pass

    async def close(self) -> None:
        pass
