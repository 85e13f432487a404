"""Rate limits: a client that exceeds one gets an error, and is served again after the delay."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from manhattan.server.domain.errors import CommandRejected
from manhattan.server.transport.http import tables
from manhattan.server.transport.ratelimit import (
    MAX_TRACKED_KEYS,
    NO_LIMITS,
    KeyedBuckets,
    Rate,
    address_key,
)
from manhattan.server.transport.ws import client_socket
from support.databases import Postgres, database_at
from support.recording_client import (
    TIMEOUT_S,
    RecordingClient,
    assert_nothing_left,
    captured_logs,
    close_code,
    state_of,
    wait_until,
)
from support.server_fixtures import AGAINST_EASY, RunningServer, play_on, running_server
from support.stranger import Stranger

FEW = Rate(burst=3, per_second=3)
"""Three at once, and one more in a third of a second: slow enough for slow machines."""
SHARED_SCREEN = [{"occupant": "me"}, {"occupant": "here", "name": "Bea"}]


@pytest.fixture
def limited_server(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[RunningServer]:
    """A limited_server that limits one thing, and nothing else."""
    limit: dict[str, Any] = {request.param: 3 if "per" in request.param else FEW}
    limits = replace(NO_LIMITS, **limit)
    with (
        captured_logs() as written,
        running_server(str(tmp_path / "tables.db"), limits=limits) as limited_server,
    ):
        yield limited_server
        assert_nothing_left(limited_server)
    assert not written.errors


def limited(name: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("limited_server", [name], indirect=True)


def check_flood(send: Callable[[], httpx.Response]) -> None:
    """Send until the limit is reached, wait as long as the server says, and send again."""
    first = send().status_code
    assert first < 300
    answers = [send() for _ in range(2)]
    assert [answer.status_code for answer in answers] == [first] * 2
    while (rejected := send()).status_code == first:
        assert len(answers) < 30, "there is no limit"
        answers.append(rejected)
    problem = rejected.json()
    assert (rejected.status_code, problem["reason"]) == (429, "too_often")
    assert rejected.headers["retry-after"] == str(problem["params"]["seconds"]) == "1"
    assert "Wait 1 s" in problem["text"]
    time.sleep(0.4)
    assert send().status_code == first


@limited("requests")
def test_requests_are_limited(limited_server: RunningServer) -> None:
    with RecordingClient(limited_server) as eve:
        check_flood(lambda: eve.request("GET", "/api/catalog"))
        for _ in range(6):  # monitoring is always answered
            assert eve.request("GET", "/healthz").status_code == 200


@limited("registrations")
def test_registrations_are_limited(limited_server: RunningServer) -> None:
    check_flood(lambda: register(limited_server))
    time.sleep(0.4)
    with RecordingClient(limited_server, "Ada") as ada:  # a person may change their name
        for name in ("Adam", "Ada") * 5:
            assert ada.request("PUT", "/api/me", {"name": name}).status_code == 200


def register(server: RunningServer, **options: Any) -> httpx.Response:
    with RecordingClient(server) as anonymous:
        return anonymous.request("PUT", "/api/me", {"name": "Eve"}, **options)


@limited("tables")
def test_opening_tables_is_limited(limited_server: RunningServer) -> None:
    with (
        RecordingClient(limited_server, "Ada") as ada,
        RecordingClient(limited_server, "Bob") as bob,
    ):
        options = {"seats": AGAINST_EASY}
        check_flood(lambda: ada.request("POST", "/api/tables", options))
        assert bob.request("POST", "/api/tables", options).status_code == 201  # each for themselves
        opened = [one for who in (ada, bob) for one in who.received if b'"lobby"' in one.raw]
        assert len(limited_server.services.tables.sessions) == len(opened)


@limited("hints")
def test_hints_are_limited(limited_server: RunningServer) -> None:
    with RecordingClient(limited_server, "Ada") as ada:
        table = ada.call("POST", "/api/tables?start=true", {"seats": SHARED_SCREEN})["id"]
        check_flood(lambda: ada.request("POST", f"/api/tables/{table}/hint"))


@limited("chat")
def test_chat_is_limited_but_moves_are_not(limited_server: RunningServer) -> None:
    with RecordingClient(limited_server, "Ada") as ada:
        table = ada.call("POST", "/api/tables?start=true", {"seats": SHARED_SCREEN})["id"]
        ada.watch(table)
        answers = [ada.execute("chat", text="Hello!") for _ in range(6)]
        assert [answer["type"] for answer in answers[:3]] == ["update"] * 3
        assert (answers[-1]["type"], answers[-1]["reason"]) == ("error", "too_often")
        assert ada.execute("play", ply=0, move="[1111|1111]")["type"] == "update"
        time.sleep(0.4)
        assert ada.execute("chat", text="Sorry.")["type"] == "update"


@limited("frames")
def test_too_many_frames_close_the_websocket(limited_server: RunningServer) -> None:
    """The client may reconnect. Moves don't count: a bot may play as fast as it can."""
    with RecordingClient(limited_server, "Ada") as ada:
        table = ada.call("POST", "/api/tables?start=true", {"seats": SHARED_SCREEN})["id"]
        ada.watch(table)
        for ply in range(20):
            game = state_of(limited_server, table).game
            assert game is not None
            answer = ada.execute("play", ply=ply, move=str(game.legal_moves()[0]))
            assert answer["type"] == "update"
        with suppress(ConnectionClosed):  # perhaps before all of it is sent
            for _ in range(6):
                ada.send_raw("hello")
        assert close_code(ada.receive) == 4429
        assert ada.received[-1].message["reason"] == "too_often"
        ada.drop_connection()
        assert ada.watch(table)["type"] == "view"


