"""JSON Schema of the protocol, generated from its types."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from typing import Any

import msgspec
from msgspec.json import schema_components

from manhattan.server.domain.options import TableOptions
from manhattan.server.protocol import messages, requests, responses
from manhattan.server.protocol.commands import Command
from manhattan.server.protocol.messages import GameEvent, Message

Schema = dict[str, Any]


@cache
def message_schema() -> Schema:
    """Return the schema of every command and message of the websocket."""
    (commands, outgoing), components = schema_components(
        (Command, Message), ref_template="#/$defs/{name}"
    )
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Manhattan: commands and messages of the websocket",
        "$defs": components | {"Command": commands, "Message": outgoing},
        "anyOf": [{"$ref": "#/$defs/Command"}, {"$ref": "#/$defs/Message"}],
    }


def page_schema() -> Schema:
    """Return the schema of everything that the page sends and receives; its TypeScript types are
    generated from it."""
    bodies = [*structs_of(requests), *structs_of(responses), messages.Problem, TableOptions]
    _, components = schema_components(bodies, ref_template="#/$defs/{name}")
    (game_event,), _ = schema_components((GameEvent,), ref_template="#/$defs/{name}")
    schema = message_schema()
    return schema | {"$defs": schema["$defs"] | components | {"GameEvent": game_event}}


def structs_of(module: Any) -> Iterable[type[msgspec.Struct]]:
    """Return the public Structs that a module defines."""
    return [
        value
        for name, value in vars(module).items()
        if isinstance(value, type)
        and issubclass(value, msgspec.Struct)
        and value.__module__ == module.__name__
        and not name.startswith("_")
    ]


if __name__ == "__main__":
    print(json.dumps(page_schema()))
