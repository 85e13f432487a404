"""Pub/sub over Redis: whatever happens to Redis, no update is missed."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import NoReturn

import pytest
from redis import Redis as RedisClient
from redis.asyncio.client import Pipeline

from manhattan.server.pubsub.redis import RedisBus
from support.databases import Redis, async_test, free_port

Received = tuple[str, int] | tuple[str, str, tuple[str, ...]]
TIMEOUT_S = 10.0


class Process:
    """A process and what it receives."""

    def __init__(self, address: str) -> None:
        self.bus = RedisBus(address)
        self.received: list[Received] = []
        self.revoked: list[str | None] = []
        self.seats: list[tuple[str, tuple[str, ...]]] = []
        self.reloaded: list[str] = []
        self.bus.set_listeners(
            lambda table, number: self.received.append((table, number)),
            lambda table, by, people: self.received.append((table, by, people)),
            self.revoked.append,
            lambda table, people: self.seats.append((table, people)),
            self.reloaded.append,
        )

    async def wait_for_number(self, table: str, number: int) -> None:
        """Wait for the notification that a table has at least this many events."""

        def has_received() -> bool:
            return any(
                message[0] == table and isinstance(message[1], int) and message[1] >= number
                for message in self.received
            )

        await wait_until(has_received)


async def wait_until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + TIMEOUT_S
    while not condition():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.01)


@asynccontextmanager
async def processes(address: str, *, ready: bool = True) -> AsyncIterator[tuple[Process, Process]]:
    both = Process(address), Process(address)
    for process in both:
        await process.bus.start()
    if ready:
        await wait_until(lambda: all(process.bus.error is None for process in both))
    try:
        yield both
    finally:
        for process in both:
            await process.bus.close()


@async_test
async def test_subscribers_receive_the_messages_of_their_tables(redis: str) -> None:
    async with processes(redis) as (one, other):
        await other.bus.subscribe("mine")
        await one.bus.subscribe("mine")
        one.bus.publish_update("yours", 1)
        one.bus.publish_update("mine", 1)
        await other.wait_for_number("mine", 1)
        one.bus.publish_presence("mine", ("ada", ""))
        await wait_until(lambda: len(other.received) == 2)
        assert other.received[0] == ("mine", 1)
        assert (other.received[1][0], *other.received[1][2:]) == ("mine", ("ada", ""))
        assert one.received == []  # not its own messages
        await other.bus.unsubscribe("mine")
        await other.bus.subscribe("another")
        one.bus.publish_update("mine", 2)
        one.bus.publish_update("another", 1)
        await other.wait_for_number("another", 1)
        assert len(other.received) == 3


@async_test
async def test_a_table_stays_subscribed_until_its_last_subscription_ends(redis: str) -> None:
    async with processes(redis) as (one, other):
        await asyncio.gather(
            other.bus.subscribe("mine"),
            other.bus.subscribe("a", "b", "mine"),
            other.bus.subscribe(),
        )
        await other.bus.unsubscribe("mine")
        one.bus.publish_update("mine", 1)
        await other.wait_for_number("mine", 1)
        await other.bus.unsubscribe("mine")
        one.bus.publish_update("mine", 2)
        one.bus.publish_update("a", 1)
        await other.wait_for_number("a", 1)
        assert ("mine", 2) not in other.received


@async_test
async def test_every_process_receives_changes_of_seats(redis: str) -> None:
    async with processes(redis) as (one, other):
        one.bus.publish_seats("new", ("ada",))
        one.bus.publish_seats("new", ("bob",))
        await wait_until(lambda: other.seats)
        people = [person for _, people in other.seats for person in people]
        assert (set(people), {table for table, _ in other.seats}) == ({"ada", "bob"}, {"new"})
        assert (one.seats, other.received) == ([], [])


@async_test
async def test_every_process_receives_revocations(redis: str) -> None:
    """Whatever its subscriptions; after an interruption it knows that it may have missed some."""
    async with processes(redis) as (one, other):
        one.bus.publish_revocation("ada")
        await wait_until(lambda: "ada" in other.revoked)
        assert (one.revoked, other.revoked) == ([None], [None, "ada"])
        with RedisClient.from_url(redis) as client:
            client.execute_command("CLIENT", "KILL", "TYPE", "pubsub")
        await wait_until(lambda: other.revoked == [None, "ada", None])
        assert other.received == []


@async_test
async def test_the_processes_of_a_table_receive_that_it_was_rewritten(redis: str) -> None:
    async with processes(redis) as (one, other):
        await other.bus.subscribe("mine")
        one.bus.publish_reload("another")
        with unable_to_send(one.bus, ConnectionError()):
            one.bus.publish_reload("mine")  # sent when Redis is back
            await asyncio.sleep(0.1)
        await wait_until(lambda: other.reloaded)
        assert (one.reloaded, other.reloaded) == ([], ["mine"])


@async_test
async def test_a_process_syncs_its_tables_after_an_interruption(own_redis: Redis) -> None:
    async with processes(own_redis.address) as (one, other):
        await other.bus.subscribe("table")
        with RedisClient.from_url(own_redis.address) as client:
            assert client.execute_command("CLIENT", "KILL", "TYPE", "pubsub") >= 2
            assert client.publish("manhattan:table", b'{"sender": "a third", "number": 7}') == 0
        await other.wait_for_number("table", 7)
        one.bus.publish_update("table", 8)
        await other.wait_for_number("table", 8)
        await wait_until(lambda: one.bus.error is None and other.bus.error is None)


@pytest.mark.parametrize("message", [b"nonsense", b'{"by": "a newer version"}'])
@async_test
async def test_a_malformed_message_does_not_end_the_subscription(
    redis: str, message: bytes
) -> None:
    async with processes(redis) as (one, other):
        await other.bus.subscribe("table")
        with RedisClient.from_url(redis) as client:
            assert client.publish("manhattan:table", message) == 1
        one.bus.publish_update("table", 3)
        await other.wait_for_number("table", 3)


@async_test
async def test_no_caller_waits_for_an_unavailable_redis(own_redis: Redis) -> None:
    async with processes(own_redis.address) as (one, other):
        await other.bus.subscribe("before")
        own_redis.stop()
        try:
            await wait_until(lambda: one.bus.error and other.bus.error)
            begun = time.monotonic()
            for number in range(20):
                await other.bus.subscribe(f"table {number}")
            one.bus.publish_update("table 1", 1)
            one.bus.publish_update("before", 1)
            assert time.monotonic() - begun < 1
        finally:
            own_redis.start()
        await other.wait_for_number("table 1", 1)
        await other.wait_for_number("before", 1)
        await wait_until(lambda: one.bus.error is None and other.bus.error is None)
        one.bus.publish_update("table 19", 5)
        await other.wait_for_number("table 19", 5)


@async_test
async def test_a_redis_that_hangs_is_noticed_without_any_traffic(
    own_redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("manhattan.server.pubsub.redis._TIMEOUT_S", 0.5)
    async with processes(own_redis.address) as (one, other):
        await other.bus.subscribe("table")
        with own_redis.frozen():
            await wait_until(lambda: one.bus.error and other.bus.error)
        await wait_until(lambda: one.bus.error is None and other.bus.error is None)
        one.bus.publish_update("table", 4)
        await other.wait_for_number("table", 4)


@async_test
async def test_a_process_can_start_before_redis() -> None:
    async with processes(f"redis://127.0.0.1:{free_port()}", ready=False) as (one, _):
        await asyncio.sleep(0.1)
        assert one.bus.error == "redis is unavailable: updates between processes are delayed"
        await one.bus.subscribe("table")
        one.bus.publish_update("table", 1)


@contextmanager
def unable_to_send(bus: RedisBus, error: Exception) -> Iterator[None]:
    def fail(**_: object) -> NoReturn:
        raise error

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bus._redis, "pipeline", fail)
        yield


@async_test
async def test_an_unexpected_error_does_not_end_the_sending(redis: str) -> None:
    """uvloop raises this one for a connection that is closed at the wrong moment."""
    async with processes(redis) as (one, other):
        await other.bus.subscribe("mine")
        with unable_to_send(one.bus, RuntimeError("the handler is closed")):
            one.bus.publish_update("mine", 7)
            await wait_until(lambda: one.bus.error)
        await other.wait_for_number("mine", 7)
        await wait_until(lambda: one.bus.error is None)


@async_test
async def test_unsent_messages_have_a_limit() -> None:
    bus = RedisBus(f"redis://127.0.0.1:{free_port()}")
    await bus.start()
    try:
        for number in range(25_000):
            bus.publish_update(f"table {number}", number)
            bus.publish_presence(f"table {number}", ("ada",))
            bus.publish_revocation(f"person {number}")
        await wait_until(lambda: len(bus._unsent.numbers) == 10_000)
        assert "table 24999" in bus._unsent.numbers
        assert "table 24999" in bus._unsent.presence
        assert (len(bus._unsent.presence), bus._unsent.revoked) == (10_000, {None})
    finally:
        await bus.close()


@async_test
async def test_too_many_unsent_revocations_become_a_request_to_look_them_up(
    redis: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("manhattan.server.pubsub.redis._MAX_UNSENT", 3)
    async with processes(redis) as (one, other):
        other.revoked.clear()
        with unable_to_send(one.bus, ConnectionError()):
            for person in ("ada", "bob", "cid", "dot"):
                one.bus.publish_revocation(person)
            await wait_until(lambda: one.bus._unsent.revoked == {None})
            one.bus.publish_revocation("eve")
        await wait_until(lambda: len(other.revoked) == 2)
        assert set(other.revoked) == {None, "eve"}


@async_test
async def test_closing_at_the_moment_of_an_answer_does_not_wait_forever(
    redis: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with processes(redis) as (one, _):
        execute = Pipeline.execute

        async def execute_and_close(pipe: Pipeline) -> object:
            answer = await execute(pipe)
            for task in one.bus._tasks:
                asyncio.get_running_loop().call_soon(task.cancel)
            return answer

        monkeypatch.setattr(Pipeline, "execute", execute_and_close)
        one.bus.publish_update("table", 1)
        await wait_until(lambda: all(task.done() for task in one.bus._tasks))
