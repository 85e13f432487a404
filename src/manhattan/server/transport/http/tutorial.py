"""Routes of the tutorial. The server keeps nothing of a learner, who sends all moves each time."""

from __future__ import annotations

from aiohttp import web

from manhattan.server.domain.errors import CommandRejected, ErrorCode
from manhattan.server.protocol.requests import TutorialRequest
from manhattan.server.protocol.responses import TutorialStep
from manhattan.server.service.tutorial import EXERCISES, try_moves, tutorial_step
from manhattan.server.transport.http.routing import RouteTable

tutorial = RouteTable("tutorial")


@tutorial.route("GET", "/api/tutorial/{step}")
async def show_step(request: web.Request) -> TutorialStep:
    """Show a step of the tutorial: a position, and the learner's legal moves."""
    return tutorial_step(_step(request))


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
