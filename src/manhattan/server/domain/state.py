"""The state of a table: everything that follows from its events.

``evolve`` leads from one state to the next.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Any, Final, Literal

import msgspec

from manhattan.game import Game
from manhattan.rules import Colour, Side
from manhattan.rules.editions import Schedule
from manhattan.server.domain.clocks import Clocks, Milliseconds
from manhattan.server.domain.events import CloseReason, PersonId
from manhattan.server.domain.options import TableOptions

Stage = Literal["lobby", "playing", "over", "closed"]

SUBSTITUTE_LEVEL: Final = "hard"
"""The bot that plays for a person who resigned or is away."""
CHAT_HISTORY: Final = 100
"""Chat messages that the state keeps."""
MAX_PROCESSED_COMMANDS: Final = 32
"""How many idempotency keys the state keeps: a command that is sent again after 32 others at the
table is taken for a new one. A move is still not played twice, because of its ply. A rematch
needs no key: asked for again, it is the same new table."""
ABANDONED_DAYS: Final = 30
"""A table at which nothing happens for this time is closed, if no clock runs there."""
UNDO_TIMEOUT: Final[Milliseconds] = 60_000
REVEAL_TIMEOUT: Final[Milliseconds] = 5000
"""How long a deal waits for the nonces of clients, unless the server is configured otherwise."""
TRANSFER_LIFETIME: Final[Milliseconds] = 60 * 60_000

_DAY_MS: Final[Milliseconds] = 24 * 60 * 60_000
_EMPTY: Final[Mapping[Any, Any]] = MappingProxyType({})


class Seat(msgspec.Struct, frozen=True):
    """A place at the table, held by a person, by a bot or by no one yet."""

    side: Side
    colours: tuple[Colour, ...]
    name: str = ""
    person: PersonId | None = None
    level: str | None = None
    """The bot that holds the seat."""
    offered_to: PersonId | None = None
    """The person who alone can take the open seat, in a rematch."""
    nonce_hash: str | None = None
    """The hash of the nonce that the holder's client reveals when the game starts."""
    bot_controlled: bool = False
    """A bot plays here for the person who holds the seat."""
    resigned: bool = False

    @property
    def is_open(self) -> bool:
        return self.person is None and self.level is None

    @property
    def bot_level(self) -> str | None:
        """The bot that plays here now, if one does."""
        return SUBSTITUTE_LEVEL if self.bot_controlled else self.level


class Seats(tuple[Seat, ...]):
    """The seats of a table in turn order, with lookups that every move needs."""

    @cached_property
    def by_person(self) -> Mapping[PersonId, tuple[int, ...]]:
        """The seats of each person."""
        seats: dict[PersonId, tuple[int, ...]] = {}
        for number, seat in enumerate(self):
            if seat.person is not None:
                seats[seat.person] = (*seats.get(seat.person, ()), number)
        return seats

    @cached_property
    def unshared(self) -> frozenset[int]:
        """The seats of people who don't share their screen."""
        return frozenset(own[0] for own in self.by_person.values() if len(own) == 1)


class PendingDeal(msgspec.Struct, frozen=True):
    """A game that starts: clients reveal their nonces before the deal."""

    until: Milliseconds
    """Then the cards are dealt without the nonces that are missing."""
    nonces: tuple[str | None, ...]
    """Those that were revealed, by seat."""


class UndoRequest(msgspec.Struct, frozen=True):
    """A request to undo moves that waits for the answers of other people."""

    person: PersonId
    player: int
    ply: int
    at: Milliseconds
    agreed: frozenset[PersonId] = frozenset()


class ChatMessage(msgspec.Struct, frozen=True):
    """A chat message."""

    number: int
    at: Milliseconds
    name: str
    seat: int | None
    text: str


class SeatTransfer(msgspec.Struct, frozen=True):
    """A pending transfer of a seat to another device."""

    seat: int
    digest: str
    at: Milliseconds


