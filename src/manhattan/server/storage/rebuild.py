"""Rebuilding the projection of a table from its events, after a migration."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Final

from manhattan.server.domain.events import TableId, decode_event
from manhattan.server.storage.database import Statement
from manhattan.server.storage.follow_ups import follow_ups
from manhattan.server.storage.projection import replay

log = logging.getLogger("manhattan.server")

SELECT_TABLES: Final = "SELECT id FROM tables ORDER BY opened_at"
SELECT_EVENTS: Final = "SELECT event FROM events WHERE table_id = $1 ORDER BY number"


def rebuild(table: TableId, events: Iterable[str]) -> list[Statement]:
    """Return the statements that write a table's projection. A table that can't be read stays as it
    is, and is not in the lists of its people."""
    try:
        rows = replay(table, map(decode_event, events))
    except Exception as error:
        log.error("a table can't be read", exc_info=error)
        return []
    return [] if rows is None else follow_ups(rows)
