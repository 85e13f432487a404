"""Two processes with one PostgreSQL and one Redis act as one server, even during failures."""

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

from manhattan.client import Client, RequestRejected, TableConnection
from manhattan.server.domain.events import MovePlayed
from support.crash_test_players import (
    Group,
    check_acknowledged,
    check_finished_game,
    stored_events,
    unexpected_errors,
)
from support.databases import Postgres, Redis, database_at, wait_until, write_locked
from support.recording_client import close_code
from support.server_fixtures import AGAINST_EASY, Process, get, loads

pytestmark = pytest.mark.process

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
        """Return Ada, a client of one process, and Bob, a client of the other."""
        return Client(self.one.address, "Ada"), Client(self.other.address, "Bob")

    def both_report(self, state: tuple[int, str]) -> bool:
        return all(get(process, "/readyz") == state for process in (self.one, self.other))


@contextmanager
def two_processes(server: str, redis: str, log: Path) -> Iterator[Pair]:
    with database_at(server) as database, ThreadPoolExecutor() as pool:
        starting = [pool.submit(Process, database, redis, log) for _ in range(2)]
        one, other = (future.result() for future in starting)
        try:
            yield Pair(database, one, other)
        finally:
            one.stop()
            other.stop()
    assert unexpected_errors(log) == []


@pytest.fixture(scope="module")
def fragile(
    own_postgres: Postgres, own_redis: Redis, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Pair]:
    """Two processes that tests kill, or whose databases they stop."""
    with two_processes(
        own_postgres.address, own_redis.address, tmp_path_factory.mktemp("two") / "log"
    ) as pair:
        yield pair


@pytest.fixture(scope="module")
def pair(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Pair]:
    """Two processes with the databases that the environment names, if it does."""
    server = os.environ.get("MANHATTAN_TEST_POSTGRES")
    redis = os.environ.get("MANHATTAN_TEST_REDIS")
    if server is None or redis is None:
        yield request.getfixturevalue("fragile")
        return
    with two_processes(server, redis, tmp_path_factory.mktemp("named") / "log") as pair:
        yield pair


class Spectator:
    """A websocket with a timeout."""

    def __init__(self, process: Process, table: str, who: Client | None = None) -> None:
        address = f"ws://127.0.0.1:{process.port}/api/tables/{table}/socket"
        headers = {"Cookie": who.cookie} if who else {}
        self._opened = ExitStack()
        self._socket = self._opened.enter_context(connect(address, additional_headers=headers))

    def wait_for(self, present: list[bool], spectators: int) -> None:
        """Wait until the presence is as given."""
        expected = {"type": "presence", "present": present, "spectators": spectators}
        last = None
        while last != expected:
            try:
                message = loads(self._socket.recv(timeout=5))
            except TimeoutError:
                raise AssertionError(f"{expected} did not come; the last was {last}") from None
            last = message.get("presence", message if message["type"] == "presence" else last)
            if last is not None:
                last.pop("away_since", None)

    def close_code(self) -> int:
        """Wait until the server has closed it, and return its close code."""
        return close_code(lambda: self._socket.recv(timeout=5))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()


def test_people_at_different_processes_play_a_whole_game(pair: Pair) -> None:
    """Without pub/sub each update would wait for a sweep, and the game would time out."""
    group = Group(pair.people())
    group.start()
    group.join()
    check_finished_game(pair.database, group)


def test_presence_is_shared_between_processes(pair: Pair) -> None:
    ada, bob = pair.people()
    table = ada.open_table(seats=[{"occupant": "me"}, {"occupant": "open"}])
    bob.take_seat(table)
    with Spectator(pair.one, table, ada) as adas:
        adas.wait_for([True, False], 0)
        with Spectator(pair.other, table, bob) as bobs:
            bobs.wait_for([True, True], 0)
            adas.wait_for([True, True], 0)
            eve = Client(pair.other.address, "Eve")
            with Spectator(pair.other, table, eve), Spectator(pair.other, table, eve):
                adas.wait_for([True, True], 1)  # a person with two windows counts once
                with Spectator(pair.other, table), Spectator(pair.other, table) as anonymous:
                    adas.wait_for([True, True], 3)
                    bobs.wait_for([True, True], 3)
                    anonymous.wait_for([True, True], 3)
            adas.wait_for([True, True], 0)
            bobs.wait_for([True, True], 0)
        adas.wait_for([True, False], 0)


