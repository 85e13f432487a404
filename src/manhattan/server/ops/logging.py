"""Structured logs: one JSON object for each line, without hidden information."""

from __future__ import annotations

import logging
import sys
from datetime import UTC, datetime
from typing import Final

import msgspec
from aiohttp.http import HttpProcessingError

_STANDARD_FIELDS: Final = frozenset(vars(logging.makeLogRecord({}))) | {
    "message",
    "asctime",
    "taskName",
}
_MAX_FRAMES: Final = 8
CONFIGURED_LOGGERS: Final = ("", "manhattan", "aiohttp", "asyncio")
"""The root logger, which prints what all loggers log, and those with a level of their own."""


class JsonFormatter(logging.Formatter):
    """Formats a record as JSON, with its ``extra`` fields."""

    def format(self, record: logging.LogRecord) -> str:
        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line: dict[str, object] = {
            "time": time,
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        fields = vars(record)
        line |= {name: fields[name] for name in fields if name not in _STANDARD_FIELDS}
        if record.exc_info:
            line["error"] = _describe_error(record)
        return msgspec.json.encode(line, enc_hook=str).decode()


def _describe_error(record: logging.LogRecord) -> list[str]:
    """Return an error's type and traceback, without values: they may be a player's cards."""
    assert record.exc_info
    kind, _, traceback = record.exc_info
    frames = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        frames.append(f"{code.co_qualname} line {traceback.tb_lineno}")
        traceback = traceback.tb_next
    return [kind.__name__ if kind else "", *frames[-_MAX_FRAMES:]]


def configure_logging(level: int = logging.INFO) -> None:
    """Send the logs of the server and of all libraries to standard error. Libraries that are not
    the server's own transport report only problems."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter())
    handler.addFilter(_demote_client_errors)
    for name in CONFIGURED_LOGGERS:
        logger = logging.getLogger(name)
        logger.handlers = []
        logger.setLevel(level if name else logging.WARNING)
    logging.getLogger().handlers = [handler]
    logging.captureWarnings(True)


def _demote_client_errors(record: logging.LogRecord) -> bool:
    """Log malformed HTTP as information: it is no error of the server's."""
    error = record.exc_info[1] if record.exc_info else None
    if isinstance(error, HttpProcessingError):
        record.levelno, record.levelname, record.exc_info = logging.INFO, "INFO", None
        return logging.getLogger(record.name).isEnabledFor(logging.INFO)
    return True
