"""Connection limiter: an asyncio protocol in front of aiohttp's.

aiohttp parses HTTP and websockets and limits what a complete request may contain. This protocol
limits what it can't: the connections of an address, the bytes that a connection sends (endless
headers, chunk extensions or empty frames never become a request or a message), and the time that a
peer takes to read what was sent. It uses only the interfaces that asyncio and aiohttp
document: a protocol passes every call on to the protocol that ``web.Server`` creates.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Final, cast

from aiohttp import web

from manhattan.server.domain.errors import ErrorCode
from manhattan.server.ops import metrics
from manhattan.server.transport.ratelimit import KeyedBuckets, Limits, TokenBucket, address_key

try:
    import resource
except ImportError:  # Windows, which has no such limit
    _OPEN_FILES = None
else:
    _OPEN_FILES = resource.RLIMIT_NOFILE

STALL_TIMEOUT_S: Final = 30.0
"""A peer has this time to read what is buffered for it; on a slow line that's 2 kB/s at least."""
_CHUNK_COST: Final = 64
"""Bytes that are charged for every read in addition, since tiny ones cost time, too."""
_MOVE_COST: Final = 256
"""What the command for a move is charged at most."""
_MAX_FILES_MACOS: Final = 10_240
"""macOS reports no limit, but allows no more."""
_RESERVED_FILES: Final = 100
"""Open files other than connections: the database, the page, the pipes to bot processes."""


def raise_file_limit() -> int | None:
    """Let this process open as many files as the system allows, and return how many connections
    that leaves; None means any number."""
    if _OPEN_FILES is None:
        return None
    for limit in (resource.getrlimit(_OPEN_FILES)[1], _MAX_FILES_MACOS):
        with suppress(ValueError, OSError):
            resource.setrlimit(_OPEN_FILES, (limit, resource.getrlimit(_OPEN_FILES)[1]))
            break
    soft, _ = resource.getrlimit(_OPEN_FILES)
    return None if soft == resource.RLIM_INFINITY else max(1, soft - _RESERVED_FILES)


class ConnectionLimiter:
    """Counts the connections of a server, and creates their protocols.

    Behind a reverse proxy the HTTP connections are the proxy's, which many people share: they are
    limited neither in number nor in bytes. Websockets have a count of their own
    (``RateLimiter.acquire_socket``), and are always charged for their bytes.
    """

    def __init__(
        self, limits: Limits, max_connections: int | None, *, behind_proxy: bool = False
    ) -> None:
        self.limits = limits
        self.behind_proxy = behind_proxy
        self.open = 0
        """Open connections, websockets included."""
        self.excess_bytes = KeyedBuckets(limits.excess_bytes)
        self._max_connections = max_connections
        self._new_connections = KeyedBuckets(limits.connections)
        self._per_address: Counter[str] = Counter()
        self._stalled: Counter[str] = Counter()

    def protocol_factory(self, server: web.Server) -> Callable[[], LimitedConnection]:
        """Return the protocol factory for ``loop.create_server``."""
        loop = asyncio.get_running_loop()
        return lambda: LimitedConnection(self, server, loop)

    def acquire(self, key: str) -> bool:
        """Count a connection, and return whether it may stay."""
        self.open += 1
        self._per_address[key] += 1
        has_room = self._max_connections is None or self.open <= self._max_connections
        return has_room and (self.behind_proxy or self._is_within_limits(key))

    def _is_within_limits(self, key: str) -> bool:
        is_one_too_many = self._per_address[key] > self.limits.connections_per_address
        return not is_one_too_many and self._new_connections.try_take(key)

    def release_address(self, key: str) -> None:
        """Stop counting a connection for its address."""
        _decrement(self._per_address, key)

    def acquire_stall(self, key: str) -> bool:
        """Count a connection whose peer doesn't read, and return whether the server waits."""
        self._stalled[key] += 1
        return self._stalled[key] <= self.limits.stalled_per_address

    def release_stall(self, key: str) -> None:
        """Stop counting a connection whose peer didn't read."""
        _decrement(self._stalled, key)


def _decrement(counter: Counter[str], key: str) -> None:
    counter[key] -= 1
    if not counter[key]:
        del counter[key]


class LimitedConnection(asyncio.Protocol):
    """One connection."""

    def __init__(
        self, limiter: ConnectionLimiter, server: web.Server, loop: asyncio.AbstractEventLoop
    ) -> None:
        self._limiter = limiter
        self._server = server
        self._loop = loop
        self._inner: asyncio.Protocol | None = None
        """aiohttp's protocol; only for a connection that is accepted, since it is expensive."""
        self._transport: asyncio.Transport | None = None
        self._key = ""
        self._is_counted = False
        self._stall_timer: asyncio.TimerHandle | None = None
        self._stalled_key = ""
        self._bytes: TokenBucket | None = None

    def upgrade_to_websocket(self, key: str) -> None:
        """The connection is a websocket from now on, of a client with this address."""
        self._release_address()
        self._key = key
        self._bytes = self._bytes or TokenBucket(self._limiter.limits.received_bytes)

    def refund_move(self) -> None:
        """Don't charge a move that was played: a bot may play as fast as it can."""
        if self._bytes is not None:
            self._bytes.refund(_MOVE_COST)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport = cast("asyncio.Transport", transport)
        peer = transport.get_extra_info("peername")
        self._key = address_key(str(peer[0]) if peer else "")
        self._is_counted = True
        if not self._limiter.acquire(self._key):
            self._abort(ErrorCode.TOO_MANY)
            return
        if not self._limiter.behind_proxy:
            self._bytes = TokenBucket(self._limiter.limits.received_bytes)
        # pause_writing is called as soon as the peer doesn't read, however little is buffered.
        transport.set_write_buffer_limits(high=0)
        self._inner = self._server()
        self._inner.connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self._limiter.open -= 1
        self._release_address()
        self._stop_stall_timer()
        # aiohttp's protocol is released here, not by the garbage collector, which is slower than
        # a client that connects again and again.
        inner, self._inner, self._transport = self._inner, None, None
        if inner is not None:
            inner.connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._inner is None:
            return
        if self._may_receive(len(data) + _CHUNK_COST):
            self._inner.data_received(data)
        else:
            self._abort(ErrorCode.TOO_OFTEN)

    def _may_receive(self, cost: int) -> bool:
        """Whether the connection, or else its address, has bytes left."""
        if self._bytes is None or self._bytes.try_take(cost):
            return True
        return self._limiter.excess_bytes.try_take(self._key, cost)

    def eof_received(self) -> bool | None:
        return self._inner.eof_received() if self._inner is not None else None

    def pause_writing(self) -> None:
        if self._inner is None or self._transport is None:
            return
        self._stalled_key = self._key
        may_stall = self._limiter.acquire_stall(self._key)
        timeout = STALL_TIMEOUT_S if may_stall else 0
        self._stall_timer = self._loop.call_later(timeout, self._transport.abort)
        self._inner.pause_writing()

    def resume_writing(self) -> None:
        self._stop_stall_timer()
        if self._inner is not None:
            self._inner.resume_writing()

    def _abort(self, reason: ErrorCode) -> None:
        metrics.REJECTED_COMMANDS.labels(reason.value).inc()
        assert self._transport is not None
        self._transport.abort()

    def _stop_stall_timer(self) -> None:
        if self._stall_timer is not None:
            self._stall_timer.cancel()
            self._stall_timer = None
            self._limiter.release_stall(self._stalled_key)

    def _release_address(self) -> None:
        if self._is_counted:
            self._limiter.release_address(self._key)
            self._is_counted = False
