"""Whatever is sent instead of a command or a form is refused with a reason, and changes nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from websockets.sync.client import connect

from manhattan.server.limits import LONGEST_BODY, LONGEST_COMMAND
from serving import Running
from witness import PATIENCE, Json, Witness, closed, logs, nothing_is_left, sitting_at

HUGE = 10**30
"""More than a computer's word holds."""
KINDS = ["play", "undo", "answer", "back", "say", "why", "ping", "nothing"]


@pytest.fixture(scope="module")
def ada(shared: Running) -> Iterator[Witness]:
    """Ada, who is to move at a table with Bob."""
    with logs() as written:
        with Witness(shared, "Ada") as ada, Witness(shared, "Bob") as bob:
            chairs = [{"who": "me"}, {"who": "open"}]
            table = ada.ask("POST", "/api/tables", {"chairs": chairs, "first": 0})["id"]
            bob.ask("POST", f"/api/tables/{table}/sit", {})
            ada.ask("POST", f"/api/tables/{table}/begin")
            ada.look(table)
            ada.catch_up()
            yield ada
        nothing_is_left(shared)
    assert not written.troubles


# Over the websocket.


def answers_to(ada: Witness, text: str | bytes) -> list[Json]:
    """What comes back; the connection stays."""
    ada.throw(text)
    id = ada.tell("ping")
    told: list[Json] = []
    while not told or told[-1].get("answers") != id:
        told.append(ada.next())
    return told[:-1]


def assert_refused(told: list[Json]) -> None:
    [refused] = told
    assert refused["type"] == "refused"
    assert refused["text"]


def sendable(length: int) -> st.SearchStrategy[str]:
    """Texts that can be written in UTF-8."""
    return st.text(st.characters(exclude_categories=["Cs"]), max_size=length)


@settings(max_examples=80)
@given(sendable(200) | st.binary(max_size=200))
@example("")
@example("null")
@example("[]")
@example('{"type":"play"}')
@example('{"type":"ping","id":"\\ud800"}')
@example('{"type":"ping","id":"a","id":"b","extra":1}')
@example('{"type":"answer","id":"1","yes":1}')
@example('{"type":"play","id":"1","ply":0.0,"move":"-1"}')
@example("[" * LONGEST_COMMAND)
@example('{"a":' * 700)
@example("1" * LONGEST_COMMAND)
@example("NaN")
@example("\ufeff{}")
def test_what_is_no_command_is_refused(ada: Witness, text: str | bytes) -> None:
    before = sitting_at(ada.up, ada.table)
    assert_refused(answers_to(ada, text))
    assert sitting_at(ada.up, ada.table) is before


numbers = st.integers() | st.sampled_from([HUGE, -HUGE, 2**63, -(2**63) - 1, 2**64])
anything = st.recursive(
    st.none() | st.booleans() | numbers | st.floats() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=8,
)
nearly = st.fixed_dictionaries(
    {"type": st.sampled_from(KINDS) | anything, "id": st.text(max_size=50) | anything},
    optional={
        "ply": numbers | anything,
        "move": st.sampled_from(["A1+1", "-1", "[1]", "C5+3\0", "Ｃ5+3"]) | anything,
        "player": numbers | anything,
        "yes": st.just(True) | anything,
        "text": st.just("\0\u202e\u2028") | anything,
    },
)


@settings(max_examples=150)
@given(nearly)
@example({"type": "resign", "id": "1", "player": HUGE})
@example({"type": "back", "id": "1", "player": -HUGE})
@example({"type": "play", "id": "1", "ply": HUGE, "move": "A1+1"})
@example({"type": "undo", "id": "1", "ply": -HUGE})
@example({"type": "play", "id": "\0", "ply": 0, "move": "\0"})
def test_what_is_nearly_a_command_is_answered(ada: Witness, command: Json) -> None:
    """Refused, or obeyed if it is one after all: there is one answer."""
    text = json.dumps(command)
    [answer] = answers_to(ada, text)
    assert answer["type"] in ("refused", "done", "why", "news"), answer
    if answer["type"] == "news":
        assert answer["what"]["type"] == "said"
    named = isinstance(command["id"], str) and 1 <= len(command["id"]) <= 40
    if answer["answers"] is None:
        assert not named or "\\ud" in text  # a half of a letter: nobody can read that
    else:
        assert answer["answers"] == command["id"]


@pytest.mark.parametrize(
    ("sent", "named"),
    [
        ('{"type":"castle","id":"mine"}', "mine"),
        ('{"type":"castle","id":"mine","far":[1e999,NaN,' + "9" * 30 + "]}", "mine"),
        ('{"id":"mine"}', "mine"),
        ('{"type":"say","id":"mine","text":"%s"}' % ("x" * LONGEST_COMMAND), "mine"),
        ('{"type":"play","id":"mine","ply":"first","move":"C5+3"}', "mine"),
        ('{"type":"ping","id":"mine"', None),
        ('{"type":"castle","id":7}', None),
        ('{"type":"castle","id":""}', None),
        ('{"type":"castle","id":"%s"}' % ("x" * 41), None),
        ('["mine"]', None),
        (b'{"type":"ping","id":"mine"}', None),
    ],
)
def test_a_refusal_names_what_it_refuses(ada: Witness, sent: str | bytes, named: str) -> None:
    """If that has a name: who waits for an answer by it would wait for ever."""
    [refused] = answers_to(ada, sent)
    assert (refused["type"], refused["answers"]) == ("refused", named)


