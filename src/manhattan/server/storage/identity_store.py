"""Devices, passkeys, recovery codes and challenges: how people prove who they are."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from manhattan.server.domain.clocks import Milliseconds
from manhattan.server.domain.events import PersonId
from manhattan.server.storage.database import Database, Statement, chunks

DeviceId = str
PasskeyId = str
"""The id of a credential, in base64url; the authenticator has chosen it."""
MAX_LISTED_DEVICES: Final = 100
_PERSONAL: Final = ("devices", "passkeys", "recovery_codes", "push_subscriptions")


@dataclass(frozen=True, slots=True)
class Person:
    """A person who has entered a name."""

    id: PersonId
    name: str
    generation: int
    """Cookies from before there were devices are valid for one generation."""


@dataclass(frozen=True, slots=True)
class Device:
    """A browser in which a person is signed in."""

    id: DeviceId
    label: str
    """The browser and the system, such as ``Firefox · Linux``; empty if unknown."""
    created_at: Milliseconds
    seen_at: Milliseconds
    """When it was last used, to within an hour."""


@dataclass(frozen=True, slots=True)
class Identity:
    """A person at one of their devices."""

    person: Person
    device: Device


@dataclass(frozen=True, slots=True)
class Passkey:
    """The public part of a passkey."""

    id: PasskeyId
    person: PersonId
    public_key: str
    """In base64url."""
    sign_count: int
    rp_id: str
    """The host for which it was created."""
    label: str
    created_at: Milliseconds
    used_at: Milliseconds | None = None


@dataclass(frozen=True, slots=True)
class RecoveryCode:
    """What is stored of a recovery code."""

    digest: str
    selector: str
    person: PersonId


class IdentityStore:
    """The part of the store that knows how people sign in."""

    def __init__(self, database: Database) -> None:
        self._database = database

    # Devices.

    async def find(
        self, person: PersonId, device: DeviceId
    ) -> tuple[Person, Device | None, bool] | None:
        """Return a person, one of their devices, and whether it is revoked."""
        rows = await self._database.read(
            "SELECT p.id, p.name, p.generation, d.id, d.label, d.created_at, d.seen_at, "
            "d.revoked_at FROM people p LEFT JOIN devices d ON d.person_id = p.id AND d.id = $2 "
            "WHERE p.id = $1",
            person,
            device,
        )
        if not rows:
            return None
        id, name, generation, *columns, revoked_at = rows[0]
        found = None if columns[0] is None else Device(*columns)
        return Person(id, name, generation), found, revoked_at is not None

    async def add_device(self, person: PersonId, device: Device) -> None:
        """Add a device, unless it is known already."""
        await self._database.write(
            Statement(
                "INSERT INTO devices (id, person_id, label, created_at, seen_at) "
                "VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING",
                (device.id, person, device.label, device.created_at, device.seen_at),
            )
        )

    async def touch_device(self, device: DeviceId, label: str, now: Milliseconds) -> None:
        """Note that a device is in use."""
        await self._database.write(
            Statement(
                "UPDATE devices SET seen_at = $2, label = $3 WHERE id = $1", (device, now, label)
            )
        )

    async def devices_of(self, person: PersonId) -> list[Device]:
        """Return the devices that are not revoked, those in use first."""
        rows = await self._database.read(
            "SELECT id, label, created_at, seen_at FROM devices WHERE person_id = $1 "
            "AND revoked_at IS NULL ORDER BY seen_at DESC, id LIMIT $2",
            person,
            MAX_LISTED_DEVICES,
        )
        return [Device(*row) for row in rows]

    async def revoke_device(self, person: PersonId, device: DeviceId, now: Milliseconds) -> bool:
        """Revoke a person's device, and end its notifications; False if they have no such
        device."""
        rows = await self._database.write(
            Statement(
                "DELETE FROM push_subscriptions WHERE person_id = $1 AND device_id = $2",
                (person, device),
            ),
            Statement(
                "UPDATE devices SET revoked_at = $3 WHERE person_id = $1 AND id = $2 "
                "AND revoked_at IS NULL RETURNING id",
                (person, device, now),
            ),
        )
        return bool(rows)

    async def revoke_devices(
        self, person: PersonId, now: Milliseconds, keep: DeviceId = ""
    ) -> list[DeviceId]:
        """Revoke the devices of a person, all or all but one, end their notifications, and return
        them."""
        rows = await self._database.write(
            Statement(
                "DELETE FROM push_subscriptions WHERE person_id = $1 AND device_id <> $2",
                (person, keep),
            ),
            Statement(
                "UPDATE devices SET revoked_at = $3 WHERE person_id = $1 AND id <> $2 "
                "AND revoked_at IS NULL RETURNING id",
                (person, keep, now),
            ),
        )
        return [row[0] for row in rows]

    async def active_devices(self, devices: Collection[DeviceId]) -> set[DeviceId]:
        """Return those devices that are neither revoked nor deleted with their person."""
        active: set[DeviceId] = set()
        for chunk in chunks(sorted(devices)):
            placeholders = ", ".join(f"${n}" for n in range(1, len(chunk) + 1))
            rows = await self._database.read(
                "SELECT d.id FROM devices d JOIN people p ON p.id = d.person_id "  # noqa: S608 - placeholders
                f"WHERE d.revoked_at IS NULL AND d.id IN ({placeholders})",
                *chunk,
            )
            active.update(row[0] for row in rows)
        return active

    # Passkeys.

    async def add_passkey(self, passkey: Passkey) -> bool:
        """Add a passkey; False if its id is known already."""
        rows = await self._database.write(
            Statement(
                "INSERT INTO passkeys (id, person_id, public_key, sign_count, rp_id, label, "
                "created_at) VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING "
                "RETURNING id",
                (
                    passkey.id,
                    passkey.person,
                    passkey.public_key,
                    passkey.sign_count,
                    passkey.rp_id,
                    passkey.label,
                    passkey.created_at,
                ),
            )
        )
        return bool(rows)

    async def find_passkey(self, id: PasskeyId) -> Passkey | None:
        rows = await self._database.read(f"{_SELECT_PASSKEYS} WHERE id = $1", id)
        return Passkey(*rows[0]) if rows else None

    async def passkeys_of(self, person: PersonId) -> list[Passkey]:
        """Return a person's passkeys, the oldest first."""
        rows = await self._database.read(
            f"{_SELECT_PASSKEYS} WHERE person_id = $1 ORDER BY created_at, id", person
        )
        return [Passkey(*row) for row in rows]

    async def use_passkey(self, id: PasskeyId, sign_count: int, now: Milliseconds) -> None:
        """Note a sign-in, with the authenticator's count of signatures."""
        await self._database.write(
            Statement(
                "UPDATE passkeys SET sign_count = $2, used_at = $3 WHERE id = $1",
                (id, sign_count, now),
            )
        )

    async def remove_passkey(self, person: PersonId, id: PasskeyId) -> bool:
        """Remove a person's passkey; False if they have no such passkey."""
        rows = await self._database.write(
            Statement(
                "DELETE FROM passkeys WHERE person_id = $1 AND id = $2 RETURNING id", (person, id)
            )
        )
        return bool(rows)

    # Recovery codes.

    async def replace_recovery_codes(
        self, person: PersonId, codes: Sequence[RecoveryCode], now: Milliseconds
    ) -> None:
        """Give a person new recovery codes; the earlier ones become invalid."""
        insert = (
            "INSERT INTO recovery_codes (digest, selector, person_id, created_at) "
            "VALUES ($1, $2, $3, $4)"
        )
        await self._database.write(
            Statement("DELETE FROM recovery_codes WHERE person_id = $1", (person,)),
            *(Statement(insert, (code.digest, code.selector, person, now)) for code in codes),
        )

    async def find_recovery_codes(self, selector: str) -> list[RecoveryCode]:
        """Return the unused codes with a beginning."""
        rows = await self._database.read(
            "SELECT digest, selector, person_id FROM recovery_codes "
            "WHERE selector = $1 AND used_at IS NULL",
            selector,
        )
        return [RecoveryCode(*row) for row in rows]

    async def use_recovery_code(self, code: RecoveryCode, now: Milliseconds) -> bool:
        """Use a code up; False if another request was quicker."""
        rows = await self._database.write(
            Statement(
                "UPDATE recovery_codes SET used_at = $2 WHERE digest = $1 AND used_at IS NULL "
                "RETURNING digest",
                (code.digest, now),
            )
        )
        return bool(rows)

    async def recovery_codes_of(self, person: PersonId) -> tuple[int, Milliseconds | None]:
        """Return how many unused codes a person has, and when their codes were created."""
        [[unused, created_at]] = await self._database.read(
            "SELECT coalesce(sum(CASE WHEN used_at IS NULL THEN 1 ELSE 0 END), 0), "
            "max(created_at) FROM recovery_codes WHERE person_id = $1",
            person,
        )
        return int(unused), created_at

    # Challenges.

    async def add_challenge(
        self, id: str, purpose: str, challenge: str, expires_at: Milliseconds, now: Milliseconds
    ) -> None:
        """Keep a challenge, and drop those that have expired."""
        await self._database.write(
            Statement("DELETE FROM challenges WHERE expires_at < $1", (now,)),
            Statement(
                "INSERT INTO challenges (id, purpose, challenge, expires_at) "
                "VALUES ($1, $2, $3, $4)",
                (id, purpose, challenge, expires_at),
            ),
        )

    async def take_challenge(self, id: str, purpose: str, now: Milliseconds) -> str | None:
        """Return a challenge once; None if it was taken, has expired or had another purpose."""
        rows = await self._database.write(
            Statement(
                "DELETE FROM challenges WHERE id = $1 RETURNING purpose, challenge, expires_at",
                (id,),
            )
        )
        if not rows or rows[0][0] != purpose or rows[0][2] < now:
            return None
        return str(rows[0][1])


_SELECT_PASSKEYS: Final = (
    "SELECT id, person_id, public_key, sign_count, rp_id, label, created_at, used_at FROM passkeys"
)


def delete_person(person: PersonId) -> list[Statement]:
    """Return the statements that delete a person and all that identifies them. The last one
    returns a row if the person existed."""
    return [
        *(
            Statement(f"DELETE FROM {table} WHERE person_id = $1", (person,))  # noqa: S608 - our own names
            for table in (*_PERSONAL, "seat_holders")
        ),
        Statement("DELETE FROM people WHERE id = $1 RETURNING id", (person,)),
    ]
