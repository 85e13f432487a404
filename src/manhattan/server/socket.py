"""A websocket: one viewer of one table. Commands come in, news go out."""

from __future__ import annotations

import asyncio
import re
from collections import deque
from collections.abc import Awaitable
from contextlib import suppress
from typing import Final

from starlette.requests import HTTPConnection
from starlette.types import Receive, Scope, Send

from manhattan.rules import ManhattanError, parse_move
from manhattan.rules.errors import printable
from manhattan.server import decisions, metrics
from manhattan.server.clocks import Milliseconds
from manhattan.server.commands import (
    Action,
    AgainCommand,
    AnswerCommand,
    BackCommand,
    Command,
    PingCommand,
    PlayCommand,
    ResignCommand,
    SayCommand,
    UndoCommand,
    WhyCommand,
    command,
    id_of,
)
from manhattan.server.denials import Denial, Denied
from manhattan.server.entries import Entry, PersonId
from manhattan.server.guard import address_of
from manhattan.server.house import House
from manhattan.server.limits import Bucket, Gates, neighbourhood
from manhattan.server.live import LiveTable, encoded
from manhattan.server.news import News
from manhattan.server.people import COOKIE, People
from manhattan.server.protocol import Message
from manhattan.server.refusing import refusal_of
from manhattan.server.seen import refusal_told
from manhattan.server.sitting import Sitting
from manhattan.server.store import Person
from manhattan.server.wire import EXTENSION, Line
from manhattan.view import view

MOST_UNSENT: Final = 2_000_000
"""Bytes that wait for a viewer who can't keep up; then he has to come again."""

# Why a websocket is closed, for programs.
NOBODY: Final = 4401
NO_TABLE: Final = 4404
TOO_MUCH: Final = 4429
TOO_SLOW: Final = 4408
AWAY: Final = 1001
LATER: Final = 1013

_PATH: Final = re.compile(r"/api/tables/([^/]{1,40})/socket")
_NAME: Final = re.compile(r"[a-z0-9]{14}")
_NUMBER: Final = re.compile(r"[0-9]{1,8}")


async def serve_socket(scope: Scope, receive: Receive, send: Send) -> None:
    """A websocket, as uvicorn hands it over. (Moves go through here: what FastAPI would wrap around
    it costs as much as sending them.)"""
    state = scope["app"].state
    people: People = state.people
    gates: Gates = state.gates
    asked = HTTPConnection(scope)
    path = _PATH.fullmatch(scope["path"])
    if path is None:
        await send({"type": "websocket.close", "code": NO_TABLE})  # HTTP 403
        return
    try:
        if not _NAME.fullmatch(path[1]):
            raise Denied(Denial.NO_SUCH_TABLE, table=printable(path[1]))
        person = await people.known(asked.cookies.get(COOKIE))
        address, id = neighbourhood(address_of(scope)), person.id if person else None
        gates.enter(address, id)
    except ManhattanError as error:
        await _turn_away(error, receive, send)
        return
    try:
        since = asked.query_params.get("since", "")
        number = int(since) if _NUMBER.fullmatch(since) else None
        viewer = Connection(state.house, gates, person, scope["extensions"][EXTENSION]["line"])
        await viewer.serve(path[1], number, receive, send)
    finally:
        gates.leave(address, id)


async def _turn_away(error: ManhattanError, receive: Receive, send: Send) -> None:
    """Tell why there is no websocket. Of one that never opens, a page learns nothing."""
    told = refusal_of(error)
    metrics.REFUSED.labels(told["reason"]).inc()
    message = encoded({"type": "refused", "answers": None, **told})
    await receive()
    await send({"type": "websocket.accept"})
    await send({"type": "websocket.send", "text": message.decode()})
    await send({"type": "websocket.close", "code": _code_of(error)})


def _code_of(error: ManhattanError) -> int:
    if not isinstance(error, Denied):
        return AWAY  # the storage is
    return NO_TABLE if error.reason is Denial.NO_SUCH_TABLE else TOO_MUCH