def test_a_new_viewer_gets_the_presence_of_the_other_process(pair: Pair) -> None:
    ada, eve = pair.people()
    table = ada.open_table(seats=[{"occupant": "me"}, {"occupant": "open"}])
    with Spectator(pair.one, table, ada) as adas:
        adas.wait_for([True, False], 0)
        with Spectator(pair.other, table, eve) as eves:
            eves.wait_for([True, False], 1)
            adas.wait_for([True, False], 1)


def test_notifications_come_from_the_other_process(pair: Pair) -> None:
    ada, bob = pair.people()
    table = ada.open_table(seats=[{"occupant": "me"}, {"occupant": "open"}], first=0)
    address = f"ws://127.0.0.1:{pair.other.port}/api/me/socket"
    with connect(address, additional_headers={"Cookie": bob.cookie}) as websocket:

        def wait_for(expected: str) -> None:
            while loads(websocket.recv(timeout=5)).get("table") != expected:
                pass

        assert loads(websocket.recv(timeout=5)) == {"type": "subscribed"}
        # Bob takes the seat at one process, and listens to the other.
        Client(pair.one.address, "Bob", cookie=bob.cookie).take_seat(table)
        wait_for(table)
        ada.start_game(table)
        wait_for(table)
        with ada.connect(table) as seat:
            seat.play(next(seat.turns()).moves[0])
        wait_for(table)
        [game] = bob.request("GET", "/api/me/games?state=your_turn")["games"]
        assert game["id"] == table


def test_a_revoked_person_is_disconnected_by_the_other_process(pair: Pair) -> None:
    ada, bob = pair.people()
    table = ada.open_table(seats=[{"occupant": "me"}, {"occupant": "open"}])
    bob.take_seat(table)
    with (
        Spectator(pair.one, table, ada) as adas,
        Spectator(pair.other, table, ada) as also_adas,
        Spectator(pair.other, table, bob) as bobs,
    ):
        bobs.wait_for([True, True], 0)
        ada.request("DELETE", "/api/me")
        assert (adas.close_code(), also_adas.close_code()) == (4401, 4401)
        bobs.wait_for([False, True], 0)


def test_a_revoked_device_is_disconnected_by_the_other_process(pair: Pair) -> None:
    """The person's other device stays connected."""
    ada, bob = pair.people()
    table = ada.open_table(seats=[{"occupant": "me"}, {"occupant": "open"}])
    [code, *_] = ada.request("POST", "/api/me/recovery-codes")["codes"]
    # What one process has created, the other one accepts.
    phone = Client(pair.other.address, "Phone")
    assert phone.request("POST", "/api/sign-in/recovery-code", {"code": code}) == {"name": "Ada"}
    with (
        Spectator(pair.other, table, ada) as adas,
        Spectator(pair.one, table, phone) as phones,
        Spectator(pair.one, table, bob) as bobs,
    ):
        bobs.wait_for([True, False], 1)
        phone.request("DELETE", "/api/me/devices")
        assert adas.close_code() == 4401
        assert phone.request("GET", "/api/me") == {"name": "Ada"}
        phones.wait_for([True, False], 1)


def test_a_deleted_name_disappears_in_the_other_process(pair: Pair) -> None:
    ada, bob = pair.people()
    table = ada.open_table(seats=[{"occupant": "me"}, {"occupant": "open"}], first=1)
    bob.take_seat(table)
    ada.start_game(table)
    with bob.connect(table) as bobs:
        turn = next(bobs.turns())
        assert [seat["name"] for seat in bobs.table["seats"]] == ["Ada", "Bob"]
        ada.request("DELETE", "/api/me")

        def names() -> list[str]:
            view = bob.request("GET", f"/api/tables/{table}")
            return [seat["name"] for seat in view["table"]["seats"]]

        wait_until(lambda: names() == ["Deleted player", "Bob"], "the name is erased")
        assert bobs.play(turn.moves[0])["event"]["type"] == "move_played"


