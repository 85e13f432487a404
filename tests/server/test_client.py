"""``manhattan.client``: what the server does not do is told as that, at once, with its reason."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.client import HTTPConnection
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


class Proxy(BaseHTTPRequestHandler):
    """Something that stands before a server."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.pass_on(self.rfile.read(int(self.headers.get("Content-Length", 0))))

    def do_PUT(self) -> None:
        self.do_GET()

    def do_POST(self) -> None:
        self.do_GET()

    def do_DELETE(self) -> None:
        self.do_GET()

    def pass_on(self, body: bytes) -> None:
        """What this one does; each says it for itself."""
        raise NotImplementedError

    def answer(self, status: int, body: bytes, cookies: Iterable[str] = ()) -> None:
        self.send_response(status)
        for cookie in cookies:
            self.send_header("Set-Cookie", cookie)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def standing(proxy: type[Proxy]) -> Iterator[str]:
    """Where a proxy stands."""
    with HTTPServer(("127.0.0.1", 0), proxy) as server:
        thread = Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def answering(status: int, body: bytes) -> Iterator[Client]:
    """A proxy that answers for the server, as soon as somebody has said his name."""

    class Answering(Proxy):
        def pass_on(self, _: bytes) -> None:
            if self.command == "PUT":
                self.answer(200, b'{"name": "Ada"}')
            else:
                self.answer(status, body)

    with standing(Answering) as address:
        yield Client(address, "Ada", patience=1)


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


@pytest.mark.parametrize(
    ("status", "body", "text"),
    [
        (503, b'{"message": "no healthy upstream"}', "503 Service Unavailable, is not Manh"),
        (502, b"<h1>Bad Gateway</h1>", "502 Bad Gateway, is not Manhattan's"),
        (200, b"<h1>Welcome to our hotel</h1>", "200 OK, is not Manhattan's"),
        (200, b"[]", "200 OK, is not Manhattan's"),
        (200, b'{"pay": "first"}', "an answer without id, is not Manhattan's"),
    ],
)
def test_who_answers_for_a_server_that_is_away(status: int, body: bytes, text: str) -> None:
    with answering(status, body) as ada, pytest.raises(Away) as told:
        ada.open(chairs=AGAINST_EASY)
    assert text in str(told.value)


@pytest.mark.parametrize(
    ("status", "body"),
    [(403, b'{"message": "Forbidden"}'), (301, b""), (413, b"<h1>Too large</h1>"), (404, b"[]")],
)
def test_who_refuses_for_a_server(status: int, body: bytes) -> None:
    with answering(status, body) as ada, pytest.raises(Refused) as told:
        ada.open(chairs=AGAINST_EASY)
    assert (told.value.reason, told.value.figures) == ("http", {"status": status})
    assert f"does not do that: the server answers {status} " in str(told.value)


def test_a_proxy_s_cookies_are_kept_beside_one_s_own(shared: Running) -> None:
    """As proxies have them that send a visitor to the same server every time."""
    shown: list[str] = []
    sets = [["SERVERID=s1; path=/"], ["other=a=b", "SERVERID=s2; Max-Age=60"]]
    sets += [["other=; Max-Age=0", "SERVERID=x; Expires=Thu, 01 Jan 1970 00:00:00 GMT"]]
    sets += [["odd=1; Max-Age=soon; Expires=soon"]]

    class Sticky(Proxy):
        def pass_on(self, body: bytes) -> None:
            cookie = self.headers.get("Cookie", "")
            shown.append(cookie)
            behind = HTTPConnection("127.0.0.1", shared.port)
            headers = {"Content-Type": "application/json", "Cookie": cookie}
            behind.request(self.command, self.path, body or None, headers)
            answer = behind.getresponse()
            own = answer.headers.get_all("Set-Cookie", [])
            self.answer(answer.status, answer.read(), [*sets.pop(0), *own])
            behind.close()

    with standing(Sticky) as address:
        ada = Client(address.removeprefix("http://"), "Ada", patience=5)
        own = ada.cookie.rpartition("; ")[2]
        assert own.startswith("manhattan=")
        table = ada.open(chairs=AGAINST_EASY)
        with pytest.raises(Refused, match="You sit at this table already"):
            ada.sit(table)  # what comes with a refusal counts, too
        assert ada.call("DELETE", "/api/me") == {"name": None}
    assert shown == ["", f"SERVERID=s1; {own}", f"{own}; other=a=b; SERVERID=s2", own]
    assert ada.cookie == "odd=1"
