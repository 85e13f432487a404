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
from manhattan.rules.legality import colour_of
from manhattan.rules.moves import Build
from manhattan.rules.scoring import (
    MAJORITY_POINTS,
    TALLEST_POINTS,
    TOWER_POINTS,
    score_round,
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


def points_now(table: Table) -> tuple[int, ...]:
    """What each player would score if the round ended now."""
    nothing = (0,) * len(table.setup.players)
    return score_round(table.board, table.setup, table.round, nothing).scores


def prospects(table: Table, builds: Iterable[Build]) -> list[Prospect]:
    """What each of the mover's placements would change."""
    setup, board = table.setup, table.board
    slots: dict[Colour | None, Slot] = {None: NOBODY}
    slots.update((colour, slot) for slot, colour in enumerate(setup.colours))
    owners = [slots[tower.owner] for tower in board]
    counts = [_counts(owners[first : first + 9], len(setup.colours)) for first in range(0, 54, 9)]
    summit = _Summit(board, setup)
    before = slots[summit.scorer]
    # A block's size matters only for the tallest tower: most of a site's prospects are alike.
    known: dict[tuple[Site, Colour, Colour | None], Prospect] = {}
    found: list[Prospect] = []
    for build in builds:
        site, colour = build.site, colour_of(table, build)
        after = summit.with_tower(colour, board[site].height + build.size)
        prospect = known.get((site, colour, after))
        if prospect is None:
            owner, slot = owners[site], slots[colour]
            tallest = (before, slots[after])
            gains = _gains(setup.schedule.colours, counts[site // 9], owner, slot, tallest)
            prospect = Prospect(None if owner == slot else board[site].owner, gains)
            known[site, colour, after] = prospect
        found.append(prospect)
    return found


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


def _counts(owners: Sequence[Slot], colours: int) -> tuple[int, ...]:
    return tuple(map(owners.count, range(colours)))


@lru_cache(maxsize=20_000)
def _gains(
    colours_each: int,
    counts: tuple[int, ...],
    owner: Slot,
    slot: Slot,
    tallest: tuple[Slot, Slot],
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
    before, after = tallest
    points[before] -= TALLEST_POINTS
    points[after] += TALLEST_POINTS
    return tuple(
        sum(points[first : first + colours_each]) for first in range(0, len(counts), colours_each)
    )


@cache
def _holder(counts: tuple[int, ...]) -> Slot:
    """Who owns more towers of a city than every other colour."""
    most = max(counts)
    return counts.index(most) if most and counts.count(most) == 1 else NOBODY
