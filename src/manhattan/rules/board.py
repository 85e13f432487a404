"""The board: six cities of nine sites, four sides, and the sites a card names (RULES 2, 3)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final, Self

from manhattan.rules.errors import NotationError, describe_characters

CITIES: Final = "ABCDEF"

Card = int
"""One of nine positions as the player sees them: 1 back left, 5 the centre, 9 front right."""

CARDS: Final[tuple[Card, ...]] = tuple(range(1, 10))
CARD_NAMES: Final[tuple[str, ...]] = (
    "back left", "back centre", "back right",
    "middle left", "centre", "middle right",
    "front left", "front centre", "front right",
)  # fmt: skip
"""The positions of the cards 1 to 9 in words."""
COPIES: Final = 5
DECK: Final[tuple[Card, ...]] = tuple(card for card in CARDS for _ in range(COPIES))
"""All 45 cards, sorted."""

HAND_SIZE: Final = 4


class Site(int):
    """One of the 54 building sites, written ``C5`` for the fifth site of city C.

    Sites are numbered 1 to 9 in each city, row by row from the north-west, for all players alike.
    A site is an integer, its index on the board: A1 is 0, F9 is 53.
    """

    __slots__ = ()

    def __new__(cls, index: int) -> Self:
        if not 0 <= index < 54:
            raise NotationError(f"Sites have the indices 0 to 53, not {index}.")
        return super().__new__(cls, index)

    @classmethod
    def parse(cls, text: str) -> Site:
        """Read a site from its text form."""
        if re.fullmatch(r"[A-F][1-9]", text) is None:
            raise NotationError(
                f"{describe_characters(text)} is not a site: write the letter of the city (A-F) "
                "and a number from 1 to 9, like C5."
            )
        return SITES[CITIES.index(text[0]) * 9 + int(text[1]) - 1]

    @property
    def city(self) -> str:
        """The letter of its city."""
        return CITIES[self // 9]

    @property
    def position(self) -> int:
        """Its number in the city: 1 to 9, row by row from the north-west."""
        return self % 9 + 1

    def __str__(self) -> str:
        return f"{self.city}{self.position}"

    def __repr__(self) -> str:
        return f"Site.parse('{self}')"


SITES: Final[tuple[Site, ...]] = tuple(Site(index) for index in range(54))


def city_sites(city: str) -> tuple[Site, ...]:
    """The nine sites of the city with this letter."""
    first = CITIES.index(city) * 9
    return SITES[first : first + 9]


class Side(StrEnum):
    """A side of the board, in clockwise order: each is the left neighbour of the one before."""

    SOUTH = "south"
    WEST = "west"
    NORTH = "north"
    EAST = "east"

    def __repr__(self) -> str:
        return f"Side.{self.name}"


CLOCKWISE: Final[tuple[Side, ...]] = tuple(Side)


def _position(side: Side, card: Card) -> int:
    """The position in a city that a card names when a player at this side reads it upright."""
    r, c = divmod(card - 1, 3)
    row, column = {
        Side.SOUTH: (r, c),
        Side.WEST: (c, 2 - r),
        Side.NORTH: (2 - r, 2 - c),
        Side.EAST: (2 - c, r),
    }[side]
    return row * 3 + column + 1


TARGETS: Final[Mapping[Side, tuple[tuple[Site, ...], ...]]] = MappingProxyType(
    {
        side: (
            (),  # there is no card 0
            *(
                tuple(city_sites(city)[_position(side, card) - 1] for city in CITIES)
                for card in CARDS
            ),
        )
        for side in Side
    }
)
"""``TARGETS[side][card]``: the six sites, one in each city, that a card names from a side."""

_CARDS: Final[Mapping[Side, tuple[Card, ...]]] = MappingProxyType(
    {
        side: tuple(next(c for c in CARDS if site in TARGETS[side][c]) for site in SITES)
        for side in Side
    }
)


def card_for(side: Side, site: Site) -> Card:
    """The card that names a site from a side of the board."""
    return _CARDS[side][site]
