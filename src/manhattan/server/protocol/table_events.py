"""The ``event`` of an update: what everyone at the table may know of a table event.

A tagged union with the types of ``manhattan.server.domain.events``. Hidden are the seed and
its parts, the people's ids, command ids and the digests of seat transfers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from manhattan.server.domain.clocks import Milliseconds
from manhattan.server.domain.events import (
    BotSeated,
    ChatSent,
    CloseReason,
    GameStarted,
    MovePlayed,
    NoncesRequested,
    NoncesRevealed,
    OfferAccepted,
    OfferDeclined,
    PlayerResigned,
    PlayerReturned,
    PlayerSubstituted,
    RematchOpened,
    SeatTaken,
    SeatTransferCreated,
    SeatTransferred,
    SeatVacated,
    TableClosed,
    TableEvent,
    TableOpened,
    TimeExpired,
    UndoAnswered,
    UndoRequested,
)


class _Event(msgspec.Struct, frozen=True, tag_field="type", gc=False):
    pass


class TableOpenedPayload(_Event, frozen=True, tag="table_opened"):
    """The table was opened."""


class SeatTakenPayload(_Event, frozen=True, tag="seat_taken"):
    """A person took a seat."""

    seat: int
    name: str


class SeatVacatedPayload(_Event, frozen=True, tag="seat_vacated"):
    """Seats are open again, before the game."""

    seats: Annotated[tuple[int, ...], Meta(description="One, or those of all people on a screen.")]


class OfferAcceptedPayload(_Event, frozen=True, tag="offer_accepted"):
    """A person took the seats that a rematch offered them."""

    seats: tuple[int, ...]


class OfferDeclinedPayload(_Event, frozen=True, tag="offer_declined"):
    """A person declined the seats that a rematch offered them; they are open for everyone."""

    seats: tuple[int, ...]


class BotSeatedPayload(_Event, frozen=True, tag="bot_seated"):
    """A bot got a seat."""

    seat: int
    level: str


class TableClosedPayload(_Event, frozen=True, tag="table_closed"):
    """The table was closed."""

    reason: Annotated[
        CloseReason,
        Meta(
            description="`closed` by the host before the game, `aborted` by a player before every "
            "player had moved once, or `abandoned` by everyone for 30 days."
        ),
    ]


class NoncesRequestedPayload(_Event, frozen=True, tag="nonces_requested"):
    """The game starts: the clients reveal their nonces."""

    until: Annotated[
        Milliseconds, Meta(description="Then the cards are dealt without the missing nonces.")
    ]


class NoncesRevealedPayload(_Event, frozen=True, tag="nonces_revealed"):
    """A client revealed the nonces of its seats; they are published at the deal."""

    seats: tuple[int, ...]


class GameStartedPayload(_Event, frozen=True, tag="game_started"):
    """The cards were dealt."""


class MovePlayedPayload(_Event, frozen=True, tag="move_played"):
    """A player moved."""

    player: int
    move: str


class UndoRequestedPayload(_Event, frozen=True, tag="undo_requested"):
    """A player asked to undo moves. Where no player has to agree, they are undone."""

    player: int
    ply: Annotated[int, Meta(description="The game would return to this ply.")]


class UndoAnsweredPayload(_Event, frozen=True, tag="undo_answered"):
    """A player answered the request, or it expired."""

    accepted: bool


class PlayerResignedPayload(_Event, frozen=True, tag="player_resigned"):
    """A player resigned; a bot plays on."""

    player: int


class TimeExpiredPayload(_Event, frozen=True, tag="time_expired"):
    """A player's time expired; a bot plays for them."""

    player: int


class PlayerSubstitutedPayload(_Event, frozen=True, tag="player_substituted"):
    """Another player let a bot play for an absent player."""

    player: int


class PlayerReturnedPayload(_Event, frozen=True, tag="player_returned"):
    """A player took over from the bot."""

    player: int


class SeatTransferCreatedPayload(_Event, frozen=True, tag="seat_transfer_created"):
    """A person prepared to move a seat to another device."""

    seat: int


class SeatTransferredPayload(_Event, frozen=True, tag="seat_transferred"):
    """The seat belongs to another device now."""

    seat: int


class ChatSentPayload(_Event, frozen=True, tag="chat_sent"):
    """A person sent a chat message."""

    name: str
    seat: Annotated[int | None, Meta(description="The sender's seat; null for a spectator.")]
    text: str


class RematchOpenedPayload(_Event, frozen=True, tag="rematch_opened"):
    """The same people play again at another table."""

    table: str


TableEventPayload = (
    TableOpenedPayload
    | SeatTakenPayload
    | SeatVacatedPayload
    | OfferAcceptedPayload
    | OfferDeclinedPayload
    | BotSeatedPayload
    | TableClosedPayload
    | NoncesRequestedPayload
    | NoncesRevealedPayload
    | GameStartedPayload
    | MovePlayedPayload
    | UndoRequestedPayload
    | UndoAnsweredPayload
    | PlayerResignedPayload
    | TimeExpiredPayload
    | PlayerSubstitutedPayload
    | PlayerReturnedPayload
    | SeatTransferCreatedPayload
    | SeatTransferredPayload
    | ChatSentPayload
    | RematchOpenedPayload
)


_PAYLOADS: Final[Mapping[type[TableEvent], type[TableEventPayload]]] = {
    TableOpened: TableOpenedPayload,
    SeatTaken: SeatTakenPayload,
    SeatVacated: SeatVacatedPayload,
    OfferAccepted: OfferAcceptedPayload,
    OfferDeclined: OfferDeclinedPayload,
    BotSeated: BotSeatedPayload,
    TableClosed: TableClosedPayload,
    NoncesRequested: NoncesRequestedPayload,
    NoncesRevealed: NoncesRevealedPayload,
    GameStarted: GameStartedPayload,
    MovePlayed: MovePlayedPayload,
    UndoRequested: UndoRequestedPayload,
    UndoAnswered: UndoAnsweredPayload,
    PlayerResigned: PlayerResignedPayload,
    TimeExpired: TimeExpiredPayload,
    PlayerSubstituted: PlayerSubstitutedPayload,
    PlayerReturned: PlayerReturnedPayload,
    SeatTransferCreated: SeatTransferCreatedPayload,
    SeatTransferred: SeatTransferredPayload,
    RematchOpened: RematchOpenedPayload,
}


def table_event_payload(event: TableEvent, chat_seat: int | None) -> TableEventPayload:
    """Redact an event: the fields that its payload declares are public, all others are dropped.
    The sender of a chat message is named by their seat, if they have one."""
    match event:
        case MovePlayed():  # the most frequent event, without the conversion
            return MovePlayedPayload(event.player, event.move)
        case ChatSent():
            return ChatSentPayload(event.name, chat_seat, event.text)
    return msgspec.convert(event, _PAYLOADS[type(event)], from_attributes=True)
