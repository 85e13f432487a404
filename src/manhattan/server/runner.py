"""Running a server: the listening socket, start and stop, signals."""

from __future__ import annotations

import asyncio
import signal
import socket
import sys
from contextlib import suppress
from typing import Final

from aiohttp import web

from manhattan.server.app import close_services, make_app, open_services
from manhattan.server.config import ServerConfig
from manhattan.server.ops.notify import READY, STOPPING, notify_service_manager
from manhattan.server.transport.connection_limiter import ConnectionLimiter, raise_file_limit
from manhattan.server.transport.request_context import Services

THREAD_SWITCH_S: Final = 0.0005
"""The thread that writes to the disk gets its turn soon, even under load."""
REQUEST_TIMEOUT_S: Final = 10.0
"""The time for a request's headers, from the connection or the last response."""
SHUTDOWN_TIMEOUT_S: Final = 3.0
LINGER_S: Final = 2.0
"""The time for the rest of a body that was rejected: a client reads the answer afterwards."""
MAX_LINE_BYTES: Final = 64 * 1024
MAX_FIELD_BYTES: Final = 16 * 1024
MAX_HEADERS: Final = 100
SOCKET_BUFFER_BYTES: Final = 64 * 1024
"""With the kernel's large buffers a flood would starve others, and a stalled peer would be noticed
only after megabytes."""
BACKLOG: Final = 2048


class Server:
    """A server in this process."""

    def __init__(self, config: ServerConfig) -> None:
        self.config = config
        self.started = False
        self.stopped = False
        self.limiter = ConnectionLimiter(
            config.limits, raise_file_limit(), behind_proxy=config.trusted_proxy is not None
        )
        self._services: Services | None = None
        self._runner: web.AppRunner | None = None
        self._listener: asyncio.Server | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop_requested = asyncio.Event()

    @property
    def services(self) -> Services:
        assert self._services is not None
        return self._services

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        assert self._loop is not None
        return self._loop

    @property
    def listening_socket(self) -> socket.socket:
        assert self._listener is not None
        return self._listener.sockets[0]

    @property
    def port(self) -> int:
        return int(self.listening_socket.getsockname()[1])

    async def start(self, listening: socket.socket | None = None) -> None:
        """Open the database and listen, on a socket that is bound already or on the configured
        address."""
        sys.setswitchinterval(THREAD_SWITCH_S)
        self._loop = asyncio.get_running_loop()
        self._services = await open_services(self.config)
        # A misspelt option would silently switch off all limits: the tests of floods notice.
        self._runner = web.AppRunner(
            make_app(self._services, self.config),
            access_log=None,
            keepalive_timeout=REQUEST_TIMEOUT_S,
            max_line_size=MAX_LINE_BYTES,
            max_field_size=MAX_FIELD_BYTES,
            max_headers=MAX_HEADERS,
            lingering_time=LINGER_S,
            auto_decompress=False,
            shutdown_timeout=SHUTDOWN_TIMEOUT_S,
        )
        await self._runner.setup()
        assert self._runner.server is not None
        bound = listening or bind(self.config.host, self.config.port or 0)
        for option in (socket.SO_RCVBUF, socket.SO_SNDBUF):
            bound.setsockopt(socket.SOL_SOCKET, option, SOCKET_BUFFER_BYTES)
        self._listener = await self._loop.create_server(
            self.limiter.protocol_factory(self._runner.server), sock=bound, backlog=BACKLOG
        )
        self.started = True

    async def stop(self) -> None:
        """Stop listening, close the connections, and finish what was begun."""
        self.stopped = True
        if self._listener is not None:
            self._listener.close()
        if self._runner is not None:
            await self._runner.cleanup()
        if self._services is not None:
            await close_services(self._services)

    async def serve(self, listening: socket.socket | None = None) -> None:
        """Run until ``request_stop`` is called."""
        try:
            await self.start(listening)
            notify_service_manager(READY)
            await self._stop_requested.wait()
            notify_service_manager(STOPPING)
        finally:
            await self.stop()

    def request_stop(self) -> None:
        """Make ``serve`` return. May be called from any thread."""
        self.loop.call_soon_threadsafe(self._stop_requested.set)

    async def serve_until_signal(self, listening: socket.socket | None = None) -> None:
        """Run until the process is asked to end."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            with suppress(NotImplementedError):  # Windows: KeyboardInterrupt does the same
                loop.add_signal_handler(number, self._stop_requested.set)
        await self.serve(listening)

    def run(self, listening: socket.socket | None = None) -> None:
        """Run until the process is asked to end, with the fastest event loop there is."""
        try:
            import uvloop
        except ImportError:  # Windows
            asyncio.run(self.serve_until_signal(listening))
        else:
            uvloop.run(self.serve_until_signal(listening))


def bind(host: str, port: int) -> socket.socket:
    """Return a socket bound to an address; raises ``OSError`` if that is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((host, port))
    except OSError:
        bound.close()
        raise
    bound.setblocking(False)
    return bound
