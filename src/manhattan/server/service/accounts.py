"""Accounts without passwords: a person is a name, and a signed cookie for each of their devices."""

from __future__ import annotations

import base64
import hashlib
import secrets
from contextlib import suppress
from dataclasses import replace
from typing import Final

from itsdangerous import BadSignature, URLSafeSerializer

from manhattan.server.domain.clocks import Milliseconds
from manhattan.server.domain.errors import CommandRejected, ErrorCode
from manhattan.server.domain.events import PersonId
from manhattan.server.service.clock_and_secrets import new_person_id
from manhattan.server.storage import Device, DeviceId, Identity, Person, Store, StoreUnavailable

COOKIE: Final = "manhattan"
COOKIE_MAX_AGE_S: Final = 400 * 24 * 60 * 60
"""The longest time for which browsers keep a cookie."""
_MAX_COOKIE_LENGTH: Final = 300
_SEEN_INTERVAL: Final[Milliseconds] = 60 * 60 * 1000
"""How often it is written down that a device is in use."""


class Accounts:
    """The people who have entered a name, and their devices."""

    def __init__(self, store: Store, secret: str) -> None:
        self._store = store
        self._signer = URLSafeSerializer(secret, salt="manhattan-person")
        self._feed_signer = URLSafeSerializer(secret, salt="manhattan-feed")

    @classmethod
    async def of(cls, store: Store) -> Accounts:
        """Return the accounts of a store, with its secret for signatures."""
        return cls(store, await store.secret("cookies"))

    def cookie_for(self, identity: Identity) -> str:
        """Return the cookie by which a browser or a program identifies itself."""
        person = identity.person
        return str(self._signer.dumps([person.id, person.generation, identity.device.id]))

    async def authenticate(
        self, cookie: str | None, label: str, now: Milliseconds
    ) -> Identity | None:
        """Return the person and the device of a cookie; None if it is forged or revoked."""
        if not cookie or len(cookie) > _MAX_COOKIE_LENGTH:
            return None
        try:
            match self._signer.loads(cookie):
                case [str(id), int(generation), str(device)]:
                    is_old = False
                case [str(id), int(generation)]:
                    device, is_old = _device_of_old_cookie(cookie), True
                case _:
                    return None
        except (BadSignature, ValueError):
            return None
        found = await self._store.identities.find(id, device)
        if found is None:
            return None
        person, known, is_revoked = found
        if is_revoked or person.generation != generation:
            return None
        if known is None:
            # A cookie from before there were devices becomes one; a row that should be there is
            # missing only if a database was restored from an older backup.
            return await self._add_device(person, device, label, now) if is_old else None
        if now - known.seen_at > _SEEN_INTERVAL or (label and not known.label):
            with suppress(StoreUnavailable):  # it isn't worth an error
                await self._store.identities.touch_device(device, label or known.label, now)
        return Identity(person, known)

    def feed_token(self, identity: Identity) -> str:
        """Return the token of a person's feed, which opens nothing else. It is valid as long as the
        device on which it was made isn't signed out."""
        person = identity.person
        return str(self._feed_signer.dumps([person.id, person.generation, identity.device.id]))

    async def find_feed_owner(self, token: str) -> Person | None:
        """Return the person of a feed's token; None if it is forged or revoked."""
        if len(token) > _MAX_COOKIE_LENGTH:
            return None
        try:
            match self._feed_signer.loads(token):
                case [str(id), int(generation), str(device)]:
                    found = await self._store.identities.find(id, device)
                case _:
                    return None
        except (BadSignature, ValueError):
            return None
        if found is None:
            return None
        person, known, is_revoked = found
        is_valid = known is not None and not is_revoked and person.generation == generation
        return person if is_valid else None

    async def register(self, name: str, label: str, now: Milliseconds) -> Identity:
        """Add a person."""
        person = Person(new_person_id(), name, 1)
        await self._store.add_person(person, now)
        return await self._add_device(person, secrets.token_urlsafe(16), label, now)

    async def rename(self, identity: Identity, name: str, now: Milliseconds) -> Identity | None:
        """Change a person's name; None if they were deleted since the authentication."""
        person = identity.person
        is_current = await self._store.rename_person(person.id, name, now)
        return replace(identity, person=replace(person, name=name)) if is_current else None

    async def sign_in(
        self,
        id: PersonId,
        current: Identity | None,
        label: str,
        now: Milliseconds,
    ) -> Identity:
        """Sign a person in at a browser, which was perhaps another person's until now: that device
        is signed out."""
        if current is not None and current.person.id == id:
            return current
        person = await self._store.find_person(id)
        if person is None:
            raise CommandRejected(ErrorCode.NO_IDENTITY)
        identity = await self._add_device(person, secrets.token_urlsafe(16), label, now)
        if current is not None:
            await self._store.identities.revoke_device(current.person.id, current.device.id, now)
        return identity

    async def check_replaceable(
        self, current: Identity | None, id: PersonId, *, confirmed: bool
    ) -> None:
        """Reject a sign-in that would take a browser from a person with games, unless they have
        confirmed it."""
        if current is None or current.person.id == id or confirmed:
            return
        tables = await self._store.count_tables_of(current.person.id)
        if tables:
            raise CommandRejected(
                ErrorCode.IDENTITY_IN_USE, name=current.person.name, tables=tables
            )

    async def _add_device(
        self, person: Person, id: DeviceId, label: str, now: Milliseconds
    ) -> Identity:
        device = Device(id, label, now, now)
        await self._store.identities.add_device(person.id, device)
        return Identity(person, device)


def _device_of_old_cookie(cookie: str) -> DeviceId:
    """Return the device that a cookie without one stands for: always the same, so that it can be
    revoked."""
    digest = hashlib.sha256(cookie.encode()).digest()[:16]
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")
