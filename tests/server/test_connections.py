"""Who connects and says nothing is not waited for without end, and keeps nobody out."""

from __future__ import annotations

import resource
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from databases import busy, wait_until
from manhattan.server import connections
from manhattan.server import running as starting
from manhattan.server.connections import open_more_files
from serving import AGAINST_EASY, NO_LIMITS, Running, running
from witness import PATIENCE, Witness, logs, nothing_is_left

SOON = 0.5
LINE = b"GET /api/me HTTP/1.1\r\nHost: here\r\n"
BODY = b"PUT /api/me HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\n"
HALVES = {
    "nothing": b"",
    "half a header": LINE,
    "half a body": BODY + b'Content-Length: 14\r\n\r\n{"name"',
    "half a body in parts": BODY + b'Transfer-Encoding: chunked\r\n\r\n7\r\n{"name"\r\n',
    "a body that is refused": BODY + b"Content-Length: 999999\r\n\r\n{",
    "half of a second request": LINE + b"\r\n" + LINE,
}


@pytest.fixture
def up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Running]:
    """A server that waits for a moment."""
    monkeypatch.setattr(connections, "WHOLE_REQUEST", SOON)
    monkeypatch.setattr(connections, "TAKE_ANSWER", SOON)
    with logs() as written, running(str(tmp_path / "tables.db")) as up:
        yield up
        nothing_is_left(up)
    assert not written.troubles


def wire_to(up: Running, said: bytes = b"") -> socket.socket:
    wire = socket.create_connection(("127.0.0.1", up.port), timeout=PATIENCE)
    wire.sendall(said)
    return wire


def heard(wire: socket.socket) -> bytes:
    """All that comes until the server closes the connection."""
    said = b""
    with suppress(ConnectionResetError):
        while more := wire.recv(65536):
            said += more
    return said


def test_half_a_request_is_not_waited_for(up: Running) -> None:
    """Nor who says a little now and then."""
    with ExitStack() as stack:
        wires = {what: stack.enter_context(wire_to(up, said)) for what, said in HALVES.items()}
        slow = stack.enter_context(wire_to(up, LINE))
        wait_until(lambda: served(up), "others are served meanwhile")
        begun = time.monotonic()
        with suppress(OSError):
            while time.monotonic() - begun < PATIENCE:
                slow.sendall(b"x: y\r\n")
                time.sleep(SOON / 10)
        assert time.monotonic() - begun < PATIENCE
        answers = {what: heard(wire)[:12] for what, wire in wires.items()}
    assert {what: said for what, said in answers.items() if said} == {
        "a body that is refused": b"HTTP/1.1 413",
        "half of a second request": b"HTTP/1.1 200",
    }
    wait_until(lambda: not up._uvicorn.server_state.connections, "all are gone")


def test_an_answer_takes_as_long_as_it_takes(up: Running, tmp_path: Path) -> None:
    """Whoever has asked whole is not sent away while others write, or a bot thinks; and who looks
    on may be silent."""
    body = b'{"name":"Bob"}'
    said = BODY + b"Content-Length: %d\r\n\r\n" % len(body) + body
    with ExitStack() as stack:
        ada = stack.enter_context(Witness(up, "Ada"))
        table = ada.ask("POST", "/api/tables", {"chairs": AGAINST_EASY})["id"]
        ada.look(table)
        with busy(str(tmp_path / "tables.db")):
            wire = stack.enter_context(wire_to(up, said))
            time.sleep(1.3 * SOON)
        assert heard(wire).startswith(b"HTTP/1.1 200")
        assert ada.do("say", text="I am still here.")["type"] == "news"


def test_who_does_not_take_his_answer_is_not_waited_for(up: Running) -> None:
    [door] = up._uvicorn.servers[0].sockets
    door.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)  # or the system keeps megabytes
    for many, last in ((1, b"Connection: close\r\n"), (20, b"")):
        with closing(socket.socket()) as wire:
            wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            wire.connect(("127.0.0.1", up.port))
            wire.sendall(
                (b"GET /api/openapi.json HTTP/1.1\r\nHost: here\r\n" + last + b"\r\n") * many
            )
            wait_until(lambda: up._uvicorn.server_state.connections, "he is there")
            wait_until(lambda: not up._uvicorn.server_state.connections, "he is gone")


def test_nobody_has_any_number_of_connections(tmp_path: Path) -> None:
    """Websockets have a limit of their own."""
    limits = replace(NO_LIMITS, connections_of_address=3)
    with running(str(tmp_path / "tables.db"), limits=limits) as up, ExitStack() as stack:
        ada = stack.enter_context(Witness(up, "Ada"))
        table = ada.ask("POST", "/api/tables", {"chairs": AGAINST_EASY})["id"]
        for _ in range(4):
            stack.enter_context(Witness(up, cookie=ada.cookie)).look(table)
        first, *_ = [stack.enter_context(wire_to(up, LINE)) for _ in range(2)]  # and Ada's
        assert heard(stack.enter_context(wire_to(up))) == b""
        first.close()
        wait_until(lambda: served(up), "there is room again")
    assert not up._uvicorn.config.http.door._of  # type: ignore[union-attr]


def test_there_is_always_room_for_other_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many addresses one has, the database and the page's files can be opened."""
    monkeypatch.setattr(starting, "open_more_files", lambda: 2)
    with running(str(tmp_path / "tables.db")) as up, ExitStack() as stack:
        first, _ = [stack.enter_context(wire_to(up, LINE)) for _ in range(2)]
        assert heard(stack.enter_context(wire_to(up))) == b""
        first.close()
        wait_until(lambda: served(up), "there is room again")


def served(up: Running) -> bool:
    with suppress(OSError), closing(wire_to(up, LINE + b"Connection: close\r\n\r\n")) as wire:
        return heard(wire).startswith(b"HTTP/1.1 200")
    return False


def test_a_server_opens_as_many_files_as_it_may() -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    few = min(before[1], 500) if before[1] != resource.RLIM_INFINITY else 500
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (few, before[1]))
        most = open_more_files()
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (before[1], before[1])
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    assert most is None if before[1] == resource.RLIM_INFINITY else most == before[1] - 100
