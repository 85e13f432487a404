"""Tables without a network: commands and events in memory."""

from __future__ import annotations

from itertools import count
from typing import Any

import msgspec
import pytest

from manhattan.server.domain.commands import (
    Actor,
    AnswerUndo,
    ApplyTimeout,
    PlayBotMove,
    PlayMove,
    RequestUndo,
    Resign,
    Resume,
    SendChat,
    StartGame,
    TableCommand,
    TakeSeat,
)
from manhattan.server.domain.decide import decide
from manhattan.server.domain.errors import CommandRejected, ErrorCode
from manhattan.server.domain.events import (
    ReservedSeat,
    TableEvent,
    TableOpened,
    decode_event,
    encode_event,
)
from manhattan.server.domain.evolve import evolve, initial_state, replay_events
from manhattan.server.domain.options import TableOptions
from manhattan.server.domain.state import TableState

SEED = bytes(range(32)).hex()
ADA, BOB, CAT, DAN = "person-a", "person-b", "person-c", "person-d"
NAMES = {ADA: "Ada", BOB: "Bob", CAT: "Cat", DAN: "Dan"}
ME, OPEN = {"occupant": "me"}, {"occupant": "open"}

_ids = map(str, count())


def bot(level: str = "easy") -> dict[str, Any]:
    return {"occupant": "bot", "level": level}


def here(name: str) -> dict[str, Any]:
    return {"occupant": "here", "name": name}


def actor(person: str) -> Actor:
    return Actor(person, NAMES.get(person, person))


# Client commands with fresh ids.


def play(ply: int, move: str) -> PlayMove:
    return PlayMove(id=next(_ids), ply=ply, move=move)


def undo(ply: int) -> RequestUndo:
    return RequestUndo(id=next(_ids), ply=ply)


def answer(accept: bool) -> AnswerUndo:
    return AnswerUndo(id=next(_ids), accept=accept)


def resign(player: int | None = None) -> Resign:
    return Resign(id=next(_ids), player=player)


def resume(player: int | None = None) -> Resume:
    return Resume(id=next(_ids), player=player)


def chat(text: str) -> SendChat:
    return SendChat(id=next(_ids), text=text)


class TableBuilder:
    """A table, its events and a clock. Every command comes a second after the one before."""

    def __init__(
        self,
        *seats: dict[str, Any],
        rematch_of: str | None = None,
        offered: tuple[ReservedSeat, ...] = (),
        reserved: tuple[ReservedSeat, ...] = (),
        server_seed: str | None = None,
        **options: Any,
    ) -> None:
        self.now = 1000
        opened = TableOpened(
            at=self.now,
            by=ADA,
            name="Ada",
            options=msgspec.convert({"first": 0, **options, "seats": seats}, TableOptions),
            rematch_of=rematch_of,
            offered=offered,
            reserved=reserved,
            server_seed=server_seed,
        )
        self.events: list[TableEvent] = [opened]
        self.state: TableState = initial_state("t" * 14, opened)

    def apply(self, event: TableEvent) -> TableState:
        self.state = evolve(self.state, event)
        self.events.append(event)
        return self.state

    def execute(self, person: str | None, command: TableCommand) -> TableState:
        """Execute a command of a person, or of the server itself."""
        self.now += 1000
        by = None if person is None else actor(person)
        return self.apply(decide(self.state, command, by, self.now))

    def reject(self, reason: ErrorCode, person: str, command: TableCommand) -> None:
        """Check that a command is rejected and changes nothing."""
        before = self.state
        with pytest.raises(CommandRejected) as rejected:
            self.execute(person, command)
        assert rejected.value.reason is reason
        assert self.state is before

    def start(self, *people: str) -> TableBuilder:
        """Let people take seats, and deal the cards."""
        for person in people:
            self.execute(person, TakeSeat())
        self.execute(ADA, StartGame(SEED))
        return self

    def play(self, person: str, move: str | None = None) -> str:
        """Play a person's move: a certain one, or the first legal one."""
        game = self.state.game
        assert game is not None
        chosen = move or str(game.legal_moves()[0])
        self.execute(person, play(game.ply, chosen))
        return chosen

    def play_bot_move(self) -> None:
        """Play the first legal move for the bot to move."""
        game = self.state.game
        assert game is not None
        assert self.state.bot_to_move
        self.execute(None, PlayBotMove(game.state, game.legal_moves()[0]))

    def expire(self) -> TableState:
        """Let time pass until the next timeout, and apply it."""
        assert self.state.due is not None
        self.now = self.state.due - 1000
        return self.execute(None, ApplyTimeout())

    @property
    def ply(self) -> int:
        assert self.state.game is not None
        return self.state.game.ply

    def reload(self) -> TableState:
        """Rebuild the state from the stored events, as another process would."""
        stored = [decode_event(encode_event(event)) for event in self.events]
        state = replay_events(self.state.id, stored)
        assert state is not None
        return state
