"""What comes in over the websocket: commands, as types. Nothing is guessed, nothing left over.

(By msgspec: pydantic, which checks what comes over HTTP, takes three times as long, and of that
there is much less.)
"""

from __future__ import annotations

import json
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from manhattan.rules.errors import printable
from manhattan.server.denials import Denial, Denied
from manhattan.server.limits import LONGEST_COMMAND

CommandId = Annotated[
    str, Meta(min_length=1, max_length=40, description="Repeated, it is not done again.")
]
_Ply = Annotated[int, Meta(ge=0, le=1_000_000, description="How many moves have been made.")]
_Move = Annotated[str, Meta(max_length=60, examples=["C5+3", "[112234]", "-2"])]
# No more digits than can be told back: which chairs there are is the table's business.
_Player = Annotated[int, Meta(ge=0, le=99, description="A chair; the first is 0.")]
_LONGEST: Final = 200


class _Command(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="type"
):
    id: CommandId


class PlayCommand(_Command, frozen=True, tag="play"):
    """Make a move."""

    ply: _Ply
    move: _Move


class UndoCommand(_Command, frozen=True, tag="undo"):
    """Take back one's last move; other people at the table have to agree."""

    ply: _Ply


class AnswerCommand(_Command, frozen=True, tag="answer"):
    """Agree to taking a move back, or not."""

    yes: bool


class ResignCommand(_Command, frozen=True, tag="resign"):
    """Give up; a bot plays on."""

    player: _Player | None = None


class BackCommand(_Command, frozen=True, tag="back"):
    """Be back, after a bot has played for one who was away."""

    player: _Player | None = None


class SayCommand(_Command, frozen=True, tag="say"):
    """Say something to all."""

    text: Annotated[str, Meta(max_length=2000)]


class AgainCommand(_Command, frozen=True, tag="again"):
    """Play again with the same people, after the game: the websocket shows the new table from then
    on, whose view comes first."""

    begin: Annotated[bool, Meta(description="Deal at once, if you are the first to ask.")] = False


class WhyCommand(_Command, frozen=True, tag="why"):
    """Ask why a move can't be made; nothing happens."""

    move: _Move


class PingCommand(_Command, frozen=True, tag="ping"):
    """Ask whether the server is there."""


Action = PlayCommand | UndoCommand | AnswerCommand | ResignCommand | BackCommand | SayCommand
"""What changes something at a table."""
Command = Action | AgainCommand | WhyCommand | PingCommand


class _Called(msgspec.Struct):
    """Whatever has a name."""

    id: CommandId


_COMMAND: Final[msgspec.json.Decoder[Command]] = msgspec.json.Decoder(Command)


def command(text: object) -> Command:
    """What somebody says."""
    if not isinstance(text, str):
        raise Denied(Denial.BAD_REQUEST, what="A message is a text, not bytes.")
    if len(text) > LONGEST_COMMAND:
        raise Denied(Denial.TOO_LARGE, limit=LONGEST_COMMAND, unit="characters")
    try:
        return _COMMAND.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise Denied(Denial.BAD_REQUEST, what=printable(f"{error}."[:_LONGEST])) from None


def id_of(text: object) -> str | None:
    """What a command that can't be obeyed calls itself, if that can be made out: whoever sent it
    waits for an answer with this name."""
    if not isinstance(text, str):
        return None
    try:
        # By the library that takes most: what other programs call JSON, too.
        called = msgspec.convert(json.loads(text), _Called).id
        called.encode()  # half a character can't be told back
    except (msgspec.ValidationError, ValueError, RecursionError):
        return None
    return called
