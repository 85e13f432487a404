"""Who somebody is: a name he has said, and a signed cookie that nobody else can make."""

from __future__ import annotations

import secrets
from dataclasses import replace
from typing import Final

from itsdangerous import BadSignature, URLSafeSerializer

from manhattan.server.clocks import Milliseconds
from manhattan.server.store import Person, Store

COOKIE: Final = "manhattan"
COOKIE_LASTS: Final = 400 * 24 * 60 * 60
"""Seconds: as long as browsers keep one."""
_LONGEST_COOKIE: Final = 300


class People:
    """Everybody who has said his name."""

    def __init__(self, store: Store, secret: str) -> None:
        self._store = store
        self._signer = URLSafeSerializer(secret, salt="manhattan-person")

    @classmethod
    async def of(cls, store: Store) -> People:
        return cls(store, await store.secret("cookies"))

    def cookie_of(self, person: Person) -> str:
        """What his browser, or his program, shows next time."""
        return str(self._signer.dumps([person.id, person.generation]))

    async def known(self, cookie: str | None) -> Person | None:
        """Whose cookie this is; nobody's if it was not made here, or is no longer his."""
        if not cookie or len(cookie) > _LONGEST_COOKIE:
            return None
        try:
            id, generation = self._signer.loads(cookie)
        except (BadSignature, ValueError, TypeError):
            return None
        person = await self._store.person(str(id))
        return person if person is not None and person.generation == generation else None

    async def introduced(self, name: str, now: Milliseconds) -> Person:
        """Somebody says his name for the first time."""
        person = Person(secrets.token_urlsafe(16), name, 1)
        await self._store.add_person(person, now)
        return person

    async def renamed(self, person: Person, name: str, now: Milliseconds) -> Person | None:
        """Somebody says a new name; None if none of his cookies is his any more, which may have
        happened since he showed one."""
        same = await self._store.rename_person(person, name, now)
        return replace(person, name=name) if same else None

    async def forget(self, person: Person, now: Milliseconds) -> None:
        """None of his cookies is his any more."""
        await self._store.void_person(person, now)
