"""What a placement would change, if the round ended after it (RULES 5b, 5c).

The same points as ``scoring`` gives, for all placements of a turn at once: a block changes one
site, so one city's majority, two colours' towers and perhaps who has the tallest. There are few
different cities, so what may happen in one is found out once and looked up ever after.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from operator import add
from typing import Final, NamedTuple

from manhattan.rules.blocks import SIZES, Colour
from manhattan.rules.board import CITIES, SITES, Card, Site
from manhattan.rules.legality import colour_of, sites_of, sizes_from
from manhattan.rules.moves import Build, Sizes
from manhattan.rules.scoring import (
    MAJORITY_POINTS,
    TALLEST_POINTS,
    TOWER_POINTS,
    tallest_scorer,
)
from manhattan.rules.setup import OwnColour, Setup
from manhattan.rules.state import Table
from manhattan.rules.towers import Board, Tower

Slot = int
"""A colour by its place in ``setup.colours``; NOBODY where there is none."""
NOBODY: Slot = -1


class Prospect(NamedTuple):
    """What a placement would change."""

    takes_from: Colour | None
    """The colour that owns the tower now, if it is another one."""
    gains: tuple[int, ...]
    """How many points more each player would score, if the round ended after it."""


@dataclass(slots=True, eq=False)
class Prospects:
    """What the placements of one colour on one site would change. Equal ones are mostly the same
    thing, which stays as it is but for the note."""

    takes_from: Colour | None
    gains: tuple[tuple[int, ...], ...]
    """For each size."""
    note: bytes = b""
    """What whoever tells of it remembers here: to look it up elsewhere takes longer."""


class Outlook(NamedTuple):
    """What one of the mover's colours can do."""

    own: OwnColour
    sizes: tuple[Sizes, ...]
    """``[least]``: the sizes of its blocks of at least so many floors."""
    places: list[tuple[Site, int, Prospects]]
    """Where it may build, with blocks of at least so many floors, and what each of these sizes
    would change."""


