"""``manhattan.client``: rejections and unavailable servers are reported at once, with reasons."""

from __future__ import annotations

import ssl
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from manhattan.client import Client, RequestRejected, ServerUnavailable, TableConnection
from manhattan.server.transport.ratelimit import NO_LIMITS
from support.server_fixtures import AGAINST_EASY, RunningServer, running_server

QUICKLY = 2.0

Use = Callable[[TableConnection], object]
every_use = pytest.mark.parametrize(
    "use",
    [
        lambda table: next(table.turns()),
        lambda table: next(table.messages()),
        lambda table: table.chat("Hi"),
    ],
    ids=["turns", "messages", "send"],
)


def check_rejected(use: Use, table: TableConnection) -> RequestRejected:
    started = time.monotonic()
    with table, pytest.raises(RequestRejected) as rejection:
        use(table)
    assert time.monotonic() - started < QUICKLY
    return rejection.value


@every_use
@pytest.mark.parametrize("name", ["z" * 14, "nonsense", "Not a Table?", "ünknown", "#", "a/b"])
def test_a_missing_table_is_reported(shared_server: RunningServer, use: Use, name: str) -> None:
    rejection = check_rejected(use, shared_server.client("Ada").connect(name))
    assert (rejection.reason, rejection.params) == ("no_such_table", {"table": name})
    assert str(rejection) == f"There is no table {name}. Check its link."


@every_use
@pytest.mark.parametrize("name", ["", "x" * 500])
def test_an_impossible_table_has_no_websocket(
    shared_server: RunningServer, use: Use, name: str
) -> None:
    rejection = check_rejected(use, shared_server.client("Ada").connect(name))
    assert (rejection.reason, rejection.params) == ("http", {"status": 403})


@every_use
def test_too_many_connections_are_reported(tmp_path: Path, use: Use) -> None:
    limits = replace(NO_LIMITS, sockets_per_person=1)
    with running_server(str(tmp_path / "tables.db"), limits=limits) as server:
        ada = server.client("Ada")
        table = ada.open_table(seats=AGAINST_EASY, start=True)
        with ada.connect(table) as first:
            next(first.messages())
            assert check_rejected(use, ada.connect(table)).reason == "too_many"
            slow = ada.connect(table)
            slow._connected()
            time.sleep(0.2)  # the server closes the connection before it is used
            assert check_rejected(use, slow).reason == "too_many"


def test_a_message_after_a_missed_close_is_received(shared_server: RunningServer) -> None:
    """A lost connection is made again, and the missed updates are fetched."""
    ada = shared_server.client("Ada")
    table = ada.open_table(
        seats=[{"occupant": "me"}, {"occupant": "here", "name": "Bea"}], start=True
    )
    with ada.connect(table) as one, ada.connect(table) as two:
        next(two.messages())
        turn = next(one.turns())
        assert two._socket is not None
        two._socket.close()
        update = one.play(turn.moves[0])
        received = [next(two.messages())["type"], next(two.messages())]
        assert received[0] == "resumed"
        assert received[1]["event"] == update["event"]
        assert (two.position, two.private) == (one.position, one.private)


# Proxies before a server.


