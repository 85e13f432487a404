"""Every line of the log is a JSON object, also those of libraries."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
import warnings

from support.recording_client import captured_logs

LOG_IN_A_PROCESS = """
import asyncio, logging, warnings
from manhattan.server.ops.logging import configure_logging

configure_logging()
try:
    raise ConnectionRefusedError("10.0.0.7")
except OSError:
    logging.getLogger("asyncpg.pool").warning("retrying", exc_info=True)
logging.getLogger("asyncpg.pool").info("chatter")
warnings.warn("old", stacklevel=1)

async def fail():
    asyncio.get_running_loop().call_exception_handler({"message": "a task", "exception": OSError()})

asyncio.run(fail())
"""


def test_libraries_and_warnings_are_logged_as_json() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", LOG_IN_A_PROCESS], capture_output=True, text=True, check=True
    )
    lines = [json.loads(line) for line in ended.stderr.splitlines()]
    assert [(line["logger"], line["level"]) for line in lines] == [
        ("asyncpg.pool", "warning"),
        ("py.warnings", "warning"),
        ("asyncio", "error"),
    ]
    assert lines[0]["error"][0] == "ConnectionRefusedError"
    assert "10.0.0.7" not in ended.stderr


def test_a_line_is_logged_once() -> None:
    with captured_logs() as logs:
        logging.getLogger("manhattan.server").error("one")
        logging.getLogger("aiohttp.server").error("two")
    assert [line["message"] for line in logs.lines] == ["one", "two"]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.warn("restored", stacklevel=1)
    assert len(caught) == 1
