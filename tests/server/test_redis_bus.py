"""The news between processes, as Redis carries them: whatever happens to it, none is missed."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import NoReturn

import pytest
from redis import Redis as Asking
from redis.asyncio.client import Pipeline

from databases import Redis, free_port, in_a_loop
from manhattan.server.redis_bus import RedisBus

Heard = tuple[str, int] | tuple[str, str, tuple[str, ...]]
SOON = 10.0


class Process:
    """What a process hears."""

    def __init__(self, address: str) -> None:
        self.bus = RedisBus(address)
        self.heard: list[Heard] = []
        self.gone: list[str | None] = []
        self.bus.listen(
            lambda table, number: self.heard.append((table, number)),
            lambda table, by, people: self.heard.append((table, by, people)),
            self.gone.append,
        )

    async def hears(self, table: str, number: int) -> None:
        """Wait until it looks for so many entries of a table, or for more."""

        def so() -> bool:
            return any(
                one[0] == table and isinstance(one[1], int) and one[1] >= number
                for one in self.heard
            )

        await soon(so)


async def soon(so: Callable[[], object]) -> None:
    """Wait for something that takes a moment."""
    until = time.monotonic() + SOON
    while not so():
        assert time.monotonic() < until
        await asyncio.sleep(0.01)


@asynccontextmanager
async def processes(address: str, *, ready: bool = True) -> AsyncIterator[tuple[Process, Process]]:
    both = Process(address), Process(address)
    for one in both:
        await one.bus.start()
    if ready:
        await soon(lambda: all(one.bus.trouble is None for one in both))
    try:
        yield both
    finally:
        for one in both:
            await one.bus.close()


@in_a_loop
async def test_others_hear_of_the_tables_that_they_follow(redis: str) -> None:
    async with processes(redis) as (one, other):
        await other.bus.follow("mine")
        await one.bus.follow("mine")
        one.bus.tell("yours", 1)
        one.bus.tell("mine", 1)
        await other.hears("mine", 1)
        one.bus.tell_present("mine", ("ada", ""))
        await soon(lambda: len(other.heard) == 2)
        assert other.heard[0] == ("mine", 1)
        assert (other.heard[1][0], *other.heard[1][2:]) == ("mine", ("ada", ""))
        assert one.heard == []  # nobody hears himself
        await other.bus.forget("mine")
        await other.bus.follow("another")
        one.bus.tell("mine", 2)
        one.bus.tell("another", 1)
        await other.hears("another", 1)
        assert len(other.heard) == 3


@in_a_loop
async def test_all_others_hear_who_is_nobody_any_more(redis: str) -> None:
    """Whatever tables they follow; and who was cut off knows that he may have missed it."""
    async with processes(redis) as (one, other):
        one.bus.tell_gone("ada")
        await soon(lambda: "ada" in other.gone)
        assert (one.gone, other.gone) == ([None], [None, "ada"])
        with Asking.from_url(redis) as asking:
            asking.execute_command("CLIENT", "KILL", "TYPE", "pubsub")
        await soon(lambda: other.gone == [None, "ada", None])
        assert other.heard == []


@in_a_loop
async def test_who_was_cut_off_for_a_moment_looks_for_himself(own_redis: Redis) -> None:
    async with processes(own_redis.address) as (one, other):
        await other.bus.follow("table")
        with Asking.from_url(own_redis.address) as asking:
            assert asking.execute_command("CLIENT", "KILL", "TYPE", "pubsub") >= 2
            assert asking.publish("manhattan:table", b'{"by": "a third", "number": 7}') == 0
        await other.hears("table", 7)
        one.bus.tell("table", 8)
        await other.hears("table", 8)
        await soon(lambda: one.bus.trouble is None and other.bus.trouble is None)


@pytest.mark.parametrize("said", [b"nonsense", b'{"by": "a newer version"}'])
@in_a_loop
async def test_nonsense_makes_nobody_deaf(redis: str, said: bytes) -> None:
    async with processes(redis) as (one, other):
        await other.bus.follow("table")
        with Asking.from_url(redis) as asking:
            assert asking.publish("manhattan:table", said) == 1
        one.bus.tell("table", 3)
        await other.hears("table", 3)


@in_a_loop
async def test_nobody_waits_for_a_redis_that_is_away(own_redis: Redis) -> None:
    async with processes(own_redis.address) as (one, other):
        await other.bus.follow("before")
        own_redis.stop()
        try:
            await soon(lambda: one.bus.trouble and other.bus.trouble)
            begun = time.monotonic()
            for number in range(20):
                await other.bus.follow(f"table {number}")
            one.bus.tell("table 1", 1)
            one.bus.tell("before", 1)
            assert time.monotonic() - begun < 1
        finally:
            own_redis.start()
        await other.hears("table 1", 1)
        await other.hears("before", 1)
        await soon(lambda: one.bus.trouble is None and other.bus.trouble is None)
        one.bus.tell("table 19", 5)
        await other.hears("table 19", 5)


@in_a_loop
async def test_a_redis_that_hangs_is_noticed_though_nobody_says_anything(
    own_redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("manhattan.server.redis_bus._PATIENCE", 0.5)
    async with processes(own_redis.address) as (one, other):
        await other.bus.follow("table")
        with own_redis.frozen():
            await soon(lambda: one.bus.trouble and other.bus.trouble)
        await soon(lambda: one.bus.trouble is None and other.bus.trouble is None)
        one.bus.tell("table", 4)
        await other.hears("table", 4)


@in_a_loop
async def test_a_process_can_start_before_redis() -> None:
    async with processes(f"redis://127.0.0.1:{free_port()}", ready=False) as (one, _):
        await asyncio.sleep(0.1)
        assert one.bus.trouble == "redis is away: news between processes come late"
        await one.bus.follow("table")
        one.bus.tell("table", 1)


@contextmanager
def mute(bus: RedisBus, error: Exception) -> Iterator[None]:
    """Nothing can be told for a while."""

    def fail(**_: object) -> NoReturn:
        raise error

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bus._redis, "pipeline", fail)
        yield


@in_a_loop
async def test_what_nobody_expects_makes_nobody_mute(redis: str) -> None:
    """Of a connection that is closed in the wrong moment, uvloop says just that."""
    async with processes(redis) as (one, other):
        await other.bus.follow("mine")
        with mute(one.bus, RuntimeError("the handler is closed")):
            one.bus.tell("mine", 7)
            await soon(lambda: one.bus.trouble)
        await other.hears("mine", 7)
        await soon(lambda: one.bus.trouble is None)


@in_a_loop
async def test_what_can_not_be_told_does_not_pile_up() -> None:
    """Not even in a long time without Redis. Who can't be told all looks for himself."""
    bus = RedisBus(f"redis://127.0.0.1:{free_port()}")
    await bus.start()
    try:
        for number in range(25_000):
            bus.tell(f"table {number}", number)
            bus.tell_present(f"table {number}", ("ada",))
            bus.tell_gone(f"person {number}")
        await soon(lambda: len(bus._numbers) == 10_000)
        assert "table 24999" in bus._numbers
        assert "table 24999" in bus._present
        assert (len(bus._present), bus._gone) == (10_000, {None})
    finally:
        await bus.close()


@in_a_loop
async def test_who_is_nobody_any_more_is_looked_for_if_there_are_too_many(
    redis: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("manhattan.server.redis_bus._MOST_UNTOLD", 3)
    async with processes(redis) as (one, other):
        other.gone.clear()
        with mute(one.bus, ConnectionError()):
            for person in ("ada", "bob", "cid", "dot"):
                one.bus.tell_gone(person)
            await soon(lambda: one.bus._gone == {None})
            one.bus.tell_gone("eve")
        await soon(lambda: len(other.gone) == 2)
        assert set(other.gone) == {None, "eve"}


@in_a_loop
async def test_whoever_closes_in_the_moment_of_an_answer_does_not_wait_for_ever(
    redis: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with processes(redis) as (one, _):
        execute = Pipeline.execute

        async def closed_in_this_moment(pipe: Pipeline) -> object:
            answer = await execute(pipe)
            for task in one.bus._tasks:
                asyncio.get_running_loop().call_soon(task.cancel)
            return answer

        monkeypatch.setattr(Pipeline, "execute", closed_in_this_moment)
        one.bus.tell("table", 1)
        await soon(lambda: all(task.done() for task in one.bus._tasks))
