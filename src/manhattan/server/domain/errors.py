"""Errors of the server as named codes with their sentences.

The words: the server *rejects* a command with an ``ErrorCode`` (``CommandRejected``); the rules
*refuse* a move with a ``rules.Reason`` (``Refusal``, raised as ``IllegalMove``). Both are called
``reason``, and reach clients in the same form: as a *problem* with reason, params and text, in an
HTTP body or in an ``error`` message.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from manhattan.rules import ManhattanError


class ErrorCode(StrEnum):
    """Why the server rejects a command. The value is the ``reason`` in the protocol."""

    NO_SUCH_TABLE = "no_such_table"
    NO_SUCH_SEAT = "no_such_seat"
    NO_IDENTITY = "no_identity"
    BANNED = "banned"
    CROSS_ORIGIN = "cross_origin"
    NOT_THE_HOST = "not_the_host"
    NOT_AT_THE_TABLE = "not_at_the_table"
    HINT_OUT_OF_TURN = "hint_out_of_turn"
    NOT_YOUR_SEAT = "not_your_seat"
    TABLE_FULL = "table_full"
    SEAT_TAKEN = "seat_taken"
    ALREADY_SEATED = "already_seated"
    SEAT_OFFERED = "seat_offered"
    NO_OFFER = "no_offer"
    REMOVED_BY_HOST = "removed_by_host"
    SEATS_OPEN = "seats_open"
    NOT_STARTED = "not_started"
    NONCE_MISMATCH = "nonce_mismatch"
    ALREADY_REVEALED = "already_revealed"
    ALREADY_STARTED = "already_started"
    OVER = "over"
    NOT_OVER = "not_over"
    CLOSED = "closed"
    TOO_LATE_TO_ABORT = "too_late_to_abort"
    NOT_ABSENT = "not_absent"
    TOO_LATE = "too_late"
    TOO_EARLY = "too_early"
    BOT_CONTROLLED = "bot_controlled"
    NOT_BOT_CONTROLLED = "not_bot_controlled"
    RESIGNED = "resigned"
    NOTHING_TO_UNDO = "nothing_to_undo"
    CARD_SEEN = "card_seen"
    UNDO_PENDING = "undo_pending"
    NO_UNDO_REQUEST = "no_undo_request"
    HINTS_DISABLED = "hints_disabled"
    YOUR_TURN = "your_turn"
    TRANSFER_EXPIRED = "transfer_expired"
    NAME_UNREADABLE = "name_unreadable"
    NAME_MIXED_SCRIPTS = "name_mixed_scripts"
    NAME_OF_A_BOT = "name_of_a_bot"
    IDENTITY_IN_USE = "identity_in_use"
    WRONG_RECOVERY_CODE = "wrong_recovery_code"
    PASSKEY_REJECTED = "passkey_rejected"
    PASSKEYS_UNAVAILABLE = "passkeys_unavailable"
    CHALLENGE_EXPIRED = "challenge_expired"
    NO_SUCH_DEVICE = "no_such_device"
    NO_SUCH_PASSKEY = "no_such_passkey"
    BAD_REQUEST = "bad_request"
    TOO_LARGE = "too_large"
    TOO_OFTEN = "too_often"
    TOO_MANY = "too_many"
    TABLE_LIMIT_REACHED = "table_limit_reached"
    UNREADABLE = "unreadable"
    STORAGE_UNAVAILABLE = "storage_unavailable"
    BUSY = "busy"


SENTENCES: Final[Mapping[ErrorCode, str]] = MappingProxyType(
    {
        ErrorCode.NO_SUCH_TABLE: "There is no table {table}. Check its link.",
        ErrorCode.NO_SUCH_SEAT: "This table has no seat {seat}: its seats are 0 to {last}.",
        ErrorCode.NO_IDENTITY: "Enter your name first.",
        ErrorCode.BANNED: "The operator of this server has excluded you.",
        ErrorCode.CROSS_ORIGIN: "A page of another site may not act for you here.",
        ErrorCode.NOT_THE_HOST: "Only {host}, who opened the table, can do that.",
        ErrorCode.NOT_AT_THE_TABLE: "You have no seat at this table; you can watch.",
        ErrorCode.HINT_OUT_OF_TURN: "Hints are for the player whose turn it is.",
        ErrorCode.NOT_YOUR_SEAT: "That seat is {name}'s.",
        ErrorCode.TABLE_FULL: "All seats at this table are taken; you can watch.",
        ErrorCode.SEAT_TAKEN: "{name} has that seat. Take another one.",
        ErrorCode.ALREADY_SEATED: "You already have a seat at this table.",
        ErrorCode.SEAT_OFFERED: "That seat is kept for {name}. Take another one.",
        ErrorCode.NO_OFFER: "No seat at this table is offered to you.",
        ErrorCode.REMOVED_BY_HOST: "{host} has removed you from this table; you can watch.",
        ErrorCode.SEATS_OPEN: "A seat is still open: wait for a player, or give it to a bot.",
        ErrorCode.NOT_STARTED: "The game hasn't started yet.",
        ErrorCode.NONCE_MISMATCH: "No seat at this table has the hash of this nonce.",
        ErrorCode.ALREADY_REVEALED: "These nonces were revealed before.",
        ErrorCode.ALREADY_STARTED: "The game has already started.",
        ErrorCode.OVER: "The game is over.",
        ErrorCode.NOT_OVER: "The game isn't over yet.",
        ErrorCode.CLOSED: "This table was closed.",
        ErrorCode.TOO_LATE_TO_ABORT: (
            "Every player has moved: the game can't be aborted any more. You can resign."
        ),
        ErrorCode.NOT_ABSENT: "A bot can play for the player to move after {seconds} s of absence.",
        ErrorCode.TOO_LATE: "That was for move {command_ply}, but the game has reached move {ply}.",
        ErrorCode.TOO_EARLY: "That was for move {command_ply}, but the game is at move {ply}.",
        ErrorCode.BOT_CONTROLLED: "A bot plays for you: resume the game first.",
        ErrorCode.NOT_BOT_CONTROLLED: "No bot plays for you: you have your seat.",
        ErrorCode.RESIGNED: "You resigned; a bot plays on for you.",
        ErrorCode.NOTHING_TO_UNDO: "You have no move to undo.",
        ErrorCode.CARD_SEEN: "A player has seen a card since then: it can't be undone.",
        ErrorCode.UNDO_PENDING: "{name} has asked for an undo: answer that first.",
        ErrorCode.NO_UNDO_REQUEST: "There is no undo request for you to answer.",
        ErrorCode.HINTS_DISABLED: "Hints are disabled at this table.",
        ErrorCode.YOUR_TURN: (
            "It is your turn in this game: it stays in your list until you have moved or resigned."
        ),
        ErrorCode.TRANSFER_EXPIRED: "This link was used or has expired. Create a new one.",
        ErrorCode.NAME_UNREADABLE: (
            "This name has characters that can't be seen or read. Choose another one."
        ),
        ErrorCode.NAME_MIXED_SCRIPTS: (
            "This name mixes letters that look alike ({scripts}). Write it in one script."
        ),
        ErrorCode.NAME_OF_A_BOT: "This is the name of a bot. Choose another one.",
        ErrorCode.IDENTITY_IN_USE: (
            "You are {name} in this browser, with a seat at {tables} tables. Add a passkey or a "
            "recovery code to return to them, or confirm that you leave them."
        ),
        ErrorCode.WRONG_RECOVERY_CODE: "This recovery code is wrong, or it was used. Check it.",
        ErrorCode.PASSKEY_REJECTED: (
            "This passkey is not accepted here. Try another one, or a recovery code."
        ),
        ErrorCode.PASSKEYS_UNAVAILABLE: (
            "Passkeys need an address with https and a host name, or localhost."
        ),
        ErrorCode.CHALLENGE_EXPIRED: "That took too long, or was done before. Try again.",
        ErrorCode.NO_SUCH_DEVICE: "You have no such device. It may be signed out already.",
        ErrorCode.NO_SUCH_PASSKEY: "You have no such passkey. It may be removed already.",
        ErrorCode.BAD_REQUEST: "{what}",
        ErrorCode.TOO_LARGE: "That is longer than {limit} {unit}.",
        ErrorCode.TOO_OFTEN: "Too many requests. Wait {seconds} s.",
        ErrorCode.TOO_MANY: "There are too many {what}.",
        ErrorCode.TABLE_LIMIT_REACHED: (
            "This table has reached its limit of {limit} {what}. Play on, or open a new table."
        ),
        ErrorCode.UNREADABLE: (
            "This table can't be read: a newer version saved it, or it is damaged. Ask the "
            "operator of this server."
        ),
        ErrorCode.STORAGE_UNAVAILABLE: (
            "The database is unavailable. The command may have been executed: check the table "
            "again soon. A command that is sent again with the same id is executed once."
        ),
        ErrorCode.BUSY: "The server is busy. Try again soon.",
    }
)


class CommandRejected(ManhattanError):
    """A command was rejected and changed nothing. Only ``STORAGE_UNAVAILABLE`` leaves that open,
    since a connection may break between the database's work and its answer."""

    def __init__(self, reason: ErrorCode, **params: str | int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.params = params

    def __str__(self) -> str:
        return SENTENCES[self.reason].format(**self.params)


class Unreadable(CommandRejected):
    """The stored events of a table can't be decoded or replayed."""

    def __init__(self) -> None:
        super().__init__(ErrorCode.UNREADABLE)


class AlreadyProcessed(Exception):
    """The command was executed before: its idempotency key is known.

    This and the next are no rejections (``ManhattanError``): events of other processes can't change
    them, so the command is not decided again.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number
        """The number of the event that it became."""


class CommandSuperseded(Exception):
    """Another event has made a command of the server itself pointless."""
