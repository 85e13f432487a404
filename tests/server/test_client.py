"""``manhattan.client``: what the server does not do is told as that, at once, with its reason."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from manhattan.client import Away, Client, Refused, Seat
from serving import AGAINST_EASY, NO_LIMITS, Running, running

QUICKLY = 2.0

ways = pytest.mark.parametrize(
    "begin",
    [lambda seat: next(seat.turns()), lambda seat: next(seat.news()), lambda seat: seat.say("Hi")],
    ids=["turns", "news", "ask"],
)


def refused(begin: Callable[[Seat], object], seat: Seat) -> Refused:
    begun = time.monotonic()
    with seat, pytest.raises(Refused) as told:
        begin(seat)
    assert time.monotonic() - begun < QUICKLY
    return told.value


@ways
@pytest.mark.parametrize("name", ["z" * 14, "nonsense", "Not a Table?", "ünknown", "#"])
def test_a_table_that_is_not_there(
    shared: Running, begin: Callable[[Seat], object], name: str
) -> None:
    told = refused(begin, shared.client("Ada").at(name))
    assert (told.reason, told.figures) == ("no_such_table", {"table": name})
    assert str(told) == f"There is no table {name}. Look at its link again."


@ways
@pytest.mark.parametrize("name", ["a/b", "", "x" * 500])
def test_what_can_be_no_table(shared: Running, begin: Callable[[Seat], object], name: str) -> None:
    """The server does not even open a websocket."""
    told = refused(begin, shared.client("Ada").at(name))
    assert (told.reason, told.figures) == ("http", {"status": 403})


@ways
def test_too_many_connections(tmp_path: Path, begin: Callable[[Seat], object]) -> None:
    limits = replace(NO_LIMITS, sockets_of_person=1)
    with running(str(tmp_path / "tables.db"), limits=limits) as up:
        ada = up.client("Ada")
        table = ada.open(chairs=AGAINST_EASY, begin=True)
        with ada.at(table) as one:
            next(one.news())
            assert refused(begin, ada.at(table)).reason == "too_many"
            slow = ada.at(table)
            slow._connected()
            time.sleep(0.2)  # it is closed before he begins
            assert refused(begin, slow).reason == "too_many"


@contextmanager
def answering(status: int, body: bytes) -> Iterator[Client]:
    """Something that stands before the server, and answers for it."""

    class Proxy(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_PUT(self) -> None:
            self._answer(200, b'{"name": "Ada"}')

        def do_GET(self) -> None:
            self._answer(status, body)

        def _answer(self, status: int, body: bytes) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Proxy) as server:
        thread = Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield Client(f"http://127.0.0.1:{server.server_port}", "Ada", patience=1)
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize(
    ("status", "body", "reason", "text"),
    [
        (403, b"<h1>No</h1>", "http", "the server answers 403 Forbidden."),
        (404, b"[]", "http", "the server answers 404 Not Found."),
        (
            429,
            b'{"reason":"too_often","figures":{"seconds":3},"text":"Wait."}',
            "too_often",
            "Wait",
        ),
    ],
)
def test_a_websocket_that_never_opens(status: int, body: bytes, reason: str, text: str) -> None:
    with answering(status, body) as ada:
        told = refused(lambda seat: next(seat.news()), ada.at("z" * 14))
    assert told.reason == reason
    assert text in str(told)


def test_a_proxy_whose_server_is_away_is_asked_again() -> None:
    with answering(502, b"") as ada, ada.at("z" * 14) as seat, pytest.raises(Away):
        next(seat.news())