class _Repeated(Exception):
    """This command was carried out before."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class Connection:
    """A viewer."""

    def __init__(self, house: House, gates: Gates, who: Person | None, line: Line) -> None:
        self.person: PersonId | None = who.id if who else None
        self.generation = who.generation if who else 0
        self._name = who.name if who else ""
        self._house = house
        self._gates = gates
        self._line = line
        self._commands = Bucket(gates.limits.commands)
        self._loop = asyncio.get_running_loop()  # to find it takes a call of the kernel
        self._outbox: deque[bytes] = deque()
        self._unsent = 0
        self._rests: asyncio.Future[None] | None = None
        """While nothing waits to be sent. (An event would do, and take three times as long.)"""
        self._closing: int | None = None
        self._live: LiveTable | None = None

    async def serve(self, table: str, since: int | None, receive: Receive, send: Send) -> None:
        """Until one of us goes away."""
        await receive()
        await send({"type": "websocket.accept"})
        writing = asyncio.create_task(self._write(send))
        metrics.SOCKETS.inc()
        try:
            self._live = await self._house.look(table, self, since)
            reading = asyncio.create_task(self._read(receive))
            ended = {writing, reading}
            await asyncio.wait(ended, return_when=asyncio.FIRST_COMPLETED)
            reading.cancel()
            with suppress(asyncio.CancelledError):
                await reading
        except ManhattanError as error:
            self._refuse(error, None)
            known = isinstance(error, Denied) and error.reason is Denial.NO_SUCH_TABLE
            self._close(NO_TABLE if known else LATER)
        finally:
            if self._live is not None:
                self._house.look_away(self._live, self)
            self._close(AWAY)
            with suppress(asyncio.CancelledError, Exception):
                await writing
            metrics.SOCKETS.dec()

    def put(self, message: bytes) -> None:
        """Send something as soon as he can take it."""
        if self._closing is not None:
            return
        if self._line.free and not self._outbox:
            self._line.write(message)
            return
        self._outbox.append(message)
        self._unsent += len(message)
        if self._unsent > MOST_UNSENT:
            metrics.DROPPED.inc()
            self._outbox.clear()
            self._close(TOO_SLOW)
        self._wake_writer()

    def turn_away(self) -> None:
        """He is not who he was when he came."""
        self._close(NOBODY)

    def missed_something(self) -> None:
        """He gets it when he comes again."""
        self._close(LATER)

    def _wake_writer(self) -> None:
        if self._rests is not None and not self._rests.done():
            self._rests.set_result(None)

    def _tell(self, message: Message) -> None:
        self.put(encoded(message))

    def _close(self, code: int) -> None:
        if self._closing is None:
            self._closing = code
            self._wake_writer()

    async def _write(self, send: Send) -> None:
        """Send what could not be sent at once, and say goodbye in the end."""
        line = self._line
        with suppress(OSError, RuntimeError):  # he is gone
            while True:
                while self._outbox:
                    if not line.free:
                        await line.until_free()
                        continue  # all of it may have been dropped meanwhile
                    message = self._outbox.popleft()
                    self._unsent -= len(message)
                    line.write(message)
                if self._closing is not None:
                    await send({"type": "websocket.close", "code": self._closing})
                    return
                self._rests = self._loop.create_future()
                await self._rests

    async def _read(self, receive: Receive) -> None:
        while True:
            message = await receive()
            if message["type"] == "websocket.disconnect" or self._closing is not None:
                return  # who is sent away does nothing more, even if he does not listen
            text = message.get("text")
            try:
                self._commands.take()
                await self._obey(command(text))
            except Denied as error:
                self._refuse(error, id_of(text))
                if error.reason is Denial.TOO_OFTEN:
                    self._close(TOO_MUCH)
                    return

    async def _obey(self, command: Command) -> None:
        """Do what he says, or tell why not."""
        try:
            match command:
                case PlayCommand():  # first: it comes most often
                    await self._act(command)
                    self._commands.give_back()
                case PingCommand():
                    self._tell({"type": "done", "answers": command.id, "number": None})
                case WhyCommand():
                    self._explain(command)
                case AgainCommand():
                    await self._play_again(command)
                case _:
                    await self._act(command)
        except _Repeated as done:
            self._tell({"type": "done", "answers": command.id, "number": done.number})
        except ManhattanError as error:
            self._refuse(error, command.id)

    def _act(self, command: Action) -> Awaitable[News]:
        """Have something happen at the table."""
        person = self.person
        if person is None:
            raise Denied(Denial.NO_IDENTITY)
        if type(command) is SayCommand:
            self._gates.talk.take(person)
        assert self._live is not None

        def decide(sitting: Sitting, now: Milliseconds) -> Entry:
            if (number := sitting.became(person, command.id)) is not None:
                raise _Repeated(number)
            return self._decided(sitting, person, command, now)

        return self._house.act(self._live.id, decide, self, command.id)

    def _decided(
        self, sitting: Sitting, person: PersonId, command: Action, now: Milliseconds
    ) -> Entry:
        match command:
            case PlayCommand(id=id, ply=ply, move=move):
                return decisions.play(sitting, person, ply, move, id, now)
            case UndoCommand(id=id, ply=ply):
                return decisions.ask_undo(sitting, person, ply, id, now)
            case AnswerCommand(id=id, yes=yes):
                return decisions.answer_undo(sitting, person, yes, id, now)
            case ResignCommand(id=id, player=player):
                return decisions.resign(sitting, person, player, id, now)
            case BackCommand(id=id, player=player):
                return decisions.come_back(sitting, person, player, id, now)
            case SayCommand(id=id, text=text):
                return decisions.say(sitting, person, self._name, text, id, now)

    async def _play_again(self, command: AgainCommand) -> None:
        """Go on to the next table, through the same websocket."""
        if self.person is None:
            raise Denied(Denial.NO_IDENTITY)
        assert self._live is not None
        self._gates.tables.take(self.person)
        old, house = self._live, self._house
        who = await house.store.person(self.person)  # he may be called otherwise by now
        if who is None:
            raise Denied(Denial.NO_IDENTITY)
        following = await house.rematch(old.id, who.id, who.name, begin=command.begin)
        # First there, then away from here: who can't be shown the new table stays where he is.
        self._live = await house.look(following, self, None, command.id)
        house.look_away(old, self)

    def _explain(self, command: WhyCommand) -> None:
        """Why a move can't be made, by what he sees himself."""
        assert self._live is not None
        sitting = self._live.sitting
        if sitting.game is None:
            raise Denied(Denial.NOT_BEGUN)
        seen = view(sitting.game.state, sitting.eyes_of(self.person))
        refused = seen.why_not(parse_move(command.move))
        told = None if refused is None else refusal_told(refused)
        self._tell({"type": "why", "answers": command.id, "refusal": told})

    def _refuse(self, error: ManhattanError, command: str | None) -> None:
        told = refusal_of(error)
        metrics.REFUSED.labels(told["reason"]).inc()
        self._tell({"type": "refused", "answers": command, **told})
