"""Whatever can't be done, in the one form that people and programs get."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from manhattan.record import RecordError
from manhattan.rules import IllegalMove, ManhattanError, NotationError, SetupError
from manhattan.rules.errors import printable
from manhattan.server.denials import Denial, Denied
from manhattan.server.protocol import RefusalTold
from manhattan.server.seen import refusal_told
from manhattan.server.store import StoreAway

STATUS: Final[Mapping[Denial, int]] = {
    Denial.NO_SUCH_TABLE: 404,
    Denial.NO_SUCH_CHAIR: 404,
    Denial.NO_IDENTITY: 401,
    Denial.FOREIGN_ORIGIN: 403,
    Denial.NOT_THE_HOST: 403,
    Denial.NOT_AT_THE_TABLE: 403,
    Denial.NOT_YOUR_SEAT: 403,
    Denial.SERIOUS: 403,
    Denial.LINK_DEAD: 410,
    Denial.BAD_REQUEST: 422,
    Denial.TOO_LARGE: 413,
    Denial.TOO_OFTEN: 429,
    Denial.TOO_MANY: 429,
    Denial.UNREADABLE: 503,
    Denial.STORAGE_AWAY: 503,
    Denial.BUSY: 503,
}
"""What HTTP calls a reason; for all others it is a conflict with how the table stands."""
CONFLICT: Final = 409
_LONGEST: Final = 200


def refusal_of(error: ManhattanError) -> RefusalTold:
    """An error as it is told."""
    match error:
        case IllegalMove():
            return refusal_told(error.refusal)
        case Denied():
            figures = dict(error.figures)
            return {"reason": error.reason.value, "figures": figures, "text": str(error)}
        case StoreAway():
            return refusal_of(Denied(Denial.STORAGE_AWAY))
        case NotationError():
            return {"reason": "notation", "figures": {}, "text": str(error)}
        case SetupError():
            return {"reason": "setup", "figures": {}, "text": str(error)}
        case RecordError():
            return {"reason": "record", "figures": {"what": str(error)}, "text": str(error)}
    return {"reason": "refused", "figures": {}, "text": str(error)}


def status_of(error: ManhattanError) -> int:
    """What HTTP calls it."""
    match error:
        case Denied():
            return STATUS.get(error.reason, CONFLICT)
        case StoreAway():
            return STATUS[Denial.STORAGE_AWAY]
        case NotationError() | SetupError() | RecordError():
            return STATUS[Denial.BAD_REQUEST]
    return CONFLICT


def explained(errors: Sequence[Any]) -> str:
    """What is wrong with something that was sent: the first thing, with its place, and nothing of
    what was sent."""
    first = errors[0]
    place = ".".join(str(part) for part in first.get("loc", ()))
    message = str(first.get("msg", "")).rstrip(".")
    text = f"{place}: {message}." if place else f"{message}."
    return printable(text[:_LONGEST])
