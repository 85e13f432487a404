"""The JSON Schema of everything that goes over the websocket, both ways."""

from __future__ import annotations

import json
from functools import cache
from typing import Annotated, Any

from pydantic import Discriminator, TypeAdapter
from typing_extensions import is_typeddict

from manhattan.server import answers
from manhattan.server.protocol import COMMANDS, EventTold, Message
from manhattan.server.terms import Terms


@cache
def message_schema() -> dict[str, Any]:
    """Commands and messages, with what they are made of."""
    messages: TypeAdapter[Any] = TypeAdapter(Annotated[Message, Discriminator("type")])
    inputs = [(COMMANDS, "validation", "commands"), (messages, "serialization", "messages")]
    told: dict[str, Any] = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Manhattan: what goes over the websocket",
        "$defs": {},
    }
    for adapter, mode, name in inputs:
        schema = adapter.json_schema(mode=mode)  # type: ignore[arg-type]
        told["$defs"] |= schema.pop("$defs", {})
        told["$defs"][name] = schema
    told["anyOf"] = [{"$ref": "#/$defs/commands"}, {"$ref": "#/$defs/messages"}]
    return told


def page_schema() -> dict[str, Any]:
    """The same, and what goes over HTTP: what the page's own types are made from."""
    told = message_schema() | {"$defs": dict(message_schema()["$defs"])}
    for name, answer in vars(answers).items():
        if is_typeddict(answer) and answer.__module__ == answers.__name__:
            schema = TypeAdapter(answer).json_schema(
                mode="serialization", ref_template="#/$defs/{model}"
            )
            told["$defs"] |= schema.pop("$defs", {}) | {name: schema}
    others: dict[str, TypeAdapter[Any]] = {
        "EventTold": TypeAdapter(EventTold),
        "Terms": TypeAdapter(Terms),
    }
    for name, adapter in others.items():
        schema = adapter.json_schema()
        told["$defs"] |= schema.pop("$defs", {}) | {name: schema}
    return told


if __name__ == "__main__":
    print(json.dumps(page_schema()))
