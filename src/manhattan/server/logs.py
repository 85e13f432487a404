"""Logs for programs to read: one JSON object a line, and nothing hidden in it."""

from __future__ import annotations

import logging
import sys
from datetime import UTC, datetime
from typing import Final

import orjson

_USUAL: Final = frozenset(vars(logging.makeLogRecord({}))) | {
    "message",
    "asctime",
    "taskName",
    "color_message",  # of uvicorn, for terminals
}


class JsonLines(logging.Formatter):
    """What happened, when, and what was said with it."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "from": record.name,
            "what": record.getMessage(),
        }
        said = vars(record)
        line |= {key: said[key] for key in said if key not in _USUAL}
        if record.exc_info:
            # Where it went wrong, without the values: they may be somebody's cards.
            line["error"] = self._where(record)
        return orjson.dumps(line, default=str).decode()

    @staticmethod
    def _where(record: logging.LogRecord) -> list[str]:
        assert record.exc_info
        kind, _, trace = record.exc_info
        places = []
        while trace is not None:
            code = trace.tb_frame.f_code
            places.append(f"{code.co_qualname} line {trace.tb_lineno}")
            trace = trace.tb_next
        return [kind.__name__ if kind else "", *places[-8:]]


def write_logs(level: int = logging.INFO) -> None:
    """Send all logs of the server to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    handler.addFilter(_sifted)
    for name in ("manhattan", "uvicorn", "uvicorn.error", "asyncio"):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.setLevel(level)
        logger.propagate = False


def _sifted(record: logging.LogRecord) -> bool:
    """What uvicorn says, as we want it: without the path of every websocket, since who knows a
    table's name may look on there; and what a stranger sends wrongly is no error of ours."""
    said = str(record.msg)
    if said.startswith("Invalid UTF-8"):
        record.levelno, record.levelname, record.exc_info = logging.WARNING, "WARNING", None
    return "WebSocket %s" not in said
