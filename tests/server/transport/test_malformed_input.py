"""Malformed commands and requests are rejected with a reason, and change nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from websockets.sync.client import connect

from manhattan.game import Game
from manhattan.record import to_json, to_line
from manhattan.server.protocol.commands import MAX_COMMAND_LENGTH
from manhattan.server.transport.ratelimit import MAX_BODY_BYTES
from support.recording_client import (
    TIMEOUT_S,
    Json,
    RecordingClient,
    assert_nothing_left,
    captured_logs,
    close_code,
    state_of,
)
from support.server_fixtures import RunningServer
from support.table_builder import ME, OPEN

HUGE = 10**30
"""More than 64 bits hold."""
TYPES = ["play", "undo", "answer_undo", "resume", "chat", "why", "ping", "nothing"]


@pytest.fixture(scope="module")
def ada(shared_server: RunningServer) -> Iterator[RecordingClient]:
    """Ada, whose turn it is at a table with Bob."""
    with captured_logs() as written:
        with (
            RecordingClient(shared_server, "Ada") as ada,
            RecordingClient(shared_server, "Bob") as bob,
        ):
            seats = [{"occupant": "me"}, {"occupant": "open"}]
            table = ada.call("POST", "/api/tables", {"seats": seats, "first": 0})["id"]
            bob.call("POST", f"/api/tables/{table}/seats")
            ada.call("POST", f"/api/tables/{table}/start")
            ada.watch(table)
            ada.catch_up()
            yield ada
        assert_nothing_left(shared_server)
    assert not written.errors


# The websocket.


def replies_to(ada: RecordingClient, text: str | bytes) -> list[Json]:
    """Send something and return the replies; the connection stays open."""
    ada.send_raw(text)
    id = ada.send_command("ping")
    replies: list[Json] = []
    while not replies or replies[-1].get("reply_to") != id:
        replies.append(ada.receive())
    return replies[:-1]


def assert_rejected(replies: list[Json]) -> None:
    [error] = replies
    assert error["type"] == "error"
    assert error["text"]


def sendable(length: int) -> st.SearchStrategy[str]:
    """Texts that UTF-8 can encode."""
    return st.text(st.characters(exclude_categories=["Cs"]), max_size=length)


@settings(max_examples=80)
@given(sendable(200) | st.binary(max_size=200))
@example("")
@example("null")
@example("[]")
@example('{"type":"play"}')
@example('{"type":"ping","id":"\\ud800"}')
@example('{"type":"ping","id":"a","id":"b","extra":1}')
@example('{"type":"answer_undo","id":"1","accept":1}')
@example('{"type":"play","id":"1","ply":0.0,"move":"-1"}')
@example("[" * MAX_COMMAND_LENGTH)
@example('{"a":' * 700)
@example("1" * MAX_COMMAND_LENGTH)
@example("NaN")
@example("\ufeff{}")
def test_any_json_but_a_command_is_rejected(ada: RecordingClient, text: str | bytes) -> None:
    before = state_of(ada.server, ada.table)
    assert_rejected(replies_to(ada, text))
    assert state_of(ada.server, ada.table) is before


numbers = st.integers() | st.sampled_from([HUGE, -HUGE, 2**63, -(2**63) - 1, 2**64])
any_json = st.recursive(
    st.none() | st.booleans() | numbers | st.floats() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=8,
)
almost_commands = st.fixed_dictionaries(
    {"type": st.sampled_from(TYPES) | any_json, "id": st.text(max_size=50) | any_json},
    optional={
        "ply": numbers | any_json,
        "move": st.sampled_from(["A1+1", "-1", "[1]", "C5+3\0", "Ｃ5+3"]) | any_json,
        "player": numbers | any_json,
        "accept": st.just(True) | any_json,
        "text": st.just("\0\u202e\u2028") | any_json,
    },
)


@settings(max_examples=150)
@given(almost_commands)
@example({"type": "resign", "id": "1", "player": HUGE})
@example({"type": "resume", "id": "1", "player": -HUGE})
@example({"type": "play", "id": "1", "ply": HUGE, "move": "A1+1"})
@example({"type": "undo", "id": "1", "ply": -HUGE})
@example({"type": "play", "id": "\0", "ply": 0, "move": "\0"})
def test_an_almost_correct_command_gets_one_reply(ada: RecordingClient, command: Json) -> None:
    """An error, or the reply of a correct command."""
    text = json.dumps(command)
    [answer] = replies_to(ada, text)
    assert answer["type"] in ("error", "done", "why", "update"), answer
    if answer["type"] == "update":
        assert answer["event"]["type"] == "chat_sent"
    has_id = isinstance(command["id"], str) and 1 <= len(command["id"]) <= 40
    if answer["reply_to"] is None:
        assert not has_id or "\\ud" in text  # a lone surrogate can't be sent back
    else:
        assert answer["reply_to"] == command["id"]


@pytest.mark.parametrize(
    ("sent", "id"),
    [
        ('{"type":"castle","id":"mine"}', "mine"),
        ('{"type":"castle","id":"mine","far":[1e999,NaN,' + "9" * 30 + "]}", "mine"),
        ('{"id":"mine"}', "mine"),
        ('{"type":"chat","id":"mine","text":"%s"}' % ("x" * MAX_COMMAND_LENGTH), "mine"),
        ('{"type":"play","id":"mine","ply":"first","move":"C5+3"}', "mine"),
        ('{"type":"ping","id":"mine"', None),
        ('{"type":"castle","id":7}', None),
        ('{"type":"castle","id":""}', None),
        ('{"type":"castle","id":"%s"}' % ("x" * 41), None),
        ('["mine"]', None),
        (b'{"type":"ping","id":"mine"}', None),
    ],
)
def test_an_error_names_the_command_if_that_has_an_id(
    ada: RecordingClient, sent: str | bytes, id: str | None
) -> None:
    """Or a client that waits for the reply would wait for ever."""
    [error] = replies_to(ada, sent)
    assert (error["type"], error["reply_to"]) == ("error", id)


def test_the_length_of_a_command_is_limited(ada: RecordingClient) -> None:
    command = '{"type":"chat","id":"long","text":"%s"}'
    for text in ("x" * MAX_COMMAND_LENGTH, "é" * MAX_COMMAND_LENGTH):
        [reply] = replies_to(ada, command % text)
        assert (reply["reason"], reply["params"]["limit"]) == ("too_large", MAX_COMMAND_LENGTH)
    [reply] = replies_to(ada, command % ("x" * 501))
    assert (reply["reason"], reply["params"]["limit"]) == ("too_large", 500)
    [reply] = replies_to(ada, command % ("x" * 500))
    assert reply["type"] == "update"


@pytest.mark.parametrize(
    ("message", "code"),
    [(b"x" * (4 * MAX_COMMAND_LENGTH + 1), 1009), (b"x" * 10**6, 1009), (b"\xff\xfe", 1007)],
    ids=["too long", "much too long", "not UTF-8"],
)
def test_an_unreadable_message_closes_the_connection(
    ada: RecordingClient, message: bytes, code: int
) -> None:
    """As the websocket standard demands; other connections stay open."""
    with connect(ada.server.websocket(ada.table)) as websocket:
        websocket.recv()
        websocket.send(message, text=True)
        assert close_code(lambda: websocket.recv(TIMEOUT_S)) == code
    ada.catch_up()


# HTTP.

FORM = {"Content-Type": "application/json"}
SEATS = '"seats":[{"occupant":"me"},{"occupant":"open"}]'
BODIES: dict[str, bytes | str] = {
    "nothing": "",
    "not JSON": "hello",
    "half of it": '{"seats":',
    "deep": "[" * 50_000,
    "deep objects": '{"a":' * 10_000,
    "deep in a field": f'{{{SEATS},"house_rules":{"[" * 30_000}{"]" * 30_000}}}',
    "not UTF-8": b'{"edition":"\xff"}',
    "UTF-16": '{"edition":"a"}'.encode("utf-16"),
    "NUL": f'{{{SEATS},"edition":"\\u0000"}}',
    "a raw NUL": f'{{{SEATS},"edition":"\0"}}',
    "a surrogate": f'{{{SEATS},"edition":"\\ud800"}}',
    "a surrogate as a field": f'{{{SEATS},"\\ud800":1}}',
    "a surrogate as a rule": f'{{{SEATS},"house_rules":{{"\\ud800":"\\udfff"}}}}',
    "NaN": f'{{{SEATS},"first":NaN}}',
    "infinite": f'{{{SEATS},"first":1e999}}',
    "huge": f'{{{SEATS},"first":{HUGE}}}',
    "hugest": f'{{{SEATS},"first":{"9" * 5000}}}',
    "a list": "[]",
    "a string": '"seats"',
    "an unknown field": f'{{{SEATS},"host":"ada"}}',
    "no seats": '{"seats":[]}',
    "too many seats": json.dumps({"seats": [{"occupant": "open"}] * 500}),
    "an unprintable name": '{"seats":[{"occupant":"me"},{"occupant":"here","name":"\\u202e"}]}',
    "a blank name": '{"seats":[{"occupant":"me"},{"occupant":"here","name":"   "}]}',
    "too many rules": f'{{{SEATS},"house_rules":{json.dumps({f"{n}": "x" for n in range(99)})}}}',
    "an unknown edition": f'{{{SEATS},"edition":"{{edition}}"}}',
}


@pytest.mark.parametrize("body", BODIES)
def test_a_malformed_body_is_rejected(ada: RecordingClient, body: str) -> None:
    tables = len(ada.server.services.tables.sessions)
    answer = ada.request("POST", "/api/tables", content=BODIES[body], headers=FORM)
    problem = answer.json()
    assert (answer.status_code, problem["reason"]) == (422, "bad_request")
    assert set(problem) == {"reason", "params", "text"}
    assert 0 < len(problem["text"]) < 300
    assert len(ada.server.services.tables.sessions) == tables


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("me", {"name": ""}, "$.name"),
        ("me", {"name": "x" * 61}, "$.name"),
        ("me", {"name": 7}, "$.name"),
        ("me", {"name": "a\nb"}, "$.name"),
        ("me", {}, "$"),
        ("tables", {"seats": [ME, {"occupant": "here", "name": ""}]}, "$.seats[1].name"),
        ("tables", {"seats": [ME, {"occupant": "here", "name": " "}]}, "$.seats[1].name"),
        ("tables", {"seats": [ME, {"occupant": "here"}]}, "$.seats[1]"),
        ("tables", {"seats": [ME]}, "$.seats"),
        ("tables", {"seats": [ME, ME]}, "$"),
        (
            "tables",
            {"seats": [ME, OPEN], "clock": {"kind": "real_time", "bank": 0, "increment": 0}},
            "$.clock.bank",
        ),
        ("tables", {"seats": [ME, OPEN], "clock": {"kind": "sand"}}, "$.clock.kind"),
        (
            "tables",
            {"seats": [ME, OPEN], "house_rules": {" - at `$.clock`": 1}},
            "$.house_rules[...]",
        ),
    ],
)
def test_the_path_of_an_invalid_field_is_a_parameter_of_the_error(
    ada: RecordingClient, path: str, body: Json, field: str
) -> None:
    method = "PUT" if path == "me" else "POST"
    problem = ada.request(method, f"/api/{path}", body).json()
    assert (problem["reason"], problem["params"]["path"]) == ("bad_request", field)


def test_another_content_type_is_rejected(ada: RecordingClient) -> None:
    """A page of another site could send these without a preflight request."""
    for kind in (
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        ";;",
        "",
    ):
        body = f"{{{SEATS}}}"
        answer = ada.request("POST", "/api/tables", content=body, headers={"Content-Type": kind})
        assert (answer.status_code, answer.json()["reason"]) == (422, "bad_request"), kind


@pytest.mark.parametrize("chunked", [False, True])
@pytest.mark.parametrize("path", ["/api/me", "/api/tables", "/api/nothing"])
def test_the_length_of_a_body_is_limited(ada: RecordingClient, path: str, chunked: bool) -> None:
    def chunks(length: int) -> Iterator[bytes]:
        for _ in range(length // 1024):
            yield b" " * 1024

    method = "PUT" if path == "/api/me" else "POST"
    for length, status in ((MAX_BODY_BYTES, {404, 422}), (MAX_BODY_BYTES + 1024, {413})):
        body: Any = chunks(length) if chunked else b"".join(chunks(length))
        answer = ada.request(method, path, content=body, headers=FORM)
        assert answer.status_code in status
    assert answer.json()["reason"] == "too_large"
    assert ada.call("GET", "/api/me") == {"name": "Ada"}


@settings(max_examples=60)
@given(any_json)
def test_no_body_causes_an_internal_error(ada: RecordingClient, body: Any) -> None:
    path = f"/api/tables/{ada.table}"
    for method, where in (
        ("PUT", "/api/me"),
        ("POST", "/api/tables"),
        ("PUT", f"{path}/seats/1/bot"),
    ):
        answer = ada.request(method, where, content=json.dumps(body), headers=FORM)
        assert answer.status_code == 422, answer.text


@pytest.mark.parametrize(
    "options",
    [
        *({"first": value} for value in (True, False, 1.0, "1", [1])),
        *({"public": value} for value in (1, 0, "true", None)),
        *({"bot_delay_ms": value} for value in (True, 5.0, "5")),
        *({"absence_s": value} for value in (True, 60.0)),
        *({"clock": {"kind": "real_time", "bank": value}} for value in (True, 60.0, "60")),
        *({"clock": {"kind": "correspondence", "days": value}} for value in (True, 2.0)),
        {"house_rules": {"two_players": True}},
    ],
    ids=str,
)
def test_a_value_of_another_type_is_not_converted(
    shared_server: RunningServer, options: dict[str, Any]
) -> None:
    seats = [{"occupant": "me"}, {"occupant": "open"}]
    with RecordingClient(shared_server, "Ada") as ada:
        answer = ada.request("POST", "/api/tables", {"seats": seats} | options)
        assert (answer.status_code, answer.json()["reason"]) == (422, "bad_request")


@pytest.mark.parametrize(
    ("command", "fields"),
    [
        *(("play", {"ply": value, "move": "[1111|1111]"}) for value in (True, False, 0.0, "0")),
        *(("resign", {"player": value}) for value in (True, False, 0.0, "0")),
        *(("undo", {"ply": value}) for value in (True, 0.0)),
        *(("answer_undo", {"accept": value}) for value in (1, 0, "true")),
    ],
    ids=str,
)
def test_a_command_with_a_value_of_another_type_is_rejected(
    shared_server: RunningServer, command: str, fields: dict[str, Any]
) -> None:
    seats = [{"occupant": "me"}, {"occupant": "here", "name": "Bea"}]
    with RecordingClient(shared_server, "Ada") as ada:
        table = ada.call("POST", "/api/tables?start=true", {"seats": seats})["id"]
        ada.watch(table)
        assert ada.execute(command, **fields)["reason"] == "bad_request"


def test_checks_of_records_wait_in_a_line(shared_server: RunningServer) -> None:
    """Of one address, a few at a time; meanwhile others are served."""
    game = Game.new(4, seed=bytes(32))
    while game.result is None:
        game.play(game.legal_moves()[0])
    body = to_line(to_json(game))
    headers = {"Content-Type": "application/json"}

    def check(_: int) -> int:
        with RecordingClient(shared_server) as one:
            answer = one.request("POST", "/api/records/check", content=body, headers=headers)
            return answer.status_code

    with ThreadPoolExecutor(12) as threads:
        statuses = list(threads.map(check, range(24)))
    assert set(statuses) <= {200, 503}
    assert statuses.count(200) >= 5
    assert check(0) == 200
