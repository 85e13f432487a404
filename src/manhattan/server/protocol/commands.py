"""Commands of the websocket, and their decoder.

Decoding is strict: no type is coerced, and no unknown field is accepted. The commands that change a
table are the domain's; those that only concern the connection are defined here.
"""

from __future__ import annotations

import json
from typing import Annotated, Final

import msgspec
from msgspec import Meta, field

from manhattan.server.domain.commands import ClientCommand, CommandId, GameCommand, MoveText
from manhattan.server.domain.errors import CommandRejected, ErrorCode
from manhattan.server.protocol.errors import malformed
from manhattan.server.protocol.requests import NonceHashes

MAX_COMMAND_LENGTH: Final = 4 * 1024
"""Characters of a command."""


class Rematch(ClientCommand, frozen=True, tag="rematch"):
    """Play again with the same people, after the game. The first who asks opens a new table, where
    the others are offered their seats, and accept by asking, too. From then on the websocket
    belongs to the new table, whose view is the answer. Sent again at the old table, it leads to the
    same one."""

    start: Annotated[bool, Meta(description="Start the game as soon as every seat is taken.")] = (
        False
    )
    nonce_hashes: NonceHashes = field(default_factory=list)


class ExplainMove(ClientCommand, frozen=True, tag="why"):
    """Ask why a move is illegal; nothing changes."""

    move: MoveText


class Ping(ClientCommand, frozen=True, tag="ping"):
    """Check that the connection is alive."""


Command = GameCommand | Rematch | ExplainMove | Ping


class _Identified(msgspec.Struct):
    """Anything with an id."""

    id: CommandId


_DECODER: Final[msgspec.json.Decoder[Command]] = msgspec.json.Decoder(Command)


def decode_command(text: str) -> Command:
    """Decode a command; raises ``CommandRejected`` for anything else."""
    if len(text) > MAX_COMMAND_LENGTH:
        raise CommandRejected(ErrorCode.TOO_LARGE, limit=MAX_COMMAND_LENGTH, unit="characters")
    try:
        return _DECODER.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise malformed(error) from None


def find_command_id(text: str) -> str | None:
    """Return the id of a malformed command, if it has one: its sender waits for an answer to it."""
    try:
        # The standard library accepts the most: what other programs call JSON, too.
        id = msgspec.convert(json.loads(text), _Identified).id
        id.encode()  # a lone surrogate can't be sent back
    except (msgspec.ValidationError, ValueError, RecursionError):
        return None
    return id
