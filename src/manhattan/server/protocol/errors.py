"""Errors as payloads: the ``Problem`` and the HTTP status of each error that clients can cause."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from manhattan.record import RecordError
from manhattan.rules import IllegalMove, ManhattanError, NotationError, SetupError
from manhattan.rules.errors import InvalidName, printable
from manhattan.server.domain.errors import CommandRejected, ErrorCode
from manhattan.server.protocol.messages import ErrorMessage, Problem
from manhattan.server.protocol.serialize import problem_of

STATUS: Final[Mapping[ErrorCode, int]] = {
    ErrorCode.NO_SUCH_TABLE: 404,
    ErrorCode.NO_SUCH_SEAT: 404,
    ErrorCode.NO_IDENTITY: 401,
    ErrorCode.BANNED: 403,
    ErrorCode.CROSS_ORIGIN: 403,
    ErrorCode.NOT_THE_HOST: 403,
    ErrorCode.NOT_AT_THE_TABLE: 403,
    ErrorCode.NOT_YOUR_SEAT: 403,
    ErrorCode.HINTS_DISABLED: 403,
    ErrorCode.TRANSFER_EXPIRED: 410,
    ErrorCode.NO_SUCH_DEVICE: 404,
    ErrorCode.NO_SUCH_PASSKEY: 404,
    ErrorCode.WRONG_RECOVERY_CODE: 403,
    ErrorCode.PASSKEY_REJECTED: 403,
    ErrorCode.CHALLENGE_EXPIRED: 410,
    ErrorCode.NAME_UNREADABLE: 422,
    ErrorCode.NAME_MIXED_SCRIPTS: 422,
    ErrorCode.NAME_OF_A_BOT: 422,
    ErrorCode.BAD_REQUEST: 422,
    ErrorCode.TOO_LARGE: 413,
    ErrorCode.TOO_OFTEN: 429,
    ErrorCode.TOO_MANY: 429,
    ErrorCode.UNREADABLE: 503,
    ErrorCode.STORAGE_UNAVAILABLE: 503,
    ErrorCode.BUSY: 503,
}
"""The HTTP status of an error; every other is a conflict with the state of the table."""
CONFLICT: Final = 409
MAX_EXPLANATION: Final = 200
"""Characters of a sentence about malformed input."""
_PATH_SUFFIX: Final = re.compile(r" - at `(\$[^`]*)`$")
"""How msgspec ends the text of a validation error, unless it concerns the whole input."""


def to_problem(error: ManhattanError) -> Problem:
    """Describe an error to the client that caused it."""
    match error:
        case IllegalMove():
            return problem_of(error.refusal)
        case CommandRejected():
            return Problem(reason=error.reason.value, params=dict(error.params), text=str(error))
        case NotationError():
            return Problem(reason="notation", params={}, text=str(error))
        case SetupError():
            return Problem(reason="setup", params={}, text=str(error))
        case RecordError():
            return Problem(reason="record", params={"what": str(error)}, text=str(error))
    return Problem(reason="rejected", params={}, text=str(error))


def to_error_message(error: ManhattanError, reply_to: str | None) -> ErrorMessage:
    """Describe an error over the websocket."""
    problem = to_problem(error)
    return ErrorMessage(
        reason=problem.reason, params=problem.params, text=problem.text, reply_to=reply_to
    )


def status_of(error: ManhattanError) -> int:
    """Return the HTTP status of an error."""
    match error:
        case CommandRejected():
            return STATUS.get(error.reason, CONFLICT)
        case NotationError() | SetupError() | RecordError():
            return STATUS[ErrorCode.BAD_REQUEST]
    return CONFLICT


def malformed(error: Exception) -> CommandRejected:
    """Turn a decoder's complaint into a rejection with the path of the invalid field."""
    text = f"{error}"[:MAX_EXPLANATION].rstrip(".")
    return CommandRejected(
        ErrorCode.BAD_REQUEST, what=printable(f"{text}."), path=_path_of_field(error)
    )


def _path_of_field(error: Exception) -> str:
    """Return the JSONPath of the field that msgspec rejected; ``$`` is the whole input."""
    match = _PATH_SUFFIX.search(f"{error}")
    path = match[1] if match else "$"
    # The check of a whole object found this one, so that msgspec doesn't know the field.
    return f"{path}.name" if isinstance(error.__cause__, InvalidName) else path
