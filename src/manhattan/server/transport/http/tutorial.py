"""Routes of the tutorial. The server keeps nothing of a learner, who sends all moves each time."""

from __future__ import annotations

from functools import cache

from aiohttp import web

from manhattan.rules import legal_moves
from manhattan.server.domain.errors import CommandRejected, ErrorCode
from manhattan.server.protocol.requests import TutorialRequest
from manhattan.server.protocol.responses import TutorialStep
from manhattan.server.protocol.serialize import encode
from manhattan.server.service.tutorial import (
    EXERCISES,
    exercise_state,
    try_moves,
    tutorial_step,
)
from manhattan.server.transport.http.routing import JSON, RouteTable

tutorial = RouteTable("tutorial")


@tutorial.route("GET", "/api/tutorial/{step}")
async def show_step(request: web.Request) -> TutorialStep:
    """Show a step of the tutorial: a position, and the learner's legal moves."""
    return tutorial_step(_step(request))


@tutorial.route("GET", "/api/tutorial/{step}/outcomes", response=dict[str, TutorialStep])
async def show_outcomes(request: web.Request) -> web.Response:
    """Show a step after each of its legal moves: a page keeps them for learners without a
    connection."""
    response = web.Response(body=_encoded_outcomes(_step(request)), content_type=JSON)
    response.enable_compression()  # a fiftieth of the size
    return response


@cache
def _encoded_outcomes(number: int) -> bytes:
    moves = map(str, legal_moves(exercise_state(number)))
    return encode({move: tutorial_step(number, [move]) for move in moves})


@tutorial.route(
    "POST",
    "/api/tutorial/{step}",
    examples={"a move": {"moves": ["C5+2"]}, "no move": {"moves": []}},
)
async def play_step(request: web.Request, body: TutorialRequest) -> TutorialStep:
    """Show a step after the learner's moves, and whether they solve its task. If the last move is
    illegal, show the step before it, and why."""
    return try_moves(_step(request), body.moves)


def _step(request: web.Request) -> int:
    text = request.match_info["step"]
    if not (text.isascii() and text.isdigit() and len(text) < 4 and int(text) in EXERCISES):
        raise CommandRejected(
            ErrorCode.BAD_REQUEST, what=f"The tutorial has steps 1 to {len(EXERCISES)}."
        )
    return int(text)
