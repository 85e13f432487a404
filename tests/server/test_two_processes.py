"""Two processes with one PostgreSQL and one Redis are one server, even when something goes away."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Barrier
from typing import Any, Self

import pytest
from websockets.sync.client import connect

from databases import Postgres, Redis, busy, database_at, wait_until
from manhattan.client import Client, Refused, Seat
from manhattan.server.entries import Played
from players import Group, check_made, check_whole, kept, mistakes
from serving import AGAINST_EASY, Process, asked, loads
from witness import closed

READY = (200, "ready")
SHORT = {"two_players": "6x4-one-colour"}
"""A game of sixty moves."""


@dataclass(frozen=True)
class Pair:
    """Two processes that serve the same tables."""

    database: str
    one: Process
    other: Process

    def people(self) -> tuple[Client, Client]:
        """Ada comes to the one, Bob to the other."""
        return Client(self.one.address, "Ada"), Client(self.other.address, "Bob")

    def are(self, state: tuple[int, str]) -> bool:
        return all(asked(process, "/readyz") == state for process in (self.one, self.other))


@contextmanager
def two(server: str, redis: str, log: Path) -> Iterator[Pair]:
    with database_at(server) as database, ThreadPoolExecutor() as pool:
        starting = [pool.submit(Process, database, redis, log) for _ in range(2)]
        one, other = (future.result() for future in starting)
        try:
            yield Pair(database, one, other)
        finally:
            one.stop()
            other.stop()
    assert mistakes(log) == []


@pytest.fixture(scope="module")
def fragile(
    own_postgres: Postgres, own_redis: Redis, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Pair]:
    """Two processes whose databases go away, or one of which is killed and started again."""
    with two(own_postgres.address, own_redis.address, tmp_path_factory.mktemp("two") / "log") as up:
        yield up


@pytest.fixture(scope="module")
def pair(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Pair]:
    """Two processes with the databases that are named, if they are."""
    server = os.environ.get("MANHATTAN_TEST_POSTGRES")
    redis = os.environ.get("MANHATTAN_TEST_REDIS")
    if server is None or redis is None:
        yield request.getfixturevalue("fragile")
        return
    with two(server, redis, tmp_path_factory.mktemp("named") / "log") as up:
        yield up


class Watching:
    """A websocket that does not wait for ever."""

    def __init__(self, process: Process, table: str, who: Client | None = None) -> None:
        address = f"ws://127.0.0.1:{process.port}/api/tables/{table}/socket"
        headers = {"Cookie": who.cookie} if who else {}
        self._opened = ExitStack()
        self._socket = self._opened.enter_context(connect(address, additional_headers=headers))

    def until(self, present: list[bool], watching: int) -> None:
        """Wait until it is said who is there."""
        wanted = {"type": "presence", "present": present, "watching": watching}
        last = None
        while last != wanted:
            try:
                told = loads(self._socket.recv(timeout=5))
            except TimeoutError:
                raise AssertionError(f"{wanted} was not said; what was: {last}") from None
            last = told.get("presence", told if told["type"] == "presence" else last)

    def closed(self) -> int:
        """Wait until the server has closed it; the code that it gave."""
        return closed(lambda: self._socket.recv(timeout=5))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()


def test_people_at_different_processes_play_a_whole_game(pair: Pair) -> None:
    """If the news did not come by themselves they would come with the next look, after a second:
    so many moves would take too long."""
    group = Group(pair.people())
    group.start()
    group.join()
    check_whole(pair.database, group)


def test_who_is_there_is_seen_at_the_other_process(pair: Pair) -> None:
    ada, bob = pair.people()
    table = ada.open(chairs=[{"who": "me"}, {"who": "open"}])
    bob.sit(table)
    with Watching(pair.one, table, ada) as adas:
        adas.until([True, False], 0)
        with Watching(pair.other, table, bob) as bobs:
            bobs.until([True, True], 0)
            adas.until([True, True], 0)
            eve = Client(pair.other.address, "Eve")
            with Watching(pair.other, table, eve), Watching(pair.other, table, eve):
                adas.until([True, True], 1)  # with two windows
                with Watching(pair.other, table), Watching(pair.other, table) as nobodys:
                    adas.until([True, True], 3)
                    bobs.until([True, True], 3)
                    nobodys.until([True, True], 3)
            adas.until([True, True], 0)
            bobs.until([True, True], 0)
        adas.until([True, False], 0)


def test_who_comes_later_to_the_other_process_sees_who_is_there_already(pair: Pair) -> None:
    ada, eve = pair.people()
    table = ada.open(chairs=[{"who": "me"}, {"who": "open"}])
    with Watching(pair.one, table, ada) as adas:
        adas.until([True, False], 0)
        with Watching(pair.other, table, eve) as eves:
            eves.until([True, False], 1)
            adas.until([True, False], 1)


def test_who_is_nobody_any_more_is_so_at_the_other_process(pair: Pair) -> None:
    """Also when the other one looks on with another device of his."""
    ada, bob = pair.people()
    table = ada.open(chairs=[{"who": "me"}, {"who": "open"}])
    bob.sit(table)
    with (
        Watching(pair.one, table, ada) as adas,
        Watching(pair.other, table, ada) as also_adas,
        Watching(pair.other, table, bob) as bobs,
    ):
        bobs.until([True, True], 0)
        ada.call("DELETE", "/api/me")
        assert (adas.closed(), also_adas.closed()) == (4401, 4401)
        bobs.until([False, True], 0)


def test_who_became_nobody_while_redis_was_away_is_so_at_the_other_process(
    fragile: Pair, own_redis: Redis
) -> None:
    ada, _ = fragile.people()
    table = ada.open(chairs=[{"who": "me"}, {"who": "open"}])
    with Watching(fragile.other, table, ada) as adas:
        adas.until([True, False], 0)
        own_redis.stop()
        try:
            wait_until(lambda: fragile.are(AWAY), "both say that Redis is away")
            ada.call("DELETE", "/api/me")
            assert adas.closed() == 4401
        finally:
            own_redis.start()
    wait_until(lambda: fragile.are(READY), "Redis is back")


def test_of_two_moves_for_one_seat_one_is_made(pair: Pair) -> None:
    """Somebody has the same table open in two windows, which are served by different processes."""
    ada = Client(pair.one.address, "Ada")
    table = ada.open(chairs=[{"who": "me"}, {"who": "here", "name": "Bob"}], begin=True)
    together = Barrier(2)
    refusals: list[tuple[str, dict[str, Any]]] = []

    def go(seat: Seat, which: int) -> list[str]:
        made = []
        for turn in seat.turns():
            if turn.ply >= 30:
                break
            together.wait(20)
            try:
                seat.play(turn.moves[which])
            except Refused as refused:
                refusals.append((refused.reason, refused.figures))
            else:
                made.append(turn.moves[which])
        return made

    with (
        ada.at(table) as here,
        _elsewhere(ada, pair.other).at(table) as there,
        ThreadPoolExecutor() as pool,
    ):
        windows = [pool.submit(go, here, 0), pool.submit(go, there, -1)]
        made = [move for window in windows for move in window.result()]
    assert refusals == [("too_late", {"meant": ply, "ply": ply + 1}) for ply in range(30)]
    moves = [entry.move for entry in kept(pair.database, table) if isinstance(entry, Played)]
    assert len(moves) == 30
    assert sorted(moves) == sorted(made)


def _elsewhere(client: Client, process: Process) -> Client:
    """The same person comes to another process."""
    return Client(process.address, client.name, cookie=client.cookie)


def _sent_to(seat: Seat, process: Process) -> None:
    """What a load balancer does when a process is gone."""
    seat._server = f"ws://127.0.0.1:{process.port}"


def test_a_process_is_killed_and_the_game_goes_on_at_the_other(fragile: Pair) -> None:
    group = Group(fragile.people(), pause=0.01, house_rules=SHORT)
    group.start()
    ada = group.players[0]
    wait_until(lambda: len(ada.made) > 10, "the game goes on")
    fragile.one.kill()
    made = [list(player.made) for player in group.players]
    _sent_to(ada.seat, fragile.other)
    ada.client = _elsewhere(ada.client, fragile.other)
    group.join()
    fragile.one.start()
    for was in made:
        check_made(kept(fragile.database, group.table), was)
    check_whole(fragile.database, group)


def test_bots_are_taken_over_from_a_process_that_was_killed(fragile: Pair) -> None:
    ada = Client(fragile.one.address, "Ada")
    chairs = [*AGAINST_EASY, {"who": "bot", "level": "easy"}]
    table = ada.open(chairs=chairs, first=0, pace=100, begin=True)
    with ada.at(table) as seat:
        turn = next(seat.turns())
        seat.play(turn.moves[0])
        fragile.one.kill()
    entries = len(kept(fragile.database, table))
    try:
        wait_until(
            lambda: len(kept(fragile.database, table)) >= entries + 2,
            "the other process moves for the bots, though nobody looks at the table there",
            every=0.2,
        )
    finally:
        fragile.one.start()
    with _elsewhere(ada, fragile.other).at(table) as seat:
        assert next(seat.turns()).ply == 3


def test_a_process_that_hangs_while_it_writes_keeps_nobody_from_the_table(fragile: Pair) -> None:
    ada = Client(fragile.one.address, "Ada")
    table = ada.open(chairs=[{"who": "me"}, {"who": "here", "name": "Bob"}], begin=True)
    with (
        ada.at(table) as here,
        _elsewhere(ada, fragile.other).at(table) as there,
        ThreadPoolExecutor() as pool,
    ):
        turn, same = next(here.turns()), next(there.turns())
        with busy(fragile.database):
            hangs = pool.submit(here.play, turn.moves[0])
            time.sleep(0.3)  # it is being written
            os.kill(fragile.one.pid, signal.SIGSTOP)
        try:
            made = there.play(same.moves[-1])
        finally:
            os.kill(fragile.one.pid, signal.SIGCONT)
        with pytest.raises(Refused) as refused:
            hangs.result(20)
        assert refused.value.reason in ("storage_away", "too_late")
        assert kept(fragile.database, table)[made["number"]].command == made["answers"]


AWAY = (503, "redis is away: news between processes come late")


def test_without_redis_news_come_late(fragile: Pair, own_redis: Redis) -> None:
    ada, bob = fragile.people()
    group = Group([ada, bob], house_rules=SHORT)
    own_redis.stop()
    try:
        wait_until(lambda: fragile.are(AWAY), "both say that Redis is away")
        group.start()
        wait_until(lambda: group.players[0].made and group.players[1].made, "moves are seen")
        # Whatever else people do goes on, too, and at once.
        begun = time.monotonic()
        table = ada.open(chairs=[{"who": "me"}, {"who": "open"}])
        bob.sit(table)
        ada.begin(table)
        # Who comes from one process to the other sees what he saw there.
        with ada.at(table) as adas, _elsewhere(ada, fragile.other).at(table) as again:
            number = adas.say("Hello")["number"]
            again._number = number + 1
            assert next(again.news())["number"] == number + 1
        assert time.monotonic() - begun < 5
        assert fragile.are(AWAY)
    finally:
        own_redis.start()
    wait_until(lambda: fragile.are(READY), "Redis is back")
    group.join()
    check_whole(fragile.database, group)


@pytest.mark.parametrize("politely", [True, False])
def test_postgres_is_restarted(fragile: Pair, own_postgres: Postgres, politely: bool) -> None:
    ada, bob = fragile.people()
    group = Group([ada, bob], house_rules=SHORT)
    bots = Group([Client(fragile.other.address, "Cid")], bots=1, house_rules=SHORT)
    talk = Group([ada, bob], house_rules=SHORT)
    with bob.at(talk.table) as talking:
        talking.say("Hello")
        group.start()
        bots.start()
        wait_until(lambda: group.players[0].made, "the game goes on")
        own_postgres.stop(politely=politely)
        try:
            wait_until(lambda: fragile.are((503, "storage is away")), "both say so")
            for attempt in (
                lambda: talking.say("Is anybody there?"),
                lambda: bob.open(chairs=AGAINST_EASY),
                lambda: Client(fragile.one.address, "Dot"),
            ):
                with pytest.raises(Refused) as refused:
                    attempt()
                assert refused.value.reason == "storage_away"
            talk.start()  # they come to a table while nobody can read what stands on it
            time.sleep(0.5)
        finally:
            own_postgres.start()
        for one in (group, bots, talk):
            one.join()
    wait_until(lambda: fragile.are(READY), "PostgreSQL is back")
    for one in (group, bots, talk):
        # Of what was refused nobody knows whether it was done: it may be, without an answer.
        check_whole(fragile.database, one, all_told=False)
        reasons = {reason for player in one.players for reason in player.refused}
        assert reasons <= {"storage_away", "too_late"}
