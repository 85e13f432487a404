"""The HTTP part of the API: who one is, and tables before and after play."""

from __future__ import annotations

import json
import secrets
from contextlib import suppress
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Body, Depends, Path, Query, Request, Response
from fastapi.responses import JSONResponse

from manhattan.bots import LEVELS
from manhattan.game import Game
from manhattan.record import parse, to_json
from manhattan.replay import walk
from manhattan.rules import EDITIONS, ROWS
from manhattan.rules.chance import SEED_BYTES
from manhattan.server import decisions
from manhattan.server.answers import (
    BoxTold,
    EvaluationTold,
    HintTold,
    LessonTold,
    LinkTold,
    ListTold,
    MineTold,
    Myself,
    RecordChecked,
    TableNamed,
    evaluation_told,
    hint_told,
)
from manhattan.server.clocks import Milliseconds, now
from manhattan.server.denials import Denial, Denied, Unreadable
from manhattan.server.forms import ChairForm, ClaimForm, FillForm, LessonForm, NameForm, SitForm
from manhattan.server.guard import address_of
from manhattan.server.house import Decide, House
from manhattan.server.lessons import LESSONS, lesson_told
from manhattan.server.limits import Gates, neighbourhood
from manhattan.server.live import encoded
from manhattan.server.people import COOKIE, COOKIE_LASTS, People
from manhattan.server.protocol import RefusalTold, TableTold, ViewMessage
from manhattan.server.seen import table_told, view_message
from manhattan.server.sitting import Sitting
from manhattan.server.store import Person
from manhattan.server.terms import Terms
from manhattan.view import View, view_of

_MOST_LISTED = 50
_WAITS: Milliseconds = 12 * 60 * 60 * 1000
"""So long a table is in the list at which nobody looks, and nobody sits down."""
TableName = Annotated[
    str,
    Path(pattern="^[a-z0-9]{14}$", description="A table's name.", examples=["k7m2x9q4t5b8nc"]),
]
LessonNumber = Annotated[
    int, Path(ge=1, le=len(LESSONS), description="A lesson's number.", examples=[4])
]
_SAVED = to_json(Game.new(2, seed=bytes(SEED_BYTES)))
"""The shortest saved game: the cards are dealt."""
REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"model": RefusalTold, "description": why}
    for status, why in {
        401: "Nobody has said his name.",
        403: "That is for somebody else to do.",
        404: "There is no such table or chair.",
        409: "The table stands differently.",
        410: "The link is dead.",
        413: "That is too long.",
        422: "That can't be understood.",
        429: "That was too often.",
        503: "Too much is going on, or the database can't be used: then look again whether it was "
        "done.",
    }.items()
}
api = APIRouter(prefix="/api", responses=REFUSALS)


async def house(request: Request) -> House:
    found: House = request.app.state.house
    return found


async def gates(request: Request) -> Gates:
    found: Gates = request.app.state.gates
    return found


async def somebody(request: Request) -> Person | None:
    """Who asks, if he has said his name."""
    people: People = request.app.state.people
    return await people.known(request.cookies.get(COOKIE))


async def named(person: Annotated[Person | None, Depends(somebody)]) -> Person:
    if person is None:
        raise Denied(Denial.NO_IDENTITY)
    return person


TheHouse = Annotated[House, Depends(house)]
TheGates = Annotated[Gates, Depends(gates)]
Somebody = Annotated[Person | None, Depends(somebody)]
Named = Annotated[Person, Depends(named)]


# Who one is.


@api.get("/me", tags=["people"])
async def me(person: Somebody) -> Myself:
    """Who the server thinks that you are."""
    return {"name": person.name if person else None}


@api.put("/me", tags=["people"])
async def say_name(
    request: Request,
    response: Response,
    person: Somebody,
    gates: TheGates,
    form: Annotated[NameForm, Body(examples=[{"name": "Ada"}])],
) -> Myself:
    """Say your name, for the first time or a new one. That you are you is known by a cookie."""
    people: People = request.app.state.people
    if person is not None:
        person = await people.renamed(person, form.name, now())
    if person is None:
        gates.newcomers.take(neighbourhood(address_of(request.scope)))
        person = await people.introduced(form.name, now())
    response.set_cookie(
        COOKIE,
        people.cookie_of(person),
        max_age=COOKIE_LASTS,
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
    )
    return {"name": person.name}


@api.delete("/me", tags=["people"])
async def forget_me(request: Request, response: Response, house: TheHouse, person: Named) -> Myself:
    """Be nobody again, on all devices."""
    people: People = request.app.state.people
    await people.forget(person, now())
    house.turn_away(person.id)
    response.delete_cookie(COOKIE)
    return {"name": None}


# What can be played.


