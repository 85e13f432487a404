"""Why the server does not do what somebody asked for, as named reasons with their sentences.

What the rules of the game refuse has its own reasons (``manhattan.rules.legality``). Both reach
people and programs in the same form.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from manhattan.rules import ManhattanError


class Denial(StrEnum):
    """A reason. The value names it in the protocol; the sentence is for people."""

    NO_SUCH_TABLE = "no_such_table"
    NO_SUCH_CHAIR = "no_such_chair"
    NO_IDENTITY = "no_identity"
    FOREIGN_ORIGIN = "foreign_origin"
    NOT_THE_HOST = "not_the_host"
    NOT_AT_THE_TABLE = "not_at_the_table"
    ADVICE_OUT_OF_TURN = "advice_out_of_turn"
    NOT_YOUR_SEAT = "not_your_seat"
    TABLE_FULL = "table_full"
    CHAIR_TAKEN = "chair_taken"
    ALREADY_SEATED = "already_seated"
    SEATS_OPEN = "seats_open"
    NOT_BEGUN = "not_begun"
    ALREADY_BEGUN = "already_begun"
    OVER = "over"
    NOT_OVER = "not_over"
    CLOSED = "closed"
    TOO_LATE = "too_late"
    TOO_EARLY = "too_early"
    PLAYED_FOR = "played_for"
    NOT_PLAYED_FOR = "not_played_for"
    RESIGNED = "resigned"
    NOTHING_TO_TAKE_BACK = "nothing_to_take_back"
    CARD_SEEN = "card_seen"
    UNDO_PENDING = "undo_pending"
    NOTHING_ASKED = "nothing_asked"
    SERIOUS = "serious"
    LINK_DEAD = "link_dead"
    BAD_REQUEST = "bad_request"
    TOO_LARGE = "too_large"
    TOO_OFTEN = "too_often"
    TOO_MANY = "too_many"
    TABLE_USED_UP = "table_used_up"
    UNREADABLE = "unreadable"
    STORAGE_AWAY = "storage_away"
    BUSY = "busy"


SENTENCES: Final[Mapping[Denial, str]] = MappingProxyType(
    {
        Denial.NO_SUCH_TABLE: "There is no table {table}. Look at its link again.",
        Denial.NO_SUCH_CHAIR: "There is no chair {chair} at this table: they are 0 to {last}.",
        Denial.NO_IDENTITY: "Say your name first.",
        Denial.FOREIGN_ORIGIN: "Another site's page may not act for you here.",
        Denial.NOT_THE_HOST: "Only {host}, who opened the table, may do that.",
        Denial.NOT_AT_THE_TABLE: "You don't sit at this table; you may look on.",
        Denial.ADVICE_OUT_OF_TURN: "Only who is to move gets advice.",
        Denial.NOT_YOUR_SEAT: "That is {name}'s seat, not yours.",
        Denial.TABLE_FULL: "Every chair at this table is taken; you may look on.",
        Denial.CHAIR_TAKEN: "{name} sits there. Take another chair.",
        Denial.ALREADY_SEATED: "You sit at this table already.",
        Denial.SEATS_OPEN: "Somebody is missing still: wait, or put a bot in the open chair.",
        Denial.NOT_BEGUN: "The game has not begun yet.",
        Denial.ALREADY_BEGUN: "The game has begun already.",
        Denial.OVER: "The game is over.",
        Denial.NOT_OVER: "The game is not over yet.",
        Denial.CLOSED: "This table was closed.",
        Denial.TOO_LATE: "That was meant for move {meant}, but the game has gone on to {ply}.",
        Denial.TOO_EARLY: "That was meant for move {meant}; the game is at {ply}.",
        Denial.PLAYED_FOR: "A bot plays for you: say that you are back first.",
        Denial.NOT_PLAYED_FOR: "Nobody plays for you: it is your seat.",
        Denial.RESIGNED: "You have resigned; a bot plays on for you.",
        Denial.NOTHING_TO_TAKE_BACK: "You have made no move that could be taken back.",
        Denial.CARD_SEEN: "Somebody has seen a card since: that can't be taken back.",
        Denial.UNDO_PENDING: "{name} has asked to take a move back: answer that first.",
        Denial.NOTHING_ASKED: "Nobody has asked you to agree to anything.",
        Denial.SERIOUS: "At this table nobody gets hints.",
        Denial.LINK_DEAD: "This link was used already, or is too old. Make a new one.",
        Denial.BAD_REQUEST: "{what}",
        Denial.TOO_LARGE: "That is longer than {limit} {unit}.",
        Denial.TOO_OFTEN: "That was too often. Wait {seconds} s.",
        Denial.TOO_MANY: "There are too many {what} here already.",
        Denial.TABLE_USED_UP: (
            "This table has room for {limit} {what}, and they are used up. Play on, or open a new "
            "table."
        ),
        Denial.UNREADABLE: (
            "This table can't be read: a newer version wrote it, or it is damaged. Ask whoever "
            "runs this server."
        ),
        Denial.STORAGE_AWAY: (
            "The database can't be used at the moment. Perhaps this was done, perhaps not: look at "
            "the table again soon. A command that is sent again with the same id is done once."
        ),
        Denial.BUSY: "Too much is going on at the moment. Try again soon.",
    }
)


class Denied(ManhattanError):
    """What somebody asked for is not done. Nothing was changed by it; only of ``STORAGE_AWAY``
    nobody knows, since a database may be cut off between doing something and saying so."""

    def __init__(self, reason: Denial, **figures: str | int) -> None:
        super().__init__(SENTENCES[reason].format(**figures))
        self.reason = reason
        self.figures = figures


class Unreadable(Denied):
    """What was written down of a table makes no sense here."""

    def __init__(self) -> None:
        super().__init__(Denial.UNREADABLE)
