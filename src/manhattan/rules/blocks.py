"""Blocks: four sizes, the seven colours of all editions, and stocks of blocks (RULES 2)."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Final, NamedTuple


class Colour(StrEnum):
    """A colour of blocks. The edition says which four of them are in the box."""

    ORANGE = "orange"
    BLUE = "blue"
    YELLOW = "yellow"
    PURPLE = "purple"
    BLACK = "black"
    RED = "red"
    GREEN = "green"

    @property
    def letter(self) -> str:
        """The letter of the colour in moves and towers; black is ``k``, since ``b`` is blue."""
        return "k" if self is Colour.BLACK else str.__getitem__(self, 0)

    def __repr__(self) -> str:
        return f"Colour.{self.name}"


COLOUR_BY_LETTER: Final = {colour.letter: colour for colour in Colour}

SIZES: Final = (1, 2, 3, 4)
LARGEST: Final = 4

Stock = tuple[int, int, int, int]
"""How many blocks of 1, 2, 3 and 4 floors."""

FULL_STOCK: Final[Stock] = (11, 6, 4, 3)
BLOCKS_OF_A_COLOUR: Final = sum(FULL_STOCK)
EMPTY_STOCK: Final[Stock] = (0, 0, 0, 0)


class Block(NamedTuple):
    """A piece of one colour, one to four floors high."""

    colour: Colour
    size: int

    def __str__(self) -> str:
        return f"{self.colour.letter}{self.size}"


def stock_of(sizes: Iterable[int]) -> Stock:
    """Count the blocks of each size."""
    blocks = list(sizes)
    return blocks.count(1), blocks.count(2), blocks.count(3), blocks.count(4)


def sizes_in(stock: Stock) -> tuple[int, ...]:
    """List the sizes of all blocks of a stock, ascending."""
    return tuple(size for size in SIZES for _ in range(stock[size - 1]))


def add(stock: Stock, more: Stock) -> Stock:
    return stock[0] + more[0], stock[1] + more[1], stock[2] + more[2], stock[3] + more[3]


def subtract(stock: Stock, less: Stock) -> Stock:
    return stock[0] - less[0], stock[1] - less[1], stock[2] - less[2], stock[3] - less[3]


ONE_BLOCK: Final[tuple[Stock, ...]] = (EMPTY_STOCK, *(stock_of([size]) for size in SIZES))
"""``ONE_BLOCK[size]``: the stock of a single block."""
