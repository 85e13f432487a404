"""Export of the finished games of a database, as records."""

from __future__ import annotations

from typing import Any

from manhattan import record
from manhattan.server.domain.events import decode_event
from manhattan.server.domain.evolve import replay_events
from manhattan.server.storage.factory import open_store


async def export_finished_games(database: str) -> list[dict[str, Any]]:
    """Read the records of all finished games, in the order in which their tables were opened."""
    store = await open_store(database)
    records = []
    try:
        async with store.snapshot() as snapshot:
            for (table,) in await snapshot.read(
                "SELECT id FROM tables WHERE stage = 'over' ORDER BY opened_at"
            ):
                state = replay_events(table, map(decode_event, await snapshot.events(table)))
                if state is not None and state.game is not None:
                    records.append(record.to_json(state.game))
    finally:
        await store.close()
    return records
