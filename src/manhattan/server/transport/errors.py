"""Errors on their way to a client."""

from __future__ import annotations

from manhattan.rules import ManhattanError
from manhattan.server.domain.errors import CommandRejected, ErrorCode
from manhattan.server.storage import StoreUnavailable


def public_error(error: ManhattanError) -> ManhattanError:
    """Return an error as clients see it: what is wrong with the storage is for the logs."""
    if isinstance(error, StoreUnavailable):
        return CommandRejected(ErrorCode.STORAGE_UNAVAILABLE)
    return error
