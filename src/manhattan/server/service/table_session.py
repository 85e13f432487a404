"""A table session: a table in this process's memory, its viewers and its latest updates."""

from __future__ import annotations

import asyncio
import math
from collections import deque
from typing import Final, Protocol

from manhattan.rules import State
from manhattan.server.domain.clocks import Milliseconds
from manhattan.server.domain.events import PersonId, TableEvent
from manhattan.server.domain.state import TableState
from manhattan.server.protocol.messages import Message, PresenceMessage, ResumedMessage
from manhattan.server.protocol.serialize import encode, view_message
from manhattan.server.protocol.updates import TableUpdate
from manhattan.server.service.fair_queue import Client, Ticket
from manhattan.server.service.presence import Presence
from manhattan.server.storage import DeviceId

RECENT_UPDATES: Final = 32
"""Updates that are kept for viewers who reconnect; a viewer who needs older ones gets a view."""
PRESENCE_DELAY: Final[Milliseconds] = 30_000
"""After this time a process knows who watches a table: clients have reconnected after a restart,
and the other processes have published their viewers."""


class Viewer(Protocol):
    """A websocket that shows a table."""

    person: PersonId | None
    device: DeviceId | None
    """The person's device."""
    address: str
    """The key under which the viewer's address is counted."""

    def send(self, message: bytes) -> None:
        """Send a message as soon as the client can take it. Never waits."""

    def disconnect(self) -> None:
        """Close the websocket: the device was revoked, or the person was deleted."""

    def disconnect_banned(self) -> None:
        """Close the websocket: the operator has excluded the person or the address."""

    def close_for_resync(self) -> None:
        """Close the websocket so that the client reconnects and gets what it missed."""


