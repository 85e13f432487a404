"""Table events, the source of truth in event sourcing: a table is the list of its events.

The number of an event is its place in the list. A writer says which number comes next, and the
database accepts each number once (optimistic concurrency): of two processes, or two people, only
one is first.
"""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from manhattan.server.domain.clocks import Milliseconds
from manhattan.server.domain.options import NonceHash, TableOptions

TableId = str
PersonId = str
"""Identifies a person, whatever their name. Known to the server alone."""
CloseReason = Literal["closed", "aborted", "abandoned"]
"""Why a table was closed: by its host before the game; by a player before every player had moved
once; or because nothing had happened there for a long time."""


class _TableEvent(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", omit_defaults=True):
    at: Milliseconds
    """Milliseconds since 1970."""
    by: PersonId | None = None
    """The person who caused it; None if no person did."""
    command: str | None = None
    """The id of their command, by which a repeated command is recognized (idempotency key)."""


class ReservedSeat(msgspec.Struct, frozen=True, kw_only=True):
    """A seat that is kept for a person at the table of a rematch."""

    seat: int
    person: PersonId
    name: str


class TableOpened(_TableEvent, frozen=True, tag="table_opened"):
    """A person opened a table."""

    options: TableOptions
    name: str
    """The host's name."""
    rematch_of: str | None = None
    """The table that this one follows."""
    offered: tuple[ReservedSeat, ...] = ()
    """Seats for the other players of that table, who may accept or decline them."""
    reserved: tuple[ReservedSeat, ...] = ()
    """In old events: seats that belonged to the other players from the start, unasked."""
    bot_names: tuple[str, ...] = ()
    """The names of its bots, in turn order; older events have none."""
    server_seed: str | None = None
    """The server's part of the shuffles' seed, 64 hexadecimal digits. Its SHA-256 is published at
    once, and itself hidden until the game is over. Older events have none."""

    def __repr__(self) -> str:
        return f"TableOpened(at={self.at}, by={self.by!r})"  # without the seed, for logs


class SeatTaken(_TableEvent, frozen=True, tag="seat_taken"):
    """A person took a seat."""

    seat: int
    name: str
    nonce_hash: NonceHash | None = None


class SeatVacated(_TableEvent, frozen=True, tag="seat_vacated"):
    """Seats are open again, before the game: one, or all of the people on one screen."""

    seats: tuple[int, ...]
    removed: PersonId | None = None
    """The person whom the host has removed, and who can't take a seat here again."""


class OfferAccepted(_TableEvent, frozen=True, tag="offer_accepted"):
    """A person took the seats that a rematch offered them: all of those at their screen."""

    seats: tuple[int, ...]
    nonce_hashes: tuple[NonceHash, ...] = ()
    """For these seats, in turn order. Seats beyond them have none."""


class OfferDeclined(_TableEvent, frozen=True, tag="offer_declined"):
    """A person declined the seats that a rematch offered them; they are open for everyone."""

    seats: tuple[int, ...]


class BotSeated(_TableEvent, frozen=True, tag="bot_seated"):
    """The host gave a seat to a bot, before the game."""

    seat: int
    level: str
    name: str = ""
    """The bot's name; older events have none."""


class TableClosed(_TableEvent, frozen=True, tag="table_closed"):
    """The table was closed. A game that had started is kept as it was."""

    reason: CloseReason = "closed"


class NoncesRequested(_TableEvent, frozen=True, tag="nonces_requested"):
    """The game starts: the seats and the hashes of nonces are final, and the clients that sent a
    hash reveal their nonces."""

    until: Milliseconds
    """Then the cards are dealt without the nonces that are missing."""


class NoncesRevealed(_TableEvent, frozen=True, tag="nonces_revealed"):
    """A client revealed the nonces of its seats. The client that completes them causes
    ``GameStarted`` instead."""

    seats: tuple[int, ...]
    nonces: tuple[str, ...]
    """Of these seats. 64 hexadecimal digits each; public from the deal on."""


class GameStarted(_TableEvent, frozen=True, tag="game_started"):
    """The cards were shuffled and dealt."""

    nonces: tuple[str | None, ...] = ()
    """The revealed nonces by seat. The seed follows from the server's part and from them; if there
    are none, it is the server's part."""
    seed: str | None = None
    """In events of tables that have no ``server_seed``: the seed, 64 hexadecimal digits. Hidden
    until the game is over."""

    def __repr__(self) -> str:
        return f"GameStarted(at={self.at}, by={self.by!r})"  # without the seed, for logs


class MovePlayed(_TableEvent, frozen=True, tag="move_played"):
    """A person or a bot moved."""

    player: int
    move: str


class UndoRequested(_TableEvent, frozen=True, tag="undo_requested"):
    """A player asked to undo moves. Where no other person has to agree, they are undone."""

    player: int
    ply: int
    """The point to which the game would return."""


class UndoAnswered(_TableEvent, frozen=True, tag="undo_answered"):
    """Another person answered the request, its author withdrew it, or it expired."""

    accepted: bool


class PlayerResigned(_TableEvent, frozen=True, tag="player_resigned"):
    """A player resigned; a bot plays on."""

    player: int


class TimeExpired(_TableEvent, frozen=True, tag="time_expired"):
    """A player's time expired; a bot plays for them."""

    player: int


class PlayerSubstituted(_TableEvent, frozen=True, tag="player_substituted"):
    """Another player let a bot play for an absent player."""

    player: int


class PlayerReturned(_TableEvent, frozen=True, tag="player_returned"):
    """A player took their seat back from the bot."""

    player: int


class SeatTransferCreated(_TableEvent, frozen=True, tag="seat_transfer_created"):
    """A person prepared to move a seat to another device."""

    seat: int
    digest: str
    """The hash of the secret with which the other device claims the seat."""


class SeatTransferred(_TableEvent, frozen=True, tag="seat_transferred"):
    """Another device holds the seat now."""

    seat: int
    digest: str
    nonce_hash: NonceHash | None = None
    """Of the other device, before the game."""


class ChatSent(_TableEvent, frozen=True, tag="chat_sent"):
    """A person sent a chat message."""

    name: str
    text: str


class RematchOpened(_TableEvent, frozen=True, tag="rematch_opened"):
    """The same people play again, at a new table."""

    table: str


TableEvent = (
    TableOpened
    | SeatTaken
    | SeatVacated
    | OfferAccepted
    | OfferDeclined
    | BotSeated
    | TableClosed
    | NoncesRequested
    | NoncesRevealed
    | GameStarted
    | MovePlayed
    | UndoRequested
    | UndoAnswered
    | PlayerResigned
    | TimeExpired
    | PlayerSubstituted
    | PlayerReturned
    | SeatTransferCreated
    | SeatTransferred
    | ChatSent
    | RematchOpened
)

_ENCODER: Final = msgspec.json.Encoder()
_DECODER: Final[msgspec.json.Decoder[TableEvent]] = msgspec.json.Decoder(TableEvent)


def encode_event(event: TableEvent) -> str:
    """Return an event as it is stored."""
    return _ENCODER.encode(event).decode()


def decode_event(text: str) -> TableEvent:
    """Return the event that was stored."""
    return _DECODER.decode(text)


def event_type(event: TableEvent) -> str:
    """Return the tag of an event's class, such as ``move_played``."""
    return str(event.__struct_config__.tag)
