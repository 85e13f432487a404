"""Who somebody is, for a process that is alone with its database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from manhattan.server.entries import PersonId
    from manhattan.server.store.keeping import Person

MOST_KNOWN: Final = 10_000
"""People who are remembered: two megabytes."""


class Acquaintances:
    """People who were met lately. To ask the database who somebody is takes as long as a move, and
    everybody is asked for with each of his requests."""

    def __init__(self) -> None:
        self._people: dict[PersonId, Person] = {}
        self._changes = 0

    def person(self, id: PersonId) -> Person | None:
        return self._people.get(id)

    def asked(self) -> int:
        """The moment at which somebody is asked for."""
        return self._changes

    def met(self, person: Person, asked: int) -> None:
        """Who was found. Whatever was changed since he was asked for may have been about him."""
        if asked != self._changes:
            return
        if len(self._people) >= MOST_KNOWN:
            self._people.clear()
        self._people[person.id] = person

    def forget(self, id: PersonId) -> None:
        """Something about him has changed."""
        self._changes += 1
        self._people.pop(id, None)
