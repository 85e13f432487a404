"""The statements that write the projection of a table, in the transaction of its event."""

from __future__ import annotations

from typing import Final

import msgspec

from manhattan.server.domain.events import PersonId, TableId
from manhattan.server.storage.database import Statement
from manhattan.server.storage.projection import Append, Holding, Summary

_UPSERT_TABLE: Final = (
    "INSERT INTO tables (id, stage, public, opened_at, changed_at, due, listing, host, timed, "
    "game, mover, awaited, moved_at, board) "
    "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) ON CONFLICT (id) "
    "DO UPDATE SET stage = excluded.stage, public = excluded.public, "
    "changed_at = excluded.changed_at, due = excluded.due, listing = excluded.listing, "
    "host = excluded.host, timed = excluded.timed, game = excluded.game, mover = excluded.mover, "
    "awaited = excluded.awaited, moved_at = excluded.moved_at, board = excluded.board"
)
_UPDATE_TURN: Final = (
    "UPDATE tables SET mover = $2, awaited = $3, moved_at = $4, board = $5 WHERE id = $1"
)
_UPDATE_NAMES: Final = "UPDATE tables SET listing = $2, game = $3 WHERE id = $1"
_IF_LATEST: Final = (
    " AND NOT EXISTS (SELECT 1 FROM events WHERE table_id = $1 AND number >= $4) RETURNING id"
)
_DELETE_HOLDER: Final = "DELETE FROM seat_holders WHERE table_id = $1 AND person_id = $2"
_UPSERT_HOLDER: Final = (
    "INSERT INTO seat_holders (table_id, person_id, stage, since, seats, players, bots, counted, "
    "won, score) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) "
    "ON CONFLICT (person_id, table_id) DO UPDATE SET stage = excluded.stage, "
    "since = CASE WHEN seat_holders.stage = excluded.stage "
    "AND seat_holders.seats = excluded.seats THEN seat_holders.since ELSE excluded.since END, "
    "seats = excluded.seats, players = excluded.players, bots = excluded.bots, "
    "counted = excluded.counted, won = excluded.won, score = excluded.score"
)


def follow_ups(append: Append) -> list[Statement]:
    """Return the statements for all that changes with an event."""
    table, statements = append.table, []
    if append.summary is not None:
        statements.append(_write_summary(table, append.at, append.summary))
    elif append.turn is not None:
        statements.append(Statement(_UPDATE_TURN, (table, *append.turn)))
    statements += [
        Statement(_DELETE_HOLDER, (table, person))
        if holding is None
        else _write_holding(table, person, holding)
        for person, holding in sorted(append.holdings.items())
    ]
    return statements


def write_names(table: TableId, summary: Summary) -> Statement:
    """Return the statement for those columns of a table that show names."""
    return Statement(
        _UPDATE_NAMES, (table, _to_json(summary.listing), _to_json(summary.game or {}))
    )


def write_names_if_latest(table: TableId, summary: Summary, number: int) -> Statement:
    """Return the same statement for a table that has no more events than a number; it returns a row
    if that was so."""
    [sql, values] = write_names(table, summary)
    return Statement(sql + _IF_LATEST, (*values, number))


def _write_summary(table: TableId, at: int, summary: Summary) -> Statement:
    values = (
        table,
        summary.stage,
        int(summary.public),
        summary.opened_at,
        at,
        summary.due,
        _to_json(summary.listing),
        summary.host,
        int(summary.timed),
        _to_json(summary.game or {}),
        *summary.turn,
    )
    return Statement(_UPSERT_TABLE, values)


def _write_holding(table: TableId, person: PersonId, holding: Holding) -> Statement:
    *row, counted, won, score = holding
    values = (table, person, *row, int(counted), int(won), score)
    return Statement(_UPSERT_HOLDER, values)


def _to_json(value: object) -> str:
    return msgspec.json.encode(value).decode()
