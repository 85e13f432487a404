"""Manhattan, the board game by Andreas Seyfarth: rules, records, bots and a game server.

An unofficial implementation; the game's name and art belong to their owners.
"""

from manhattan.game import Game, NoSuchPly, Step
from manhattan.record import Record, RecordError
from manhattan.rules import (
    EDITIONS,
    IllegalMove,
    ManhattanError,
    NotationError,
    PublicState,
    Reason,
    Refusal,
    Setup,
    SetupError,
    State,
    legal_moves,
    parse_move,
    set_up,
    why_not,
)
from manhattan.view import View, view_of

__version__ = "0.1.0"

__all__ = [
    "EDITIONS",
    "Game",
    "IllegalMove",
    "ManhattanError",
    "NoSuchPly",
    "NotationError",
    "PublicState",
    "Reason",
    "Record",
    "RecordError",
    "Refusal",
    "Setup",
    "SetupError",
    "State",
    "Step",
    "View",
    "legal_moves",
    "parse_move",
    "set_up",
    "view_of",
    "why_not",
]
