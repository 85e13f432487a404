"""Pub/sub over Redis.

A message announces an event, which every process reads from the database. So nothing is lost when
Redis is unavailable: until it is back, processes find new events by searching the database.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

import msgspec
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from manhattan.server.domain.events import PersonId, TableId
from manhattan.server.pubsub.base import (
    BusError,
    OnPresence,
    OnReload,
    OnRevocation,
    OnSeats,
    OnUpdate,
)

log = logging.getLogger("manhattan.server.pubsub")
T = TypeVar("T")

_CHANNEL_PREFIX: Final = "manhattan:"
"""The prefix of each table's channel; by itself the channel of revocations and seats."""
_TIMEOUT_S: Final = 2.0
_RETRY_S: Final = 0.5
_UNKNOWN_NUMBER: Final = 2**31
"""More events than any table has: announces that messages may have been missed."""
_MAX_UNSENT: Final = 10_000
"""Messages that are kept while Redis is unavailable; the others are found in the database."""
_UNAVAILABLE: Final = (RedisError, OSError, asyncio.TimeoutError)


class _Message(msgspec.Struct, omit_defaults=True):
    """A message on a channel: one of the fields after the sender is set, or ``table`` and the
    ``people`` at it."""

    sender: str
    number: int | None = None
    people: tuple[str, ...] | None = None
    revoked: str | None = None
    table: TableId | None = None
    reload: bool = False


_encode: Final = msgspec.json.Encoder().encode
_DECODER: Final = msgspec.json.Decoder(_Message)


