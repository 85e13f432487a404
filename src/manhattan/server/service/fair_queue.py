"""A fair queue: callers with many requests don't delay callers with few (start-time fair queuing).

Slots are shared by time, first between addresses, then between the people of an address: new names
are free, new addresses are not. What nobody waits for comes last.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Final, NamedTuple

from manhattan.server.domain.errors import CommandRejected, ErrorCode

BACKGROUND_SHARE: Final = 8
"""Every eighth slot is for requests that nobody waits for, so that they aren't put off for ever."""
_FIRST_ESTIMATE_S: Final = 0.1
"""How long a slot is held, until it is known for a person."""


class Client(NamedTuple):
    """A person who waits, to whom a slot is charged, and the person's address."""

    address: str
    person: str


class Ticket:
    """A request for a slot, which any of some clients may be charged for. Without a client, nobody
    waits for it."""

    def __init__(self, clients: Sequence[Client] = ()) -> None:
        self.clients = tuple(clients)
        self.turn: asyncio.Future[None] | None = None
        self.path: tuple[_Share, ...] = ()
        """The shares of the queue, the address and the person that it waits for."""
        self.granted_at = 0.0
        self.estimate_s = 0.0


class _Share:
    """The share of an address or a person, or all shares together."""

    def __init__(self, virtual_time: float) -> None:
        self.virtual_time = virtual_time
        """The seconds that were used until now, in which all shares are equal."""
        self.latest = 0.0
        """The virtual time of the part that was served last."""
        self.parts: dict[str, _Share] = {}
        self.waiting = 0
        self.running = 0
        self.tickets: deque[Ticket] = deque()
        """Of a person."""
        self.seconds = _FIRST_ESTIMATE_S
        """How long this share's last slot was held."""

    def part(self, key: str) -> _Share:
        """Return a part; one that was idle has used as much as the one that was served last."""
        return self.parts.setdefault(key, _Share(self.latest))

    def next_part(self) -> _Share:
        """Return the part that has used the least."""
        part = min(
            (part for part in self.parts.values() if part.waiting), key=lambda p: p.virtual_time
        )
        self.latest = part.virtual_time
        return part

    def drop_idle_parts(self) -> None:
        for key in [key for key, part in self.parts.items() if not part.waiting + part.running]:
            del self.parts[key]


class FairQueue:
    """Limits how many callers run at once, and how many of a person or an address may wait."""

    def __init__(self, slots: int, per_person: int, per_address: int) -> None:
        self._free = slots
        self._per_person = per_person
        self._per_address = per_address
        self._foreground = _Share(0)
        self._background = _Share(0)
        self._granted = 0

    @asynccontextmanager
    async def slot(self, ticket: Ticket) -> AsyncIterator[None]:
        """Wait for a slot, and hold it for a while."""
        turn = ticket.turn = asyncio.get_running_loop().create_future()
        self._enqueue(ticket)
        self._grant()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # the slot was granted at the same moment
                self._release(ticket)
            else:
                self._withdraw(ticket)
            raise
        try:
            yield
        finally:
            self._release(ticket)

    def move(self, ticket: Ticket, clients: Sequence[Client]) -> None:
        """Change who waits for a slot. A request that was granted meanwhile stays as it is."""
        clients = tuple(clients)
        if clients == ticket.clients:
            return
        ticket.clients = clients
        if ticket.turn is not None and not ticket.turn.done() and ticket.path:
            self._withdraw(ticket)
            self._enqueue(ticket, is_limited=False)

    def _enqueue(self, ticket: Ticket, *, is_limited: bool = True) -> None:
        root = self._foreground if ticket.clients else self._background
        client = min(
            ticket.clients or [Client("", "")],
            key=lambda one: root.parts[one.address].waiting if one.address in root.parts else 0,
        )
        address = root.part(client.address)
        person = address.part(client.person)
        if is_limited and ticket.clients:
            is_full = address.waiting >= self._per_address or person.waiting >= self._per_person
            if is_full:
                raise CommandRejected(ErrorCode.BUSY)
        ticket.path = (root, address, person)
        person.tickets.append(ticket)
        for share in ticket.path:
            share.waiting += 1

    def _withdraw(self, ticket: Ticket) -> None:
        """Remove a request that waits."""
        ticket.path[-1].tickets.remove(ticket)
        for share in ticket.path:
            share.waiting -= 1
        self._forget_idle(ticket)

    def _grant(self) -> None:
        """Grant the free slots."""
        while self._free and (self._foreground.waiting or self._background.waiting):
            self._granted += 1
            is_last_turn = self._granted % BACKGROUND_SHARE == 0 and self._background.waiting
            root = self._background if is_last_turn else self._foreground
            root = root if root.waiting else self._background
            ticket = root.next_part().next_part().tickets.popleft()
            self._free -= 1
            ticket.granted_at = time.monotonic()
            ticket.estimate_s = ticket.path[-1].seconds
            for share in ticket.path:
                share.waiting -= 1
                share.running += 1
                share.virtual_time += ticket.estimate_s
            assert ticket.turn is not None
            ticket.turn.set_result(None)

    def _release(self, ticket: Ticket) -> None:
        """Charge the time that a slot was held, and grant it again."""
        seconds = time.monotonic() - ticket.granted_at
        for share in ticket.path:
            share.running -= 1
            share.virtual_time += seconds - ticket.estimate_s
        ticket.path[-1].seconds = seconds
        self._forget_idle(ticket)
        self._free += 1
        self._grant()

    def _forget_idle(self, ticket: Ticket) -> None:
        root, address, _ = ticket.path
        address.drop_idle_parts()
        root.drop_idle_parts()
        ticket.path = ()
