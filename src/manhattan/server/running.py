"""Running the server: uvicorn, told what we want."""

from __future__ import annotations

import sys

import uvicorn

from manhattan.server.app import Settings, make_app
from manhattan.server.connections import Door, open_more_files, through
from manhattan.server.limits import LONGEST_COMMAND
from manhattan.server.wire import Wire

_SWITCH = 0.0005
"""Seconds: what writes to the disk in a thread gets its turn soon, even when much is going on."""
_PATIENCE = 20.0
"""Seconds between questions whether a viewer is still there, and for his answer."""


def server(
    settings: Settings, host: str, port: int, *, trusted_proxies: str | None = None
) -> uvicorn.Server:
    """A server that is ready to be run."""
    sys.setswitchinterval(_SWITCH)
    # A proxy has all its visitors' connections, and counts them itself.
    of_address = None if trusted_proxies else settings.limits.connections_of_address
    door = Door(open_more_files(), of_address)
    return uvicorn.Server(
        uvicorn.Config(
            make_app(settings),
            host=host,
            port=port,
            http=through(door),
            ws=Wire,
            loop="auto",
            lifespan="on",
            ws_max_size=4 * LONGEST_COMMAND,
            ws_ping_interval=_PATIENCE,
            ws_ping_timeout=_PATIENCE,
            ws_per_message_deflate=True,
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=3,
            proxy_headers=trusted_proxies is not None,
            forwarded_allow_ips=trusted_proxies,
        )
    )
