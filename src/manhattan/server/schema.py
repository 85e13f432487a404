"""The JSON Schema of everything that goes over the websocket, both ways."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any

from pydantic import Discriminator, TypeAdapter

from manhattan.server.protocol import COMMANDS, Message


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
