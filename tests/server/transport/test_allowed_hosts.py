"""The Host header: a page that lets its own name point to this server gets nothing from it."""

from __future__ import annotations

import socket
from contextlib import closing
from pathlib import Path

import pytest

from manhattan.server.transport.allowed_hosts import AllowedHosts
from support.server_fixtures import RunningServer, running_server

LOCAL = [
    *("localhost", "localhost:8000", "LOCALHOST:8000", "127.0.0.1:8000", "192.168.1.5", "[::1]:80"),
    *("[fe80::1]", "8.8.8.8:8000", "raspberry", "raspberry.local:8000", "game.home.arpa", "x.lan."),
    *("a.localhost", socket.gethostname(), f"{socket.gethostname()}:80"),
]
FOREIGN = [
    *("evil.example", "evil.example:8000", "localhost.evil.example", "127.0.0.1.evil.example"),
    *("evillocal.example", "a b", "evil.example:port", "", "evil.example/", "user@127.0.0.1"),
    *("127.0.0.1:8000, evil.example", "1.2.3.4.5", "example.org", "play.example.org"),
]


@pytest.mark.parametrize("host", LOCAL)
def test_addresses_and_local_names_are_allowed(host: str) -> None:
    assert AllowedHosts().allows(host)


@pytest.mark.parametrize("host", FOREIGN)
def test_other_names_are_not_allowed(host: str) -> None:
    assert not AllowedHosts().allows(host)


def test_the_operator_allows_more_names() -> None:
    hosts = AllowedHosts(["Example.org", "*.example.net"])
    for host in (
        "example.org",
        "EXAMPLE.ORG:443",
        "example.org.",
        "a.example.net",
        "a.b.example.net",
    ):
        assert hosts.allows(host), host
    for host in ("www.example.org", "example.net", "evilexample.net", "example.org.evil.example"):
        assert not hosts.allows(host), host
    assert AllowedHosts(["*"]).allows("evil.example")


def ask(server: RunningServer, head: str) -> str:
    """Return the response to a request."""
    with closing(socket.create_connection(("127.0.0.1", server.port), timeout=20)) as opened:
        opened.sendall(f"{head}\r\nConnection: close\r\n\r\n".encode())
        received = b""
        while data := opened.recv(65536):
            received += data
    return received.decode(errors="replace")


UPGRADE = "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAA"


def test_dns_rebinding_gets_nothing(shared_server: RunningServer) -> None:
    ada = shared_server.client("Ada")
    table = ada.open_table(seats=[{"occupant": "me"}, {"occupant": "open"}])
    paths = ("/", "/api/me", "/healthz", "/metrics", f"/api/tables/{table}")
    for path in paths:
        answer = ask(
            shared_server, f"GET {path} HTTP/1.1\r\nHost: evil.example\r\nCookie: {ada.cookie}"
        )
        assert answer.startswith("HTTP/1.1 421"), path
        assert "--allowed-host" in answer
        assert "Ada" not in answer
    browser = "GET / HTTP/1.1\r\nHost: evil.example\r\nAccept: text/html,*/*;q=0.8"
    assert (
        "\r\n\r\nThis server has another name. Its operator can allow this one: behind a proxy"
        in ask(shared_server, browser)
    )  # a sentence to read
    socket_path = f"GET /api/tables/{table}/socket HTTP/1.1\r\nHost: evil.example\r\n{UPGRADE}"
    assert ask(shared_server, socket_path).startswith("HTTP/1.1 421")
    two = "GET /api/me HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example"
    assert not ask(shared_server, two).startswith("HTTP/1.1 200")
    for host in ("localhost", f"127.0.0.1:{shared_server.port}"):
        assert ask(shared_server, f"GET /api/me HTTP/1.1\r\nHost: {host}").startswith(
            "HTTP/1.1 200"
        )
    assert ask(shared_server, "GET /healthz HTTP/1.0").startswith("HTTP/1.0 200")  # a monitor


@pytest.mark.parametrize(
    ("allowed", "statuses"), [((), (200, 200)), (("example.org",), (200, 421))]
)
def test_behind_a_proxy_names_are_checked_if_they_are_set(
    tmp_path: Path, allowed: tuple[str, ...], statuses: tuple[int, int]
) -> None:
    settings = {"trusted_proxy": "127.0.0.1", "allowed_host": allowed}
    with running_server(str(tmp_path / "tables.db"), **settings) as server:
        for host, status in zip(("example.org", "evil.example"), statuses, strict=True):
            answer = ask(server, f"GET /api/me HTTP/1.1\r\nHost: {host}")
            assert answer.startswith(f"HTTP/1.1 {status}"), host
