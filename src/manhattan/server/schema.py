"""The JSON Schema of everything that goes over the websocket, both ways."""

from __future__ import annotations

import json
from functools import cache
from typing import Annotated, Any

from msgspec.json import schema_components
from pydantic import Discriminator, TypeAdapter
from typing_extensions import is_typeddict

from manhattan.server import answers
from manhattan.server.commands import Command
from manhattan.server.protocol import EventTold, Message
from manhattan.server.terms import Terms


@cache
def message_schema() -> dict[str, Any]:
    """Commands and messages, with what they are made of."""
    [commands], parts = schema_components([Command], ref_template="#/$defs/{name}")
    said: TypeAdapter[Any] = TypeAdapter(Annotated[Message, Discriminator("type")])
    messages = said.json_schema(mode="serialization")
    parts |= messages.pop("$defs", {})
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Manhattan: what goes over the websocket",
        "$defs": parts | {"commands": commands, "messages": messages},
        "anyOf": [{"$ref": "#/$defs/commands"}, {"$ref": "#/$defs/messages"}],
    }


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
