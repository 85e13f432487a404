"""The board: six cities of nine sites, four sides to sit at, and how a card points (RULES 2, 3)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final, Self

from manhattan.rules.errors import NotationError, describe_characters

CITIES: Final = "ABCDEF"

Card = int
"""One of nine positions as its player sees them: 1 far left, 5 the centre, 9 near right."""

CARDS: Final[tuple[Card, ...]] = tuple(range(1, 10))
COPIES: Final = 5
DECK: Final[tuple[Card, ...]] = tuple(card for card in CARDS for _ in range(COPIES))
"""All 45 cards, sorted."""

HAND_SIZE: Final = 4


class Site(int):
    """One of the 54 places to build, written ``C5``: the fifth site of city C.

    Sites are numbered 1 to 9 in each city, row by row from the north-west, whoever looks.
    A site is its index on the board (A1 is 0, F9 is 53).
    """

    __slots__ = ()

    def __new__(cls, index: int) -> Self:
        if not 0 <= index < 54:
            raise NotationError(f"There are sites 0 to 53, not {index}.")
        return super().__new__(cls, index)

    @classmethod
    def parse(cls, text: str) -> Site:
        if re.fullmatch(r"[A-F][1-9]", text) is None:
            raise NotationError(
                f"{describe_characters(text)} is not a site: write the city's letter A-F "
                "and a number 1-9, like C5."
            )
        return SITES[CITIES.index(text[0]) * 9 + int(text[1]) - 1]

    @property
    def city(self) -> str:
        """The letter of its city."""
        return CITIES[self // 9]

    @property
    def position(self) -> int:
        """1 to 9, row by row from the north-west."""
        return self % 9 + 1

    def __str__(self) -> str:
        return f"{self.city}{self.position}"

    def __repr__(self) -> str:
        return f"Site.parse('{self}')"


SITES: Final[tuple[Site, ...]] = tuple(Site(index) for index in range(54))


def sites_of(city: str) -> tuple[Site, ...]:
    """The nine sites of a city, given by its letter."""
    first = CITIES.index(city) * 9
    return SITES[first : first + 9]


class Seat(StrEnum):
    """A side of the board, in clockwise order: each is the left neighbour of the one before."""

    SOUTH = "south"
    WEST = "west"
    NORTH = "north"
    EAST = "east"

    def __repr__(self) -> str:
        return f"Seat.{self.name}"


CLOCKWISE: Final[tuple[Seat, ...]] = tuple(Seat)


def _position(seat: Seat, card: Card) -> int:
    """The position 1-9 on the board that a card names, read upright from a seat."""
    r, c = divmod(card - 1, 3)
    row, column = {
        Seat.SOUTH: (r, c),
        Seat.WEST: (c, 2 - r),
        Seat.NORTH: (2 - r, 2 - c),
        Seat.EAST: (2 - c, r),
    }[seat]
    return row * 3 + column + 1


TARGETS: Final[Mapping[Seat, tuple[tuple[Site, ...], ...]]] = MappingProxyType(
    {
        seat: (
            (),  # there is no card 0
            *(
                tuple(sites_of(city)[_position(seat, card) - 1] for city in CITIES)
                for card in CARDS
            ),
        )
        for seat in Seat
    }
)
"""``TARGETS[seat][card]``: the six sites, one in each city, that a card names from a seat."""

_CARDS: Final[Mapping[Seat, tuple[Card, ...]]] = MappingProxyType(
    {
        seat: tuple(next(c for c in CARDS if site in TARGETS[seat][c]) for site in SITES)
        for seat in Seat
    }
)


def card_for(seat: Seat, site: Site) -> Card:
    """The one card that names a site from a seat."""
    return _CARDS[seat][site]
