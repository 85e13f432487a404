"""Rows of lists: one that is damaged is skipped and logged, so that the others are shown."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import Final, TypeVar

from manhattan.server.storage.database import Row

log = logging.getLogger("manhattan.server")
T = TypeVar("T")

_MAX_REPORTED: Final = 1000
_reported: set[str] = set()
"""The tables whose rows were logged: lists are read often."""


def readable_rows(rows: Iterable[Row], decode: Callable[[Row], T]) -> list[T]:
    """Decode rows that begin with a table's id, except those that can't be read."""
    decoded = []
    for row in rows:
        try:
            decoded.append(decode(row))
        except Exception as error:  # whatever is wrong with a row, the others are right
            if row[0] not in _reported and len(_reported) < _MAX_REPORTED:
                _reported.add(row[0])
                log.error("a table can't be listed", exc_info=error)
    return decoded