class Proxy(BaseHTTPRequestHandler):
    """Something that stands before a server."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.handle_body(self.rfile.read(int(self.headers.get("Content-Length", 0))))

    def do_PUT(self) -> None:
        self.do_GET()

    def do_POST(self) -> None:
        self.do_GET()

    def do_DELETE(self) -> None:
        self.do_GET()

    def handle_body(self, body: bytes) -> None:
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
def run_proxy(proxy: type[Proxy]) -> Iterator[str]:
    """Run a proxy, and yield its address."""
    with HTTPServer(("127.0.0.1", 0), proxy) as server:
        thread = Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def client_behind(status: int, body: bytes) -> Iterator[Client]:
    """A client whose proxy answers for the server after the registration."""

    class AnsweringProxy(Proxy):
        def handle_body(self, _: bytes) -> None:
            if self.command == "PUT":
                self.answer(200, b'{"name": "Ada"}')
            else:
                self.answer(status, body)

    with run_proxy(AnsweringProxy) as address:
        yield Client(address, "Ada", timeout=1)


@pytest.mark.parametrize(
    ("status", "body", "reason", "text"),
    [
        (403, b"<h1>No</h1>", "http", "the server answers 403 Forbidden."),
        (404, b"[]", "http", "the server answers 404 Not Found."),
        (
            429,
            b'{"reason":"too_often","params":{"seconds":3},"text":"Wait."}',
            "too_often",
            "Wait",
        ),
    ],
)
def test_a_websocket_that_never_opens_is_reported(
    status: int, body: bytes, reason: str, text: str
) -> None:
    with client_behind(status, body) as ada:
        rejection = check_rejected(lambda table: next(table.messages()), ada.connect("z" * 14))
    assert rejection.reason == reason
    assert text in str(rejection)


def test_a_proxy_without_its_server_is_tried_again_until_the_timeout() -> None:
    unavailable = pytest.raises(ServerUnavailable)
    with client_behind(502, b"") as ada, ada.connect("z" * 14) as table, unavailable:
        next(table.messages())


def test_a_certificate_of_your_own_is_explained(tmp_path: Path) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost"]
    command += ["-keyout", str(key), "-out", str(certificate)]
    subprocess.run(command, check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server = HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        with pytest.raises(ServerUnavailable, match="in the variable SSL_CERT_FILE"):
            Client(f"https://localhost:{server.server_port}", "Ada", timeout=5)
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize(
    ("status", "body", "text"),
    [
        (503, b'{"message": "no healthy upstream"}', "503 Service Unavailable, is not Manh"),
        (502, b"<h1>Bad Gateway</h1>", "502 Bad Gateway, is not Manhattan's"),
        (200, b"<h1>Welcome to our hotel</h1>", "200 OK, is not Manhattan's"),
        (200, b"[]", "200 OK, is not Manhattan's"),
        (200, b'{"pay": "first"}', "a response without id, is not Manhattan's"),
    ],
)
def test_answers_of_other_servers_are_recognized(status: int, body: bytes, text: str) -> None:
    with client_behind(status, body) as ada, pytest.raises(ServerUnavailable) as error:
        ada.open_table(seats=AGAINST_EASY)
    assert text in str(error.value)


@pytest.mark.parametrize(
    ("status", "body"),
    [(403, b'{"message": "Forbidden"}'), (301, b""), (413, b"<h1>Too large</h1>"), (404, b"[]")],
)
def test_rejections_of_a_proxy_are_reported(status: int, body: bytes) -> None:
    with client_behind(status, body) as ada, pytest.raises(RequestRejected) as rejection:
        ada.open_table(seats=AGAINST_EASY)
    assert (rejection.value.reason, rejection.value.params) == ("http", {"status": status})
    assert f"doesn't do that: the server answers {status} " in str(rejection.value)


def test_the_cookies_of_a_proxy_are_kept_beside_the_servers(shared_server: RunningServer) -> None:
    """As proxies set them that send a client to the same server every time."""
    received: list[str] = []
    proxy_cookies = [["SERVERID=s1; path=/"], ["other=a=b", "SERVERID=s2; Max-Age=60"]]
    proxy_cookies += [["other=; Max-Age=0", "SERVERID=x; Expires=Thu, 01 Jan 1970 00:00:00 GMT"]]
    proxy_cookies += [["odd=1; Max-Age=soon; Expires=soon"]]

    class StickyProxy(Proxy):
        def handle_body(self, body: bytes) -> None:
            cookie = self.headers.get("Cookie", "")
            received.append(cookie)
            upstream = HTTPConnection("127.0.0.1", shared_server.port)
            headers = {"Content-Type": "application/json", "Cookie": cookie}
            upstream.request(self.command, self.path, body or None, headers)
            answer = upstream.getresponse()
            cookies = answer.headers.get_all("Set-Cookie", [])
            self.answer(answer.status, answer.read(), [*proxy_cookies.pop(0), *cookies])
            upstream.close()

    with run_proxy(StickyProxy) as address:
        ada = Client(address.removeprefix("http://"), "Ada", timeout=5)
        own = ada.cookie.rpartition("; ")[2]
        assert own.startswith("manhattan=")
        table = ada.open_table(seats=AGAINST_EASY)
        with pytest.raises(RequestRejected, match="You already have a seat"):
            ada.take_seat(table)  # the cookies of a rejection count, too
        assert ada.request("DELETE", "/api/me") == {"name": None}
    assert received == ["", f"SERVERID=s1; {own}", f"{own}; other=a=b; SERVERID=s2", own]
    assert ada.cookie == "odd=1"
