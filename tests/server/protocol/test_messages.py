"""The websocket's schema describes every message and every command of whole games, and nothing else
is sent."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from typing import Any, get_args

import jsonschema_rs
import pytest

from manhattan.server.domain import state as states
from manhattan.server.domain.events import (
    OfferDeclined,
    PlayerSubstituted,
    TableEvent,
    TimeExpired,
)
from manhattan.server.protocol.schema import message_schema, page_schema
from manhattan.server.protocol.table_events import TableEventPayload
from manhattan.server.service.clock_and_secrets import now_ms
from support.fixed_deals import dealing
from support.recording_client import Json, RecordingClient, inject_event
from support.scripted_session import (
    ScriptedSession,
    reconnect_everyone,
    send_chat,
    transfer_seat,
    try_illegal_commands,
    undo_last_move,
)
from support.server_fixtures import RunningServer

TYPES = {"view", "update", "resumed", "presence", "done", "why", "error", "bot_preparing"}


@cache
def validator(part: str, *, closed: bool = False) -> Any:
    """Return a validator of messages or commands; a closed one accepts no undescribed field."""
    schema = deepcopy(message_schema())
    if closed:
        for definition in schema["$defs"].values():
            if "properties" in definition:
                definition.setdefault("additionalProperties", False)
    schema.pop("anyOf")
    return jsonschema_rs.Draft202012Validator(schema | {"$ref": f"#/$defs/{part}"})


def test_the_schema_is_served_and_valid(shared_server: RunningServer) -> None:
    with RecordingClient(shared_server) as anonymous:
        schema = anonymous.call("GET", "/api/messages.schema.json")
    assert schema == message_schema()
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    for document in (schema, page_schema()):
        jsonschema_rs.meta.validate(document)
        for name, definition in document["$defs"].items():
            jsonschema_rs.meta.validate(definition | {"$schema": schema["$schema"]})
            if name not in ("Command", "Message", "GameEvent"):
                assert definition.get("description") or "enum" in definition, name


def test_the_schema_distinguishes_types() -> None:
    for kind in TYPES:
        assert not validator("Message").is_valid({"type": kind}), kind  # each has other fields
    assert not validator("Message").is_valid({"type": "nothing"})
    assert validator("Message", closed=True).is_valid({"type": "bot_preparing", "player": 0})
    assert validator("Command").is_valid({"type": "ping", "id": "1"})
    for wrong in ({}, {"id": ""}, {"id": "x" * 41}, {"id": 1}, {"id": "1", "more": 1}):
        assert not validator("Command").is_valid({"type": "ping"} | wrong)


def test_every_table_event_has_a_payload_of_the_same_type() -> None:
    payloads = {payload.__struct_config__.tag for payload in get_args(TableEventPayload)}
    assert payloads == {event.__struct_config__.tag for event in get_args(TableEvent)}


def test_every_message_in_the_lobby_is_as_described(shared_server: RunningServer) -> None:
    with RecordingClient(shared_server, "Ada") as ada, RecordingClient(shared_server, "Bob") as bob:
        seats = [{"occupant": "me"}, {"occupant": "open"}]
        path = f"/api/tables/{ada.call('POST', '/api/tables', {'seats': seats})['id']}"
        ada.watch(path[-14:])
        for one, method, action, body in (
            (bob, "POST", "seats", None),
            (bob, "POST", "leave", None),
            (ada, "PUT", "seats/1/bot", {"level": "easy"}),
            (ada, "DELETE", "seats/1", None),
            (ada, "POST", "close", None),
        ):
            one.call(method, f"{path}/{action}", body)
        ada.catch_up()
        messages = [received.message for received in ada.received if received.source == "socket"]
        for message in messages:
            validator("Message", closed=True).validate(message)
        events = [m["event"]["type"] for m in messages if m["type"] == "update"]
        assert events == [
            "seat_taken",
            "seat_vacated",
            "bot_seated",
            "seat_vacated",
            "table_closed",
        ]


def test_all_vacated_seats_are_named(shared_server: RunningServer) -> None:
    """The people on a shared screen leave together."""
    with RecordingClient(shared_server, "Ada") as ada, RecordingClient(shared_server, "Bob") as bob:
        seats = [
            {"occupant": "open"},
            {"occupant": "me"},
            {"occupant": "open"},
            {"occupant": "here", "name": "Bea"},
        ]
        path = f"/api/tables/{ada.call('POST', '/api/tables', {'seats': seats})['id']}"
        bob.call("POST", f"{path}/seats/0")
        bob.watch(path[-14:])
        ada.call("POST", f"{path}/leave")
        bob.call("PUT", f"{path}/seats/2/bot", {"level": "easy"})
        bob.call("DELETE", f"{path}/seats/2")
        bob.catch_up()
        messages = [received.message for received in bob.received if received.source == "socket"]
        updates = [message for message in messages if message["type"] == "update"]
        assert [update["event"] for update in updates] == [
            {"type": "seat_vacated", "seats": [1, 3]},
            {"type": "bot_seated", "seat": 2, "level": "easy"},
            {"type": "seat_vacated", "seats": [2]},
        ]
        assert [seat["occupant"] for seat in updates[0]["table"]["seats"]] == [
            "person",
            *["open"] * 3,
        ]


@pytest.fixture(scope="module")
def session(shared_server: RunningServer) -> Iterator[ScriptedSession]:
    """Two people, one of them on a shared screen, and a bot."""
    here = {"occupant": "here", "name": "Bea"}
    seats: list[Json] = [
        {"occupant": "me"},
        here,
        {"occupant": "bot", "level": "easy"},
        {"occupant": "open"},
    ]
    clock = {"kind": "real_time", "bank": 900, "increment": 5}
    with pytest.MonkeyPatch.context() as patch, dealing():
        patch.setattr(states, "SUBSTITUTE_LEVEL", "easy")
        with ScriptedSession(shared_server, 2, seats, clock=clock) as session:
            yield session


@pytest.fixture(scope="module")
def played(session: ScriptedSession) -> ScriptedSession:
    """The same after everything that can happen at a table."""
    try_illegal_commands(session)
    session.play(1)
    undo_last_move(session)
    session.play(12)
    try_illegal_commands(session)
    send_chat(session)
    bob = session.players[1]
    inject_event(session.server, session.table, TimeExpired(at=now_ms(), player=3))
    assert bob.execute("resume")["type"] == "update"
    inject_event(session.server, session.table, PlayerSubstituted(at=now_ms(), player=3))
    assert bob.execute("resume")["type"] == "update"
    chat = {"id": "twice", "text": "Hello."}
    assert [bob.execute("chat", **chat)["type"] for _ in range(2)] == ["update", "done"]
    session.play(8)
    transfer_seat(session, seat=3)
    reconnect_everyone(session)
    assert session.players[0].execute("resign", player=0)["type"] == "update"
    session.play(999)
    reconnect_everyone(session)
    with RecordingClient(session.server, "Visitor") as visitor:
        visitor.watch(session.table)
        while session.players[0].receive()["type"] != "presence":
            pass  # it is sent after a while, for all who came and went until then
    rematch = session.players[0].execute("rematch")
    assert rematch["type"] == "view"
    following = rematch["table"]["id"]
    session.phone.call("POST", f"/api/tables/{following}/seats")
    inject_event(session.server, following, OfferDeclined(at=now_ms(), seats=()))
    for one in session.clients:
        one.catch_up()
    return session


def messages(session: ScriptedSession) -> list[Json]:
    received = [received for one in session.clients for received in one.received]
    return [each.message for each in received if each.source == "socket"]


def test_every_message_is_as_described(played: ScriptedSession) -> None:
    received = messages(played)
    for message in received:
        validator("Message").validate(message)
        validator("Message", closed=True).validate(message)
    assert {message["type"] for message in received} == TYPES - {"bot_preparing"}
    events = {message["event"]["type"] for message in received if message["type"] == "update"}
    in_the_lobby = {"table_opened", "seat_taken", "seat_vacated", "bot_seated", "table_closed"}
    everything = {payload.__struct_config__.tag for payload in get_args(TableEventPayload)}
    assert events == everything - in_the_lobby


def test_every_command_is_as_described(played: ScriptedSession) -> None:
    commands = [json.loads(text) for one in played.clients for text in one.sent]
    for command in commands:
        validator("Command").validate(command)
    assert set(Counter(command["type"] for command in commands)) == {
        "play",
        "undo",
        "answer_undo",
        "resign",
        "resume",
        "chat",
        "rematch",
        "why",
        "ping",
    }


def test_an_undescribed_message_is_noticed(played: ScriptedSession) -> None:
    [*_, view] = [message for message in messages(played) if message["type"] == "view"]
    table = view["table"]
    for place in (view, table, table["seats"][0], view["position"], view["private"]):
        place["cards"] = [1, 2, 3]
        assert not validator("Message", closed=True).is_valid(view)
        del place["cards"]
    for place, key in ((view, "private"), (table, "seed"), (view["presence"], "spectators")):
        kept = place.pop(key)
        assert not validator("Message").is_valid(view)
        place[key] = kept
    assert validator("Message", closed=True).is_valid(view)