def test_a_message_may_have_a_certain_length(ada: Witness) -> None:
    said = '{"type":"say","id":"long","text":"%s"}'
    for text in ("x" * LONGEST_COMMAND, "é" * LONGEST_COMMAND):
        [told] = answers_to(ada, said % text)
        assert (told["reason"], told["figures"]["limit"]) == ("too_large", LONGEST_COMMAND)
    [told] = answers_to(ada, said % ("x" * 501))
    assert (told["reason"], told["figures"]["limit"]) == ("too_large", 500)
    [told] = answers_to(ada, said % ("x" * 500))
    assert told["type"] == "news"


@pytest.mark.parametrize(
    ("message", "code"),
    [(b"x" * (4 * LONGEST_COMMAND + 1), 1009), (b"x" * 10**6, 1009), (b"\xff\xfe", 1007)],
    ids=["too long", "much too long", "no text"],
)
def test_what_can_not_even_be_read_ends_the_connection(
    ada: Witness, message: bytes, code: int
) -> None:
    """The connection, and nothing else: that is how websockets are made."""
    with connect(ada.up.websocket(ada.table)) as websocket:
        websocket.recv()
        websocket.send(message, text=True)
        assert closed(lambda: websocket.recv(PATIENCE)) == code
    ada.catch_up()


# Over HTTP.

FORM = {"Content-Type": "application/json"}
CHAIRS = '"chairs":[{"who":"me"},{"who":"open"}]'
BODIES: dict[str, bytes | str] = {
    "nothing": "",
    "no JSON": "hello",
    "half of it": '{"chairs":',
    "deep": "[" * 50_000,
    "deep objects": '{"a":' * 10_000,
    "deep in its place": f'{{{CHAIRS},"house_rules":{"[" * 30_000}{"]" * 30_000}}}',
    "no UTF-8": b'{"edition":"\xff"}',
    "UTF-16": '{"edition":"a"}'.encode("utf-16"),
    "NUL": f'{{{CHAIRS},"edition":"\\u0000"}}',
    "a NUL as it is": f'{{{CHAIRS},"edition":"\0"}}',
    "a surrogate": f'{{{CHAIRS},"edition":"\\ud800"}}',
    "a surrogate as a name": f'{{{CHAIRS},"\\ud800":1}}',
    "a surrogate as a rule": f'{{{CHAIRS},"house_rules":{{"\\ud800":"\\udfff"}}}}',
    "NaN": f'{{{CHAIRS},"first":NaN}}',
    "infinite": f'{{{CHAIRS},"first":1e999}}',
    "huge": f'{{{CHAIRS},"first":{HUGE}}}',
    "hugest": f'{{{CHAIRS},"first":{"9" * 5000}}}',
    "a list": "[]",
    "a text": '"chairs"',
    "too much": f'{{{CHAIRS},"host":"ada"}}',
    "no chairs": '{"chairs":[]}',
    "too many chairs": json.dumps({"chairs": [{"who": "open"}] * 500}),
    "another's name": '{"chairs":[{"who":"me"},{"who":"here","name":"\\u202e"}]}',
    "no name": '{"chairs":[{"who":"me"},{"who":"here","name":"   "}]}',
    "many rules": f'{{{CHAIRS},"house_rules":{json.dumps({f"{n}": "x" for n in range(99)})}}}',
    "an edition that is none": f'{{{CHAIRS},"edition":"{{edition}}"}}',
}


@pytest.mark.parametrize("body", BODIES)
def test_a_form_that_is_none_is_refused(ada: Witness, body: str) -> None:
    tables = len(ada.up.state.house._tables)
    answer = ada.asked("POST", "/api/tables", content=BODIES[body], headers=FORM)
    told = answer.json()
    assert (answer.status_code, told["reason"]) == (422, "bad_request")
    assert set(told) == {"reason", "figures", "text"}
    assert 0 < len(told["text"]) < 300
    assert len(ada.up.state.house._tables) == tables


def test_a_form_of_another_kind_is_refused(ada: Witness) -> None:
    """A page of another site could send one of these without asking first."""
    for kind in (
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        ";;",
        "",
    ):
        body = f"{{{CHAIRS}}}"
        answer = ada.asked("POST", "/api/tables", content=body, headers={"Content-Type": kind})
        assert (answer.status_code, answer.json()["reason"]) == (422, "bad_request"), kind


@pytest.mark.parametrize("chunked", [False, True])
@pytest.mark.parametrize("path", ["/api/me", "/api/tables", "/api/nothing"])
def test_a_body_may_have_a_certain_length(ada: Witness, path: str, chunked: bool) -> None:
    def chunks(length: int) -> Iterator[bytes]:
        for _ in range(length // 1024):
            yield b" " * 1024

    method = "PUT" if path == "/api/me" else "POST"
    for length, status in ((LONGEST_BODY, {404, 422}), (LONGEST_BODY + 1024, {413})):
        body: Any = chunks(length) if chunked else b"".join(chunks(length))
        answer = ada.asked(method, path, content=body, headers=FORM)
        assert answer.status_code in status
    assert answer.json()["reason"] == "too_large"
    assert ada.ask("GET", "/api/me") == {"name": "Ada"}


@settings(max_examples=60)
@given(anything)
def test_whatever_the_form_there_is_no_accident(ada: Witness, form: Any) -> None:
    path = f"/api/tables/{ada.table}"
    for method, where in (("PUT", "/api/me"), ("POST", "/api/tables"), ("POST", f"{path}/fill")):
        answer = ada.asked(method, where, content=json.dumps(form), headers=FORM)
        assert answer.status_code == 422, answer.text