@dataclass(slots=True)
class _Unsent:
    """What was published and not sent yet."""

    numbers: dict[TableId, int] = field(default_factory=dict)
    presence: dict[TableId, tuple[str, ...]] = field(default_factory=dict)
    seats: dict[TableId, tuple[PersonId, ...]] = field(default_factory=dict)
    revoked: set[str | None] = field(default_factory=set)
    reloads: set[TableId] = field(default_factory=set)


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
        self._subscribed: Counter[TableId] = Counter()
        self._confirmations: dict[str, asyncio.Event] = {}
        self._unsent = _Unsent()
        self._has_unsent = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._on_update: OnUpdate = lambda *_: None
        self._on_presence: OnPresence = lambda *_: None
        self._on_revocation: OnRevocation = lambda _: None
        self._on_seats: OnSeats = lambda *_: None
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
        on_seats: OnSeats,
        on_reload: OnReload,
    ) -> None:
        self._on_update = on_update
        self._on_presence = on_presence
        self._on_revocation = on_revocation
        self._on_seats = on_seats
        self._on_reload = on_reload

    async def start(self) -> None:
        self._tasks = [asyncio.create_task(self._receive()), asyncio.create_task(self._send())]

    async def ping(self) -> None:
        async with asyncio.timeout(_TIMEOUT_S):
            await self._redis.ping()

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        with suppress(*_UNAVAILABLE):
            await self._pubsub.aclose()  # type: ignore[no-untyped-call]  # redis has no type for it
            await self._redis.aclose()

    async def subscribe(self, *tables: TableId) -> None:
        self._subscribed.update(tables)
        if not tables or not self._can_receive:  # when Redis is back, all are subscribed to
            return
        channels = [_CHANNEL_PREFIX + table for table in tables]
        # The channels are confirmed in their order; another task may wait for the same one.
        confirmed = self._confirmations.setdefault(channels[-1], asyncio.Event())
        try:
            with suppress(*_UNAVAILABLE):
                await self._pubsub.subscribe(*channels)
                async with asyncio.timeout(_TIMEOUT_S):
                    await confirmed.wait()
        finally:
            if not confirmed.is_set():
                self._confirmations.pop(channels[-1], None)

    async def unsubscribe(self, table: TableId) -> None:
        self._subscribed[table] -= 1
        if self._subscribed[table] > 0:
            return
        del self._subscribed[table]
        with suppress(*_UNAVAILABLE):
            await self._pubsub.unsubscribe(_CHANNEL_PREFIX + table)

    # Sending.

    def publish_update(self, table: TableId, number: int) -> None:
        self._unsent.numbers[table] = number
        self._has_unsent.set()

    def publish_presence(self, table: TableId, people: tuple[str, ...]) -> None:
        self._unsent.presence[table] = people
        self._has_unsent.set()

    def publish_seats(self, table: TableId, people: tuple[PersonId, ...]) -> None:
        self._unsent.seats[table] = (*self._unsent.seats.get(table, ()), *people)
        self._has_unsent.set()

    def publish_revocation(self, revoked: str) -> None:
        # The id is no secret: without the secret that signs cookies it gives no access.
        self._unsent.revoked.add(revoked)
        self._has_unsent.set()

    def publish_reload(self, table: TableId) -> None:
        self._unsent.reloads.add(table)
        self._has_unsent.set()

    async def _send(self) -> None:
        """Send what was published. What can't be sent is kept until Redis is back."""
        while True:
            await self._has_unsent.wait()
            self._has_unsent.clear()
            unsent, self._unsent = self._unsent, _Unsent()
            try:
                await self._send_all(unsent)
            except Exception as error:  # even an unexpected one must not end this task
                self._unsent = _merge(unsent, self._unsent)
                self._can_send = False
                self._report_error(error)
                await asyncio.sleep(_RETRY_S)
                self._has_unsent.set()
            else:
                self._can_send = True
                self._report_recovery()

    async def _send_all(self, unsent: _Unsent) -> None:
        sender = self._process
        async with self._redis.pipeline(transaction=False) as pipe:
            for table, number in unsent.numbers.items():
                pipe.publish(_CHANNEL_PREFIX + table, _encode(_Message(sender, number)))
            for table, people in unsent.presence.items():
                pipe.publish(_CHANNEL_PREFIX + table, _encode(_Message(sender, people=people)))
            for table, people in unsent.seats.items():
                pipe.publish(_CHANNEL_PREFIX, _encode(_Message(sender, people=people, table=table)))
            for id in unsent.revoked:
                pipe.publish(_CHANNEL_PREFIX, _encode(_Message(sender, revoked=id)))
            for table in unsent.reloads:
                pipe.publish(_CHANNEL_PREFIX + table, _encode(_Message(sender, reload=True)))
            # Not wait_for, which would lose a cancellation that comes with the answer, so that
            # close() would wait forever.
            async with asyncio.timeout(_TIMEOUT_S):
                await pipe.execute()

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
            if (confirmed := self._confirmations.pop(channel, None)) is not None:
                confirmed.set()
            return
        message = _DECODER.decode(received["data"])
        if message.sender == self._process:
            return
        table = channel.removeprefix(_CHANNEL_PREFIX)
        if message.number is not None:
            self._on_update(table, message.number)
        elif message.people is not None and message.table is not None:
            self._on_seats(message.table, message.people)
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


async def ping(address: str) -> None:
    """Raise ``BusError`` if Redis doesn't answer."""
    bus = RedisBus(address)
    try:
        await bus.ping()
    except _UNAVAILABLE as error:
        raise BusError(f"Redis doesn't answer: {type(error).__name__}.") from error
    finally:
        await bus.close()


def _merge(earlier: _Unsent, later: _Unsent) -> _Unsent:
    """Keep the latest of what could not be sent."""
    revoked = earlier.revoked | later.revoked
    seats = earlier.seats | {
        table: (*earlier.seats.get(table, ()), *people) for table, people in later.seats.items()
    }
    return _Unsent(
        _latest(earlier.numbers | later.numbers),
        _latest(earlier.presence | later.presence),
        _latest(seats),
        # Too many to name: each process looks them up.
        revoked if len(revoked) <= _MAX_UNSENT else {None},
        set(list(earlier.reloads | later.reloads)[:_MAX_UNSENT]),
    )


def _latest(unsent: dict[TableId, T]) -> dict[TableId, T]:
    return dict(list(unsent.items())[-_MAX_UNSENT:])
