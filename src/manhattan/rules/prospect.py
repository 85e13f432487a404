"""What a placement would change, if the round ended after it (RULES 5b, 5c).

The same points as ``scoring`` gives, for all placements of a turn at once: a block changes one
site, so one city's majority, two colours' towers and perhaps who has the tallest. There are few
different cities, so what may happen in one is found out once and looked up ever after.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from operator import add
from typing import NamedTuple

from manhattan.rules.blocks import SIZES, Colour
from manhattan.rules.board import CITIES, Site
from manhattan.rules.legality import Placements, colour_of
from manhattan.rules.moves import Build, Sizes
from manhattan.rules.scoring import (
    MAJORITY_POINTS,
    TALLEST_POINTS,
    TOWER_POINTS,
    tallest_scorer,
    tallest_towers,
)
from manhattan.rules.setup import Setup
from manhattan.rules.state import Table
from manhattan.rules.towers import Board

Slot = int
"""A colour by its place in ``setup.colours``; NOBODY where there is none."""
NOBODY: Slot = -1


class Prospect(NamedTuple):
    """What a placement would change."""

    takes_from: Colour | None
    """The colour that owns the tower now, if it is another one."""
    gains: tuple[int, ...]
    """How many points more each player would score, if the round ended after it."""


@dataclass(frozen=True, slots=True, eq=False)
class Prospects:
    """What the placements of one colour on one site would change. Equal ones are mostly the same
    thing, so that whoever wants to can remember something about each."""

    takes_from: Colour | None
    gains: tuple[tuple[int, ...], ...]
    """For each size."""


class Standing:
    """What everybody would score if the round ended now, and what a placement would change."""

    __slots__ = ("_each", "_found", "_slots", "_table")

    def __init__(self, table: Table, found: _Found | None = None) -> None:
        self._table = table
        self._each = table.setup.schedule.colours
        self._slots = _slots(table.setup.colours)
        self._found = found or _found(table, self._slots)

    @property
    def board(self) -> Board:
        return self._table.board

    def after(self, table: Table, site: Site | None) -> Standing:
        """The standing when a block was put on a site, or nowhere, since: quicker than looking at
        the whole board."""
        if site is None:
            return Standing(table, self._found)
        owners, cities, summit = self._found
        tower, city = table.board[site], site // 9
        owners, cities = owners.copy(), cities.copy()
        owners[site] = self._slots[tower.owner]
        cities[city] = _city_now(table.setup, owners, city)
        if tower.height >= summit.height:
            summit = _Summit.of(table.board, table.setup)
        return Standing(table, _Found(owners, cities, summit))

    @property
    def points(self) -> tuple[int, ...]:
        """What each player would score now."""
        _, cities, summit = self._found
        tallest = _passes(len(self._slots) - 1, self._each, NOBODY, summit.scorer, TALLEST_POINTS)
        return tuple(map(sum, zip(tallest, *[city.points for city in cities], strict=True)))

    def prospects(self, places: Iterable[Placements]) -> list[Prospects]:
        """What each of the mover's placements would change, site by site and by size."""
        (owners, cities, summit), board = self._found, self._table.board
        height, scorer, sharer = summit
        passings = [city.passing for city in cities]
        found: list[Prospects] = []
        for place in places:
            site = place.site
            passing = passings[place.city][place.slot][owners[site]]
            below = height - board[site].height
            if place.largest < below:  # a block's size matters for nothing else
                found.append(passing.whatever_size[len(place.sizes)])
            else:
                rest = below, place.slot, scorer, sharer, self._each
                found.append(_by_size(passing, place.sizes, *rest))
        return found

    def prospect(self, build: Build) -> Prospect:
        """What one of the mover's placements would change."""
        (owners, cities, summit), site = self._found, build.site
        slot = self._slots[colour_of(self._table, build)]
        passing = cities[site // 9].passing[slot][owners[site]]
        below = summit.height - self._table.board[site].height
        sizes = (build.size,)
        found = _by_size(passing, sizes, below, slot, summit.scorer, summit.sharer, self._each)
        return Prospect(found.takes_from, found.gains[0])


class _Found(NamedTuple):
    """What there is to know about a board."""

    owners: list[Slot]
    """Of each site."""
    cities: list[_City]
    summit: _Summit


class _Summit(NamedTuple):
    """The tallest towers, and who would score for them with one more tower."""

    height: int
    scorer: Slot
    sharer: Slot
    """Who would go on scoring with one more tower of this height."""

    @classmethod
    def of(cls, board: Board, setup: Setup) -> _Summit:
        tallest = tallest_towers(board)
        if not tallest:
            return cls(0, NOBODY, NOBODY)
        tie, slots = setup.rules.tallest_tie, _slots(setup.colours)
        owners = {board[site].owner for site in tallest}
        one_owner = tie == "one_owner" and len(owners) == 1
        return cls(
            board[tallest[0]].height,
            slots[tallest_scorer(board, tallest, tie)],
            slots[owners.pop()] if one_owner else NOBODY,
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Passing:
    """What changes when a tower passes from its owner to a colour, and the majority of the city
    with it."""

    takes_from: Colour | None
    gains: tuple[int, ...]
    whatever_size: tuple[Prospects, ...]
    """The same as prospects, for each number of sizes."""


class _City(NamedTuple):
    """A city with so many towers of each colour."""

    points: tuple[int, ...]
    """What it gives to each player."""
    passing: tuple[tuple[_Passing, ...], ...]
    """``[slot][owner]``: the last owner, whose number is -1, is nobody."""


def _found(table: Table, slots: dict[Colour | None, Slot]) -> _Found:
    owners = [slots[tower.owner] for tower in table.board]
    cities = [_city_now(table.setup, owners, city) for city in range(len(CITIES))]
    return _Found(owners, cities, _Summit.of(table.board, table.setup))


def _city_now(setup: Setup, owners: list[Slot], city: int) -> _City:
    counts = tuple(map(owners[9 * city : 9 * city + 9].count, range(len(setup.colours))))
    return _city(setup.colours, setup.schedule.colours, counts)


@cache
def _slots(colours: tuple[Colour, ...]) -> dict[Colour | None, Slot]:
    return {None: NOBODY} | {colour: slot for slot, colour in enumerate(colours)}


# What follows is asked for again and again, for the same few hundred cities.


@lru_cache(maxsize=10_000)
def _city(colours: tuple[Colour, ...], colours_each: int, counts: tuple[int, ...]) -> _City:
    def passing(slot: Slot, owner: Slot) -> _Passing:
        if owner == slot or (owner != NOBODY and not counts[owner]):
            return _passing(None, (0,) * (len(colours) // colours_each))
        after = list(counts)
        after[slot] += 1
        if owner != NOBODY:
            after[owner] -= 1
        holders = _holder(counts), _holder(tuple(after))
        tower = _passes(len(colours), colours_each, owner, slot, TOWER_POINTS)
        majority = _passes(len(colours), colours_each, *holders, MAJORITY_POINTS)
        takes_from = None if owner == NOBODY else colours[owner]
        return _passing(takes_from, tuple(map(add, tower, majority)))

    slots = range(len(colours))
    towers = _by_player([TOWER_POINTS * count for count in counts], colours_each)
    majority = _passes(len(colours), colours_each, NOBODY, _holder(counts), MAJORITY_POINTS)
    return _City(
        tuple(map(add, towers, majority)),
        tuple(tuple(passing(slot, owner) for owner in (*slots, NOBODY)) for slot in slots),
    )


@lru_cache(maxsize=10_000)
def _passing(takes_from: Colour | None, gains: tuple[int, ...]) -> _Passing:
    whatever_size = tuple(Prospects(takes_from, (gains,) * count) for count in (0, *SIZES))
    return _Passing(takes_from, gains, whatever_size)


@lru_cache(maxsize=50_000)
def _by_size(
    passing: _Passing,
    sizes: Sizes,
    below: int,
    slot: Slot,
    scorer: Slot,
    sharer: Slot,
    colours_each: int,
) -> Prospects:
    """What blocks of some sizes change on a tower that is so many floors lower than the tallest,
    which scores for somebody."""

    def gains(size: int) -> tuple[int, ...]:
        if size < below:
            return passing.gains
        tallest = slot if size > below or slot == sharer else NOBODY
        colours = len(passing.gains) * colours_each
        passes = _passes(colours, colours_each, scorer, tallest, TALLEST_POINTS)
        return tuple(map(add, passing.gains, passes))

    return Prospects(passing.takes_from, tuple(map(gains, sizes)))


@cache
def _passes(
    colours: int, colours_each: int, before: Slot, after: Slot, worth: int
) -> tuple[int, ...]:
    """What each player gains when something passes from one colour to another."""
    points = [0] * (colours + 1)  # the last one is nobody's
    points[before] -= worth
    points[after] += worth
    return _by_player(points[:-1], colours_each)


def _by_player(points: Sequence[int], colours_each: int) -> tuple[int, ...]:
    """A player has the points of his colours."""
    firsts = range(0, len(points), colours_each)
    return tuple(sum(points[first : first + colours_each]) for first in firsts)


@cache
def _holder(counts: tuple[int, ...]) -> Slot:
    """Who owns more towers of a city than every other colour."""
    most = max(counts)
    return counts.index(most) if most and counts.count(most) == 1 else NOBODY