class TableState(msgspec.Struct, frozen=True, kw_only=True):
    """A table: its game, its seats and its people."""

    id: str
    number: int
    """The number of events so far, and of the next event."""
    options: TableOptions
    host: PersonId
    host_name: str
    opened_at: Milliseconds
    changed_at: Milliseconds
    stage: Stage
    seats: Seats
    schedule: Schedule
    clocks: Clocks
    server_seed: str | None = None
    """The server's part of the shuffles' seed, drawn when the table was opened; None at tables that
    an older version opened."""
    pending_deal: PendingDeal | None = None
    game: Game | None = None
    undo: UndoRequest | None = None
    last_revealed_ply: int = -1
    """The last move whose new card a person has seen."""
    processed_commands: Mapping[tuple[PersonId, str], int] = _EMPTY
    """The last MAX_PROCESSED_COMMANDS commands by person and command id (idempotency key), and the
    number of the event that each became."""
    chat: tuple[ChatMessage, ...] = ()
    """The latest chat messages."""
    chat_count: int = 0
    """The number of all chat messages."""
    spectator_messages: int = 0
    """The number of chat messages from people without a seat."""
    event_count: int = 0
    """The number of events other than moves and chat messages."""
    event_counts: Mapping[PersonId, int] = _EMPTY
    """The number of each person's events other than moves and chat messages."""
    transfers: tuple[SeatTransfer, ...] = ()
    rematch_of: str | None = None
    """The table that this one follows."""
    rematch: str | None = None
    """The table that follows this one."""
    removed: frozenset[PersonId] = frozenset()
    """People whom the host has removed."""
    close_reason: CloseReason | None = None

    def __repr__(self) -> str:
        return f"TableState(id={self.id!r}, number={self.number})"  # without secrets, for logs

    def seats_of(self, person: PersonId | None) -> tuple[int, ...]:
        """Return a person's seats: more than one where people share a screen."""
        return () if person is None else self.seats.by_person.get(person, ())

    def viewpoint(self, person: PersonId | None) -> int | None:
        """Return the player whose cards a person may see now, or None for a spectator.

        On a shared screen that is the player to move, unless a bot moves for them: the other people
        at the screen would see the bot's cards.
        """
        seats = self.seats_of(person)
        if len(seats) == 1:
            return seats[0]
        mover = self.mover
        if mover is not None and mover in seats and not self.seats[mover].bot_controlled:
            return mover
        return None

    def event_count_of(self, person: PersonId) -> int:
        """Return the number of a person's events other than moves and chat messages."""
        return self.event_counts.get(person, 0)

    def people(self) -> frozenset[PersonId]:
        """Return all people who have a seat."""
        return frozenset(self.seats.by_person)

    @property
    def are_seats_final(self) -> bool:
        """Whether the game starts, or has started: seats don't open any more."""
        return self.stage != "lobby" or self.pending_deal is not None

    @property
    def mover(self) -> int | None:
        """The player to move."""
        if self.game is None or self.stage != "playing":
            return None
        return self.game.public.mover

    @property
    def bot_to_move(self) -> str | None:
        """The bot to move. It waits while an undo request is open."""
        if self.game is None or self.stage != "playing" or self.undo is not None:
            return None
        return self.seats[self.game.public.mover].bot_level

    @property
    def due(self) -> Milliseconds | None:
        """The moment at which the table needs attention: a timeout, or a bot's move."""
        if self.stage not in ("lobby", "playing"):
            return None
        if self.pending_deal is not None:
            return self.pending_deal.until
        clock = self.clocks.due
        if self.undo is not None:
            other = self.undo.at + UNDO_TIMEOUT
        elif self.bot_to_move is not None:
            other = self.changed_at + self.options.bot_delay_ms
        else:
            return self.abandoned_at if clock is None else clock
        return other if clock is None else min(clock, other)

    @property
    def abandoned_at(self) -> Milliseconds:
        """The moment at which a table counts as abandoned if nothing happens. Rounded up to whole
        days, so that it is stored once a day and not with every move."""
        return (self.changed_at // _DAY_MS + 1 + ABANDONED_DAYS) * _DAY_MS

    def undo_approvers(self, asker: PersonId) -> frozenset[PersonId]:
        """Return the other people who control their seats: they have to agree to an undo."""
        return frozenset(
            seat.person
            for seat in self.seats
            if seat.person is not None and seat.person != asker and not seat.bot_controlled
        )

    def card_revealed_since(self, ply: int) -> bool:
        """Return whether a person has seen a card that was drawn or shown since a ply. A card stays
        revealed when the moves after it are undone."""
        return self.last_revealed_ply >= ply
