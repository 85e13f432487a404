"""What goes over the websocket is what its schema says: every message and every command of whole
games, and nothing that is not described."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from typing import Any

import jsonschema_rs
import pytest

from dealing import dealing
from evening import Evening, come_again, move_house, refuse_everything, take_back, talk
from manhattan.server import sitting as sittings
from manhattan.server.entries import RanOut
from manhattan.server.schema import message_schema
from serving import Running
from witness import Json, Witness, on_the_server

KINDS = {"view", "news", "resumed", "presence", "done", "why", "refused", "warming"}


@cache
def checker(part: str, *, closed: bool = False) -> Any:
    """Checks messages, or commands; closed, it takes no field that is not described."""
    schema = deepcopy(message_schema())
    if closed:
        for each in schema["$defs"].values():
            if "properties" in each:
                each.setdefault("additionalProperties", False)
    schema.pop("anyOf")
    return jsonschema_rs.Draft202012Validator(schema | {"$ref": f"#/$defs/{part}"})


def test_the_schema_is_one(shared: Running) -> None:
    with Witness(shared) as somebody:
        told = somebody.ask("GET", "/api/messages.schema.json")
    assert told == message_schema()
    assert told["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    jsonschema_rs.meta.validate(told)
    for name, each in told["$defs"].items():
        jsonschema_rs.meta.validate(each | {"$schema": told["$schema"]})
        if name not in ("commands", "messages"):
            assert each.get("description") or each.get("title"), name


def test_the_schema_tells_kinds_apart() -> None:
    for kind in KINDS:
        assert not checker("messages").is_valid({"type": kind}), kind  # each has more to say
    assert not checker("messages").is_valid({"type": "nothing"})
    assert checker("messages", closed=True).is_valid({"type": "warming", "player": 0})
    assert checker("commands").is_valid({"type": "ping", "id": "1"})
    for wrong in ({}, {"id": ""}, {"id": "x" * 41}, {"id": 1}, {"id": "1", "more": 1}):
        assert not checker("commands").is_valid({"type": "ping"} | wrong)


def test_every_message_before_a_game_is_as_described(shared: Running) -> None:
    with Witness(shared, "Ada") as ada, Witness(shared, "Bob") as bob:
        chairs = [{"who": "me"}, {"who": "open"}]
        path = f"/api/tables/{ada.ask('POST', '/api/tables', {'chairs': chairs})['id']}"
        ada.look(path[-14:])
        for one, what, form in (
            (bob, "sit", {}),
            (bob, "leave", None),
            (ada, "fill", {"chair": 1, "level": "easy"}),
            (ada, "fill", {"chair": 1}),
            (ada, "close", None),
        ):
            one.ask("POST", f"{path}/{what}", form)
        ada.catch_up()
        told = [heard.told for heard in ada.heard if heard.where == "socket"]
        for message in told:
            checker("messages", closed=True).validate(message)
        news = [message["what"]["type"] for message in told if message["type"] == "news"]
        assert news == ["sat", "vacated", "filled", "vacated", "closed"]


def test_all_chairs_that_are_free_again_are_told(shared: Running) -> None:
    """Who leaves a shared screen frees several at once."""
    with Witness(shared, "Ada") as ada, Witness(shared, "Bob") as bob:
        chairs = [{"who": "open"}, {"who": "me"}, {"who": "open"}, {"who": "here", "name": "Bea"}]
        path = f"/api/tables/{ada.ask('POST', '/api/tables', {'chairs': chairs})['id']}"
        bob.ask("POST", f"{path}/sit", {"chair": 0})
        bob.look(path[-14:])
        ada.ask("POST", f"{path}/leave")
        for form in ({"chair": 2, "level": "easy"}, {"chair": 2}):
            bob.ask("POST", f"{path}/fill", form)
        bob.catch_up()
        told = [heard.told for heard in bob.heard if heard.where == "socket"]
        news = [message for message in told if message["type"] == "news"]
        assert [message["what"] for message in news] == [
            {"type": "vacated", "chair": 1, "chairs": [1, 3]},
            {"type": "filled", "chair": 2, "level": "easy"},
            {"type": "vacated", "chair": 2, "chairs": [2]},
        ]
        assert [chair["who"] for chair in news[0]["table"]["chairs"]] == ["person", *["open"] * 3]


@pytest.fixture(scope="module")
def evening(shared: Running) -> Iterator[Evening]:
    """Two people, one of them with somebody at his screen, and a bot: everything happens."""
    here = {"who": "here", "name": "Bea"}
    chairs: list[Json] = [{"who": "me"}, here, {"who": "bot", "level": "easy"}, {"who": "open"}]
    clock = {"kind": "real_time", "bank": 900, "increment": 5}
    with pytest.MonkeyPatch.context() as patch, dealing():
        patch.setattr(sittings, "STAND_IN", "easy")
        with Evening(shared, 2, chairs, clock=clock) as evening:
            yield evening


@pytest.fixture(scope="module")
def played(evening: Evening) -> Evening:
    """After all of it."""
    refuse_everything(evening)
    evening.play(1)
    take_back(evening)
    evening.play(12)
    refuse_everything(evening)
    talk(evening)
    bob = evening.players[1]
    run_out(evening, chair=3)
    assert bob.do("back")["type"] == "news"
    said = {"id": "twice", "text": "Hello."}
    assert [bob.do("say", **said)["type"] for _ in range(2)] == ["news", "done"]
    evening.play(8)
    move_house(evening, chair=3)
    come_again(evening)
    assert evening.players[0].do("resign", player=0)["type"] == "news"
    evening.play(999)
    come_again(evening)
    assert evening.players[0].do("again")["type"] == "view"
    for one in evening.everybody:
        one.catch_up()
    return evening


def run_out(evening: Evening, chair: int) -> None:
    """Somebody's time is over."""
    act = evening.up.state.house.act(evening.table, lambda _, now: RanOut(at=now, player=chair))
    on_the_server(evening.up, act)


def messages(evening: Evening) -> list[Json]:
    heard = [heard for one in evening.everybody for heard in one.heard]
    return [each.told for each in heard if each.where == "socket"]


def test_every_message_is_as_described(played: Evening) -> None:
    told = messages(played)
    for message in told:
        checker("messages").validate(message)
        checker("messages", closed=True).validate(message)
    assert {message["type"] for message in told} == KINDS - {"warming"}
    news = {message["what"]["type"] for message in told if message["type"] == "news"}
    assert news == {
        *("begun", "played", "undo_asked", "undo_answered", "said", "ran_out", "returned"),
        *("link_made", "seat_moved", "resigned", "rematched"),
    }


def test_every_command_is_as_described(played: Evening) -> None:
    sent = [json.loads(text) for one in played.everybody for text in one.sent]
    for command in sent:
        checker("commands").validate(command)
    kinds = Counter(command["type"] for command in sent)
    others = {"undo", "answer", "resign", "back", "say", "again", "why", "ping"}
    assert set(kinds) == {"play"} | others


def test_a_message_that_is_not_described_is_found(played: Evening) -> None:
    [*_, view] = [message for message in messages(played) if message["type"] == "view"]
    for place in (view, view["table"], view["table"]["chairs"][0], view["position"], view["own"]):
        place["cards"] = [1, 2, 3]
        assert not checker("messages", closed=True).is_valid(view)
        del place["cards"]
    for place, key in ((view, "own"), (view["table"], "seed"), (view["presence"], "watching")):
        kept = place.pop(key)
        assert not checker("messages").is_valid(view)
        place[key] = kept
    assert checker("messages", closed=True).is_valid(view)