@limited("frames")
def test_pings_count_as_frames(limited_server: RunningServer) -> None:
    with RecordingClient(limited_server, "Ada") as ada:
        table = ada.call("POST", "/api/tables", {"seats": SHARED_SCREEN})["id"]
        with connect(limited_server.websocket(table)) as websocket:
            with suppress(ConnectionClosed):
                for _ in range(20):
                    websocket.ping()
            assert close_code(lambda: websocket.recv(TIMEOUT_S)) == 4429


@limited("sockets_per_person")
def test_websockets_per_person_are_limited(limited_server: RunningServer) -> None:
    with (
        RecordingClient(limited_server, "Ada") as ada,
        RecordingClient(limited_server, "Bob") as bob,
        ExitStack() as stack,
    ):
        table = ada.call("POST", "/api/tables", {"seats": SHARED_SCREEN})["id"]
        for _ in range(3):
            stack.enter_context(RecordingClient(limited_server, cookie=ada.cookie)).watch(table)
        check_rejected(limited_server, table, ada)
        assert bob.watch(table)["type"] == "view"
        stack.close()
        wait_until(
            lambda: sum(limited_server.services.rate_limiter._sockets.values()) == 2
        )  # Bob's
        assert ada.watch(table)["type"] == "view"


@limited("sockets_per_address")
def test_websockets_per_address_are_limited(limited_server: RunningServer) -> None:
    with (
        RecordingClient(limited_server, "Ada") as ada,
        RecordingClient(limited_server, "Bob") as bob,
        ExitStack() as stack,
    ):
        table = ada.call("POST", "/api/tables", {"seats": SHARED_SCREEN})["id"]
        for _ in range(3):
            stack.enter_context(RecordingClient(limited_server)).watch(table)
        for one in (ada, bob):
            check_rejected(limited_server, table, one)
        stack.close()
        wait_until(lambda: not limited_server.services.rate_limiter._sockets)
        assert ada.watch(table)["type"] == "view"


def check_rejected(server: RunningServer, table: str, one: RecordingClient) -> None:
    cookie = {"Cookie": f"manhattan={one.cookie}"}
    with connect(server.websocket(table), additional_headers=cookie) as websocket:
        message = json.loads(websocket.recv())
        assert (message["type"], message["reason"]) == ("error", "too_many")
        assert close_code(websocket.recv) == 4429
    [session] = server.services.tables.sessions
    assert len(session.viewers) <= 3