@api.get("/box", tags=["rules"])
async def box() -> BoxTold:
    """The editions, what a table may change in them, and the bots."""
    return {
        "editions": [
            {
                "id": edition.id,
                "title": edition.title,
                "colours": [colour.value for colour in edition.colours],
                "cities": list(edition.cities),
                "rules": {row: getattr(edition.rules, row) for row in ROWS},
            }
            for edition in EDITIONS.values()
        ],
        "house_rules": {row: list(values) for row, values in ROWS.items()},
        "levels": [
            {"name": name, "title": level.name, "description": level.description}
            for name, level in LEVELS.items()
        ],
    }


# Learning to play.


@api.get("/lessons/{number}", tags=["rules"], response_model=LessonTold)
async def lesson(number: LessonNumber) -> Response:
    """A lesson of the tutorial: a position, and what the learner can do in it."""
    return Response(encoded(lesson_told(number)), media_type="application/json")


@api.post("/lessons/{number}", tags=["rules"], response_model=LessonTold)
async def lesson_after(
    number: LessonNumber,
    form: Annotated[LessonForm, Body(examples=[{"moves": ["C5+2"]}, {"moves": []}])],
) -> Response:
    """The same after some moves of the learner. Nothing is kept: they are told every time."""
    return Response(encoded(lesson_told(number, form.moves)), media_type="application/json")


# Tables.


@api.get("/tables", tags=["tables"])
async def tables(
    house: TheHouse,
    stage: Annotated[Literal["gathering", "playing", "over"], Query()] = "gathering",
) -> ListTold:
    """The public tables of a stage, the latest first, two of each host. A table that waits for
    players is listed for twelve hours after the last came or went, and while somebody looks at
    it."""
    since = now() - _WAITS if stage == "gathering" else 0
    looked_at = [live.id for live in house.tables if live.viewers and live.sitting.stage == stage]
    found = await house.store.listed(stage, _MOST_LISTED, since, looked_at)
    # What a list shows was written as such (live.summary_of), but comes from the database.
    return {"tables": [{"id": id, **told} for id, told in found]}  # type: ignore[typeddict-item]


@api.get("/tables/mine", tags=["tables"])
async def my_tables(house: TheHouse, person: Named) -> MineTold:
    """The tables at which you sit, the latest first."""
    found = await house.store.tables_of(person.id, _MOST_LISTED)
    sittings = []
    for table in found:
        with suppress(Unreadable):  # which keeps nobody from his other tables
            sittings.append((await house.table(table)).sitting)
    return {
        "tables": [
            {
                "table": table_told(sitting, person.id),
                "round": sitting.game.table.round if sitting.game else 0,
                "your_turn": sitting.mover in sitting.chairs_of(person.id),
                "due": sitting.clocks.due,
            }
            for sitting in sittings
        ]
    }


@api.post("/tables", status_code=201, tags=["tables"])
async def open_table(
    house: TheHouse,
    gates: TheGates,
    person: Named,
    terms: Annotated[
        Terms,
        Body(
            openapi_examples={
                "against bots": {
                    "value": {
                        "chairs": [
                            {"who": "me"},
                            {"who": "bot", "level": "medium"},
                            {"who": "bot", "level": "hard"},
                        ]
                    }
                },
                "with friends": {
                    "value": {
                        "edition": "hig-1994",
                        "chairs": [{"who": "me"}, {"who": "open"}],
                        "clock": {"kind": "correspondence", "days": 2},
                    }
                },
            }
        ),
    ],
    begin: Annotated[bool, Query(description="Deal at once, if nobody is missing.")] = False,
) -> TableTold:
    """Open a table."""
    gates.tables.take(person.id)
    live = await house.open(person.id, person.name, terms)
    if begin:
        await house.act(live.id, lambda s, at: decisions.begin(s, person.id, at))
    return table_told(live.sitting, person.id)


@api.get("/tables/{table}", tags=["tables"], response_model=ViewMessage)
async def look(house: TheHouse, person: Somebody, table: TableName) -> Response:
    """A table as you may see it: the same that the websocket says first."""
    live = await house.table(table)
    seen = view_message(live.sitting, person.id if person else None, live.presence(now()), now())
    return Response(encoded(seen), media_type="application/json")


@api.post("/tables/{table}/sit", tags=["tables"])
async def sit(
    house: TheHouse,
    person: Named,
    table: TableName,
    form: Annotated[SitForm, Body(examples=[{}, {"chair": 1}])],
) -> TableTold:
    """Take a chair, before the game."""
    return await _done(
        house,
        table,
        person,
        lambda s, at: decisions.sit(s, person.id, person.name, form.chair, at),
    )


@api.post("/tables/{table}/leave", tags=["tables"])
async def leave(house: TheHouse, person: Named, table: TableName) -> TableTold:
    """Get up again, before the game, with whoever shares your screen. The last person closes the
    table."""
    return await _done(house, table, person, lambda s, at: decisions.leave(s, person.id, at))


