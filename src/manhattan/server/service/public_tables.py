"""The list of public tables, which is for everyone: no address can fill it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import zip_longest
from typing import Final, TypeVar

from manhattan.server.domain.errors import CommandRejected, ErrorCode
from manhattan.server.domain.events import TableId
from manhattan.server.storage import Store

T = TypeVar("T")

_MAX_TABLES: Final = 20_000
"""Tables whose addresses are remembered."""


class PublicTables:
    """Which address opened which public table, as long as this process runs. Addresses are stored
    nowhere."""

    def __init__(self, store: Store, per_address: int) -> None:
        self._store = store
        self._per_address = per_address
        self._addresses: OrderedDict[TableId, str] = OrderedDict()

    async def check(self, address: str) -> None:
        """Reject another public table of an address with too many that wait for players."""
        opened = [table for table, other in self._addresses.items() if other == address]
        if len(opened) < self._per_address:
            return
        waiting = await self._store.tables_in_lobby(opened)
        for table in set(opened) - set(waiting):
            self._addresses.pop(table, None)
        if len(waiting) >= self._per_address:
            raise CommandRejected(ErrorCode.TOO_MANY, what="open public tables")

    def add(self, table: TableId, address: str) -> None:
        """Remember who opened a table."""
        self._addresses[table] = address
        if len(self._addresses) > _MAX_TABLES:
            self._addresses.popitem(last=False)

    def address_of(self, table: TableId) -> str | None:
        """Return the address that opened a table, if this process knows it."""
        return self._addresses.get(table)


def interleave(rows: Iterable[T], key: Callable[[T], Hashable]) -> Sequence[T]:
    """Take turns between the rows of each key, without changing their order."""
    groups: dict[Hashable, list[T]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    rounds = zip_longest(*([(row,) for row in group] for group in groups.values()), fillvalue=())
    return [row for each in rounds for item in each for row in item]
