"""One numbering of moves for the whole project: kernel, bots and research interfaces.

For a table where everybody has C colours and chooses B blocks of each a round:

=========================  =====================================================================
number                     move
=========================  =====================================================================
216 c + 4 s + z - 1        build a block of z floors (1 to 4) of own colour c on site s (A1 is 0)
216 C + 4 c + z - 1        take a block of z floors of own colour c out of the game
220 C + n                  choose the n-th multiset of B blocks (one colour)
220 C + 35 m + n           choose the m-th of the first colour and the n-th of the second
=========================  =====================================================================

Own colours are numbered 0 and 1 in the player's order; who has one colour has number 0. Multisets
are in the order in which their texts sort: [1111], [1112], [1113], ..., [4444]. That makes 304
numbers for four players, 255 for three and 1,665 for two with two colours each.
"""

from __future__ import annotations

from dataclasses import dataclass

from manhattan.kernel.layout import MULTISETS
from manhattan.rules import SITES, Build, Colour, Move, NotationError, Remove, Select, Setup
from manhattan.rules.blocks import sizes_in

BUILDS = 4 * len(SITES)
REMOVALS = 4


@dataclass(frozen=True, slots=True)
class Numbering:
    """The numbers of moves at tables with so many colours each and so many blocks a round."""

    colours: int
    blocks: int

    @classmethod
    def of(cls, setup: Setup) -> Numbering:
        return cls(setup.schedule.colours, setup.schedule.blocks)

    @property
    def first_removal(self) -> int:
        return BUILDS * self.colours

    @property
    def first_selection(self) -> int:
        return (BUILDS + REMOVALS) * self.colours

    @property
    def selections(self) -> int:
        """How many multisets of blocks there are for one colour."""
        return len(MULTISETS[self.blocks])

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return self.first_selection + (self.selections if self.colours == 1 else self.selections**2)

    def number(self, move: Move, own: tuple[Colour, ...]) -> int:
        """The number of a move of a player who has these colours."""
        if isinstance(move, Select):
            number = 0
            for sizes in move.blocks:
                number = number * self.selections + self._multiset(sizes)
            return self.first_selection + number
        colour = 0 if move.colour is None else own.index(move.colour)
        if isinstance(move, Remove):
            return self.first_removal + REMOVALS * colour + move.size - 1
        return BUILDS * colour + 4 * move.site + move.size - 1

    def move(self, number: int, own: tuple[Colour, ...]) -> Move:
        """The move of a number, for a player who has these colours."""
        if not 0 <= number < self.size:
            raise NotationError(f"There are actions 0 to {self.size - 1}, not {number}.")
        said = own if self.colours > 1 else (None,)
        if number >= self.first_selection:
            digits = []
            rest = number - self.first_selection
            for _ in range(self.colours):
                rest, digit = divmod(rest, self.selections)
                digits.append(digit)
            chosen = (MULTISETS[self.blocks][digit] for digit in reversed(digits))
            return Select(tuple(map(sizes_in, chosen)))
        if number >= self.first_removal:
            colour, size = divmod(number - self.first_removal, REMOVALS)
            return Remove(size + 1, said[colour])
        colour, rest = divmod(number, BUILDS)
        return Build(SITES[rest // 4], rest % 4 + 1, said[colour])

    def _multiset(self, sizes: tuple[int, ...]) -> int:
        counts = (sizes.count(1), sizes.count(2), sizes.count(3), sizes.count(4))
        if counts not in MULTISETS[self.blocks]:
            raise NotationError(f"{sizes} is no choice of {self.blocks} blocks.")
        return MULTISETS[self.blocks].index(counts)
