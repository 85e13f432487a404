"""What a placement would change, if the round ended after it (RULES 5b, 5c).

The same points as ``scoring`` gives, for all placements of a turn at once: a block changes one
site, so one city's majority, two colours' towers and perhaps who has the tallest.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from manhattan.rules.blocks import Colour
from manhattan.rules.board import Site
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


class Standing:
    """What everybody would score if the round ended now, and what a placement would change."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._each = table.setup.schedule.colours
        setup, board = table.setup, table.board
        self._slots = slots = _slots(setup.colours)
        self._owners = [slots[tower.owner] for tower in board]
        cities = (self._owners[first : first + 9] for first in range(0, 54, 9))
        self._counts = [tuple(map(city.count, range(len(setup.colours)))) for city in cities]
        self._summit = _Summit(board, setup)

    @property
    def points(self) -> tuple[int, ...]:
        """What each player would score now."""
        points = [TOWER_POINTS * sum(city) for city in zip(*self._counts, strict=True)]
        points.append(0)  # nobody's
        for counts in self._counts:
            points[_holder(counts)] += MAJORITY_POINTS
        points[self._slots[self._summit.scorer]] += TALLEST_POINTS
        return _by_player(points[:-1], self._each)

    def prospects(self, places: Iterable[Placements]) -> list[Prospect]:
        """What each of the mover's placements would change, site by site and by size."""
        summit, board, owners = self._summit, self._table.board, self._owners
        # Sites of one city with one owner are alike, as long as nobody reaches the tallest tower.
        known: dict[tuple[int, Slot, Slot], Prospect] = {}
        found: list[Prospect] = []
        for _, own, site, builds in places:
            alike = site // 9, owners[site], own.slot
            usual = known.get(alike)
            if usual is None:
                usual = known[alike] = self._prospect(site, own.slot, summit.scorer)
            height = board[site].height
            if height + builds[-1].size < summit.height:
                found += [usual] * len(builds)
                continue
            for build in builds:
                tallest = summit.with_tower(own.colour, height + build.size)
                same = tallest is summit.scorer
                found.append(usual if same else self._prospect(site, own.slot, tallest))
        return found

    def prospect(self, build: Build) -> Prospect:
        """What one of the mover's placements would change."""
        site, colour = build.site, colour_of(self._table, build)
        tallest = self._summit.with_tower(colour, self._table.board[site].height + build.size)
        return self._prospect(site, self._slots[colour], tallest)

    def _prospect(self, site: Site, slot: Slot, tallest: Colour | None) -> Prospect:
        """What changes when a site is a colour's and somebody scores the tallest tower."""
        owner, slots = self._owners[site], self._slots
        gains = _gains(
            self._each,
            self._counts[site // 9],
            owner,
            slot,
            slots[self._summit.scorer],
            slots[tallest],
        )
        return Prospect(None if owner == slot else self._table.board[site].owner, gains)


class _Summit:
    """The tallest towers, and who would score for them with one more tower."""

    def __init__(self, board: Board, setup: Setup) -> None:
        tallest = tallest_towers(board)
        tie = setup.rules.tallest_tie
        self.height = board[tallest[0]].height if tallest else 0
        self.scorer = tallest_scorer(board, tallest, tie) if tallest else None
        owners = {board[site].owner for site in tallest}
        self._shared_by = owners.pop() if tie == "one_owner" and len(owners) == 1 else None

    def with_tower(self, colour: Colour, height: int) -> Colour | None:
        """Who has the tallest tower when one of that height, which was lower, is a colour's."""
        if height > self.height:
            return colour
        if height == self.height:
            return colour if colour is self._shared_by else None
        return self.scorer


@cache
def _slots(colours: tuple[Colour, ...]) -> dict[Colour | None, Slot]:
    return {None: NOBODY} | {colour: slot for slot, colour in enumerate(colours)}


@lru_cache(maxsize=20_000)
def _gains(
    colours_each: int,
    counts: tuple[int, ...],
    owner: Slot,
    slot: Slot,
    tallest_before: Slot,
    tallest_after: Slot,
) -> tuple[int, ...]:
    """The gains from one site's change of owner in a city, and from the tallest tower's."""
    points = [0] * (len(counts) + 1)  # the last one is nobody's
    if owner != slot:
        changed = list(counts)
        changed[slot] += 1
        if owner != NOBODY:
            changed[owner] -= 1
        points[owner] -= TOWER_POINTS
        points[slot] += TOWER_POINTS
        points[_holder(counts)] -= MAJORITY_POINTS
        points[_holder(tuple(changed))] += MAJORITY_POINTS
    points[tallest_before] -= TALLEST_POINTS
    points[tallest_after] += TALLEST_POINTS
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
