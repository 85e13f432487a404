"""Pub/sub over Redis.

A message announces an event, which every process reads from the database. So nothing is lost when
Redis is unavailable: until it is back, processes find new events by searching the database.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from contextlib import suppress
from typing import Any, Final, TypeVar

import msgspec
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from manhattan.server.domain.events import TableId
from manhattan.server.pubsub.base import (
    BusError,
    OnPresence,
    OnReload,
    OnRevocation,
    OnUpdate,
)

log = logging.getLogger("manhattan.server.pubsub")
T = TypeVar("T")

_CHANNEL_PREFIX: Final = "manhattan:"
"""The prefix of each table's channel; by itself the channel of revocations."""
_TIMEOUT_S: Final = 2.0
_RETRY_S: Final = 0.5
_UNKNOWN_NUMBER: Final = 2**31
"""More events than any table has: announces that messages may have been missed."""
_MAX_UNSENT: Final = 10_000
"""Messages that are kept while Redis is unavailable; the others are found in the database."""
_UNAVAILABLE: Final = (RedisError, OSError, asyncio.TimeoutError)


class _Message(msgspec.Struct, omit_defaults=True):
    """A message on a channel: one of the fields after the sender is set."""

    sender: str
    number: int | None = None
    people: tuple[str, ...] | None = None
    revoked: str | None = None
    reload: bool = False


_ENCODER: Final = msgspec.json.Encoder()
_DECODER: Final = msgspec.json.Decoder(_Message)