def test_a_revocation_during_a_redis_failure_reaches_the_other_process(
    fragile: Pair, own_redis: Redis
) -> None:
    ada, _ = fragile.people()
    table = ada.open_table(seats=[{"occupant": "me"}, {"occupant": "open"}])
    with Spectator(fragile.other, table, ada) as adas:
        adas.wait_for([True, False], 0)
        own_redis.stop()
        try:
            wait_until(lambda: fragile.both_report(REDIS_DOWN), "both report that Redis is down")
            ada.request("DELETE", "/api/me")
            assert adas.close_code() == 4401
        finally:
            own_redis.start()
    wait_until(lambda: fragile.both_report(READY), "Redis is up again")


def test_of_two_concurrent_moves_one_is_played(pair: Pair) -> None:
    """A person has the same table open in two windows, at different processes."""
    ada = Client(pair.one.address, "Ada")
    table = ada.open_table(
        seats=[{"occupant": "me"}, {"occupant": "here", "name": "Bob"}], start=True
    )
    together = Barrier(2)
    rejections: list[tuple[str, dict[str, Any]]] = []

    def go(seat: TableConnection, which: int) -> list[str]:
        played = []
        for turn in seat.turns():
            if turn.ply >= 30:
                break
            together.wait(20)
            try:
                seat.play(turn.moves[which])
            except RequestRejected as error:
                rejections.append((error.reason, error.params))
            else:
                played.append(turn.moves[which])
        return played

    with (
        ada.connect(table) as here,
        _at(ada, pair.other).connect(table) as there,
        ThreadPoolExecutor() as pool,
    ):
        windows = [pool.submit(go, here, 0), pool.submit(go, there, -1)]
        played = [move for window in windows for move in window.result()]
    assert rejections == [("too_late", {"command_ply": ply, "ply": ply + 1}) for ply in range(30)]
    moves = [
        event.move for event in stored_events(pair.database, table) if isinstance(event, MovePlayed)
    ]
    assert len(moves) == 30
    assert sorted(moves) == sorted(played)


def _at(client: Client, process: Process) -> Client:
    """Return a client of the same person at another process."""
    return Client(process.address, client.name, cookie=client.cookie)


def _redirect(seat: TableConnection, process: Process) -> None:
    """Let a connection reconnect to another process, as a load balancer does."""
    seat._server = f"ws://127.0.0.1:{process.port}"


def test_a_game_continues_at_the_other_process_after_a_kill(fragile: Pair) -> None:
    group = Group(fragile.people(), pause=0.01, house_rules=SHORT)
    group.start()
    ada = group.players[0]
    wait_until(lambda: len(ada.acknowledged) > 10, "the game is under way")
    fragile.one.kill()
    acknowledged = [list(player.acknowledged) for player in group.players]
    _redirect(ada.seat, fragile.other)
    ada.client = _at(ada.client, fragile.other)
    group.join()
    fragile.one.start()
    for moves in acknowledged:
        check_acknowledged(stored_events(fragile.database, group.table), moves)
    check_finished_game(fragile.database, group)


def test_the_bots_of_a_killed_process_are_taken_over(fragile: Pair) -> None:
    ada = Client(fragile.one.address, "Ada")
    seats = [*AGAINST_EASY, {"occupant": "bot", "level": "easy"}]
    table = ada.open_table(seats=seats, first=0, bot_delay_ms=100, start=True)
    with ada.connect(table) as seat:
        turn = next(seat.turns())
        seat.play(turn.moves[0])
        fragile.one.kill()
    count = len(stored_events(fragile.database, table))
    try:
        wait_until(
            lambda: len(stored_events(fragile.database, table)) >= count + 2,
            "the other process moves for the bots, though no viewer is there",
            every=0.2,
        )
    finally:
        fragile.one.start()
    with _at(ada, fragile.other).connect(table) as seat:
        assert next(seat.turns()).ply == 3


