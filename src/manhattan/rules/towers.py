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
"""The ``min_size`` of a colour that can't build on a tower with any block."""


@dataclass(frozen=True, slots=True)
class Tower:
    """The blocks stacked on one site, bottom to top; ``y1b3`` is a blue 3 on a yellow 1.

    The other fields follow from the blocks. They are computed when the tower is created, because
    every list of legal moves and every scoring reads them.
    """

    blocks: tuple[Block, ...] = ()
    owner: Colour | None = field(init=False, repr=False, compare=False)
    height: int = field(init=False, repr=False, compare=False)
    floors: Mapping[Colour, int] = field(init=False, repr=False, compare=False)
    """The floors of each colour that has any, at whatever height."""
    min_size: Mapping[Colour, int] = field(init=False, repr=False, compare=False)
    """The smallest block that each colour may place on top, or ``NO_BLOCK``."""

    def __post_init__(self) -> None:
        floors: dict[Colour, int] = {}
        for colour, size in self.blocks:
            floors[colour] = floors.get(colour, 0) + size
        owner = self.blocks[-1].colour if self.blocks else None
        # With the new block a colour must have at least as many floors as the owner; the floors of
        # third colours don't count. An empty site takes any block, and so does the owner's tower.
        needed = floors[owner] if owner else 1
        min_size = dict.fromkeys(Colour, min(needed, NO_BLOCK))
        min_size |= {c: min(max(1, needed - count), NO_BLOCK) for c, count in floors.items()}
        set_once = object.__setattr__
        set_once(self, "owner", owner)
        set_once(self, "height", sum(floors.values()))
        set_once(self, "floors", floors)
        set_once(self, "min_size", min_size)

    @classmethod
    def parse(cls, text: str) -> Tower:
        """Read a tower from its text form."""
        if re.fullmatch(r"([obypkrg][1-4])*", text) is None:
            raise NotationError(
                f"{describe_characters(text)} is not a tower: write its blocks from bottom to "
                "top, each a colour's letter and its floors, like y1b3."
            )
        pairs = zip(text[::2], text[1::2], strict=True)
        return cls(tuple(Block(COLOUR_BY_LETTER[letter], int(size)) for letter, size in pairs))

    def topped(self, block: Block) -> Tower:
        """This tower with one more block on top."""
        return _shared_tower((*self.blocks, block))

    def __str__(self) -> str:
        return "".join(map(str, self.blocks))

    def __repr__(self) -> str:
        return f"Tower.parse('{self}')"


@lru_cache(maxsize=10_000)
def _shared_tower(blocks: tuple[Block, ...]) -> Tower:
    # Most towers are low and recur in every game. Without this cache the engine plays 0.85 times
    # as many games a second.
    return Tower(blocks)


Board = tuple[Tower, ...]
"""54 towers, indexed by site; an empty site is an empty tower."""

EMPTY_SITE: Final = Tower()
EMPTY_BOARD: Final[Board] = (EMPTY_SITE,) * len(SITES)


def with_block(board: Board, site: Site, block: Block) -> Board:
    """The board with one more block on top of a site."""
    return (*board[:site], board[site].topped(block), *board[site + 1 :])


def board_text(board: Board) -> str:
    """Write the towers of a board like ``A1:o4 C5:y1b3``."""
    return " ".join(
        f"{site}:{tower}" for site, tower in zip(SITES, board, strict=True) if tower.blocks
    )


def parse_board(text: str) -> Board:
    """Read a board that ``board_text`` wrote."""
    towers: dict[Site, Tower] = {}
    for word in text.split():
        name, colon, blocks = word.partition(":")
        if not colon or not blocks:
            raise NotationError(
                f"{describe_characters(word)} is not a tower on a site: write it like C5:y1b3."
            )
        site = Site.parse(name)
        if site in towers:
            raise NotationError(f"{site} appears twice; a site has one tower.")
        towers[site] = Tower.parse(blocks)
    return tuple(towers.get(site, EMPTY_SITE) for site in SITES)
