"""The rules of the game, written to be compared with a rulebook.

References such as (RULES 5c) are to the articles of docs/reference/rules.md, (RECORD) to
docs/reference/record.md.
Standard library only. Nothing in this package draws a random number: shuffles are passed in.
"""

from manhattan.rules.blocks import Block, Colour, Stock
from manhattan.rules.board import CITIES, DECK, SITES, Card, Side, Site, card_for
from manhattan.rules.chance import (
    JointSeed,
    SeedShuffler,
    Shuffler,
    commitment,
    draw_start_player,
    shuffle,
)
from manhattan.rules.editions import DEFAULT_EDITION, EDITIONS, HOUSE_RULES, Edition, Rules, edition
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
from manhattan.rules.state import Phase, PublicState, State
from manhattan.rules.towers import Board, Tower, board_text, parse_board

__all__ = [
    "CITIES",
    "DECK",
    "DEFAULT_EDITION",
    "EDITIONS",
    "HOUSE_RULES",
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
    "JointSeed",
    "ManhattanError",
    "Move",
    "NotationError",
    "Phase",
    "Player",
    "PublicState",
    "Reason",
    "Redrew",
    "Refusal",
    "Remove",
    "Removed",
    "Result",
    "Rules",
    "Scored",
    "SeedShuffler",
    "Select",
    "Selected",
    "Setup",
    "SetupError",
    "Sheet",
    "Shuffled",
    "Shuffler",
    "Side",
    "Site",
    "State",
    "Stock",
    "Tower",
    "apply",
    "board_text",
    "card_for",
    "commitment",
    "deal",
    "draw_start_player",
    "edition",
    "legal_moves",
    "parse_board",
    "parse_move",
    "set_up",
    "shuffle",
    "why_not",
]
