"""The API is what it says it is: whatever its description allows is sent, and every answer is one
that was described."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

import jsonschema_rs
import pytest
import schemathesis
from hypothesis import settings
from schemathesis.checks import positive_data_acceptance

from manhattan.server.app import Settings, make_app
from serving import Running
from witness import Json, Witness, game_at, logs, nothing_is_left


@cache
def description() -> Json:
    """As /api/openapi.json tells it."""
    app: Any = make_app(Settings(":nowhere:"))
    told: Json = app._app.openapi()
    return told


api = schemathesis.openapi.from_dict(description())
NOT_ALL_CAN_BE_DESCRIBED = {
    "PUT /api/me": [positive_data_acceptance],  # a name is printable
    "POST /api/tables": [positive_data_acceptance],  # chairs and rules go together, or don't
    "POST /api/records/check": [positive_data_acceptance],  # true to the rules
    "POST /api/lessons/{number}": [positive_data_acceptance],  # moves have to be legal
    "POST /api/tables/{table}/claim": [positive_data_acceptance],  # there has to be a link
}
"""Where something may be refused although it is as described."""


@pytest.fixture(scope="module")
def ada(shared: Running) -> Iterator[Witness]:
    with logs() as written:
        with Witness(shared, "Ada") as ada:
            yield ada
        nothing_is_left(shared)
    assert not written.troubles


def opened(ada: Witness, *, begin: bool) -> str:
    chairs = [{"who": "me"}, {"who": "here", "name": "Bea"}]
    path = f"/api/tables?begin={str(begin).lower()}"
    return str(ada.ask("POST", path, {"chairs": chairs})["id"])


@pytest.fixture(scope="module")
def playing(ada: Witness) -> str:
    """A table in the middle of a game."""
    return opened(ada, begin=True)


@pytest.fixture(scope="module")
def over(ada: Witness) -> str:
    """A table after a game."""
    table = opened(ada, begin=True)
    ada.look(table)
    while not (game := game_at(ada.up, table)).over:
        ada.do("play", ply=game.ply, move=str(game.legal_moves()[0]))
    ada.look_away()
    return table


@pytest.fixture(scope="module")
def tried() -> Counter[str]:
    """How often something was sent to tables that are there."""
    return Counter()


def test_the_description_is_there(ada: Witness) -> None:
    assert ada.ask("GET", "/api/openapi.json") == description()


def operations() -> list[tuple[str, Json]]:
    paths = description()["paths"]
    return [(f"{m} {path}", told) for path, each in paths.items() for m, told in each.items()]


@pytest.mark.parametrize(
    ("operation", "told"), operations(), ids=[name for name, _ in operations()]
)
def test_every_operation_is_explained(operation: str, told: Json) -> None:
    """In sentences, with something to try for whatever has to be sent."""
    assert told["summary"]
    assert told["description"].endswith(".")
    assert told["tags"]
    assert all(answer["description"] for answer in told["responses"].values())
    for parameter in told.get("parameters", []):
        assert parameter.get("description") or "enum" in parameter["schema"], parameter
    if "requestBody" in told:
        body = told["requestBody"]["content"]["application/json"]
        examples = body["schema"].get("examples") or [
            example["value"] for example in body.get("examples", {}).values()
        ]
        assert examples
        for example in examples:
            assert form(body["schema"]).is_valid(example), example


def form(schema: Json) -> Any:
    """What a body has to be like."""
    return jsonschema_rs.Draft202012Validator(schema | {"components": description()["components"]})


@api.parametrize()
@settings(max_examples=3)
def test_every_answer_is_as_described(
    case: schemathesis.Case[Any], ada: Witness, playing: str, over: str, tried: Counter[str]
) -> None:
    """Whatever is sent, and at tables before, in and after a game."""
    headers = {"Cookie": f"manhattan={cookie_for(case, ada)}"}
    excluded = NOT_ALL_CAN_BE_DESCRIBED.get(case.operation.label, [])
    how: Json = {"base_url": ada.up.address, "headers": headers, "excluded_checks": excluded}
    how["timeout"] = 60  # machines are shared
    case.call_and_validate(**how)
    meta, seen = case.meta, tried[case.operation.label]
    positive = meta is not None and meta.generation.mode.is_positive
    if "table" in case.path_parameters and positive and seen < 3:
        tried[case.operation.label] += 1
        for table in (opened(ada, begin=False), playing, over):
            if table is playing and case.path.endswith("/evaluation"):
                continue  # it would be compiled first, for a minute
            case.path_parameters["table"] = table
            case.call_and_validate(**how)


def cookie_for(case: schemathesis.Case[Any], ada: Witness) -> str:
    """Ada's; but who is to become nobody is another."""
    if case.method != "DELETE":
        return ada.cookie
    with Witness(ada.up, "Eve") as eve:
        return eve.cookie
