"""A server to be measured: in a process of its own, without limits for its one visitor."""

from __future__ import annotations

import asyncio
import logging
import os
import sys

from manhattan.server.app import Settings
from manhattan.server.limits import Limits, Rate
from manhattan.server.logs import write_logs
from manhattan.server.running import server

_ANY = Rate(10**9, 10**9)


async def run(database: str, redis: str | None) -> None:
    limits = Limits(_ANY, _ANY, _ANY, _ANY, _ANY, _ANY, 10**6, 10**6, 10**6)
    settings = Settings(database, redis, warm=False, limits=limits)
    port = int(os.environ.get("MANHATTAN_PORT", "0"))
    measured = server(settings, "127.0.0.1", port)
    serving = asyncio.ensure_future(measured.serve())
    while not (measured.started or serving.done()):  # noqa: ASYNC110 - there is no event for it
        await asyncio.sleep(0.01)
    if measured.started:
        print(measured.servers[0].sockets[0].getsockname()[1], flush=True)
    await serving


if __name__ == "__main__":
    write_logs(logging.WARNING)
    import uvloop

    uvloop.run(run(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None))
