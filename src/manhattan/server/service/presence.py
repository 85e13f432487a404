"""Presence: who watches a table, in this process and in others.

Counted as people come and go, so that a newcomer costs the same however many there are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Set as AbstractSet
from typing import Final

from manhattan.server.domain.clocks import Milliseconds
from manhattan.server.domain.events import PersonId
from manhattan.server.domain.state import TableState
from manhattan.server.protocol.messages import PresenceMessage

REMOTE_PRESENCE_TTL: Final[Milliseconds] = 30_000
"""How long another process's report of its viewers is valid."""

People = tuple[PersonId | None, ...]
"""People once each, and None for each anonymous viewer."""


class Presence:
    """The people who watch a table."""

    def __init__(self) -> None:
        self._here: Counter[PersonId] = Counter()
        self._anonymous_here = 0
        self._elsewhere: dict[str, tuple[People, Milliseconds]] = {}
        """The viewers of other processes, and until when that is valid."""
        self._people_elsewhere: frozenset[PersonId] = frozenset()
        self._anonymous_elsewhere = 0
        self._away_since: dict[PersonId, Milliseconds] = {}
        """When the people who have left the table since it was loaded did so."""

    def add(self, person: PersonId | None) -> None:
        """Count a viewer."""
        if person is None:
            self._anonymous_here += 1
        else:
            self._here[person] += 1
            self._away_since.pop(person, None)

    def remove(self, person: PersonId | None, now: Milliseconds) -> None:
        """Stop counting a viewer."""
        if person is None:
            self._anonymous_here -= 1
            return
        self._here[person] -= 1
        if not self._here[person]:
            del self._here[person]
            if person not in self._people_elsewhere:
                self._away_since[person] = now

    def report_elsewhere(self, process: str, people: People, now: Milliseconds) -> bool:
        """Note the viewers of another process, and tell whether that process is new here."""
        is_new = process not in self._elsewhere
        self._elsewhere[process] = (people, now + REMOTE_PRESENCE_TTL)
        self._count_elsewhere(now)
        return is_new

    def drop_silent_processes(self, now: Milliseconds) -> bool:
        """Drop processes that were silent for too long, and tell whether there were any."""
        silent = [process for process, (_, end) in self._elsewhere.items() if end < now]
        for process in silent:
            del self._elsewhere[process]
        if silent:
            self._count_elsewhere(now)
        return bool(silent)

    def here(self) -> People:
        """Return the viewers of this process."""
        return (*self._here, *(None,) * self._anonymous_here)

    @property
    def people_elsewhere(self) -> AbstractSet[PersonId]:
        """The people who watch in other processes."""
        return self._people_elsewhere

    @property
    def is_watched_elsewhere(self) -> bool:
        return bool(self._people_elsewhere or self._anonymous_elsewhere)

    def is_connected(self, person: PersonId) -> bool:
        """Tell whether a person watches the table, in this process or another."""
        return person in self._here or person in self._people_elsewhere

    def message(self, state: TableState) -> PresenceMessage:
        """Describe who is connected."""
        elsewhere = self._people_elsewhere
        people = len(self._here) + sum(person not in self._here for person in elsewhere)
        people -= sum(map(self.is_connected, state.people()))
        anonymous = self._anonymous_here + self._anonymous_elsewhere
        return PresenceMessage(
            present=[
                self.is_connected(seat.person)
                if seat.person is not None
                else seat.level is not None
                for seat in state.seats
            ],
            away_since=[self._away_since.get(seat.person or "") for seat in state.seats],
            spectators=people + anonymous,
        )

    def _count_elsewhere(self, now: Milliseconds) -> None:
        before = self._people_elsewhere
        everyone = [person for people, _ in self._elsewhere.values() for person in people]
        self._people_elsewhere = frozenset(person for person in everyone if person is not None)
        self._anonymous_elsewhere = everyone.count(None)
        for person in before - self._people_elsewhere:
            if person not in self._here:
                self._away_since[person] = now
        for person in self._people_elsewhere:
            self._away_since.pop(person, None)
