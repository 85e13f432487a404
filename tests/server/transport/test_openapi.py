"""The HTTP API and its OpenAPI description agree: whatever the description allows is sent, and
every response is one that it describes."""

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

from manhattan.server.transport.http.api import ROUTES
from manhattan.server.transport.http.openapi import openapi
from support.recording_client import (
    Json,
    RecordingClient,
    assert_nothing_left,
    captured_logs,
    game_of,
)
from support.server_fixtures import RunningServer


@cache
def description() -> Json:
    return openapi(ROUTES)


api = schemathesis.openapi.from_dict(description())
BEYOND_THE_SCHEMA = {
    "PUT /api/me": [positive_data_acceptance],  # a name is printable
    "PUT /api/me/push-subscription": [positive_data_acceptance],  # of a known push service
    "GET /api/me/games": [positive_data_acceptance],  # a cursor comes from a page
    "GET /api/feeds/{token}": [positive_data_acceptance],  # a token comes from the server
    "POST /api/tables": [positive_data_acceptance],  # seats and rules have to fit each other
    "POST /api/records/check": [positive_data_acceptance],  # a record follows the rules
    "POST /api/tutorial/{step}": [positive_data_acceptance],  # moves are legal
    "POST /api/tables/{table}/seat-transfers/claim": [positive_data_acceptance],  # it exists
    "POST /api/me/passkeys": [positive_data_acceptance],  # it answers a challenge
    "POST /api/sign-in/passkey": [positive_data_acceptance],
    "POST /api/sign-in/recovery-code": [positive_data_acceptance],  # it exists
}
"""Operations that may reject what the schema allows."""


@pytest.fixture(scope="module")
def ada(shared_server: RunningServer) -> Iterator[RecordingClient]:
    with captured_logs() as written:
        with RecordingClient(shared_server, "Ada") as ada:
            yield ada
        assert_nothing_left(shared_server)
    assert not written.errors


def open_table(ada: RecordingClient, *, start: bool) -> str:
    seats = [{"occupant": "me"}, {"occupant": "here", "name": "Bea"}]
    path = f"/api/tables?start={str(start).lower()}"
    return str(ada.call("POST", path, {"seats": seats})["id"])


@pytest.fixture(scope="module")
def playing(ada: RecordingClient) -> str:
    """A table in the middle of a game."""
    return open_table(ada, start=True)


@pytest.fixture(scope="module")
def over(ada: RecordingClient) -> str:
    """A table after a game."""
    table = open_table(ada, start=True)
    ada.watch(table)
    while not (game := game_of(ada.server, table)).is_over:
        ada.execute("play", ply=game.ply, move=str(game.legal_moves()[0]))
    ada.leave()
    return table


@pytest.fixture(scope="module")
def tried() -> Counter[str]:
    """How often each operation was tried with existing tables."""
    return Counter()


def test_the_description_is_served(ada: RecordingClient) -> None:
    assert ada.call("GET", "/api/openapi.json") == description()


def operations() -> list[tuple[str, Json]]:
    paths = description()["paths"]
    return [
        (f"{method} {path}", operation)
        for path, methods in paths.items()
        for method, operation in methods.items()
    ]


@pytest.mark.parametrize(
    ("name", "operation"), operations(), ids=[name for name, _ in operations()]
)
def test_every_operation_is_explained(name: str, operation: Json) -> None:
    """In sentences, and with an example of each body."""
    assert operation["summary"]
    assert operation["description"].endswith(".")
    assert operation["tags"]
    assert all(response["description"] for response in operation["responses"].values())
    for parameter in operation.get("parameters", []):
        assert parameter["description"], name
    if "requestBody" in operation:
        body = operation["requestBody"]["content"]["application/json"]
        examples = [example["value"] for example in body["examples"].values()]
        assert examples
        for example in examples:
            assert validator(body["schema"]).is_valid(example), example


def test_operations_have_different_ids() -> None:
    ids = [operation["operationId"] for _, operation in operations()]
    assert len(set(ids)) == len(ids)


def validator(schema: Json) -> Any:
    return jsonschema_rs.Draft202012Validator(schema | {"components": description()["components"]})


@api.parametrize()
@settings(max_examples=3)
def test_every_response_is_as_described(
    case: schemathesis.Case[Any], ada: RecordingClient, playing: str, over: str, tried: Counter[str]
) -> None:
    """Whatever is sent, and at tables before, in and after a game."""
    headers = {"Cookie": f"manhattan={cookie_for(case, ada)}"}
    excluded = BEYOND_THE_SCHEMA.get(case.operation.label, [])
    options: Json = {
        "base_url": ada.server.address,
        "headers": headers,
        "excluded_checks": excluded,
    }
    options["timeout"] = 60  # for busy machines
    case.call_and_validate(**options)
    meta, count = case.meta, tried[case.operation.label]
    is_positive = meta is not None and meta.generation.mode.is_positive
    if "table" in case.path_parameters and is_positive and count < 3:
        tried[case.operation.label] += 1
        for table in (open_table(ada, start=False), playing, over):
            if table is playing and case.path.endswith("/evaluation"):
                continue  # its code would be compiled first, for a minute
            case.path_parameters["table"] = table
            case.call_and_validate(**options)


def cookie_for(case: schemathesis.Case[Any], ada: RecordingClient) -> str:
    """Return Ada's cookie, or another person's for the request that revokes it."""
    if case.path != "/api/me" or case.method != "DELETE":
        return ada.cookie
    with RecordingClient(ada.server, "Eve") as eve:
        return eve.cookie
