"""Another site's page can't act for its visitor here, and what comes from here can't be abused
there: origins, headers, paths, and text that looks like HTML."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import closing

import httpx
import pytest
from websockets.sync.client import connect

from serving import AGAINST_EASY, Running
from witness import PATIENCE, Json, Witness, closed, logs, nothing_is_left, sitting_at


@pytest.fixture
def ada(shared: Running) -> Iterator[Witness]:
    with logs() as written:
        with Witness(shared, "Ada") as ada:
            yield ada
        nothing_is_left(shared)
    assert not written.troubles


# Origins.

FOREIGN: dict[str, Json] = {
    "another site": {"Origin": "http://evil.example"},
    "another port": {"Origin": "http://127.0.0.1:1"},
    "a site whose name begins alike": {"Origin": "http://127.0.0.1.evil.example"},
    "our name as a user's": {"Origin": "http://{host}@evil.example"},
    "a frame without an origin": {"Origin": "null"},
    "an empty origin": {"Origin": ""},
    "half an address": {"Origin": "http://[::1"},
    "rubbish": {"Origin": "http://]["},
    "strange bytes": {"Origin": b"http://\xff\xfe"},
    "another site, says the browser": {"Sec-Fetch-Site": "cross-site"},
    "a sister site, says the browser": {"Sec-Fetch-Site": "same-site"},
    "both": {"Sec-Fetch-Site": "cross-site", "Origin": "http://{host}"},
}
OUR_OWN: dict[str, Json] = {
    "no browser": {},
    "our page": {"Origin": "http://{host}", "Sec-Fetch-Site": "same-origin"},
    "an older browser": {"Origin": "http://{host}"},
    "typed by hand": {"Sec-Fetch-Site": "none"},
}


def headers_of(up: Running, headers: Json) -> Json:
    host = f"127.0.0.1:{up.port}"
    return {
        name: value.replace("{host}", host) if isinstance(value, str) else value
        for name, value in headers.items()
    }


@pytest.mark.parametrize("origin", FOREIGN)
def test_another_sites_page_changes_nothing(ada: Witness, origin: str) -> None:
    headers = headers_of(ada.up, FOREIGN[origin])
    table = ada.ask("POST", "/api/tables", {"chairs": AGAINST_EASY, "pace": 5000})["id"]
    before = sitting_at(ada.up, table)
    for method, path, body in (
        ("PUT", "/api/me", {"name": "Eve"}),
        ("DELETE", "/api/me", None),
        ("POST", "/api/tables", {"chairs": AGAINST_EASY}),
        ("POST", f"/api/tables/{table}/begin", None),
        ("PATCH", "/api/nothing", None),
    ):
        answer = ada.asked(method, path, body, headers=headers)
        assert (answer.status_code, answer.json()["reason"]) == (403, "foreign_origin"), path
        assert "set-cookie" not in answer.headers
    assert sitting_at(ada.up, table) is before
    assert ada.ask("GET", "/api/me") == {"name": "Ada"}
    # What it reads it can't see: nothing here says that it may.
    told = ada.asked("GET", "/api/me", headers=headers)
    assert not [name for name in told.headers if name.startswith("access-control")]


@pytest.mark.parametrize("origin", FOREIGN)
def test_another_sites_page_gets_no_websocket(ada: Witness, origin: str) -> None:
    table = ada.ask("POST", "/api/tables", {"chairs": AGAINST_EASY})["id"]
    headers = headers_of(ada.up, FOREIGN[origin]) | {"Cookie": f"manhattan={ada.cookie}"}
    assert handshake(ada.up, f"/api/tables/{table}/socket", headers) == 403


@pytest.mark.parametrize("origin", OUR_OWN)
def test_our_own_page_may(ada: Witness, origin: str) -> None:
    headers = headers_of(ada.up, OUR_OWN[origin])
    table = ada.asked("POST", "/api/tables", {"chairs": AGAINST_EASY}, headers=headers).json()["id"]
    with connect(ada.up.websocket(table), additional_headers=headers) as websocket:
        assert json.loads(websocket.recv())["type"] == "view"


def raw(up: Running, request: bytes) -> tuple[int, dict[str, str], bytes]:
    """An answer to something that no library would send."""
    with closing(socket.create_connection(("127.0.0.1", up.port), PATIENCE)) as wire:
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


def handshake(up: Running, path: str, headers: Json) -> int:
    """Ask for a websocket, as only a browser would."""
    lines = [f"GET {path} HTTP/1.1".encode(), f"Host: 127.0.0.1:{up.port}".encode()]
    lines += [b"Upgrade: websocket", b"Connection: Upgrade", b"Sec-WebSocket-Version: 13"]
    lines += [b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="]
    for name, value in headers.items():
        said = value if isinstance(value, bytes) else value.encode()
        lines.append(name.encode() + b": " + said)
    status, told, body = raw(up, b"\r\n".join(lines) + b"\r\n\r\n")
    assert not body
    assert "set-cookie" not in told
    return status


def test_a_websocket_leads_to_a_table_or_nowhere(ada: Witness) -> None:
    for path in ("/", "/api/tables/socket", "/api/tables/../aaaaaaaaaaaaaa/socket", "/api/me"):
        assert handshake(ada.up, path, {}) == 403
    with connect(ada.up.websocket("a" * 14)) as websocket:  # a page wants to know why
        assert json.loads(websocket.recv())["reason"] == "no_such_table"
        assert closed(websocket.recv) == 4404


# Headers.


def assert_safe(headers: Json | httpx.Headers) -> None:
    """What keeps a browser from doing anything clever with an answer."""
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


def test_every_answer_is_safe(ada: Witness) -> None:
    table = ada.ask("POST", "/api/tables", {"chairs": AGAINST_EASY, "pace": 5000})["id"]
    path = f"/api/tables/{table}"
    for method, where, body, status in (
        ("GET", "/healthz", None, 200),
        ("GET", "/readyz", None, 200),
        ("GET", "/metrics", None, 200),
        ("GET", "/api/openapi.json", None, 200),
        ("GET", "/api/messages.schema.json", None, 200),
        ("GET", "/api/box", None, 200),
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
        ("POST", f"{path}/claim", {"secret": "guessed guessed"}, 410),
        ("POST", f"{path}/sit", {"chair": "x"}, 422),
        ("POST", f"{path}/sit", "x" * 70_000, 413),
        ("PUT", path, None, 405),
        ("GET", f"{path}/socket", None, 404),
    ):
        answer = ada.asked(method, where, body)
        assert answer.status_code == status, where
        assert_safe(answer.headers)
        if where.startswith("/api/"):
            assert answer.headers["cache-control"] == "no-store"
        if status >= 400 and method != "HEAD":
            assert set(answer.json()) == {"reason", "figures", "text"}
            assert answer.headers["content-type"] == "application/json"


def test_the_cookie_is_for_the_server_alone(ada: Witness) -> None:
    answer = ada.asked("PUT", "/api/me", {"name": "Ada"})
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
        "*",
    ],
)
def test_a_path_leads_nowhere_else(ada: Witness, path: str) -> None:
    """Found, not found or not understood: never another file, another site, or an accident."""
    request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{ada.up.port}\r\n\r\n"
    status, headers, body = raw(ada.up, request.encode())
    assert status in (404, 422), (status, body)
    assert_safe(headers)
    assert "location" not in headers
    assert "set-cookie" not in headers
    assert set(json.loads(body)) == {"reason", "figures", "text"}


def test_a_path_too_long_for_anybody_is_refused(ada: Witness) -> None:
    """By what reads the wire, before it gets here."""
    status, _, _ = raw(ada.up, b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n")
    assert status == 400
    assert ada.ask("GET", "/api/me") == {"name": "Ada"}


# Text that looks like HTML.

HTML = "<img src=x onerror=alert(1)>&amp;\"'"


def test_text_arrives_as_it_is_and_as_nothing_but_text(shared: Running, ada: Witness) -> None:
    with Witness(shared, HTML) as eve:
        assert eve.ask("GET", "/api/me") == {"name": HTML}
        chairs = [{"who": "me"}, {"who": "here", "name": HTML}]
        table = eve.ask("POST", "/api/tables", {"chairs": chairs, "public": True})["id"]
        ada.look(table)
        eve.look(table)
        assert eve.do("say", text=HTML)["what"]["text"] == HTML
        answer = ada.asked("GET", f"/api/tables/{table}")
        told = answer.json()
        assert answer.headers["content-type"] == "application/json"
        assert [chair["name"] for chair in told["table"]["chairs"]] == [HTML, HTML]
        assert (told["table"]["host_name"], told["talk"][0]["text"]) == (HTML, HTML)
        [listed] = [one for one in ada.ask("GET", "/api/tables")["tables"] if one["id"] == table]
        assert listed["host"] == HTML
        refused = ada.asked("POST", f"/api/tables/{table}/begin")
        assert HTML in refused.json()["text"]
        assert refused.headers["content-type"] == "application/json"
        assert_safe(refused.headers)
