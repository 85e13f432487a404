"""The three moves and their one text form, both ways.

``C5+3`` builds a block of 3 floors on site 5 of city C. Side and site determine the card.
``[112234]`` chooses six blocks for the round. ``-2`` takes a block of 2 floors out of the game.
A player with two colours names the colour: ``C5+3o``, ``[1124|1223]``, ``-2o``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from manhattan.rules.blocks import BLOCKS_OF_A_COLOUR, COLOUR_BY_LETTER, SIZES, Colour
from manhattan.rules.board import Site
from manhattan.rules.errors import NotationError, describe_characters

Sizes = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Select:
    """The choice of the round's blocks: for each of the player's colours the sizes, ascending."""

    blocks: tuple[Sizes, ...]

    def __post_init__(self) -> None:
        for sizes in self.blocks:
            in_order = list(sizes) == sorted(sizes) and set(sizes) <= set(SIZES)
            if not in_order or not 1 <= len(sizes) <= BLOCKS_OF_A_COLOUR:
                raise NotationError(
                    f"A choice of blocks is a list of sizes from 1 to 4, ascending, not {sizes}."
                )
        if not 1 <= len(self.blocks) <= 2:
            raise NotationError(
                f"A choice has blocks of 1 or 2 colours, not of {len(self.blocks)}."
            )

    def __str__(self) -> str:
        return f"[{'|'.join(''.join(map(str, sizes)) for sizes in self.blocks)}]"

    def __repr__(self) -> str:
        return f"parse_move('{self}')"


@dataclass(frozen=True, slots=True)
class Build:
    """The placement of a block on a site, with the card that names the site."""

    site: Site
    size: int
    colour: Colour | None = None
    """Which of the player's two colours; None for a player who has one."""

    def __post_init__(self) -> None:
        if not isinstance(self.site, Site):
            raise NotationError(f"A block is placed on a Site, not on {self.site!r}.")
        _check_size(self.size)

    def __str__(self) -> str:
        return _build_text(self.site, self.size, self.colour)

    def __repr__(self) -> str:
        return f"parse_move('{self}')"


@dataclass(frozen=True, slots=True)
class Remove:
    """The removal of a block from the game, when none can be placed."""

    size: int
    colour: Colour | None = None

    def __post_init__(self) -> None:
        _check_size(self.size)

    def __str__(self) -> str:
        return f"-{self.size}{_letter(self.colour)}"

    def __repr__(self) -> str:
        return f"parse_move('{self}')"


Move = Select | Build | Remove

# Character classes are spelled out, because \d matches the digits of every script.
_BUILD: Final = re.compile(r"([A-F][1-9])\+([1-4])([obypkrg])?")
_REMOVE: Final = re.compile(r"-([1-4])([obypkrg])?")
_SELECT: Final = re.compile(r"\[([1-4]{1,24})(?:\|([1-4]{1,24}))?\]")


def parse_move(text: str) -> Move:
    """Read a move from its text form.

    >>> parse_move("C5+3").site.city
    'C'
    """
    return _parse_move(text)


@lru_cache(maxsize=4096)  # room for all placements; without it a server's move takes 4 % longer
def _parse_move(text: str) -> Move:
    if match := _BUILD.fullmatch(text):
        return Build(Site.parse(match[1]), int(match[2]), COLOUR_BY_LETTER.get(match[3]))
    if match := _REMOVE.fullmatch(text):
        return Remove(int(match[1]), COLOUR_BY_LETTER.get(match[2]))
    if match := _SELECT.fullmatch(text):
        groups = [group for group in match.groups() if group is not None]
        in_order = ["".join(sorted(group)) for group in groups]
        if groups != in_order:
            raise NotationError(
                f"{describe_characters(text)} lists the sizes out of order: "
                f"write [{'|'.join(in_order)}]."
            )
        return Select(tuple(tuple(map(int, group)) for group in groups))
    raise NotationError(
        f"{describe_characters(text)} is not a move. Moves look like C5+3 (a block of 3 floors on "
        "C5), [112234] (blocks for the round) or -2 (a block out of the game); with two colours "
        "C5+3o, [1124|1223] and -2o."
    )


@cache
def _build_text(site: Site, size: int, colour: Colour | None) -> str:
    return f"{site}+{size}{_letter(colour)}"


def _letter(colour: Colour | None) -> str:
    return "" if colour is None else colour.letter


def _check_size(size: int) -> None:
    if type(size) is not int or size not in SIZES:
        raise NotationError(f"A block has 1 to 4 floors, not {size}.")
