"""Live lists: tell people which of their games have changed, wherever the event was written.

A person who is connected watches their tables. An event at a watched table is announced here by the
process that wrote it, and by the message on the table's channel, which is published for every event
anyway. Only a change of seats takes a message of its own: nobody watches a table yet that has just
become theirs.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from manhattan.server.domain.events import PersonId, TableId
from manhattan.server.protocol.messages import GameChangedMessage, SubscribedMessage
from manhattan.server.protocol.serialize import encode
from manhattan.server.pubsub.base import Bus
from manhattan.server.service.background import BackgroundTasks
from manhattan.server.service.table_session import Viewer
from manhattan.server.storage import Store

MAX_WATCHED: Final = 200
"""Tables that a person watches when they connect, the most urgent first."""


class LiveLists:
    """The people who are connected, and the tables that they watch."""

    def __init__(self, store: Store, bus: Bus, tasks: BackgroundTasks) -> None:
        self._store = store
        self._bus = bus
        self._tasks = tasks
        self._subscribers: dict[PersonId, set[Viewer]] = {}
        self._watchers: dict[TableId, set[PersonId]] = {}
        self._watched: dict[PersonId, set[TableId]] = {}

    @property
    def subscribers(self) -> list[Viewer]:
        return [viewer for viewers in self._subscribers.values() for viewer in viewers]

    async def subscribe(self, person: PersonId, viewer: Viewer) -> None:
        """Tell a viewer from now on which of the person's games have changed."""
        self._subscribers.setdefault(person, set()).add(viewer)  # first: nothing is missed
        await self._watch(person, await self._store.games.active_tables(person, MAX_WATCHED))
        viewer.send(encode(SubscribedMessage()))

    def unsubscribe(self, person: PersonId, viewer: Viewer) -> None:
        viewers = self._subscribers.get(person, set())
        viewers.discard(viewer)
        if viewers:
            return
        self._subscribers.pop(person, None)
        for table in self._watched.pop(person, set()):
            watchers = self._watchers[table]
            watchers.discard(person)
            if not watchers:
                del self._watchers[table]
                self._tasks.spawn(self._bus.unsubscribe(table))

    def notify(self, table: TableId) -> None:
        """Tell the people who watch a table that it has changed."""
        if (watchers := self._watchers.get(table)) is not None:
            message = encode(GameChangedMessage(table=table))
            for person in watchers:
                self._send(person, message)

    def notify_people(self, table: TableId, people: Collection[PersonId]) -> None:
        """Tell people who have or had a seat at a table that it has changed; they watch it from
        now on."""
        message = encode(GameChangedMessage(table=table))
        for person in self._subscribers.keys() & people:
            self._tasks.spawn(self._watch(person, [table]))
            self._send(person, message)

    def notify_all(self) -> None:
        """Tell everyone that any game may have changed: messages may have been missed."""
        message = encode(GameChangedMessage(table=None))
        for person in self._subscribers:
            self._send(person, message)

    def _send(self, person: PersonId, message: bytes) -> None:
        for viewer in tuple(self._subscribers.get(person, ())):
            viewer.send(message)

    async def _watch(self, person: PersonId, tables: Collection[TableId]) -> None:
        if person not in self._subscribers:  # the last viewer has gone meanwhile
            return
        watched = self._watched.setdefault(person, set())
        unknown = [table for table in tables if table not in self._watchers]
        for table in tables:
            watched.add(table)
            self._watchers.setdefault(table, set()).add(person)
        await self._bus.subscribe(*unknown)
