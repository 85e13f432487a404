"""Accounts without passwords: a person is a name and a signed cookie."""

from __future__ import annotations

import secrets
from dataclasses import replace
from typing import Final

from itsdangerous import BadSignature, URLSafeSerializer

from manhattan.server.domain.clocks import Milliseconds
from manhattan.server.storage import Person, Store

COOKIE: Final = "manhattan"
COOKIE_MAX_AGE_S: Final = 400 * 24 * 60 * 60
"""The longest time for which browsers keep a cookie."""
_MAX_COOKIE_LENGTH: Final = 300


class Accounts:
    """The people who have entered a name."""

    def __init__(self, store: Store, secret: str) -> None:
        self._store = store
        self._signer = URLSafeSerializer(secret, salt="manhattan-person")

    @classmethod
    async def of(cls, store: Store) -> Accounts:
        """Return the accounts of a store, with its secret for signatures."""
        return cls(store, await store.secret("cookies"))

    def cookie_for(self, person: Person) -> str:
        """Return the cookie by which a browser or a program identifies itself."""
        return str(self._signer.dumps([person.id, person.generation]))

    async def authenticate(self, cookie: str | None) -> Person | None:
        """Return the person of a cookie; None if it is forged or revoked."""
        if not cookie or len(cookie) > _MAX_COOKIE_LENGTH:
            return None
        try:
            id, generation = self._signer.loads(cookie)
        except (BadSignature, ValueError, TypeError):
            return None
        person = await self._store.find_person(str(id))
        return person if person is not None and person.generation == generation else None

    async def register(self, name: str, now: Milliseconds) -> Person:
        """Add a person."""
        person = Person(secrets.token_urlsafe(16), name, 1)
        await self._store.add_person(person, now)
        return person

    async def rename(self, person: Person, name: str, now: Milliseconds) -> Person | None:
        """Change a person's name; None if their cookies were revoked since the authentication."""
        is_current = await self._store.rename_person(person, name, now)
        return replace(person, name=name) if is_current else None

    async def revoke(self, person: Person, now: Milliseconds) -> None:
        """Revoke all cookies of a person."""
        await self._store.revoke_person(person, now)