class TableSession:
    """A table that people play or watch, or at which something is scheduled."""

    def __init__(self, state: TableState, now: Milliseconds) -> None:
        self.state = state
        self.loaded_at = self.last_used = now
        self.viewers: set[Viewer] = set()
        self.lock = asyncio.Lock()
        """Held while a command is executed: one at a time."""
        self.needs_sync = False
        """An event may have been written that ``state`` lacks: read the database first."""
        self.timer: asyncio.TimerHandle | None = None
        self.bot_task: asyncio.Task[None] | None = None
        self.bot_state: State | None = None
        """The state for which ``bot_task`` chooses a move."""
        self.bot_ticket: Ticket | None = None
        """Its place in the queue of the bots."""
        self.presence_published_at = now
        self._recent: deque[TableUpdate] = deque(maxlen=RECENT_UPDATES)
        self.people = Presence()
        self.presence_timer: asyncio.TimerHandle | None = None
        """When the viewers get to know who has come and gone."""
        self.presence_sent_at = -math.inf
        """When they got to know it last, by the event loop's time."""
        self._last_presence: PresenceMessage | None = None
        self._newcomers: dict[Viewer, PresenceMessage] = {}
        """Viewers who came since then, and what their first message said."""

    @property
    def id(self) -> str:
        return self.state.id

    @property
    def bot_is_choosing(self) -> bool:
        return self.bot_task is not None and not self.bot_task.done()

    def bot_is_choosing_for(self, state: TableState) -> bool:
        """Tell whether a bot chooses a move for this very state."""
        same = state.game is not None and state.game.state is self.bot_state
        return self.bot_is_choosing and same

    def apply(self, event: TableEvent, after: TableState) -> TableUpdate:
        """Adopt the state after a durable event."""
        scores = self._recent[-1].take_scores() if self._recent else None
        update = TableUpdate(self.state, after, event, scores)
        self.state = after
        self._recent.append(update)
        return update

    def replace_state(self, state: TableState, now: Milliseconds) -> None:
        """Adopt a state that was read again, and send it to all viewers."""
        self.state = state
        self._recent.clear()
        presence = self.presence(now)
        for viewer in self.viewers:
            viewer.send(encode(view_message(state, viewer.person, presence, now)))

    def broadcast(
        self, update: TableUpdate, sender: Viewer | None = None, command_id: str | None = None
    ) -> None:
        """Send an update to all viewers. The sender of the command gets it as the reply."""
        for viewer, message in self.encode_for_viewers(update, sender, command_id):
            viewer.send(message)

    def encode_for_viewers(
        self, update: TableUpdate, sender: Viewer | None = None, command_id: str | None = None
    ) -> list[tuple[Viewer, bytes]]:
        """Encode an update for each viewer; once for each person."""
        by_person: dict[PersonId | None, bytes] = {}
        messages: list[tuple[Viewer, bytes]] = []
        for viewer in self.viewers:
            if viewer is sender:
                continue
            if viewer.person not in by_person:
                by_person[viewer.person] = encode(update.message_for(viewer.person, self.state))
            messages.append((viewer, by_person[viewer.person]))
        if sender is not None:
            message = update.message_for(sender.person, self.state, command_id)
            messages.append((sender, encode(message)))
        return messages

    def broadcast_message(self, message: Message) -> None:
        """Send the same message to all viewers."""
        data = encode(message)
        for viewer in self.viewers:
            viewer.send(data)

    def attach(
        self,
        viewer: Viewer,
        since: int | None,
        now: Milliseconds,
        command_id: str | None = None,
    ) -> None:
        """Add a viewer. A viewer who has the updates before ``since`` gets the later ones,
        others the whole view; the reply to a command is always a view."""
        self.viewers.add(viewer)
        self.people.add(viewer.person)
        self.last_used = now
        missed = self._updates_since(since)
        presence = self._newcomers[viewer] = self.presence(now)
        if since is None or missed is None:
            view = view_message(self.state, viewer.person, presence, now, command_id)
            viewer.send(encode(view))
        else:
            viewer.send(encode(ResumedMessage(number=since, now=now, presence=presence)))
            for update in missed:
                viewer.send(encode(update.message_for(viewer.person, self.state)))

    def detach(self, viewer: Viewer, now: Milliseconds) -> None:
        """Remove a viewer."""
        if viewer in self.viewers:
            self.viewers.discard(viewer)
            self._newcomers.pop(viewer, None)
            self.people.remove(viewer.person, now)
        self.last_used = now

    def clients(self) -> tuple[Client, ...]:
        """Return the people who wait for the table's bots: players who are connected, or else
        spectators. A spectator must not make players wait for the spectator's turn."""
        players = self.state.people()
        here = {Client(viewer.address, viewer.person or "") for viewer in self.viewers}
        elsewhere = {Client("", person) for person in self.people.people_elsewhere}
        if self.people.is_watched_elsewhere and not elsewhere:
            elsewhere = {Client("", "")}
        everyone = here | elsewhere
        return tuple(
            sorted({client for client in everyone if client.person in players} or everyone)
        )

    def presence(self, now: Milliseconds) -> PresenceMessage:
        """Return which people are connected. A process that was silent for too long is dropped: it
        may have died before it could publish its last event, which is looked up then."""
        if self.people.drop_silent_processes(now):
            self.needs_sync = True
        return self.people.message(self.state)

    def absent_since(self, player: int, now: Milliseconds) -> Milliseconds | None:
        """Return since when a player is absent, or None if they are here. For a player who left
        before the table was loaded, that is not known: it may be any time. Whether they are here
        is known when every process has had the time to say who watches the table there."""
        presence = self.presence(now)
        if not 0 <= player < len(presence.present):
            return 0  # the decision rejects it
        is_known = presence.away_since[player] is not None
        if presence.present[player] or (not is_known and now - self.loaded_at < PRESENCE_DELAY):
            return None
        return presence.away_since[player] or 0

    def broadcast_presence(self, now: Milliseconds) -> None:
        """Send the presence of people to all who don't know it, if it has changed."""
        presence = self.presence(now)
        newcomers, self._newcomers = self._newcomers, {}
        if presence != self._last_presence:
            self._last_presence = presence
            data = encode(presence)
            for viewer in self.viewers:
                if newcomers.get(viewer) != presence:
                    viewer.send(data)
        else:
            for viewer, known in newcomers.items():
                if known != presence:
                    viewer.send(encode(presence))

    def _updates_since(self, since: int | None) -> list[TableUpdate] | None:
        """Return the updates from a number on, or None if they aren't kept any more."""
        if since is None or not 0 < since <= self.state.number:
            return None
        missing = self.state.number - since
        if missing > len(self._recent):
            return None
        return list(self._recent)[len(self._recent) - missing :]
