"""Connections: silent, slow and endless ones are cut off, and keep no other client out."""

from __future__ import annotations

import resource
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from manhattan.bench.server.load import memory_mb
from manhattan.server import runner
from manhattan.server.transport import connection_limiter
from manhattan.server.transport.connection_limiter import raise_file_limit
from manhattan.server.transport.http import middleware
from manhattan.server.transport.ratelimit import NO_LIMITS, Limits
from support.databases import wait_until, write_locked
from support.recording_client import TIMEOUT_S, RecordingClient, assert_nothing_left, captured_logs
from support.server_fixtures import AGAINST_EASY, Process, RunningServer, running_server

SOON = 0.5
GET = b"GET /api/me HTTP/1.1\r\nHost: here\r\n"
PUT = b"PUT /api/me HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\n"
INCOMPLETE = {
    "nothing": b"",
    "half a header": GET,
    "half a body": PUT + b'Content-Length: 14\r\n\r\n{"name"',
    "half a chunked body": PUT + b'Transfer-Encoding: chunked\r\n\r\n7\r\n{"name"\r\n',
    "a body that is rejected": PUT + b"Content-Length: 999999\r\n\r\n{",
    "half of a second request": GET + b"\r\n" + GET,
}
PING_FRAME = b"\x89\x80\0\0\0\0"
EMPTY_FRAGMENT = b"\x00\x80\0\0\0\0"
HANDSHAKE = (
    "GET /api/tables/{table}/socket HTTP/1.1\r\nHost: here\r\nUpgrade: websocket\r\n"
    "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)


@pytest.fixture
def impatient(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[RunningServer]:
    """A server with short timeouts."""
    monkeypatch.setattr(runner, "REQUEST_TIMEOUT_S", SOON)
    monkeypatch.setattr(runner, "LINGER_S", SOON)
    monkeypatch.setattr(middleware, "BODY_TIMEOUT_S", SOON)
    monkeypatch.setattr(connection_limiter, "STALL_TIMEOUT_S", SOON)
    with captured_logs() as written, running_server(str(tmp_path / "tables.db")) as server:
        yield server
        assert_nothing_left(server)
    assert not written.errors


def open_socket(server: RunningServer | Process, data: bytes = b"") -> socket.socket:
    opened = socket.create_connection(("127.0.0.1", server.port), timeout=TIMEOUT_S)
    opened.sendall(data)
    return opened


def read_to_end(opened: socket.socket) -> bytes:
    """Return everything that comes until the server closes the connection."""
    received = b""
    with suppress(ConnectionResetError):
        while data := opened.recv(65536):
            received += data
    return received


def is_served(server: RunningServer | Process) -> bool:
    with suppress(OSError), closing(open_socket(server, GET + b"Connection: close\r\n\r\n")) as one:
        return read_to_end(one).startswith(b"HTTP/1.1 200")
    return False


def test_an_incomplete_request_times_out(impatient: RunningServer) -> None:
    """Also if the client sends a little now and then."""
    with ExitStack() as stack:
        sockets = {
            name: stack.enter_context(open_socket(impatient, data))
            for name, data in INCOMPLETE.items()
        }
        slow = stack.enter_context(open_socket(impatient, GET))
        wait_until(lambda: is_served(impatient), "others are served meanwhile")
        started = time.monotonic()
        with suppress(OSError):
            while time.monotonic() - started < TIMEOUT_S:
                slow.sendall(b"x: y\r\n")
                time.sleep(SOON / 10)
        assert time.monotonic() - started < TIMEOUT_S
        answers = {name: read_to_end(opened)[:12] for name, opened in sockets.items()}
    assert {name: answer for name, answer in answers.items() if answer} == {
        "half a body": b"HTTP/1.1 408",
        "half a chunked body": b"HTTP/1.1 408",
        "a body that is rejected": b"HTTP/1.1 413",
        "half of a second request": b"HTTP/1.1 200",
    }
    wait_until(lambda: not impatient.server.limiter.open, "all are gone")


def test_a_complete_request_does_not_time_out(impatient: RunningServer, tmp_path: Path) -> None:
    """While the database is busy, or a bot chooses its move; and a viewer may be silent."""
    body = b'{"name":"Bob"}'
    request = PUT + b"Content-Length: %d\r\n\r\n" % len(body) + body
    with ExitStack() as stack:
        ada = stack.enter_context(RecordingClient(impatient, "Ada"))
        table = ada.call("POST", "/api/tables", {"seats": AGAINST_EASY})["id"]
        ada.watch(table)
        with write_locked(str(tmp_path / "tables.db")):
            waiting = stack.enter_context(open_socket(impatient, request))
            time.sleep(1.3 * SOON)
        assert read_to_end(waiting).startswith(b"HTTP/1.1 200")
        assert ada.execute("chat", text="I am still here.")["type"] == "update"


def test_a_client_that_does_not_read_its_response_is_aborted(impatient: RunningServer) -> None:
    impatient.server.listening_socket.setsockopt(
        socket.SOL_SOCKET, socket.SO_SNDBUF, 4096
    )  # or the kernel buffers all of it
    for count, last in ((1, b"Connection: close\r\n"), (20, b"")):
        with closing(socket.socket()) as deaf:
            deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            deaf.connect(("127.0.0.1", impatient.port))
            deaf.sendall(
                (b"GET /api/openapi.json HTTP/1.1\r\nHost: here\r\n" + last + b"\r\n") * count
            )
            wait_until(lambda: impatient.server.limiter.open, "it is connected")
            wait_until(lambda: not impatient.server.limiter.open, "it is gone")


def test_an_address_has_a_limited_number_of_connections(tmp_path: Path) -> None:
    """Websockets have a limit of their own."""
    limits = replace(NO_LIMITS, connections_per_address=3)
    with running_server(str(tmp_path / "tables.db"), limits=limits) as server, ExitStack() as stack:
        ada = stack.enter_context(RecordingClient(server, "Ada"))
        table = ada.call("POST", "/api/tables", {"seats": AGAINST_EASY})["id"]
        for _ in range(4):
            stack.enter_context(RecordingClient(server, cookie=ada.cookie)).watch(table)
        first, *_ = [stack.enter_context(open_socket(server, GET)) for _ in range(2)]  # and Ada's
        assert read_to_end(stack.enter_context(open_socket(server))) == b""
        first.close()
        wait_until(lambda: is_served(server), "there is room again")
    assert not server.server.limiter._per_address


def test_other_files_can_always_be_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of connections is limited, from however many addresses they come."""
    monkeypatch.setattr(runner, "raise_file_limit", lambda: 2)
    with running_server(str(tmp_path / "tables.db")) as server, ExitStack() as stack:
        first, _ = [stack.enter_context(open_socket(server, GET)) for _ in range(2)]
        assert read_to_end(stack.enter_context(open_socket(server))) == b""
        first.close()
        wait_until(lambda: is_served(server), "there is room again")


def test_a_server_opens_as_many_files_as_it_may() -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    few = min(before[1], 500) if before[1] != resource.RLIM_INFINITY else 500
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (few, before[1]))
        connections = raise_file_limit()
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (before[1], before[1])
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    if before[1] == resource.RLIM_INFINITY:
        assert connections is None
    else:
        assert connections == before[1] - 100


# Floods. Each sends until the server closes the connection.


@pytest.fixture(scope="module")
def limited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A server with the limits that every server has."""
    with running_server(
        str(tmp_path_factory.mktemp("limited") / "tables.db"), limits=Limits()
    ) as server:
        yield server


def flood(opened: socket.socket, block: bytes) -> int:
    """Send until the server closes the connection, and return how many bytes it took."""
    sent, deadline = 0, time.monotonic() + TIMEOUT_S
    with suppress(OSError):
        while True:
            assert time.monotonic() < deadline, "the server takes everything"
            sent += opened.send(block)
    return sent


def endless_headers(_: RunningServer) -> tuple[bytes, bytes]:
    return GET, b"a: b\r\n" * 1000


def endless_long_headers(_: RunningServer) -> tuple[bytes, bytes]:
    return GET, b"a: " + b"b" * 15_000 + b"\r\n"


def endless_line(_: RunningServer) -> tuple[bytes, bytes]:
    return b"GET /", b"a" * 10_000


def endless_empty_lines(_: RunningServer) -> tuple[bytes, bytes]:
    return b"", b"\r\n" * 5000


def endless_chunk_extension(_: RunningServer) -> tuple[bytes, bytes]:
    return PUT + b"Transfer-Encoding: chunked\r\n\r\n3;", b"a" * 10_000


def endless_trailers(_: RunningServer) -> tuple[bytes, bytes]:
    return PUT + b"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n0\r\n", b"a: b\r\n" * 1000


def endless_pings(server: RunningServer) -> tuple[bytes, bytes]:
    return handshake(server), PING_FRAME * 1000


def endless_empty_fragments(server: RunningServer) -> tuple[bytes, bytes]:
    return handshake(server) + b"\x01\x81\0\0\0\0a", EMPTY_FRAGMENT * 1000


def handshake(server: RunningServer) -> bytes:
    table = server.client("Ada").open_table(seats=AGAINST_EASY)
    return HANDSHAKE.format(table=table).encode()


FLOODS = [
    endless_headers,
    endless_long_headers,
    endless_line,
    endless_empty_lines,
    endless_chunk_extension,
    endless_trailers,
    endless_pings,
    endless_empty_fragments,
]


@pytest.mark.parametrize("attack", FLOODS, ids=lambda attack: attack.__name__)
def test_a_flood_is_cut_off_and_others_are_served(
    limited: RunningServer, attack: Callable[[RunningServer], tuple[bytes, bytes]]
) -> None:
    begin, block = attack(limited)
    with closing(socket.socket()) as opened:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 65536)
        opened.connect(("127.0.0.1", limited.port))
        opened.sendall(begin)
        assert flood(opened, block) < 1_500_000  # what the kernel buffers included
    assert is_served(limited)
    wait_until(lambda: not limited.server.limiter.open, "the connection is gone")


def test_a_flood_costs_no_memory(tmp_path: Path) -> None:
    """Twenty times endless headers, and twenty times endless pings."""
    process = Process(str(tmp_path / "tables.db"), limited=True)
    try:
        assert is_served(process)
        before = memory_mb(process.pid)
        table = "a" * 14
        upgrade = HANDSHAKE.format(table=table).encode()
        for begin, block in ((GET, b"a: b\r\n" * 1000), (upgrade, PING_FRAME * 1000)):
            for _ in range(20):
                with closing(open_socket(process, begin)) as opened:
                    flood(opened, block)
        assert is_served(process)
        assert memory_mb(process.pid) < before + 20
    finally:
        process.stop()
