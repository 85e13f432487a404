"""The state of a game: what all may see, and the hidden cards (RULES 4, 5)."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from manhattan.rules.blocks import Colour, Stock
from manhattan.rules.board import DECK, HAND_SIZE, Card, Side
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


class PublicState(NamedTuple):
    """Everything that a spectator may know, and nothing else.

    It contains no hidden cards, so nothing derived from it alone can leak them.
    (``PublicState`` and ``State`` are named tuples because every move makes changed copies, and
    those of a frozen dataclass take three times as long.)
    """

    setup: Setup
    board: Board
    supplies: tuple[Stock, ...]
    """Blocks not yet chosen, by colour in the order of ``setup.colours``, like the next two."""
    tableaus: tuple[Stock, ...]
    """Blocks chosen for this round and not yet built."""
    taken_out: tuple[Stock, ...]
    """Blocks out of the game."""
    played: tuple[Card, ...]
    """The cards played or shown since the last shuffle, oldest first."""
    shuffles: int
    """The number of shuffles so far; the deal is the first."""
    round: int
    start_player: int
    mover: int
    """The player to move; after the end, the player whose turn it would be."""
    phase: Phase
    sheets: tuple[Sheet, ...] = ()
    """The score sheets of the rounds so far."""
    result: Result | None = None

    @property
    def scores(self) -> tuple[int, ...]:
        """The points of each player so far."""
        return self.sheets[-1].scores if self.sheets else (0,) * len(self.setup.players)

    @property
    def pile_size(self) -> int:
        """The number of cards left to draw."""
        return len(DECK) - HAND_SIZE * len(self.setup.players) - len(self.played)

    @property
    def player(self) -> Player:
        """The player to move."""
        return self.setup.players[self.mover]

    @property
    def side(self) -> Side:
        """The side of the player to move."""
        return self.setup.players[self.mover].side

    def supply(self, colour: Colour) -> Stock:
        return self.supplies[self.setup.colour_index(colour)]

    def tableau(self, colour: Colour) -> Stock:
        return self.tableaus[self.setup.colour_index(colour)]

    def __repr__(self) -> str:
        return (
            f"PublicState(setup={self.setup!r}, board=parse_board('{board_text(self.board)}'), "
            f"supplies={self.supplies}, tableaus={self.tableaus}, taken_out={self.taken_out}, "
            f"played={self.played}, shuffles={self.shuffles}, round={self.round}, "
            f"start_player={self.start_player}, mover={self.mover}, phase={self.phase!r}, "
            f"sheets={self.sheets!r}, result={self.result!r})"
        )


class State(NamedTuple):
    """The whole game at one moment: the public state, all hands and the draw pile.

    Its ``repr`` rebuilds it, hidden cards included; a ``View`` holds what one player may see.
    """

    public: PublicState
    hands: tuple[tuple[Card, ...], ...]
    """The cards of each player, sorted."""
    pile: tuple[Card, ...]
    """The draw pile, in the order in which the cards will be drawn."""

    @property
    def hand(self) -> tuple[Card, ...]:
        """The hand of the player to move."""
        return self.hands[self.public.mover]
