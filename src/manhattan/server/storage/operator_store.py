"""What operators need of a database: lists, requests to the running servers, bans, and pruning."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any, Final, Literal, NamedTuple

import msgspec

from manhattan.server.domain.clocks import Milliseconds
from manhattan.server.domain.events import PersonId, TableId
from manhattan.server.storage.database import Database, Statement
from manhattan.server.storage.identity_store import Person, delete_person

Action = Literal["close_table", "delete_person"]


class OperatorRequest(NamedTuple):
    """Something that a running server has to do."""

    id: str
    action: Action
    subject: str
    """A table or a person."""


class TableRow(NamedTuple):
    """A table as operators see it."""

    id: TableId
    stage: str
    public: bool
    changed_at: Milliseconds
    players: tuple[str | None, ...] | None
    """Their names; None for an open seat. Instead of all, None if the row is damaged."""


class _Player(msgspec.Struct):
    name: str | None


class _Listing(msgspec.Struct):
    players: list[_Player]


_LISTINGS: Final = msgspec.json.Decoder(_Listing)


class OperatorStore:
    """The part of the store that is for operators."""

    def __init__(self, database: Database) -> None:
        self._database = database

    # Lists.

    async def tables(self, stages: Sequence[str], limit: int) -> list[TableRow]:
        """Return tables, the latest first."""
        places = ", ".join(f"${n}" for n in range(2, len(stages) + 2))
        rows = await self._database.read(
            "SELECT id, stage, public, changed_at, listing FROM tables "  # noqa: S608 - placeholders
            f"WHERE stage IN ({places}) ORDER BY changed_at DESC LIMIT $1",
            limit,
            *stages,
        )
        return [_table_row(row) for row in rows]

    async def people_named(self, name: str, limit: int) -> list[Person]:
        """Return people whose name contains a text."""
        rows = await self._database.read(
            "SELECT id, name, generation FROM people WHERE lower(name) LIKE $1 "
            "ORDER BY changed_at DESC LIMIT $2",
            f"%{name.lower()}%",
            limit,
        )
        return [Person(*row) for row in rows]

    # Requests.

    async def request(self, action: Action, subject: str, now: Milliseconds) -> str:
        """Ask the running servers for something, and return the id of the request."""
        id = secrets.token_urlsafe(9)
        await self._database.write(
            Statement(
                "INSERT INTO operator_requests (id, action, subject, created_at) "
                "VALUES ($1, $2, $3, $4)",
                (id, action, subject, now),
            )
        )
        return id

    async def next_request(self) -> OperatorRequest | None:
        """Return a request that no server has begun, for this one to execute."""
        rows = await self._database.read(
            "SELECT id, action, subject FROM operator_requests WHERE outcome IS NULL "
            "ORDER BY created_at LIMIT 1"
        )
        if not rows:
            return None
        begun = await self._database.write(
            Statement(
                "UPDATE operator_requests SET outcome = '' WHERE id = $1 AND outcome IS NULL "
                "RETURNING id",
                (rows[0][0],),
            )
        )
        return OperatorRequest(*rows[0]) if begun else None

    async def report(self, request: str, outcome: str) -> None:
        """Tell the operator what came of a request."""
        await self._database.write(
            Statement("UPDATE operator_requests SET outcome = $2 WHERE id = $1", (request, outcome))
        )

    async def outcome(self, request: str) -> str | None:
        """Return what came of a request; None if it isn't finished."""
        rows = await self._database.read(
            "SELECT outcome FROM operator_requests WHERE id = $1", request
        )
        return rows[0][0] or None if rows else None

    # Bans.

    async def bans(self) -> list[str]:
        """Return the addresses, networks and people who are banned."""
        rows = await self._database.read("SELECT subject FROM bans ORDER BY created_at, subject")
        return [row[0] for row in rows]

    async def ban(self, subject: str, now: Milliseconds) -> None:
        await self._database.write(
            Statement(
                "INSERT INTO bans (subject, created_at) VALUES ($1, $2) ON CONFLICT DO NOTHING",
                (subject, now),
            )
        )

    async def lift_ban(self, subject: str) -> bool:
        """Lift a ban; False if there is none."""
        rows = await self._database.write(
            Statement("DELETE FROM bans WHERE subject = $1 RETURNING subject", (subject,))
        )
        return bool(rows)

    # Pruning.

    async def prunable_tables(self, before: Milliseconds, limit: int) -> list[TableId]:
        """Return tables whose game is over, or that were closed, and where nothing has happened
        since a moment. (Other tables are closed when nobody has used them for long.)"""
        rows = await self._database.read(
            "SELECT id FROM tables WHERE stage IN ('over', 'closed') "
            "AND changed_at < $1 ORDER BY changed_at LIMIT $2",
            before,
            limit,
        )
        return [row[0] for row in rows]

    async def prune_table(self, table: TableId, before: Milliseconds) -> bool:
        """Delete a table, unless something has happened there since a moment."""
        is_old = "IN (SELECT id FROM tables WHERE id = $1 AND changed_at < $2)"
        rows = await self._database.write(
            Statement(f"DELETE FROM events WHERE table_id {is_old}", (table, before)),  # noqa: S608
            Statement(f"DELETE FROM seat_holders WHERE table_id {is_old}", (table, before)),  # noqa: S608
            Statement(
                "DELETE FROM tables WHERE id = $1 AND changed_at < $2 RETURNING id",
                (table, before),
            ),
        )
        return bool(rows)

    async def prunable_people(self, before: Milliseconds, limit: int) -> list[PersonId]:
        """Return people who have no game and have not been here since a moment."""
        rows = await self._database.read(
            "SELECT id FROM people p WHERE p.changed_at < $1 "
            "AND NOT EXISTS (SELECT 1 FROM devices d WHERE d.person_id = p.id AND d.seen_at >= $1) "
            "AND NOT EXISTS (SELECT 1 FROM seat_holders s WHERE s.person_id = p.id "
            "AND s.stage <> 'closed') LIMIT $2",
            before,
            limit,
        )
        return [row[0] for row in rows]

    async def prune_person(self, person: PersonId) -> bool:
        """Delete a person who has no game."""
        return bool(await self._database.write(*delete_person(person)))


def _table_row(row: tuple[Any, ...]) -> TableRow:
    id, stage, public, changed_at, listing = row
    try:
        players = tuple(player.name for player in _LISTINGS.decode(listing).players)
    except (msgspec.MsgspecError, UnicodeError):
        players = None
    return TableRow(id, stage, bool(public), changed_at, players)
