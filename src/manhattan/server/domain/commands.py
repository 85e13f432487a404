"""Commands: everything that can be asked of a table, as typed values.

``decide`` turns a command into an event or rejects it. Clients send ``ClientCommand``s, which the
protocol decodes into these classes; the HTTP API, the rematch and the scheduler create the rest.
A command never says who sends it: the server knows the ``Actor`` by their cookie.
"""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from manhattan.rules import Move, State
from manhattan.server.domain.clocks import Milliseconds
from manhattan.server.domain.events import PersonId
from manhattan.server.domain.options import LevelName, NonceHash, SeatNumber
from manhattan.server.domain.state import MAX_PROCESSED_COMMANDS, REVEAL_TIMEOUT

CommandId = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=40,
        description="Idempotency key: sent again among the last "
        f"{MAX_PROCESSED_COMMANDS} commands of the table, a command is executed once.",
    ),
]
Ply = Annotated[int, Meta(ge=0, le=1_000_000, description="The number of moves played so far.")]
MoveText = Annotated[str, Meta(max_length=60, examples=["C5+3", "[112234]", "-2"])]


class Actor(msgspec.Struct, frozen=True):
    """The person who sends a command."""

    person: PersonId
    name: str


# Commands of clients.


class ClientCommand(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="type"
):
    """A command from a websocket, with its idempotency key."""

    id: CommandId


class PlayMove(ClientCommand, frozen=True, tag="play"):
    """Play a move."""

    ply: Ply
    move: MoveText


class RequestUndo(ClientCommand, frozen=True, tag="undo"):
    """Undo your last move; the other people at the table have to agree."""

    ply: Ply


class AnswerUndo(ClientCommand, frozen=True, tag="answer_undo"):
    """Agree to an undo, or refuse it."""

    accept: bool


class Resign(ClientCommand, frozen=True, tag="resign"):
    """Resign; a bot plays on."""

    player: SeatNumber | None = None


class Resume(ClientCommand, frozen=True, tag="resume"):
    """Take your seat back from the bot that played while you were away."""

    player: SeatNumber | None = None


class SendChat(ClientCommand, frozen=True, tag="chat"):
    """Send a chat message."""

    text: Annotated[str, Meta(max_length=2000)]


# Commands of the HTTP API.


class TakeSeat(msgspec.Struct, frozen=True):
    """Take a certain open seat, those that a rematch offers you, or the first."""

    seat: SeatNumber | None = None
    nonce_hashes: tuple[NonceHash, ...] = ()
    """For the seats that are taken, in turn order."""


class LeaveTable(msgspec.Struct, frozen=True):
    """Give up your seats before the game. The last person closes the table."""


class DeclineOffer(msgspec.Struct, frozen=True):
    """Decline the seats that a rematch offers you."""


class SeatBot(msgspec.Struct, frozen=True):
    """Give a seat to a bot; the host's right."""

    seat: SeatNumber
    level: LevelName


class FreeSeat(msgspec.Struct, frozen=True):
    """Open a seat for people; the host's right. A person who had it is removed: they can't take a
    seat at this table again."""

    seat: SeatNumber


class StartGame(msgspec.Struct, frozen=True):
    """Start the game; the host's right, and in a rematch every player's. The cards are dealt when
    the clients that sent a hash have revealed their nonces."""

    seed: str
    """For a table that an older version opened, without a part of the server."""
    reveal_ms: Milliseconds = REVEAL_TIMEOUT
    """How long the deal waits for nonces."""


class RevealNonces(msgspec.Struct, frozen=True):
    """Reveal nonces whose hashes seats at the table have. That the hash fits proves enough: only
    the client that drew a nonce knows it."""

    nonces: tuple[str, ...]
    """64 hexadecimal digits each."""


class CloseTable(msgspec.Struct, frozen=True):
    """Close the table before the game; the host's right."""


class AbortGame(msgspec.Struct, frozen=True):
    """End the game without a result, before every player has moved once."""


class SubstitutePlayer(msgspec.Struct, frozen=True):
    """Let a bot play for an absent player, until they return."""

    player: SeatNumber
    absent_since: Milliseconds | None
    """Since when the server hasn't seen the player at the table; None if they are there."""


class CreateSeatTransfer(msgspec.Struct, frozen=True):
    """Prepare to move a seat to another device, which needs the secret."""

    seat: SeatNumber | None
    secret: str


class ClaimSeatTransfer(msgspec.Struct, frozen=True):
    """Take over a seat from another device."""

    secret: str
    nonce_hash: NonceHash | None = None


# Commands of the server itself.


class OpenRematch(msgspec.Struct, frozen=True):
    """Point the players to the table of their next game."""

    table: str
    replaces: str | None = None
    """A closed table, which they were pointed to before."""


class PlayBotMove(msgspec.Struct, frozen=True):
    """Play a bot's move in the state that it was chosen for."""

    state: State
    move: Move


class ApplyTimeout(msgspec.Struct, frozen=True):
    """Do what is overdue: deal without missing nonces, expire an undo request or a player's time,
    or close the table."""


class CloseByOperator(msgspec.Struct, frozen=True):
    """Close the table, before its game or during it; the operator's right."""


GameCommand = PlayMove | RequestUndo | AnswerUndo | Resign | Resume | SendChat
SeatCommand = (
    TakeSeat
    | LeaveTable
    | DeclineOffer
    | SeatBot
    | FreeSeat
    | SubstitutePlayer
    | CreateSeatTransfer
    | ClaimSeatTransfer
)
LobbyCommand = SeatCommand | StartGame | RevealNonces | CloseTable | AbortGame | OpenRematch
SystemCommand = PlayBotMove | ApplyTimeout | CloseByOperator
"""Commands of the server itself, which have no actor."""
TableCommand = GameCommand | LobbyCommand | SystemCommand
