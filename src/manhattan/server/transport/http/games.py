"""Routes of games: records, hints and evaluations."""

from __future__ import annotations

from typing import Any, Final

import msgspec
from aiohttp import hdrs, web

from manhattan.game import Game
from manhattan.record import to_json
from manhattan.rules.chance import SEED_BYTES
from manhattan.server.domain.errors import CommandRejected, ErrorCode
from manhattan.server.domain.state import TableState
from manhattan.server.protocol.errors import malformed
from manhattan.server.protocol.responses import (
    EvaluationResponse,
    HintResponse,
    RecordCheck,
    evaluation_response,
    hint_response,
)
from manhattan.server.service.fair_queue import Client
from manhattan.server.storage import Person
from manhattan.server.transport.http.routing import RouteTable, json_response
from manhattan.server.transport.ratelimit import RateLimiter
from manhattan.server.transport.request_context import (
    client_key,
    require_person,
    services_of,
    table_id,
)
from manhattan.view import View, view_of

games = RouteTable("games")

_SHORTEST_RECORD: Final = to_json(Game.new(2, seed=bytes(SEED_BYTES)))


@games.route("GET", "/api/tables/{table}/record", response=dict[str, Any])
async def download_record(request: web.Request) -> web.Response:
    """Download the record of a game. Before its end it holds nothing hidden."""
    table = table_id(request)
    state = (await services_of(request).tables.session(table)).state
    if state.game is None:
        raise CommandRejected(ErrorCode.NOT_STARTED)
    response = json_response(to_json(state.game, redacted=True))
    response.headers[hdrs.CONTENT_DISPOSITION] = f'attachment; filename="manhattan-{table}.json"'
    return response


@games.route(
    "POST",
    "/api/records/check",
    body_schema={
        "type": "object",
        "description": "A record, as described in docs/reference/record.md.",
    },
    examples={"before the first move": _SHORTEST_RECORD},
)
async def check_record(request: web.Request, body: msgspec.Raw) -> RecordCheck:
    """Check that a record follows the rules. Nothing of it is kept."""
    try:
        text = bytes(body).decode()
    except UnicodeDecodeError as error:
        raise malformed(error) from None
    return await services_of(request).record_checker.check(text, client_key(request))


@games.route("POST", "/api/tables/{table}/hint")
async def show_hint(request: web.Request) -> HintResponse:
    """Suggest a good move, judged by what you can see, unless the table disables hints."""
    bots = services_of(request).tables.bots
    return hint_response(await bots.hint(*await _advice_for(request)))


@games.route("POST", "/api/tables/{table}/evaluation")
async def show_evaluation(request: web.Request) -> EvaluationResponse:
    """Evaluate your moves by what you can see, unless the table disables hints."""
    bots = services_of(request).tables.bots
    return evaluation_response(await bots.evaluate(*await _advice_for(request)))


async def _advice_for(request: web.Request) -> tuple[View, str, Client]:
    """Return the view of the person to advise, the seed of the bot's random numbers, and who
    waits."""
    services, table = services_of(request), table_id(request)
    person = await require_person(request)
    state = (await services.tables.session(table)).state
    seen, seed = _check_advice(state, person, services.rate_limiter)
    return seen, seed, Client(client_key(request), person.id)


def _check_advice(state: TableState, person: Person, rate_limiter: RateLimiter) -> tuple[View, str]:
    if state.game is None:
        raise CommandRejected(ErrorCode.NOT_STARTED)
    if state.options.hints_disabled:
        raise CommandRejected(ErrorCode.HINTS_DISABLED)
    if not state.seats_of(person.id):
        raise CommandRejected(ErrorCode.NOT_AT_THE_TABLE)
    seen = view_of(state.game, state.viewpoint(person.id))
    if not seen.is_to_move:
        raise CommandRejected(ErrorCode.HINT_OUT_OF_TURN)
    rate_limiter.hints.take(person.id)
    return seen, f"advice {state.game.commitment} {state.game.ply}"
