"""What a placement would change, if the round ended after it (RULES 5b, 5c).

The same points as ``scoring`` gives, for all placements of a turn at once: a block changes one
site, so one city's majority, two colours' towers and perhaps who has the tallest.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from operator import add
from typing import NamedTuple

from manhattan.rules.blocks import Colour
from manhattan.rules.board import CITIES, Site
from manhattan.rules.legality import Placements, colour_of
from manhattan.rules.moves import Build
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


class Prospects(NamedTuple):
    """What the placements of one colour on one site would change."""

    takes_from: Colour | None
    gains: tuple[tuple[int, ...], ...]
    """For each size."""


class _Found(NamedTuple):
    """What there is to know about a board."""

    owners: list[Slot]
    """Of each site."""
    counts: list[tuple[int, ...]]
    """For each city, how many towers each colour owns."""
    summit: _Summit


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
        owners, counts, summit = self._found
        tower, city = table.board[site], site // 9
        owners, counts = owners.copy(), counts.copy()
        owners[site] = self._slots[tower.owner]
        counts[city] = _count(owners, city, len(table.setup.colours))
        if tower.height >= summit.height:
            summit = _Summit.of(table.board, table.setup)
        return Standing(table, _Found(owners, counts, summit))

    @property
    def points(self) -> tuple[int, ...]:
        """What each player would score now."""
        _, cities, summit = self._found
        points = [TOWER_POINTS * sum(towers) for towers in zip(*cities, strict=True)]
        points.append(0)  # nobody's
        for counts in cities:
            points[_holder(counts)] += MAJORITY_POINTS
        points[self._slots[summit.scorer]] += TALLEST_POINTS
        return _by_player(points[:-1], self._each)

    def prospects(self, places: Iterable[Placements]) -> list[Prospects]:
        """What each of the mover's placements would change, site by site and by size."""
        (owners, counts, summit), board = self._found, self._table.board
        cities = [_taken(self._table.setup.colours, self._each, city) for city in counts]
        found: list[Prospects] = []
        for _, own, site, builds, _ in places:
            usual = cities[site // 9][own.slot][owners[site]]
            height = board[site].height
            if height + builds[-1].size < summit.height:  # a block's size matters for nothing else
                gains = (usual.gains,) * len(builds)
            else:
                taller = [height + build.size for build in builds]
                gains = tuple([self._gains(usual, own.colour, one) for one in taller])
            found.append(Prospects(usual.takes_from, gains))
        return found

    def prospect(self, build: Build) -> Prospect:
        """What one of the mover's placements would change."""
        table, (owners, counts, _) = self._table, self._found
        site, colour = build.site, colour_of(table, build)
        city = _taken(table.setup.colours, self._each, counts[site // 9])
        usual = city[self._slots[colour]][owners[site]]
        gains = self._gains(usual, colour, table.board[site].height + build.size)
        return Prospect(usual.takes_from, gains)

    def _gains(self, usual: Prospect, colour: Colour, height: int) -> tuple[int, ...]:
        """The gains when a tower that was lower has a certain height then."""
        summit, slots = self._found.summit, self._slots
        tallest = summit.with_tower(colour, height)
        if tallest is summit.scorer:
            return usual.gains
        before, after = slots[summit.scorer], slots[tallest]
        passes = _passes(len(slots) - 1, self._each, before, after, TALLEST_POINTS)
        return tuple(map(add, usual.gains, passes))


class _Summit(NamedTuple):
    """The tallest towers, and who would score for them with one more tower."""

    height: int
    scorer: Colour | None
    shared_by: Colour | None
    """Who would go on scoring with one more tower of this height."""

    @classmethod
    def of(cls, board: Board, setup: Setup) -> _Summit:
        tallest = tallest_towers(board)
        if not tallest:
            return cls(0, None, None)
        tie = setup.rules.tallest_tie
        owners = {board[site].owner for site in tallest}
        one_owner = tie == "one_owner" and len(owners) == 1
        return cls(
            board[tallest[0]].height,
            tallest_scorer(board, tallest, tie),
            owners.pop() if one_owner else None,
        )

    def with_tower(self, colour: Colour, height: int) -> Colour | None:
        """Who has the tallest tower when one of that height, which was lower, is a colour's."""
        if height > self.height:
            return colour
        if height == self.height:
            return colour if colour is self.shared_by else None
        return self.scorer


@cache
def _slots(colours: tuple[Colour, ...]) -> dict[Colour | None, Slot]:
    return {None: NOBODY} | {colour: slot for slot, colour in enumerate(colours)}


def _found(table: Table, slots: dict[Colour | None, Slot]) -> _Found:
    owners = [slots[tower.owner] for tower in table.board]
    counts = [_count(owners, city, len(slots) - 1) for city in range(len(CITIES))]
    return _Found(owners, counts, _Summit.of(table.board, table.setup))


def _count(owners: list[Slot], city: int, colours: int) -> tuple[int, ...]:
    return tuple(map(owners[9 * city : 9 * city + 9].count, range(colours)))


# What follows is asked for again and again, for the same few hundred cities.


@cache
def _taken(
    colours: tuple[Colour, ...], colours_each: int, counts: tuple[int, ...]
) -> tuple[tuple[Prospect, ...], ...]:
    """``[slot][owner]``: what changes when a tower of a city passes from its owner to a colour, and
    the majority of the city with it. The last owner, whose number is -1, is nobody."""

    def passes_on(slot: Slot, owner: Slot) -> Prospect:
        if owner == slot or (owner != NOBODY and not counts[owner]):
            return Prospect(None, (0,) * (len(colours) // colours_each))
        after = list(counts)
        after[slot] += 1
        if owner != NOBODY:
            after[owner] -= 1
        holders = _holder(counts), _holder(tuple(after))
        tower = _passes(len(colours), colours_each, owner, slot, TOWER_POINTS)
        majority = _passes(len(colours), colours_each, *holders, MAJORITY_POINTS)
        takes_from = None if owner == NOBODY else colours[owner]
        return Prospect(takes_from, tuple(map(add, tower, majority)))

    slots = range(len(colours))
    return tuple(tuple(passes_on(slot, owner) for owner in (*slots, NOBODY)) for slot in slots)


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
