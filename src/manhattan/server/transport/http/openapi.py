"""OpenAPI description of the HTTP API, built from the route table and the types of the bodies."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any, Final

import msgspec
from msgspec.json import schema_components

from manhattan import __version__
from manhattan.server.protocol.messages import Problem
from manhattan.server.service.tutorial import EXERCISES
from manhattan.server.transport.http.routing import JSON, Route

Schema = dict[str, Any]

_ERRORS: Final = {
    401: "There is no account: set a name first.",
    403: "That is not for you to do.",
    404: "There is no such table, seat, device or passkey.",
    405: "The path doesn't support this method.",
    409: "The state of the table, or of the account, doesn't allow that.",
    410: "The seat transfer or the challenge was used or has expired.",
    413: "The request is too long.",
    422: "The request is malformed.",
    429: "Too many requests.",
    503: "The server is busy, or the database is unavailable: check whether it was done.",
}
_PATH_PARAMETERS: Final[dict[str, Schema]] = {
    "table": {
        "description": "The id of a table.",
        "schema": {"type": "string", "pattern": "^[a-z0-9]{14}$", "examples": ["k7m2x9q4t5b8nc"]},
    },
    "seat": {
        "description": "A seat; the first is 0.",
        "schema": {"type": "integer", "minimum": 0, "maximum": 99, "examples": [1]},
    },
    "device": {
        "description": "The id of one of your devices.",
        "schema": {"type": "string", "examples": ["Zk3vN0pQ9sXyT1uWbC2dEf"]},
    },
    "passkey": {
        "description": "The id of one of your passkeys.",
        "schema": {"type": "string", "examples": ["q8Jr2mXwT0uVbC1dEfGhZk"]},
    },
    "token": {
        "description": "The token in the address of your feed.",
        "schema": {"type": "string", "examples": ["WyJaazN2TjBwUTlzWHlUMSIsMSwiYSJd.c2lnbmF0dXJl"]},
    },
    "step": {
        "description": "A step of the tutorial.",
        "schema": {"type": "integer", "minimum": 1, "maximum": len(EXERCISES), "examples": [4]},
    },
}


def openapi(routes: Sequence[Route]) -> Schema:
    """Describe routes."""
    types = [Problem, *(type for route in routes for type in (route.body, route.response) if type)]
    schemas, components = schema_components(types, ref_template="#/components/schemas/{name}")
    refs = dict(zip(map(_key, types), schemas, strict=True))
    paths: dict[str, Schema] = {}
    for route in routes:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, refs)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Manhattan",
            "version": __version__,
            "description": "The board game Manhattan over the network. Moves are commands of a "
            "websocket, `/api/tables/{table}/socket`, whose messages are described by "
            "`/api/messages.schema.json`.",
        },
        "paths": paths,
        "components": {"schemas": components},
    }


def _key(type: Any) -> str:
    return repr(type)


def _operation(route: Route, refs: dict[str, Schema]) -> Schema:
    description = inspect.cleandoc(route.handler.__doc__ or "").replace("\n", " ")
    operation: Schema = {
        "tags": [route.tag],
        "operationId": route.handler.__name__,
        "summary": route.handler.__name__.replace("_", " ").capitalize(),
        "description": description,
        "responses": {
            str(route.status): {
                "description": "Done.",
                "content": {
                    # A file has no schema.
                    route.media_type: {"schema": refs[_key(route.response)]}
                    if route.media_type == JSON
                    else {}
                },
            },
            **{
                str(status): {
                    "description": text,
                    "content": {JSON: {"schema": refs[_key(Problem)]}},
                }
                for status, text in _ERRORS.items()
            },
        },
    }
    if parameters := [*_path_parameters(route.path), *_query_parameters(route.query)]:
        operation["parameters"] = parameters
    if route.body is not None:
        examples = {name: {"value": value} for name, value in route.examples.items()}
        schema = route.body_schema or refs[_key(route.body)]
        operation["requestBody"] = {
            "required": route.body_required,
            "content": {JSON: {"schema": schema, "examples": examples}},
        }
    return operation


def _path_parameters(path: str) -> list[Schema]:
    return [
        {"name": name, "in": "path", "required": True} | parameter
        for name, parameter in _PATH_PARAMETERS.items()
        if f"{{{name}}}" in path
    ]


def _query_parameters(query: type[msgspec.Struct] | None) -> list[Schema]:
    if query is None:
        return []
    _, components = schema_components([query])
    properties = components[query.__name__]["properties"]
    return [
        {
            "name": name,
            "in": "query",
            "required": False,
            "description": schema.pop("description"),
            "schema": schema,
        }
        for name, schema in properties.items()
    ]
