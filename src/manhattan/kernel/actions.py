"""The action space: one encoding of moves as integers for kernel, bots and environments.

For a table where every player has C colours and selects B blocks of each colour per round:

=========================  =====================================================================
action                     move
=========================  =====================================================================
216 c + 4 s + z - 1        build a block of z floors (1 to 4) of own colour c on site s (A1 is 0)
216 C + 4 c + z - 1        remove a block of z floors of own colour c from the game
220 C + n                  make the n-th selection of B blocks (one colour)
220 C + 35 m + n           the m-th selection of the first colour and the n-th of the second
=========================  =====================================================================

Own colours are numbered 0 and 1 in the player's order; a player with one colour has number 0.
Selections are in the order of their notation: [1111], [1112], [1113], ..., [4444]. That makes 304
actions for four players, 255 for three and 1,665 for two with two colours each.
"""

from __future__ import annotations

from dataclasses import dataclass

from manhattan.kernel.layout import SELECTIONS
from manhattan.rules import SITES, Build, Colour, Move, NotationError, Remove, Select, Setup
from manhattan.rules.blocks import sizes_in

BUILDS = 4 * len(SITES)
"""Build actions per colour."""
REMOVALS = 4
"""Remove actions per colour."""


@dataclass(frozen=True, slots=True)
class ActionSpace:
    """The actions at a table with this many colours per player and blocks per selection."""

    colours: int
    blocks: int

    @classmethod
    def for_setup(cls, setup: Setup) -> ActionSpace:
        return cls(setup.schedule.colours, setup.schedule.blocks)

    @property
    def first_removal(self) -> int:
        return BUILDS * self.colours

    @property
    def first_selection(self) -> int:
        return (BUILDS + REMOVALS) * self.colours

    @property
    def selections(self) -> int:
        """The number of selections for one colour."""
        return len(SELECTIONS[self.blocks])

    @property
    def size(self) -> int:
        """The number of actions."""
        return self.first_selection + (self.selections if self.colours == 1 else self.selections**2)

    def encode(self, move: Move, own: tuple[Colour, ...]) -> int:
        """Return the action of a move by a player with these colours."""
        if isinstance(move, Select):
            index = 0
            for sizes in move.blocks:
                index = index * self.selections + self._selection_index(sizes)
            return self.first_selection + index
        colour = 0 if move.colour is None else own.index(move.colour)
        if isinstance(move, Remove):
            return self.first_removal + REMOVALS * colour + move.size - 1
        return BUILDS * colour + 4 * move.site + move.size - 1

    def decode(self, action: int, own: tuple[Colour, ...]) -> Move:
        """Return the move of an action by a player with these colours."""
        if not 0 <= action < self.size:
            raise NotationError(f"Actions are 0 to {self.size - 1}, not {action}.")
        # With one colour per player, the notation leaves the colour out.
        notated = own if self.colours > 1 else (None,)
        if action >= self.first_selection:
            digits = []
            rest = action - self.first_selection
            for _ in range(self.colours):
                rest, digit = divmod(rest, self.selections)
                digits.append(digit)
            stocks = (SELECTIONS[self.blocks][digit] for digit in reversed(digits))
            return Select(tuple(map(sizes_in, stocks)))
        if action >= self.first_removal:
            colour, size = divmod(action - self.first_removal, REMOVALS)
            return Remove(size + 1, notated[colour])
        colour, rest = divmod(action, BUILDS)
        return Build(SITES[rest // 4], rest % 4 + 1, notated[colour])

    def _selection_index(self, sizes: tuple[int, ...]) -> int:
        counts = (sizes.count(1), sizes.count(2), sizes.count(3), sizes.count(4))
        if counts not in SELECTIONS[self.blocks]:
            raise NotationError(f"{sizes} is not a selection of {self.blocks} blocks.")
        return SELECTIONS[self.blocks].index(counts)
