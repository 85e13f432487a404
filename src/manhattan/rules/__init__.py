"""The game, reading like the rulebook.

Standard library only, and nothing in here draws a random number by itself.
"""

from manhattan.rules.blocks import Block, Colour, Stock
from manhattan.rules.board import CITIES, DECK, SITES, Card, Seat, Site, card_for
from manhattan.rules.chance import SeedShuffler, Shuffler, commitment, lot, shuffle
from manhattan.rules.editions import DEFAULT_EDITION, EDITIONS, ROWS, Edition, Rules, edition
from manhattan.rules.errors import ChanceError, ManhattanError, NotationError, SetupError
from manhattan.rules.events import (
    Built,
    Ended,
    Event,
    Redrew,
    Removed,
    Scored,
    Selected,
    Shuffled,
)
from manhattan.rules.legality import IllegalMove, Reason, Refusal, legal_moves, why_not
from manhattan.rules.moves import Build, Move, Remove, Select, parse_move
from manhattan.rules.play import apply, deal
from manhattan.rules.scoring import ColourScore, Result, Sheet
from manhattan.rules.setup import Player, Setup, set_up
from manhattan.rules.state import Phase, State, Table
from manhattan.rules.towers import Board, Tower, board_text, parse_board

__all__ = [
    "CITIES",
    "DECK",
    "DEFAULT_EDITION",
    "EDITIONS",
    "ROWS",
    "SITES",
    "Block",
    "Board",
    "Build",
    "Built",
    "Card",
    "ChanceError",
    "Colour",
    "ColourScore",
    "Edition",
    "Ended",
    "Event",
    "IllegalMove",
    "ManhattanError",
    "Move",
    "NotationError",
    "Phase",
    "Player",
    "Reason",
    "Redrew",
    "Refusal",
    "Remove",
    "Removed",
    "Result",
    "Rules",
    "Scored",
    "Seat",
    "SeedShuffler",
    "Select",
    "Selected",
    "Setup",
    "SetupError",
    "Sheet",
    "Shuffled",
    "Shuffler",
    "Site",
    "State",
    "Stock",
    "Table",
    "Tower",
    "apply",
    "board_text",
    "card_for",
    "commitment",
    "deal",
    "edition",
    "legal_moves",
    "lot",
    "parse_board",
    "parse_move",
    "set_up",
    "shuffle",
    "why_not",
]