@api.post("/tables/{table}/fill", tags=["tables"])
async def fill(
    house: TheHouse,
    person: Named,
    table: TableName,
    form: Annotated[FillForm, Body(examples=[{"chair": 1, "level": "hard"}, {"chair": 1}])],
) -> TableTold:
    """Put a bot into a chair, or free it: for who has opened the table, before the game."""
    return await _done(
        house,
        table,
        person,
        lambda s, at: decisions.fill(s, person.id, form.chair, form.level, at),
    )


@api.post("/tables/{table}/close", tags=["tables"])
async def close(house: TheHouse, person: Named, table: TableName) -> TableTold:
    """Close a table, before the game: for who has opened it."""
    return await _done(house, table, person, lambda s, at: decisions.close(s, person.id, at))


@api.post("/tables/{table}/begin", tags=["tables"])
async def begin(house: TheHouse, person: Named, table: TableName) -> TableTold:
    """Deal the cards: for who has opened the table, when every chair is taken."""
    return await _done(house, table, person, lambda s, at: decisions.begin(s, person.id, at))


@api.post("/tables/{table}/rematch", tags=["tables"])
async def rematch(
    house: TheHouse,
    gates: TheGates,
    person: Named,
    table: TableName,
    begin: Annotated[bool, Query(description="Deal at once, if you are the first to ask.")] = False,
) -> TableNamed:
    """Play again with the same people; all get the same new table."""
    gates.tables.take(person.id)
    return {"table": await house.rematch(table, person.id, person.name, begin=begin)}


# A seat on another device.


@api.post("/tables/{table}/link", tags=["tables"])
async def make_link(
    house: TheHouse,
    person: Named,
    table: TableName,
    form: Annotated[ChairForm, Body(examples=[{}, {"chair": 1}])],
) -> LinkTold:
    """A secret with which another device takes over your seat: once, within an hour."""
    secret = secrets.token_urlsafe(24)
    await house.act(table, lambda s, at: decisions.make_link(s, person.id, form.chair, secret, at))
    return {"secret": secret}


@api.post("/tables/{table}/claim", tags=["tables"])
async def claim(
    house: TheHouse,
    person: Named,
    table: TableName,
    form: Annotated[ClaimForm, Body(examples=[{"secret": "Zx0-dV9hKpQ2rT7mW4sYbN1c"}])],
) -> TableTold:
    """Take over the seat of a link."""
    return await _done(
        house, table, person, lambda s, at: decisions.claim(s, person.id, form.secret, at)
    )


# What is told of a game.


@api.get("/tables/{table}/record", tags=["games"])
async def record(house: TheHouse, table: TableName) -> JSONResponse:
    """The saved game. As long as it is not over, nothing hidden is in it."""
    sitting = (await house.table(table)).sitting
    if sitting.game is None:
        raise Denied(Denial.NOT_BEGUN)
    told = to_json(sitting.game, whole=False)
    headers = {"content-disposition": f'attachment; filename="manhattan-{table}.json"'}
    return JSONResponse(told, headers=headers)


@api.post("/records/check", tags=["games"])
async def check_record(
    saved: Annotated[
        dict[str, Any],
        Body(description="A saved game, as `/record` gives it.", examples=[_SAVED]),
    ],
) -> RecordChecked:
    """Is a saved game true to the rules? Nothing is kept of it."""
    walked = walk(parse(json.dumps(saved)))
    last = walked.steps[-1].table if walked.steps else walked.start
    return {"moves": len(walked.steps), "over": last.result is not None}


@api.post("/tables/{table}/hint", tags=["games"])
async def hint(house: TheHouse, gates: TheGates, person: Named, table: TableName) -> HintTold:
    """A good move, by what you can see. Not at serious tables."""
    seen, dice = _own_view((await house.table(table)).sitting, person, gates)
    return hint_told(await house.thinkers.hint(seen, dice))


@api.post("/tables/{table}/evaluation", tags=["games"])
async def evaluation(
    house: TheHouse, gates: TheGates, person: Named, table: TableName
) -> EvaluationTold:
    """Your moves thought over, by what you can see: who may win after each. Not at serious
    tables."""
    seen, dice = _own_view((await house.table(table)).sitting, person, gates)
    return evaluation_told(await house.thinkers.evaluate(seen, dice))


async def _done(house: House, table: str, person: Person, decide: Decide) -> TableTold:
    news = await house.act(table, decide)
    return table_told(news.after, person.id)


def _own_view(sitting: Sitting, person: Person, gates: Gates) -> tuple[View, str]:
    """What somebody may be advised about."""
    if sitting.game is None:
        raise Denied(Denial.NOT_BEGUN)
    if sitting.terms.serious:
        raise Denied(Denial.SERIOUS)
    if not sitting.chairs_of(person.id):
        raise Denied(Denial.NOT_AT_THE_TABLE)
    seen = view_of(sitting.game, sitting.eyes_of(person.id))
    if not seen.to_move:
        raise Denied(Denial.ADVICE_OUT_OF_TURN)
    gates.thinking.take(person.id)
    return seen, f"advice {sitting.game.commitment} {sitting.game.ply}"
