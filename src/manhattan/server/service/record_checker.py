"""Checks of records that people upload, in a thread: a long game takes longer to replay than other
people should wait."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from manhattan.record import parse
from manhattan.replay import trace_record
from manhattan.server.protocol.responses import RecordCheck
from manhattan.server.service.fair_queue import Client, FairQueue, Ticket

_MAX_WAITING: Final = 4
"""Waiting checks of one address."""


class RecordChecker:
    """Checks one record at a time; addresses take turns."""

    def __init__(self) -> None:
        self._queue = FairQueue(1, _MAX_WAITING, _MAX_WAITING)
        self._thread = ThreadPoolExecutor(1, "record-checker")

    async def check(self, text: str, address: str) -> RecordCheck:
        """Check that a record follows the rules; raises if it doesn't."""
        async with self._queue.slot(Ticket([Client(address, "")])):
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._thread, _check, text)

    def stop(self) -> None:
        self._thread.shutdown(wait=False, cancel_futures=True)


def _check(text: str) -> RecordCheck:
    replayed = trace_record(parse(text))
    last = replayed.steps[-1].public if replayed.steps else replayed.start
    return RecordCheck(moves=len(replayed.steps), over=last.result is not None)
