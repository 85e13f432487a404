"""The same game compiled, over flat records: for bots and research, never for the table.

``manhattan.rules`` is what a person checks against a rulebook; this is proven equal to it by
lockstep tests.
"""

from manhattan.kernel.actions import Numbering
from manhattan.kernel.batch import Batch
from manhattan.kernel.layout import GAME
from manhattan.kernel.mass import random_games
from manhattan.kernel.playouts import Playouts, Results, playouts
from manhattan.kernel.position import KernelError, Position

__all__ = [
    "GAME",
    "Batch",
    "KernelError",
    "Numbering",
    "Playouts",
    "Position",
    "Results",
    "playouts",
    "random_games",
]
