"""Export of the finished games of a database, as records."""

from __future__ import annotations

from typing import Any

from manhattan import record
from manhattan.server.domain.events import decode_event
from manhattan.server.domain.evolve import replay_events
from manhattan.server.storage.database import Row
from manhattan.server.storage.factory import open_store
from manhattan.server.storage.readable_rows import readable_rows


def _record(row: Row) -> dict[str, Any] | None:
    table, events = row
    state = replay_events(table, map(decode_event, events))
    return None if state is None or state.game is None else record.to_json(state.game)


async def export_finished_games(database: str) -> list[dict[str, Any]]:
    """Read the records of all finished games, in the order in which their tables were opened."""
    store = await open_store(database)
    records = []
    try:
        async with store.snapshot() as snapshot:
            for (table,) in await snapshot.read(
                "SELECT id FROM tables WHERE stage = 'over' ORDER BY opened_at"
            ):
                rows = [(table, await snapshot.events(table))]
                records += [found for found in readable_rows(rows, _record) if found is not None]
    finally:
        await store.close()
    return records
