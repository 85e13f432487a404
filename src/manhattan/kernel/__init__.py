"""The compiled kernel: the same game over flat records, for bots and research.

The server runs ``manhattan.rules``, which a person can check against a rulebook. Lockstep tests
prove that the kernel plays the same game.
"""

from manhattan.kernel.actions import ActionSpace
from manhattan.kernel.errors import KernelError
from manhattan.kernel.layout import GAME
from manhattan.kernel.playouts import Playouts, playouts
from manhattan.kernel.position import Position

__all__ = ["GAME", "ActionSpace", "KernelError", "Playouts", "Position", "playouts"]