class RedisBus:
    """A ``Bus`` over Redis' publish and subscribe."""

    assumes_single_process = False

    def __init__(self, address: str) -> None:
        self._process = secrets.token_hex(8)
        try:
            # No retries: messages during an interruption are lost, so it must be noticed.
            self._redis: Redis = Redis.from_url(
                address,
                socket_timeout=None,
                socket_connect_timeout=_TIMEOUT_S,
                retry=Retry(NoBackoff(), retries=0),
            )
        except ValueError as error:  # its text may hold a part of the password
            raise BusError(
                "The address of Redis can't be used: it looks like redis://:password@host:6379, "
                "where a special character of the password is written like %40."
            ) from error
        self._can_receive = False
        self._can_send = True
        self._is_error_logged = False
        self._pubsub = self._redis.pubsub()
        self._subscribed: set[TableId] = set()
        self._confirmations: dict[str, asyncio.Event] = {}
        self._numbers: dict[TableId, int] = {}
        self._presence: dict[TableId, tuple[str, ...]] = {}
        self._revoked: set[str | None] = set()
        self._reloads: set[TableId] = set()
        self._has_unsent = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._on_update: OnUpdate = lambda *_: None
        self._on_presence: OnPresence = lambda *_: None
        self._on_revocation: OnRevocation = lambda _: None
        self._on_reload: OnReload = lambda _: None

    @property
    def error(self) -> str | None:
        if self._can_receive and self._can_send:
            return None
        return "redis is unavailable: updates between processes are delayed"

    def set_listeners(
        self,
        on_update: OnUpdate,
        on_presence: OnPresence,
        on_revocation: OnRevocation,
        on_reload: OnReload,
    ) -> None:
        self._on_update = on_update
        self._on_presence = on_presence
        self._on_revocation = on_revocation
        self._on_reload = on_reload

    async def start(self) -> None:
        self._tasks = [asyncio.create_task(self._receive()), asyncio.create_task(self._send())]

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        with suppress(*_UNAVAILABLE):
            await self._pubsub.aclose()  # type: ignore[no-untyped-call]  # redis has no type for it
            await self._redis.aclose()

    async def subscribe(self, table: TableId) -> None:
        self._subscribed.add(table)
        if not self._can_receive:  # all tables are subscribed to when Redis is back
            return
        channel = _CHANNEL_PREFIX + table
        confirmed = self._confirmations[channel] = asyncio.Event()
        try:
            with suppress(*_UNAVAILABLE):
                await self._pubsub.subscribe(channel)
                async with asyncio.timeout(_TIMEOUT_S):
                    await confirmed.wait()
        finally:
            self._confirmations.pop(channel, None)

    async def unsubscribe(self, table: TableId) -> None:
        self._subscribed.discard(table)
        with suppress(*_UNAVAILABLE):
            await self._pubsub.unsubscribe(_CHANNEL_PREFIX + table)

    # Sending.

    def publish_update(self, table: TableId, number: int) -> None:
        self._numbers[table] = number
        self._has_unsent.set()

    def publish_presence(self, table: TableId, people: tuple[str, ...]) -> None:
        self._presence[table] = people
        self._has_unsent.set()

    def publish_revocation(self, revoked: str) -> None:
        # The id is no secret: without the secret that signs cookies it gives no access.
        self._revoked.add(revoked)
        self._has_unsent.set()

    def publish_reload(self, table: TableId) -> None:
        self._reloads.add(table)
        self._has_unsent.set()

    async def _send(self) -> None:
        """Send what was published. What can't be sent is kept until Redis is back."""
        while True:
            await self._has_unsent.wait()
            self._has_unsent.clear()
            numbers, self._numbers = self._numbers, {}
            presence, self._presence = self._presence, {}
            revoked, self._revoked = self._revoked, set()
            reloads, self._reloads = self._reloads, set()
            try:
                await self._send_all(numbers, presence, revoked, reloads)
            except Exception as error:  # even an unexpected one must not end this task
                self._keep_unsent(numbers, presence, revoked)
                self._reloads |= set(list(reloads)[:_MAX_UNSENT])
                self._can_send = False
                self._report_error(error)
                await asyncio.sleep(_RETRY_S)
                self._has_unsent.set()
            else:
                self._can_send = True
                self._report_recovery()

    async def _send_all(
        self,
        numbers: dict[TableId, int],
        presence: dict[TableId, tuple[str, ...]],
        revoked: set[str | None],
        reloads: set[TableId],
    ) -> None:
        async with self._redis.pipeline(transaction=False) as pipe:
            for table, number in numbers.items():
                pipe.publish(_CHANNEL_PREFIX + table, self._encode(number=number))
            for table, people in presence.items():
                pipe.publish(_CHANNEL_PREFIX + table, self._encode(people=people))
            for id in revoked:
                pipe.publish(_CHANNEL_PREFIX, self._encode(revoked=id))
            for table in reloads:
                pipe.publish(_CHANNEL_PREFIX + table, self._encode(reload=True))
            # Not wait_for, which would lose a cancellation that comes with the answer, so that
            # close() would wait forever.
            async with asyncio.timeout(_TIMEOUT_S):
                await pipe.execute()

    def _encode(
        self,
        number: int | None = None,
        people: tuple[str, ...] | None = None,
        revoked: str | None = None,
        *,
        reload: bool = False,
    ) -> bytes:
        return _ENCODER.encode(_Message(self._process, number, people, revoked, reload))

    def _keep_unsent(
        self,
        numbers: dict[TableId, int],
        presence: dict[TableId, tuple[str, ...]],
        revoked: set[str | None],
    ) -> None:
        self._numbers = _latest(numbers | self._numbers)
        self._presence = _latest(presence | self._presence)
        self._revoked |= revoked
        if len(self._revoked) > _MAX_UNSENT:
            self._revoked = {None}  # too many to name: each process looks them up

    # Receiving.

    async def _receive(self) -> None:
        while True:
            try:
                channels = (_CHANNEL_PREFIX + table for table in self._subscribed)
                await self._pubsub.subscribe(_CHANNEL_PREFIX, *channels)
                self._can_receive = True
                self._report_recovery()
                for table in self._subscribed:  # messages may have been missed
                    self._on_update(table, _UNKNOWN_NUMBER)
                self._on_revocation(None)
                await self._dispatch_messages()
            except Exception as error:  # even an unexpected one must not end this task
                self._can_receive = False
                self._report_error(error)
                with suppress(*_UNAVAILABLE):
                    await self._pubsub.aclose()  # type: ignore[no-untyped-call]  # redis has no type for it
                await asyncio.sleep(_RETRY_S)
                self._pubsub = self._redis.pubsub()

    async def _dispatch_messages(self) -> None:
        """Dispatch messages until Redis doesn't even answer a ping."""
        is_pinged = False
        while True:
            message = await self._pubsub.get_message(timeout=_TIMEOUT_S)
            if message is not None:
                self._dispatch(message)
                is_pinged = False
            elif is_pinged:
                raise TimeoutError
            else:
                await self._pubsub.ping()
                is_pinged = True

    def _dispatch(self, received: dict[str, Any]) -> None:
        if received["type"] not in ("subscribe", "message"):
            return
        channel = received["channel"].decode()
        if received["type"] == "subscribe":
            if channel in self._confirmations:
                self._confirmations[channel].set()
            return
        message = _DECODER.decode(received["data"])
        if message.sender == self._process:
            return
        table = channel.removeprefix(_CHANNEL_PREFIX)
        if message.number is not None:
            self._on_update(table, message.number)
        elif message.people is not None:
            self._on_presence(table, message.sender, message.people)
        elif message.reload:
            self._on_reload(table)
        else:
            self._on_revocation(message.revoked)

    # Logging.

    def _report_error(self, error: Exception) -> None:
        """Log an interruption once, and unexpected errors always."""
        if not isinstance(error, _UNAVAILABLE):
            log.error("the redis bus failed", exc_info=error)
        if not self._is_error_logged:
            log.error("redis is unavailable", extra={"why": type(error).__name__})
        self._is_error_logged = True

    def _report_recovery(self) -> None:
        if self._is_error_logged and self.error is None:
            log.warning("redis is available again")
            self._is_error_logged = False


def _latest(unsent: dict[TableId, T]) -> dict[TableId, T]:
    return dict(list(unsent.items())[-_MAX_UNSENT:])
