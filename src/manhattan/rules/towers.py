"""Towers, and the board as 54 of them, with a text form that reads bottom to top."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from manhattan.rules.blocks import COLOUR_BY_LETTER, LARGEST, Block, Colour
from manhattan.rules.board import SITES, Site
from manhattan.rules.errors import NotationError, describe_characters

NO_BLOCK: Final = LARGEST + 1
"""A block that would have to be larger than there are any."""


@dataclass(frozen=True, slots=True)
class Tower:
    """The blocks stacked on one site, bottom to top; ``y1b3`` is a blue 3 on a yellow 1.

    The rest follows from the blocks. It is worked out once, when the tower is made, because
    every legal move and every scoring asks for it.
    """

    blocks: tuple[Block, ...] = ()
    owner: Colour | None = field(init=False, repr=False, compare=False)
    height: int = field(init=False, repr=False, compare=False)
    floors: Mapping[Colour, int] = field(init=False, repr=False, compare=False)
    """The floors of each colour that has any, wherever they are in the tower."""
    needs: Mapping[Colour, int] = field(init=False, repr=False, compare=False)
    """The smallest block that each colour may put on top; one more than the largest means none."""

    def __post_init__(self) -> None:
        floors: dict[Colour, int] = {}
        for colour, size in self.blocks:
            floors[colour] = floors.get(colour, 0) + size
        owner = self.blocks[-1].colour if self.blocks else None
        # Afterwards a colour must have at least the owner's floors; third colours don't matter.
        # An empty site takes anything, and so does one's own tower (the difference is 0); less
        # than 0 is what no game can lead to.
        strength = floors[owner] if owner else 1
        needs = dict.fromkeys(Colour, min(strength, NO_BLOCK))
        needs |= {c: min(max(1, strength - own), NO_BLOCK) for c, own in floors.items()}
        set_once = object.__setattr__
        set_once(self, "owner", owner)
        set_once(self, "height", sum(floors.values()))
        set_once(self, "floors", floors)
        set_once(self, "needs", needs)

    @classmethod
    def parse(cls, text: str) -> Tower:
        if re.fullmatch(r"([obypkrg][1-4])*", text) is None:
            raise NotationError(
                f"{describe_characters(text)} is not a tower: write its blocks from bottom to "
                "top, each a colour's letter and its floors, like y1b3."
            )
        pairs = zip(text[::2], text[1::2], strict=True)
        return cls(tuple(Block(COLOUR_BY_LETTER[letter], int(size)) for letter, size in pairs))

    def smallest_for(self, colour: Colour) -> int:
        """The smallest block that a colour may put on top (RULES 5b); ``NO_BLOCK`` if it has none
        that is large enough."""
        return self.needs[colour]

    def topped(self, block: Block) -> Tower:
        """This tower with one more block on top."""
        return _remembered((*self.blocks, block))

    def __str__(self) -> str:
        return "".join(map(str, self.blocks))

    def __repr__(self) -> str:
        return f"Tower.parse('{self}')"


@lru_cache(maxsize=10_000)
def _remembered(blocks: tuple[Block, ...]) -> Tower:
    # Most towers are low, so the same ones stand in game after game.
    return Tower(blocks)


Board = tuple[Tower, ...]
"""54 towers, indexed by site; an empty site is an empty tower."""

EMPTY_SITE: Final = Tower()
EMPTY_BOARD: Final[Board] = (EMPTY_SITE,) * len(SITES)


def board_text(board: Board) -> str:
    """The towers that stand, like ``A1:o4 C5:y1b3``."""
    return " ".join(
        f"{site}:{tower}" for site, tower in zip(SITES, board, strict=True) if tower.blocks
    )


def parse_board(text: str) -> Board:
    """The board that ``board_text`` wrote."""
    towers: dict[Site, Tower] = {}
    for word in text.split():
        name, colon, blocks = word.partition(":")
        if not colon or not blocks:
            raise NotationError(
                f"{describe_characters(word)} is not a tower on a site: write it like C5:y1b3."
            )
        site = Site.parse(name)
        if site in towers:
            raise NotationError(f"{site} is named twice: a site has one tower.")
        towers[site] = Tower.parse(blocks)
    return tuple(towers.get(site, EMPTY_SITE) for site in SITES)
