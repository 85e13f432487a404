"""Pages of other sites can't act for their visitors, and no response can be abused there: origins,
headers, paths, and text that looks like HTML."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import closing

import httpx
import pytest
from websockets.sync.client import connect

from support.recording_client import (
    TIMEOUT_S,
    Json,
    RecordingClient,
    assert_nothing_left,
    captured_logs,
    close_code,
    state_of,
)
from support.server_fixtures import AGAINST_EASY, RunningServer


@pytest.fixture
def ada(shared_server: RunningServer) -> Iterator[RecordingClient]:
    with captured_logs() as written:
        with RecordingClient(shared_server, "Ada") as ada:
            yield ada
        assert_nothing_left(shared_server)
    assert not written.errors


# Origins.

CROSS_ORIGIN: dict[str, Json] = {
    "another site": {"Origin": "http://evil.example"},
    "another port": {"Origin": "http://127.0.0.1:1"},
    "a site whose name begins with ours": {"Origin": "http://127.0.0.1.evil.example"},
    "our name as a user name": {"Origin": "http://{host}@evil.example"},
    "a frame without an origin": {"Origin": "null"},
    "an empty origin": {"Origin": ""},
    "half a URL": {"Origin": "http://[::1"},
    "rubbish": {"Origin": "http://]["},
    "strange bytes": {"Origin": b"http://\xff\xfe"},
    "another site, according to the browser": {"Sec-Fetch-Site": "cross-site"},
    "a sister site, according to the browser": {"Sec-Fetch-Site": "same-site"},
    "both": {"Sec-Fetch-Site": "cross-site", "Origin": "http://{host}"},
}
SAME_ORIGIN: dict[str, Json] = {
    "not a browser": {},
    "the page": {"Origin": "http://{host}", "Sec-Fetch-Site": "same-origin"},
    "an older browser": {"Origin": "http://{host}"},
    "typed into the address bar": {"Sec-Fetch-Site": "none"},
}


def with_host(up: RunningServer, headers: Json) -> Json:
    host = f"127.0.0.1:{up.port}"
    return {
        name: value.replace("{host}", host) if isinstance(value, str) else value
        for name, value in headers.items()
    }


@pytest.mark.parametrize("origin", CROSS_ORIGIN)
def test_a_page_of_another_site_changes_nothing(ada: RecordingClient, origin: str) -> None:
    headers = with_host(ada.server, CROSS_ORIGIN[origin])
    table = ada.call("POST", "/api/tables", {"seats": AGAINST_EASY, "bot_delay_ms": 5000})["id"]
    before = state_of(ada.server, table)
    for method, path, body in (
        ("PUT", "/api/me", {"name": "Eve"}),
        ("DELETE", "/api/me", None),
        ("POST", "/api/tables", {"seats": AGAINST_EASY}),
        ("POST", f"/api/tables/{table}/start", None),
        ("PATCH", "/api/nothing", None),
    ):
        answer = ada.request(method, path, body, headers=headers)
        assert (answer.status_code, answer.json()["reason"]) == (403, "cross_origin"), path
        assert "set-cookie" not in answer.headers
    assert state_of(ada.server, table) is before
    assert ada.call("GET", "/api/me") == {"name": "Ada"}
    # A script of the other page can't see the response: no header allows it.
    answer = ada.request("GET", "/api/me", headers=headers)
    assert not [name for name in answer.headers if name.startswith("access-control")]


@pytest.mark.parametrize("origin", CROSS_ORIGIN)
def test_a_page_of_another_site_gets_no_websocket(ada: RecordingClient, origin: str) -> None:
    table = ada.call("POST", "/api/tables", {"seats": AGAINST_EASY})["id"]
    headers = with_host(ada.server, CROSS_ORIGIN[origin]) | {"Cookie": f"manhattan={ada.cookie}"}
    assert handshake(ada.server, f"/api/tables/{table}/socket", headers) == 403


@pytest.mark.parametrize("origin", SAME_ORIGIN)
def test_the_page_itself_is_accepted(ada: RecordingClient, origin: str) -> None:
    headers = with_host(ada.server, SAME_ORIGIN[origin])
    table = ada.request("POST", "/api/tables", {"seats": AGAINST_EASY}, headers=headers).json()[
        "id"
    ]
    with connect(ada.server.websocket(table), additional_headers=headers) as websocket:
        assert json.loads(websocket.recv())["type"] == "view"


def raw(up: RunningServer, request: bytes) -> tuple[int, dict[str, str], bytes]:
    """Send what no library would send, and return the response."""
    with closing(socket.create_connection(("127.0.0.1", up.port), TIMEOUT_S)) as wire:
        wire.sendall(request)
        head, body = b"", b""
        while b"\r\n\r\n" not in head:
            head += wire.recv(65536)
        head, _, body = head.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {
            name.lower(): value for name, _, value in (line.partition(": ") for line in lines)
        }
        while len(body) < int(headers.get("content-length", 0)):
            body += wire.recv(65536)
    return int(first.split()[1]), headers, body


def handshake(up: RunningServer, path: str, headers: Json) -> int:
    """Ask for a websocket, and return the status of the response."""
    lines = [f"GET {path} HTTP/1.1".encode(), f"Host: 127.0.0.1:{up.port}".encode()]
    lines += [b"Upgrade: websocket", b"Connection: Upgrade", b"Sec-WebSocket-Version: 13"]
    lines += [b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="]
    for name, value in headers.items():
        encoded = value if isinstance(value, bytes) else value.encode()
        lines.append(name.encode() + b": " + encoded)
    status, answer, body = raw(up, b"\r\n".join(lines) + b"\r\n\r\n")
    assert json.loads(body)["params"] == {"status": status}
    assert "set-cookie" not in answer
    return status


def test_websockets_exist_only_for_tables(ada: RecordingClient) -> None:
    for path in ("/", "/api/tables/socket", "/api/tables/../aaaaaaaaaaaaaa/socket", "/api/me"):
        assert handshake(ada.server, path, {}) == 403
    with connect(ada.server.websocket("a" * 14)) as websocket:  # the page shows why
        assert json.loads(websocket.recv())["reason"] == "no_such_table"
        assert close_code(websocket.recv) == 4404


# Headers.


def assert_safe(headers: Json | httpx.Headers) -> None:
    """Check the headers that keep a browser from misusing a response."""
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "same-origin"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    policy = dict(each.split(" ", 1) for each in headers["content-security-policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["base-uri"] == policy["frame-ancestors"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert policy["form-action"] == "'self'"
    loose = ("unsafe", "*", "http:", "https:", "blob:", "ws:")
    assert not [word for word in loose if word in headers["content-security-policy"]]
    assert "server" not in headers


def test_every_response_has_the_security_headers(ada: RecordingClient) -> None:
    table = ada.call("POST", "/api/tables", {"seats": AGAINST_EASY, "bot_delay_ms": 5000})["id"]
    path = f"/api/tables/{table}"
    for method, where, body, status in (
        ("GET", "/healthz", None, 200),
        ("GET", "/readyz", None, 200),
        ("GET", "/readyz", None, 200),
        ("GET", "/api/openapi.json", None, 200),
        ("GET", "/api/messages.schema.json", None, 200),
        ("GET", "/api/catalog", None, 200),
        ("GET", path, None, 200),
        ("HEAD", path, None, 405),
        ("OPTIONS", path, None, 405),
        ("GET", "/", None, 200),
        ("GET", "/api", None, 404),
        ("GET", "/api/", None, 404),
        ("GET", "/api/tables/", None, 404),
        ("GET", "/favicon.ico", None, 404),
        ("GET", "/api/tables/aaaaaaaaaaaaaa", None, 404),
        ("GET", "/api/tables/too-short", None, 404),
        ("GET", f"{path}/record", None, 409),
        ("POST", f"{path}/seat-transfers/claim", {"secret": "guessed guessed"}, 410),
        ("POST", f"{path}/seats/x", None, 422),
        ("POST", f"{path}/seats", "x" * 70_000, 413),
        ("PUT", path, None, 405),
        ("PUT", f"{path}/seats/1/bot", {"level": "strongest"}, 422),
        ("GET", f"{path}/socket", None, 404),
    ):
        answer = ada.request(method, where, body)
        assert answer.status_code == status, where
        assert_safe(answer.headers)
        if where.startswith("/api/"):
            assert answer.headers["cache-control"] == "no-store"
        if status >= 400 and method != "HEAD":
            assert set(answer.json()) == {"reason", "params", "text"}
            assert answer.headers["content-type"] == "application/json"


def test_scripts_and_other_sites_never_get_the_cookie(ada: RecordingClient) -> None:
    answer = ada.request("PUT", "/api/me", {"name": "Ada"})
    _, *attributes = answer.headers["set-cookie"].lower().split("; ")
    assert {"httponly", "samesite=lax", "path=/"} <= set(attributes)
    assert not [each for each in attributes if each.startswith("domain")]


# Paths.


@pytest.mark.parametrize(
    "path",
    [
        "/api/tables/../..",
        "/api/tables/../../etc/passwd",
        "/../../../../etc/passwd",
        "/api/tables/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
        "/api/tables/..%5c..%5c",
        "/api/tables/a%2fb",
        "/api/tables/%2fsocket",
        "/api/tables/%00",
        "/%00",
        "/api/tables/%ff%fe",
        "/api/tables/%0d%0aSet-Cookie:%20manhattan=x",
        "/api/tables/%c0%ae%c0%ae/",
        "/api//tables",
        "//evil.example/%2f..",
        "/api/tables/?stage=%00",
        "/api/tables?stage=playing&stage='--",
        "/api/tables/" + "a" * 5000,
        "/" + "a/" * 20_000,
        "/api/tables/aaaaaaaaaaaaaa?" + "x" * 20_000,
        "/api/tables/AAAAAAAAAAAAAA",
        "/api/tables/aaaaaaaaaaaaa\u0661".replace("\u0661", "%D9%A1"),
        "http://evil.example/api/me/..",
    ],
)
def test_a_strange_path_is_rejected(ada: RecordingClient, path: str) -> None:
    """It never leads to another file or another site, and never fails."""
    request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{ada.server.port}\r\n\r\n"
    status, headers, body = raw(ada.server, request.encode())
    assert status in (404, 422), (status, body)
    assert_safe(headers)
    assert "location" not in headers
    assert "set-cookie" not in headers
    assert set(json.loads(body)) == {"reason", "params", "text"}


@pytest.mark.parametrize("path", ["/" + "a" * 100_000, "*"], ids=["too long", "an asterisk"])
def test_an_impossible_path_is_rejected_by_the_parser(ada: RecordingClient, path: str) -> None:
    status, _, _ = raw(ada.server, f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    assert status == 400
    assert ada.call("GET", "/api/me") == {"name": "Ada"}


# Text that looks like HTML.

HTML = "<img src=x onerror=alert(1)>&amp;\"'"


def test_text_is_sent_unchanged_and_as_json(
    shared_server: RunningServer, ada: RecordingClient
) -> None:
    with RecordingClient(shared_server, HTML) as eve:
        assert eve.call("GET", "/api/me") == {"name": HTML}
        seats = [{"occupant": "me"}, {"occupant": "here", "name": HTML}]
        table = eve.call("POST", "/api/tables", {"seats": seats, "public": True})["id"]
        ada.watch(table)
        eve.watch(table)
        assert eve.execute("chat", text=HTML)["event"]["text"] == HTML
        answer = ada.request("GET", f"/api/tables/{table}")
        view = answer.json()
        assert answer.headers["content-type"] == "application/json"
        assert [seat["name"] for seat in view["table"]["seats"]] == [HTML, HTML]
        assert (view["table"]["host_name"], view["chat"][0]["text"]) == (HTML, HTML)
        [listed] = [one for one in ada.call("GET", "/api/tables")["tables"] if one["id"] == table]
        assert listed["host"] == HTML
        rejected = ada.request("POST", f"/api/tables/{table}/start")
        assert HTML in rejected.json()["text"]
        assert rejected.headers["content-type"] == "application/json"
        assert_safe(rejected.headers)