class Standing:
    """What everybody would score if the round ended now, and what a placement would change."""

    __slots__ = ("_each", "_found", "_table")

    def __init__(self, table: Table, found: _Found | None = None) -> None:
        self._table = table
        self._each = table.setup.schedule.colours
        self._found = found or _found(table)

    @property
    def board(self) -> Board:
        return self._table.board

    def after(self, table: Table, site: Site | None) -> Standing:
        """The standing when a block was put on a site, or nowhere, since: quicker than looking at
        the whole board."""
        if site is None:
            return Standing(table, self._found)
        (before, cities, summit), setup = self._found, table.setup
        tower = table.board[site]
        ground = _with_tower(before, site, tower, setup.colours)
        if ground[site] != before[site]:  # it has another owner
            cities = cities.copy()
            cities[site // 9] = _city_now(setup, ground, site // 9)
        if tower.height >= summit.height:
            summit = _Summit.of(table, ground)
        return Standing(table, _Found(ground, cities, summit))

    @property
    def points(self) -> tuple[int, ...]:
        """What each player would score now."""
        _, cities, summit = self._found
        colours = len(self._table.setup.colours)
        tallest = _passes(colours, self._each, NOBODY, summit.scorer, TALLEST_POINTS)
        return tuple(map(sum, zip(tallest, *[city.points for city in cities], strict=True)))

    def outlook(self, hand: tuple[Card, ...]) -> list[Outlook]:
        """Every placement of whoever is to move, if he holds this hand, and what it changes."""
        table, (ground, cities, (summit, scorer, sharer)) = self._table, self._found
        sites, cities_of_them, pick = sites_of(table.seat, hand)
        owners, heights = pick(ground), pick(ground[_HEIGHTS])
        found: list[Outlook] = []
        for own in table.setup.own[table.mover]:
            sizes, slot = sizes_from(table.tableaus[own.slot]), own.slot
            largest = sizes[0][-1] if sizes[0] else 0
            passing = [city.passing[slot] for city in cities]
            crown = _crown(slot, scorer, sharer, self._each)
            high = summit - largest  # a block's size matters for lower towers in no way
            places = [
                (site, least, passing[city][owner][len(sizes[least])])
                if height < high
                else (
                    site,
                    least,
                    _by_size(passing[city][owner][1], sizes[least], summit - height, crown),
                )
                for site, city, owner, height, least in zip(
                    sites, cities_of_them, owners, heights, pick(ground[_NEEDS[slot]]), strict=True
                )
                if least <= largest
            ]
            found.append(Outlook(own, sizes, places))
        return found

    def prospect(self, build: Build) -> Prospect:
        """What one of the mover's placements would change."""
        (ground, cities, summit), site = self._found, build.site
        slot = self._table.setup.colour_index(colour_of(self._table, build))
        passing = cities[site // 9].passing[slot][ground[site]]
        below = summit.height - ground[_HEIGHTS][site]
        crown = _crown(slot, summit.scorer, summit.sharer, self._each)
        found = _by_size(passing[1], (build.size,), below, crown)
        return Prospect(found.takes_from, found.gains[0])


class _Found(NamedTuple):
    """What there is to know about a board."""

    ground: bytes
    """A byte for every site: its owner's slot, or the number of colours where nobody builds yet;
    then its height; then what each colour needs there. (A turn asks for all of it: to fetch that
    from 54 towers, wherever in memory they are, takes longer than to reckon with it.)"""
    cities: list[_City]
    summit: _Summit


_HEIGHTS: Final = slice(len(SITES), 2 * len(SITES))
_NEEDS: Final = tuple(slice(n * len(SITES), (n + 1) * len(SITES)) for n in (2, 3, 4, 5))
"""For each slot."""


def _ground(board: Board, colours: tuple[Colour, ...]) -> bytes:
    slots = _slots(colours)
    owners = (slots[tower.owner] for tower in board)
    needs = (tower.needs[colour] for colour in colours for tower in board)
    return bytes((*owners, *(tower.height for tower in board), *needs))


def _with_tower(ground: bytes, site: Site, tower: Tower, colours: tuple[Colour, ...]) -> bytes:
    """The ground with another tower on one of its sites."""
    after = bytearray(ground)
    needs = [tower.needs[colour] for colour in colours]
    after[site :: len(SITES)] = (_slots(colours)[tower.owner], tower.height, *needs)
    return bytes(after)


class _Summit(NamedTuple):
    """The tallest towers, and who would score for them with one more tower."""

    height: int
    scorer: Slot
    sharer: Slot
    """Who would go on scoring with one more tower of this height."""

    @classmethod
    def of(cls, table: Table, ground: bytes) -> _Summit:
        heights, board, setup = ground[_HEIGHTS], table.board, table.setup
        height = max(heights)
        if not height:
            return cls(0, NOBODY, NOBODY)
        if heights.count(height) == 1:
            tallest = [SITES[heights.index(height)]]
        else:
            tallest = [site for site in SITES if heights[site] == height]
        tie = setup.rules.tallest_tie
        owners = {board[site].owner for site in tallest}
        scorer = tallest_scorer(board, tallest, tie)
        sharer = owners.pop() if tie == "one_owner" and len(owners) == 1 else None
        return cls(
            height,
            NOBODY if scorer is None else setup.colour_index(scorer),
            NOBODY if sharer is None else setup.colour_index(sharer),
        )


class _Crown(NamedTuple):
    """Who has the tallest tower, and who reaches for it."""

    slot: Slot
    scorer: Slot
    sharer: Slot
    colours_each: int


@cache
def _crown(slot: Slot, scorer: Slot, sharer: Slot, colours_each: int) -> _Crown:
    return _Crown(slot, scorer, sharer, colours_each)


_Passing = tuple[Prospects, ...]
"""What changes when a tower passes from its owner to a colour, and the majority of the city with
it: for each number of sizes, since that is the same whatever the size."""


class _City(NamedTuple):
    """A city with so many towers of each colour."""

    points: tuple[int, ...]
    """What it gives to each player."""
    passing: tuple[tuple[_Passing, ...], ...]
    """``[slot][owner]``: the last owner is nobody."""


def _found(table: Table) -> _Found:
    setup, board = table.setup, table.board
    ground = _ground(board, setup.colours)
    cities = [_city_now(setup, ground, city) for city in range(len(CITIES))]
    return _Found(ground, cities, _Summit.of(table, ground))


def _city_now(setup: Setup, ground: bytes, city: int) -> _City:
    counts = tuple(map(ground[9 * city : 9 * city + 9].count, range(len(setup.colours))))
    return _city(setup.colours, setup.schedule.colours, counts)


@cache
def _slots(colours: tuple[Colour, ...]) -> dict[Colour | None, Slot]:
    """The owner's slot, as the ground and the cities number them."""
    return {None: len(colours)} | {colour: slot for slot, colour in enumerate(colours)}


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
    return tuple(Prospects(takes_from, (gains,) * count) for count in (0, *SIZES))


@lru_cache(maxsize=50_000)
def _by_size(passing: Prospects, sizes: Sizes, below: int, crown: _Crown) -> Prospects:
    """What blocks of some sizes change on a tower that is so many floors lower than the tallest,
    which scores for somebody."""
    slot, scorer, sharer, colours_each = crown
    [anyway] = passing.gains

    def gains(size: int) -> tuple[int, ...]:
        if size < below:
            return anyway
        tallest = slot if size > below or slot == sharer else NOBODY
        colours = len(anyway) * colours_each
        passes = _passes(colours, colours_each, scorer, tallest, TALLEST_POINTS)
        return tuple(map(add, anyway, passes))

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
