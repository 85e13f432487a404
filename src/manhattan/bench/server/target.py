"""The server under test: in a process of its own, without limits for its one client address."""

from __future__ import annotations

import asyncio
import logging
import os
import sys

from manhattan.server.config import ServerConfig
from manhattan.server.domain.state import REVEAL_TIMEOUT
from manhattan.server.ops.logging import configure_logging
from manhattan.server.runner import Server
from manhattan.server.transport.ratelimit import NO_LIMITS, Limits


async def run(database: str, redis: str | None, limits: Limits) -> None:
    """Serve until the process is terminated; the first line of the output is the port."""
    port = int(os.environ.get("MANHATTAN_PORT", "0"))
    reveal_ms = int(os.environ.get("MANHATTAN_REVEAL_MS", REVEAL_TIMEOUT))
    config = ServerConfig(
        database,
        redis,
        warm_up=False,
        limits=limits,
        port=port,
        reveal_ms=reveal_ms,
        public_metrics=True,
    )
    server = Server(config)
    serving = asyncio.ensure_future(server.serve_until_signal())
    while not (server.started or serving.done()):  # noqa: ASYNC110 - there is no event for it
        await asyncio.sleep(0.01)
    if server.started:
        print(server.port, flush=True)
    await serving


if __name__ == "__main__":
    configure_logging(logging.WARNING)
    import uvloop

    database, *options = sys.argv[1:]
    limits = Limits() if "--limited" in options else NO_LIMITS
    redis = next((option for option in options if "://" in option), None)
    uvloop.run(run(database, redis, limits))
