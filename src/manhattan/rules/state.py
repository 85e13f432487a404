"""Everything at the table: what lies open to all, and the cards that don't (RULES 4, 5)."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from manhattan.rules.blocks import Colour, Stock
from manhattan.rules.board import DECK, HAND_SIZE, Card, Seat
from manhattan.rules.scoring import Result, Sheet
from manhattan.rules.setup import Player, Setup
from manhattan.rules.towers import Board, board_text


class Phase(StrEnum):
    """What the player to move has to do."""

    SELECT = "select"
    BUILD = "build"
    REMOVE = "remove"
    OVER = "over"

    def __repr__(self) -> str:
        return f"Phase.{self.name}"


class Table(NamedTuple):
    """What lies open: everything that any onlooker may know, and nothing else.

    Hidden cards are not in here, so whatever is made of a table alone can't give them away.
    (Table and state are named tuples because every move makes new ones, and a changed copy of
    a frozen dataclass takes three times as long.)
    """

    setup: Setup
    board: Board
    supplies: tuple[Stock, ...]
    """Blocks not yet chosen, by colour in the order of ``setup.colours``; the next two alike."""
    tableaus: tuple[Stock, ...]
    """Blocks chosen for this round and not yet built."""
    taken_out: tuple[Stock, ...]
    """Blocks out of the game."""
    played: tuple[Card, ...]
    """The cards played or shown since the last shuffle, oldest first."""
    shuffles: int
    """How often cards were shuffled; the deal is the first time."""
    round: int
    start_player: int
    mover: int
    """Whose turn it is; after the end, whose it would be."""
    phase: Phase
    sheets: tuple[Sheet, ...] = ()
    """The score sheets of the rounds so far."""
    result: Result | None = None

    @property
    def scores(self) -> tuple[int, ...]:
        """Every player's points so far."""
        return self.sheets[-1].scores if self.sheets else (0,) * len(self.setup.players)

    @property
    def pile_size(self) -> int:
        """How many cards are left to draw."""
        return len(DECK) - HAND_SIZE * len(self.setup.players) - len(self.played)

    @property
    def player(self) -> Player:
        """Who is to move."""
        return self.setup.players[self.mover]

    @property
    def seat(self) -> Seat:
        """The seat of whoever is to move."""
        return self.setup.players[self.mover].seat

    def supply(self, colour: Colour) -> Stock:
        return self.supplies[self.setup.colour_index(colour)]

    def tableau(self, colour: Colour) -> Stock:
        return self.tableaus[self.setup.colour_index(colour)]

    def __repr__(self) -> str:
        return (
            f"Table(setup={self.setup!r}, board=parse_board('{board_text(self.board)}'), "
            f"supplies={self.supplies}, tableaus={self.tableaus}, taken_out={self.taken_out}, "
            f"played={self.played}, shuffles={self.shuffles}, round={self.round}, "
            f"start_player={self.start_player}, mover={self.mover}, phase={self.phase!r}, "
            f"sheets={self.sheets!r}, result={self.result!r})"
        )


class State(NamedTuple):
    """The whole game at one moment: the open table, every hand and the draw pile.

    Its ``repr`` rebuilds it, hidden cards included: what others may see is a ``View``.
    """

    table: Table
    hands: tuple[tuple[Card, ...], ...]
    """Each player's cards, sorted."""
    pile: tuple[Card, ...]
    """The draw pile, in the order in which it will be drawn."""

    @property
    def hand(self) -> tuple[Card, ...]:
        """The hand of whoever is to move."""
        return self.hands[self.table.mover]
