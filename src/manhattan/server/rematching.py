"""Playing again: the same people, the same terms, at a new table."""

from __future__ import annotations

from manhattan.server.entries import Awaited, PersonId
from manhattan.server.sitting import Chair, Sitting
from manhattan.server.terms import ChairTerms, Terms


def again(old: Sitting, person: PersonId) -> Terms:
    """The same terms; who began is followed by his left neighbour, unless lots are drawn."""

    def wanted(chair: Chair, was: ChairTerms) -> ChairTerms:
        if chair.level is not None:
            return _changed(was, who="bot", level=chair.level, name=None)
        if chair.person != person:
            return _changed(was, who="open", level=None, name=None)
        first = old.chairs_of(person)[0]
        who = "me" if old.chairs[first] is chair else "here"
        return _changed(was, who=who, level=None, name=chair.name)

    terms = old.terms
    chairs = tuple(map(wanted, old.chairs, terms.chairs))
    first = terms.first if terms.first == "lot" else (terms.first + 1) % len(chairs)
    return Terms.model_validate(terms.model_copy(update={"chairs": chairs, "first": first}))


def others(old: Sitting, person: PersonId) -> tuple[Awaited, ...]:
    """Everybody else who sat there."""
    return tuple(
        Awaited(chair=number, person=chair.person, name=chair.name)
        for number, chair in enumerate(old.chairs)
        if chair.person is not None and chair.person != person
    )


def _changed(chair: ChairTerms, **changes: object) -> ChairTerms:
    return ChairTerms.model_validate(chair.model_dump() | changes)