def test_a_process_that_hangs_while_writing_does_not_block_the_table(fragile: Pair) -> None:
    ada = Client(fragile.one.address, "Ada")
    table = ada.open_table(
        seats=[{"occupant": "me"}, {"occupant": "here", "name": "Bob"}], start=True
    )
    with (
        ada.connect(table) as here,
        _at(ada, fragile.other).connect(table) as there,
        ThreadPoolExecutor() as pool,
    ):
        turn, same = next(here.turns()), next(there.turns())
        with write_locked(fragile.database):
            hangs = pool.submit(here.play, turn.moves[0])
            time.sleep(0.3)  # until it is being written
            os.kill(fragile.one.pid, signal.SIGSTOP)
        try:
            played = there.play(same.moves[-1])
        finally:
            os.kill(fragile.one.pid, signal.SIGCONT)
        with pytest.raises(RequestRejected) as rejected:
            hangs.result(20)
        assert rejected.value.reason in ("storage_unavailable", "too_late")
        assert (
            stored_events(fragile.database, table)[played["number"]].command == played["reply_to"]
        )


REDIS_DOWN = (200, "ready, but redis is unavailable: updates between processes are delayed")
"""Games go on, so no balancer may take the processes out of service."""


def test_without_redis_updates_are_delayed(fragile: Pair, own_redis: Redis) -> None:
    ada, bob = fragile.people()
    group = Group([ada, bob], house_rules=SHORT)
    own_redis.stop()
    try:
        wait_until(lambda: fragile.both_report(REDIS_DOWN), "both report that Redis is down")
        group.start()
        wait_until(
            lambda: group.players[0].acknowledged and group.players[1].acknowledged,
            "moves are seen",
        )
        # Everything else works at once.
        started = time.monotonic()
        table = ada.open_table(seats=[{"occupant": "me"}, {"occupant": "open"}])
        bob.take_seat(table)
        ada.start_game(table)
        # A client that changes the process gets at least the updates that it had.
        with ada.connect(table) as adas, _at(ada, fragile.other).connect(table) as again:
            number = adas.chat("Hello")["number"]
            again._next_number = number + 1
            assert next(again.messages())["number"] == number + 1
        assert time.monotonic() - started < 5
        assert fragile.both_report(REDIS_DOWN)
    finally:
        own_redis.start()
    wait_until(lambda: fragile.both_report(READY), "Redis is up again")
    group.join()
    check_finished_game(fragile.database, group)


@pytest.mark.parametrize("gracefully", [True, False])
def test_games_continue_after_a_restart_of_postgres(
    fragile: Pair, own_postgres: Postgres, gracefully: bool
) -> None:
    ada, bob = fragile.people()
    group = Group([ada, bob], house_rules=SHORT)
    bots = Group([Client(fragile.other.address, "Cid")], bots=1, house_rules=SHORT)
    chat = Group([ada, bob], house_rules=SHORT)
    with bob.connect(chat.table) as bobs:
        bobs.chat("Hello")
        group.start()
        bots.start()
        wait_until(lambda: group.players[0].acknowledged, "the game is under way")
        own_postgres.stop(gracefully=gracefully)
        try:
            wait_until(lambda: fragile.both_report((503, "storage unavailable")), "both report it")
            for attempt in (
                lambda: bobs.chat("Hello again"),
                lambda: bob.open_table(seats=AGAINST_EASY),
                lambda: Client(fragile.one.address, "Dot"),
            ):
                with pytest.raises(RequestRejected) as rejected:
                    attempt()
                assert rejected.value.reason == "storage_unavailable"
            chat.start()  # its table can't be loaded at the moment
            time.sleep(0.5)
        finally:
            own_postgres.start()
        for players in (group, bots, chat):
            players.join()
    wait_until(lambda: fragile.both_report(READY), "PostgreSQL is up again")
    for players in (group, bots, chat):
        # A move with an unknown outcome may have been stored without an acknowledgement.
        check_finished_game(fragile.database, players, all_acknowledged=False)
        reasons = {reason for player in players.players for reason in player.rejections}
        assert reasons <= {"storage_unavailable", "too_late"}
