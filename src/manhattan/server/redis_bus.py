"""Redis carries the news between processes.

It is told only that there is something new; what it is, everybody reads from the database. So
nothing is lost when Redis is away: news come late, by looking for them, until it is back.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from contextlib import suppress
from typing import Any, Final, TypeVar

import orjson
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from manhattan.server.bus import HeardFrom, HeardGone, HeardOf
from manhattan.server.entries import PersonId
from manhattan.server.store import StoreError
from manhattan.server.store.keeping import TableId

log = logging.getLogger("manhattan.server.bus")
T = TypeVar("T")

_PREFIX: Final = "manhattan:"
_PATIENCE: Final = 2.0
"""Seconds to wait for Redis."""
_RETRY: Final = 0.5
_EVERYTHING: Final = 2**31
"""More entries than any table has: look for yourself."""
_MOST_UNTOLD: Final = 10_000
"""So much is kept for a Redis that is away: others find the rest when they look for themselves."""
_AWAY: Final = (RedisError, OSError, asyncio.TimeoutError)


class RedisBus:
    """A ``Bus`` over Redis' publish and subscribe."""

    alone = False

    def __init__(self, address: str) -> None:
        self._me = secrets.token_hex(8)
        try:
            # Whoever is cut off has to know it: what was said meanwhile was not heard.
            self._redis: Redis = Redis.from_url(
                address,
                socket_timeout=None,
                socket_connect_timeout=_PATIENCE,
                retry=Retry(NoBackoff(), retries=0),
            )
        except ValueError as error:  # whose text may be a part of the password
            raise StoreError(
                "The address of Redis can't be used: it looks like redis://:password@host:6379, "
                "where a special character of the password is written like %40."
            ) from error
        self._deaf = True
        self._mute = False
        self._missed = False
        self._ears = self._redis.pubsub()
        self._followed: set[TableId] = set()
        self._confirmed: dict[str, asyncio.Event] = {}
        self._numbers: dict[TableId, int] = {}
        self._present: dict[TableId, tuple[str, ...]] = {}
        self._gone: set[PersonId | None] = set()
        self._something = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._heard_of: HeardOf = lambda *_: None
        self._heard_from: HeardFrom = lambda *_: None
        self._heard_gone: HeardGone = lambda _: None

    @property
    def trouble(self) -> str | None:
        if not (self._deaf or self._mute):
            return None
        return "redis is away: news between processes come late"

    def listen(self, heard_of: HeardOf, heard_from: HeardFrom, heard_gone: HeardGone) -> None:
        self._heard_of, self._heard_from, self._heard_gone = heard_of, heard_from, heard_gone

    async def start(self) -> None:
        self._tasks = [asyncio.create_task(self._hear()), asyncio.create_task(self._speak())]

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        with suppress(*_AWAY):
            await self._ears.aclose()  # type: ignore[no-untyped-call]  # redis has no type for it
            await self._redis.aclose()

    def tell(self, table: TableId, number: int) -> None:
        self._numbers[table] = number
        self._something.set()

    def tell_present(self, table: TableId, people: tuple[str, ...]) -> None:
        self._present[table] = people
        self._something.set()

    def tell_gone(self, person: PersonId) -> None:
        # Who he was is no secret to Redis, which is told who is present: without the secret that
        # signs cookies it makes nobody anybody.
        self._gone.add(person)
        self._something.set()

    async def follow(self, table: TableId) -> None:
        self._followed.add(table)
        if self._deaf:  # once Redis is back all tables are followed
            return
        heard = self._confirmed[_PREFIX + table] = asyncio.Event()
        try:
            with suppress(*_AWAY):
                await self._ears.subscribe(_PREFIX + table)
                async with asyncio.timeout(_PATIENCE):
                    await heard.wait()
        finally:
            self._confirmed.pop(_PREFIX + table, None)

    async def forget(self, table: TableId) -> None:
        self._followed.discard(table)
        with suppress(*_AWAY):
            await self._ears.unsubscribe(_PREFIX + table)

    async def _speak(self) -> None:
        """Tell the others. What could not be told is told when Redis is back."""
        while True:
            await self._something.wait()
            self._something.clear()
            numbers, self._numbers = self._numbers, {}
            present, self._present = self._present, {}
            gone, self._gone = self._gone, set()
            try:
                async with self._redis.pipeline(transaction=False) as pipe:
                    for table, number in numbers.items():
                        pipe.publish(_PREFIX + table, self._said(number=number))
                    for table, people in present.items():
                        pipe.publish(_PREFIX + table, self._said(present=people))
                    for person in gone:
                        pipe.publish(_PREFIX, self._said(gone=person))
                    # wait_for would lose a close() that comes in the moment of the answer, and who
                    # closes would wait for ever
                    async with asyncio.timeout(_PATIENCE):
                        await pipe.execute()
            except Exception as error:
                if not isinstance(error, _AWAY):  # what nobody expects must not make us mute
                    log.error("something went wrong", exc_info=error)
                self._keep_untold(numbers, present, gone)
                self._mute = True
                self._went_away(error)
                await asyncio.sleep(_RETRY)
                self._something.set()
            else:
                self._mute = False
                self._came_back()

    def _keep_untold(
        self,
        numbers: dict[TableId, int],
        present: dict[TableId, tuple[str, ...]],
        gone: set[PersonId | None],
    ) -> None:
        self._numbers = _latest(numbers | self._numbers)
        self._present = _latest(present | self._present)
        self._gone |= gone
        if len(self._gone) > _MOST_UNTOLD:
            self._gone = {None}  # too many to tell who: everybody looks for himself

    def _said(self, **what: object) -> bytes:
        return orjson.dumps({"by": self._me, **what})

    async def _hear(self) -> None:
        while True:
            try:
                await self._ears.subscribe(_PREFIX, *(_PREFIX + one for one in self._followed))
                self._deaf = False
                self._came_back()
                for table in self._followed:  # what was told meanwhile was not heard
                    self._heard_of(table, _EVERYTHING)
                self._heard_gone(None)
                await self._listen()
            except Exception as error:
                if not isinstance(error, _AWAY):  # what nobody expects must not make us deaf
                    log.error("something went wrong", exc_info=error)
                self._deaf = True
                self._went_away(error)
                with suppress(*_AWAY):
                    await self._ears.aclose()  # type: ignore[no-untyped-call]  # redis has no type for it
                await asyncio.sleep(_RETRY)
                self._ears = self._redis.pubsub()

    async def _listen(self) -> None:
        """Until nothing is heard, not even when Redis is asked whether it is there."""
        asked = False
        while True:
            message = await self._ears.get_message(timeout=_PATIENCE)
            if message is not None:
                self._heard(message)
                asked = False
            elif asked:
                raise TimeoutError
            else:
                await self._ears.ping()
                asked = True

    def _heard(self, message: dict[str, Any]) -> None:
        if message["type"] not in ("subscribe", "message"):
            return
        channel = message["channel"].decode()
        if message["type"] == "subscribe":
            if channel in self._confirmed:
                self._confirmed[channel].set()
            return
        told = orjson.loads(message["data"])
        if told["by"] == self._me:
            return
        table = channel.removeprefix(_PREFIX)
        if "number" in told:
            self._heard_of(table, told["number"])
        elif "gone" in told:
            self._heard_gone(told["gone"])
        else:
            self._heard_from(table, told["by"], tuple(told["present"]))

    def _went_away(self, error: BaseException) -> None:
        if not self._missed:
            log.error("redis is away", extra={"why": type(error).__name__})
        self._missed = True

    def _came_back(self) -> None:
        if self._missed and self.trouble is None:
            log.warning("redis is back")
            self._missed = False


def _latest(untold: dict[TableId, T]) -> dict[TableId, T]:
    return dict(list(untold.items())[-_MOST_UNTOLD:])
