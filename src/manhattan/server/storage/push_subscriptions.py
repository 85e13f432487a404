"""The stored subscriptions of Web Push."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from manhattan.server.domain.clocks import Milliseconds
from manhattan.server.domain.events import PersonId
from manhattan.server.storage.database import Statement
from manhattan.server.storage.identity_store import DeviceId
from manhattan.server.storage.store import Store

MAX_PER_PERSON: Final = 10
"""Browsers of one person; a further one replaces the oldest."""


@dataclass(frozen=True, slots=True)
class PushSubscription:
    """A browser that wants notifications, as its push service knows it."""

    endpoint: str
    """The address of the push service for this browser."""
    person: PersonId
    p256dh: str
    """The browser's public key, base64url."""
    auth: str
    """A secret that the browser shares with this server, base64url."""
    language: str
    kinds: frozenset[str]
    """The notices that it wants."""
    device: DeviceId = ""
    """The person's device: when it is signed out, the subscription ends."""


class PushSubscriptions:
    """The subscriptions of all people."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def of(self, person: PersonId) -> list[PushSubscription]:
        """Return the subscriptions of a person."""
        rows = await self._store.read(
            "SELECT endpoint, person_id, p256dh, auth, language, kinds, device_id "
            "FROM push_subscriptions WHERE person_id = $1 ORDER BY created_at",
            person,
        )
        return [
            PushSubscription(
                endpoint, person_id, p256dh, auth, language, frozenset(kinds.split()), device
            )
            for endpoint, person_id, p256dh, auth, language, kinds, device in rows
        ]

    async def add(self, subscription: PushSubscription, now: Milliseconds) -> None:
        """Add or change a subscription. The browser belongs to whoever uses it now."""
        values = (
            subscription.endpoint,
            subscription.person,
            subscription.p256dh,
            subscription.auth,
            subscription.language,
            " ".join(sorted(subscription.kinds)),
            now,
            subscription.device,
        )
        await self._store.write(
            Statement(
                "INSERT INTO push_subscriptions "
                "(endpoint, person_id, p256dh, auth, language, kinds, created_at, device_id) "
                "VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (endpoint) DO UPDATE SET "
                "person_id = excluded.person_id, p256dh = excluded.p256dh, auth = excluded.auth, "
                "language = excluded.language, kinds = excluded.kinds, "
                "created_at = excluded.created_at, device_id = excluded.device_id",
                values,
            ),
            Statement(
                "DELETE FROM push_subscriptions WHERE person_id = $1 AND endpoint NOT IN "
                "(SELECT endpoint FROM push_subscriptions WHERE person_id = $1 "
                "ORDER BY created_at DESC LIMIT $2)",
                (subscription.person, MAX_PER_PERSON),
            ),
        )

    async def remove(self, endpoint: str) -> None:
        """Remove a subscription: the browser or its push service has ended it."""
        await self._store.write(
            Statement("DELETE FROM push_subscriptions WHERE endpoint = $1", (endpoint,))
        )