def test_a_viewer_that_does_not_read_is_disconnected(
    server: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or its messages would pile up for ever. Others are served meanwhile."""
    monkeypatch.setattr(client_socket, "MAX_UNSENT_BYTES", 50_000)
    server.server.listening_socket.setsockopt(
        socket.SOL_SOCKET, socket.SO_SNDBUF, 4096
    )  # or the kernel buffers megabytes
    with RecordingClient(server, "Ada") as ada, closing(socket.socket()) as raw:
        table = ada.call("POST", "/api/tables", {"seats": SHARED_SCREEN})["id"]
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        raw.connect(("127.0.0.1", server.port))
        with connect(server.websocket(table), sock=raw, max_queue=1, compression=None) as deaf:
            [session] = server.services.tables.sessions
            wait_until(lambda: bool(session.viewers))
            [viewer] = session.viewers
            assert isinstance(viewer, client_socket.ClientSocket)
            ada.watch(table)
            while viewer._closing is None:
                assert ada.execute("chat", text="x" * 500)["type"] == "update"
            assert viewer._transport.get_write_buffer_size() < 55_000
            ada.execute("chat", text="Nothing more is sent to that viewer.")
            assert viewer._transport.get_write_buffer_size() < 55_000
            assert close_code(lambda: deaf.recv(TIMEOUT_S)) == 4408
    assert_nothing_left(server)


def test_requests_for_missing_tables_leave_nothing_behind(server: RunningServer) -> None:
    with RecordingClient(server, "Ada") as ada:
        for number in range(30):
            table = f"{number:014}"
            assert ada.request("GET", f"/api/tables/{table}").status_code == 404
            assert ada.request("POST", f"/api/tables/{table}/seats").status_code == 404
            with connect(server.websocket(table)) as websocket:
                assert close_code(websocket.recv) == 4404
    assert not server.services.tables.sessions
    assert_nothing_left(server)


def test_requests_while_the_database_is_unavailable_leave_nothing_behind(
    own_postgres: Postgres, redis: str
) -> None:
    """No process subscribes to a table for good because a client asked for it."""
    with (
        database_at(own_postgres.address) as database,
        running_server(database, redis=redis) as server,
    ):
        service = server.services.tables
        bus: Any = service.bus
        table = server.client("Ada").open_table(seats=AGAINST_EASY)
        wait_until(lambda: bus.error is None)
        with RecordingClient(server) as anonymous:
            own_postgres.stop()
            try:
                for number in range(50):
                    path = f"/api/tables/{number:014}"
                    assert anonymous.request("GET", path).json()["reason"] == "storage_unavailable"
            finally:
                own_postgres.start()
            assert anonymous.request("GET", f"/api/tables/{0:014}").status_code in (404, 503)
        wait_until(lambda: not service.registry._loading)
        assert set(bus._subscribed) == {table}
        wait_until(
            lambda: set(bus._pubsub.channels) == {b"manhattan:", f"manhattan:{table}".encode()}
        )


def test_the_least_recently_used_buckets_are_dropped() -> None:
    buckets = KeyedBuckets(Rate(1, 0.001))
    for number in range(MAX_TRACKED_KEYS + 10):
        buckets.take(number)
    assert len(buckets._buckets) == MAX_TRACKED_KEYS
    with pytest.raises(CommandRejected):
        buckets.take(MAX_TRACKED_KEYS + 9)
    buckets.take(0)


@pytest.mark.parametrize(
    ("address", "key"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        ("2001:db8:1:2::9", "2001:db8:1:2::"),
        ("2001:db8:1:3::9", "2001:db8:1:3::"),
        ("fe80::1%eth0", "fe80::"),
        ("::1", "::"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("unix:", "unix:"),
        ("", ""),
    ],
)
def test_ipv6_addresses_are_counted_by_network(address: str, key: str) -> None:
    assert address_key(address) == key


def test_registrations_from_one_ipv6_network_are_counted_together(tmp_path: Path) -> None:
    addresses = [f"2001:db8:{network}::{number}" for network in (1, 2) for number in range(4)]
    limits = replace(NO_LIMITS, registrations=Rate(burst=3, per_second=0.001))
    database = str(tmp_path / "tables.db")
    with running_server(database, limits=limits, trusted_proxy="127.0.0.1") as server:
        statuses = [
            register(server, headers={"X-Forwarded-For": address}).status_code
            for address in addresses
        ]
    assert statuses == [200, 200, 200, 429] * 2


def test_a_host_of_many_tables_hides_no_others(
    server: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And a table with a waiting viewer stays in the list, however long it takes."""
    waiting = {"seats": [{"occupant": "me"}, {"occupant": "open"}], "public": True}
    with RecordingClient(server, "Ada") as ada, RecordingClient(server, "Eve") as eve:
        table = ada.call("POST", "/api/tables", waiting)["id"]
        flood = [eve.call("POST", "/api/tables", waiting)["id"] for _ in range(60)]

        def listed() -> list[str]:
            return [one["id"] for one in eve.call("GET", "/api/tables")["tables"]]

        assert sorted(listed()) == sorted([table, *flood[-2:]])
        monkeypatch.setattr(tables, "LOBBY_LISTING_MS", -1)  # twelve hours later
        assert listed() == []
        ada.watch(table)
        assert listed() == [table]
    wait_until(lambda: not server.services.rate_limiter._sockets)


WAITING = {"seats": [{"occupant": "me"}, {"occupant": "open"}], "public": True}


def test_many_names_of_one_address_do_not_fill_the_list(tmp_path: Path) -> None:
    """An address may have some public tables that wait for players."""
    limits = replace(NO_LIMITS, public_tables_per_address=3)
    with running_server(str(tmp_path / "tables.db"), limits=limits) as server, ExitStack() as stack:
        eves = [stack.enter_context(Stranger(server, "127.0.0.2", f"Eve {n}")) for n in range(4)]
        ada = stack.enter_context(Stranger(server, "127.0.0.3", "Ada"))
        answers = [eve.call("POST", "/api/tables", WAITING) for eve in eves]
        assert [status for status, _ in answers] == [201, 201, 201, 429]
        assert answers[-1][1]["reason"] == "too_many"
        private = WAITING | {"public": False}
        assert eves[3].call("POST", "/api/tables", private)[0] == 201
        assert ada.call("POST", "/api/tables", WAITING)[0] == 201
        closed = f"/api/tables/{answers[0][1]['id']}/close"
        assert eves[0].call("POST", closed)[0] == 200
        assert eves[3].call("POST", "/api/tables", WAITING)[0] == 201


def test_addresses_take_turns_in_the_list_and_it_has_pages(server: RunningServer) -> None:
    with ExitStack() as stack:
        ada = stack.enter_context(Stranger(server, "127.0.0.3", "Ada"))
        _, mine = ada.call("POST", "/api/tables", WAITING)
        theirs = []
        for number in range(30):
            eve = stack.enter_context(Stranger(server, "127.0.0.2", f"Eve {number}"))
            theirs += [eve.call("POST", "/api/tables", WAITING)[1]["id"] for _ in range(2)]
        _, first = ada.call("GET", "/api/tables")
        _, second = ada.call("GET", "/api/tables?page=1")
        _, third = ada.call("GET", "/api/tables?page=2")
        for wrong in ("-1", "10", "true", "one"):
            assert ada.call("GET", f"/api/tables?page={wrong}")[0] == 422
    listed = [table["id"] for page in (first, second) for table in page["tables"]]
    assert listed[1] == mine["id"]  # though all others are later
    assert sorted(listed) == sorted([mine["id"], *theirs])
    assert (first["more"], second["more"], third["more"]) == (True, False, False)
    assert (len(first["tables"]), third["tables"]) == (50, [])


@limited("sockets")
def test_opening_websockets_is_limited_by_address(limited_server: RunningServer) -> None:
    table = limited_server.client("Ada").open_table(seats=SHARED_SCREEN)
    codes = []
    for _ in range(8):
        with connect(limited_server.websocket(table)) as websocket:
            message = json.loads(websocket.recv(TIMEOUT_S))
            codes.append(message["type"])
            if message["type"] == "error":
                assert message["reason"] == "too_often"
                assert close_code(lambda: websocket.recv(TIMEOUT_S)) == 4429
                break
    assert codes[:3] == ["view"] * 3
    assert codes[-1] == "error"
    with Stranger(limited_server, "127.0.0.3") as other:
        assert b"101" in other.watch(table).recv(100)


@limited("page")
def test_files_of_the_page_are_limited(limited_server: RunningServer) -> None:
    with RecordingClient(limited_server) as eve:
        check_flood(lambda: eve.request("GET", "/"))


@limited("monitoring")
def test_monitoring_is_limited(limited_server: RunningServer) -> None:
    with RecordingClient(limited_server) as eve:
        check_flood(lambda: eve.request("GET", "/readyz"))
        while eve.request("GET", "/metrics").status_code == 403:
            pass
        assert eve.request("GET", "/healthz").status_code == 200


@limited("connections")
def test_new_connections_are_limited_by_address(limited_server: RunningServer) -> None:
    def is_served(address: str) -> bool:
        with suppress(ConnectionError), Stranger(limited_server, address) as one:
            return one.call("GET", "/healthz")[0] == 200
        return False

    assert [is_served("127.0.0.2") for _ in range(3)] == [True] * 3
    assert not all(is_served("127.0.0.2") for _ in range(10))
    assert is_served("127.0.0.3")
    time.sleep(0.4)
    assert is_served("127.0.0.2")


def test_bytes_of_many_connections_are_counted_together(tmp_path: Path) -> None:
    """What every connection may send is enough for people; more is limited by address."""
    limits = replace(NO_LIMITS, received_bytes=Rate(5_000, 1), excess_bytes=Rate(20_000, 1))
    with running_server(str(tmp_path / "tables.db"), limits=limits) as server:
        body = {"name": "A", "padding": "x" * 8_000}

        def send(address: str) -> int:
            with suppress(ConnectionError), Stranger(server, address) as one:
                return one.call("PUT", "/api/me", body)[0]
            return 0

        assert [send("127.0.0.2") for _ in range(8)][-1] == 0
        assert send("127.0.0.3") == 422
        with Stranger(server, "127.0.0.2", "Ada") as ada:  # who sends little
            assert ada.call("GET", "/api/me")[1]["name"] == "Ada"


def test_a_bot_may_play_fast_over_one_connection(tmp_path: Path) -> None:
    """Moves are not charged."""
    limits = replace(NO_LIMITS, received_bytes=Rate(3_000, 1), excess_bytes=Rate(1_000, 1))
    with running_server(str(tmp_path / "tables.db"), limits=limits) as server:
        ada = server.client("Ada")
        table = ada.open_table(seats=SHARED_SCREEN, start=True)
        with ada.connect(table) as seat:
            assert len(play_on(seat)) > 40


def test_connections_that_do_not_read_are_limited_by_address(tmp_path: Path) -> None:
    """For each of them the server keeps what it sent."""
    limits = replace(NO_LIMITS, stalled_per_address=3)
    with running_server(str(tmp_path / "tables.db"), limits=limits) as server, ExitStack() as stack:
        server.server.listening_socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        ask = b"GET /api/openapi.json HTTP/1.1\r\nHost: here\r\n\r\n"
        for _ in range(8):
            deaf = stack.enter_context(closing(socket.socket()))
            deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            deaf.connect(("127.0.0.1", server.port))
            deaf.sendall(ask * 3)
        limiter = server.server.limiter
        wait_until(lambda: limiter.open == limiter._stalled["127.0.0.1"] == 3)
        with Stranger(server, "127.0.0.3") as other:
            assert other.call("GET", "/api/me")[0] == 200
    assert not server.server.limiter._stalled


def test_arrivals_and_departures_are_announced_together(server: RunningServer) -> None:
    with RecordingClient(server, "Ada") as ada, ExitStack() as stack:
        table = ada.call("POST", "/api/tables", {"seats": SHARED_SCREEN})["id"]
        ada.watch(table)
        for _ in range(60):
            stack.enter_context(connect(server.websocket(table)))
        [session] = server.services.tables.sessions

        def spectators() -> list[int]:
            ada.catch_up()
            received = [one.message for one in ada.received]
            return [one["spectators"] for one in received if one.get("type") == "presence"]

        wait_until(lambda: spectators()[-1:] == [60])
        assert len(spectators()) < 20
        stack.close()
        wait_until(lambda: spectators()[-1:] == [0])
        assert len(spectators()) < 40
        assert session.people.here() == (ada.person,)
