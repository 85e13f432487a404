"""Projected scores: what the placements of a turn would change if the round ended after them.

``rules.scoring.placement_gains`` is the reference: it scores the board before and after one
placement. The server needs the gains of all placements of every turn of every table, so this module
computes the same numbers incrementally. A block changes one site: perhaps the majority of one city,
the number of towers of two colours, and the tallest tower. Cities in which each colour owns the
same number of towers behave alike, so the changes in a city come from a cache.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from operator import add, itemgetter
from typing import Any, Final, NamedTuple

from manhattan.rules.blocks import SIZES, Colour, Stock
from manhattan.rules.board import CITIES, SITES, Card, Side, Site
from manhattan.rules.legality import available_sizes, builds_by_site, reachable_sites
from manhattan.rules.moves import Build, Sizes
from manhattan.rules.scoring import (
    MAJORITY_POINTS,
    TALLEST_POINTS,
    TOWER_POINTS,
    tallest_scorer,
    tallest_towers,
)
from manhattan.rules.setup import OwnColour, Setup
from manhattan.rules.state import PublicState
from manhattan.rules.towers import NO_BLOCK, Board, Tower

Slot = int
"""A colour by its index in ``setup.colours``, or NO_COLOUR."""
NO_COLOUR: Final[Slot] = -1

Gains = tuple[int, ...]
"""How many more points each player would score; negative for a loss."""


@dataclass(frozen=True, slots=True, eq=False)
class SiteProjections:
    """What the placements of one colour on one site would change.

    Compared by identity, because equal ones are nearly always one object: sites can be grouped by
    it without hashing all its numbers.
    """

    takes_from: Colour | None
    """What ``Built.taken_from`` will be: the tower's owner now, if it is another colour."""
    gains: tuple[Gains, ...]
    """For each size that can be placed, ascending: the largest sizes of the tableau."""


class PlacementOptions(NamedTuple):
    """Where one of the mover's colours can build, and what each placement would change."""

    own: OwnColour
    sizes: Sizes
    """The sizes on the tableau, ascending."""
    sites: tuple[Site, ...]
    """The sites that the hand names."""
    projections: list[SiteProjections | None]
    """For each of these sites; None where no block of the tableau can be placed."""

    def gains_by_move(self) -> Iterator[tuple[Build, Gains]]:
        """Every placement and its gains, in the order of the legal moves."""
        builds = builds_by_site(self.own.notation, self.sizes)
        for site, projections in zip(self.sites, self.projections, strict=True):
            if projections is not None:
                gains = projections.gains
                yield from zip(builds[site][0][-len(gains) :], gains, strict=True)


class ProjectedScores:
    """What the players would score if the round ended now, or after one more placement."""

    __slots__ = ("_analysis", "_public")

    def __init__(self, public: PublicState, analysis: _Analysis | None = None) -> None:
        self._public = public
        self._analysis = analysis or _analyse(public)

    @property
    def board(self) -> Board:
        return self._public.board

    def after(self, public: PublicState, site: Site | None) -> ProjectedScores:
        """The projected scores after one more block on a site, or on none.

        Reading the whole board takes ten times as long.
        """
        if site is None:
            return ProjectedScores(public, self._analysis)
        (before, cities, tallest), setup = self._analysis, public.setup
        tower = public.board[site]
        packed = _with_tower(before, site, tower, setup.colours)
        if packed[site] != before[site]:  # the site has a new owner
            cities = cities.copy()
            cities[site // 9] = _city_of(setup, packed, site // 9)
        if tower.height >= tallest.height:
            tallest = _TallestTowers.of(public)
        return ProjectedScores(public, _Analysis(packed, cities, tallest))

    @property
    def points(self) -> Gains:
        """What each player would score now."""
        _, cities, tallest = self._analysis
        return tuple(map(sum, zip(tallest.points, *[city.points for city in cities], strict=True)))

    def placement_options(self, hand: tuple[Card, ...]) -> list[PlacementOptions]:
        """The options of the player to move with this hand, for each of their colours."""
        public, (packed, cities, tallest) = self._public, self._analysis
        sites, city_indices, pick = _reachable(public.side, hand)
        owners, heights = pick(packed), pick(packed[_HEIGHTS])
        options: list[PlacementOptions] = []
        for own in public.setup.colours_by_player[public.mover]:
            sizes, slot = _sizes_from(public.tableaus[own.slot]), own.slot
            largest = sizes[0][-1] if sizes[0] else 0
            takeovers = [city.takeovers[slot] for city in cities]
            context = tallest.contexts[slot]
            # On a tower lower than this, no block of the tableau reaches the tallest tower, and
            # all sizes change the same.
            high = tallest.height - largest
            projections = [
                None
                if min_size > largest
                else takeovers[city][owner][len(sizes[min_size])]
                if height < high
                else _with_tallest(
                    takeovers[city][owner][_ONE_SIZE],
                    sizes[min_size],
                    tallest.height - height,
                    context,
                )
                for city, owner, height, min_size in zip(
                    city_indices, owners, heights, pick(packed[_MIN_SIZES[slot]]), strict=True
                )
            ]
            options.append(PlacementOptions(own, sizes[0], sites, projections))
        return options


class _Analysis(NamedTuple):
    """What the projections need to know about a board."""

    packed: bytes
    """See ``_packed_board``."""
    cities: list[_City]
    tallest: _TallestTowers


def _analyse(public: PublicState) -> _Analysis:
    setup = public.setup
    packed = _packed_board(public.board, setup.colours)
    cities = [_city_of(setup, packed, city) for city in range(len(CITIES))]
    return _Analysis(packed, cities, _TallestTowers.of(public))


# The packed board: one byte a site in each of several sections. A turn asks for all of it, and
# one slice of bytes is read faster than 54 towers. The sections: the owner's slot (the number of
# colours for an empty site), the height, then each colour's ``min_size``.
_HEIGHTS: Final = slice(len(SITES), 2 * len(SITES))
_MIN_SIZES: Final = tuple(slice(n * len(SITES), (n + 1) * len(SITES)) for n in (2, 3, 4, 5))


def _packed_board(board: Board, colours: tuple[Colour, ...]) -> bytes:
    slots = {None: len(colours)} | {colour: slot for slot, colour in enumerate(colours)}
    owners = (slots[tower.owner] for tower in board)
    min_sizes = (tower.min_size[colour] for colour in colours for tower in board)
    return bytes((*owners, *(tower.height for tower in board), *min_sizes))


def _with_tower(packed: bytes, site: Site, tower: Tower, colours: tuple[Colour, ...]) -> bytes:
    """A packed board with another tower on one of its sites."""
    assert tower.owner is not None  # a block was just placed there
    changed = bytearray(packed)
    min_sizes = [tower.min_size[colour] for colour in colours]
    changed[site :: len(SITES)] = (colours.index(tower.owner), tower.height, *min_sizes)
    return bytes(changed)


class _TallestTowers(NamedTuple):
    """The tallest towers of the board."""

    height: int
    points: Gains
    """What they give to each player."""
    contexts: tuple[_TallestContext, ...]
    """``[slot]``, for each colour that may build."""

    @classmethod
    def of(cls, public: PublicState) -> _TallestTowers:
        board, setup = public.board, public.setup
        tallest = tallest_towers(board)
        scorer = tallest_scorer(board, tallest, setup.rules.tallest_tie) if tallest else None
        slot = NO_COLOUR if scorer is None else setup.colour_index(scorer)
        sole_owner = slot if setup.rules.tallest_tie == "one_owner" else NO_COLOUR
        count, per_player = len(setup.colours), setup.schedule.colours
        contexts = [_TallestContext(own, slot, sole_owner, per_player) for own in range(count)]
        return cls(
            board[tallest[0]].height if tallest else 0,
            _transfer(count, per_player, NO_COLOUR, slot, TALLEST_POINTS),
            tuple(contexts),
        )


class _TallestContext(NamedTuple):
    """The colour that builds, and those that score the tallest towers."""

    builder: Slot
    scorer: Slot
    sole_owner: Slot
    """The colour that owns all of them, where that scores: with one more tower of the same height,
    it still does."""
    per_player: int


class _Reachable(NamedTuple):
    """The sites that a hand names from a side of the board."""

    sites: tuple[Site, ...]
    cities: tuple[int, ...]
    """The index of each site's city."""
    pick: itemgetter[Any]
    """Picks the items of these sites out of a section of a packed board."""


@cache
def _reachable(side: Side, hand: tuple[Card, ...]) -> _Reachable:
    sites = tuple(reachable_sites(side, hand))
    return _Reachable(sites, tuple(site // 9 for site in sites), itemgetter(*sites))


@cache
def _sizes_from(tableau: Stock) -> tuple[Sizes, ...]:
    """``[min_size]``: the sizes on a tableau of at least this many floors."""
    sizes = available_sizes(tableau)
    return tuple(
        tuple(size for size in sizes if size >= min_size) for min_size in range(NO_BLOCK + 1)
    )


_Takeover = tuple[SiteProjections, ...]
"""What changes when a tower, and with it perhaps the majority of its city, passes from its owner
to another colour. It is the same for every size: ``[n]`` repeats it for n sizes."""
_ONE_SIZE: Final = 1


class _City(NamedTuple):
    """A city in which each colour owns a certain number of towers."""

    points: Gains
    """What it gives to each player."""
    takeovers: tuple[tuple[_Takeover, ...], ...]
    """``[slot][owner]``: what a block of a colour changes on a tower of an owner, the owner of an
    empty site coming last."""


def _city_of(setup: Setup, packed: bytes, city: int) -> _City:
    counts = tuple(map(packed[9 * city : 9 * city + 9].count, range(len(setup.colours))))
    return _city(setup.colours, setup.schedule.colours, counts)


@lru_cache(maxsize=10_000)
def _city(colours: tuple[Colour, ...], per_player: int, counts: tuple[int, ...]) -> _City:
    no_gains = (0,) * (len(colours) // per_player)

    def takeover(slot: Slot, owner: Slot) -> _Takeover:
        if owner == slot:
            return _takeover(None, no_gains)
        if owner != NO_COLOUR and not counts[owner]:
            return _takeover(None, no_gains)  # never asked for: it owns no tower here
        after = list(counts)
        after[slot] += 1
        if owner != NO_COLOUR:
            after[owner] -= 1
        tower = _transfer(len(colours), per_player, owner, slot, TOWER_POINTS)
        holders = _majority_holder(counts), _majority_holder(after)
        majority = _transfer(len(colours), per_player, *holders, MAJORITY_POINTS)
        takes_from = None if owner == NO_COLOUR else colours[owner]
        return _takeover(takes_from, tuple(map(add, tower, majority)))

    slots = range(len(colours))
    towers = _by_player([TOWER_POINTS * count for count in counts], per_player)
    holder = _majority_holder(counts)
    majority = _transfer(len(colours), per_player, NO_COLOUR, holder, MAJORITY_POINTS)
    return _City(
        tuple(map(add, towers, majority)),
        tuple(tuple(takeover(slot, owner) for owner in (*slots, NO_COLOUR)) for slot in slots),
    )


@lru_cache(maxsize=10_000)
def _takeover(takes_from: Colour | None, gains: Gains) -> _Takeover:
    return tuple(SiteProjections(takes_from, (gains,) * count) for count in (0, *SIZES))


@lru_cache(maxsize=50_000)
def _with_tallest(
    takeover: SiteProjections, sizes: Sizes, below: int, context: _TallestContext
) -> SiteProjections:
    """Add the tallest tower's points to a takeover of a tower that is ``below`` floors lower."""
    builder, scorer, sole_owner, per_player = context
    [base] = takeover.gains

    def gains(size: int) -> Gains:
        if size < below:
            return base
        new_scorer = builder if size > below or builder == sole_owner else NO_COLOUR
        colours = len(base) * per_player
        tallest = _transfer(colours, per_player, scorer, new_scorer, TALLEST_POINTS)
        return tuple(map(add, base, tallest))

    return SiteProjections(takeover.takes_from, tuple(map(gains, sizes)))


def _transfer(colours: int, per_player: int, before: Slot, after: Slot, points: int) -> Gains:
    """The gains of each player when something worth points passes from one colour to another."""
    changes = [0] * (colours + 1)  # NO_COLOUR is the last index
    changes[before] -= points
    changes[after] += points
    return _by_player(changes[:-1], per_player)


def _by_player(points: Sequence[int], per_player: int) -> Gains:
    """Add up the points of each player's colours."""
    firsts = range(0, len(points), per_player)
    return tuple(sum(points[first : first + per_player]) for first in firsts)


def _majority_holder(counts: Sequence[int]) -> Slot:
    """The colour that owns more towers of a city than every other one."""
    most = max(counts)
    return counts.index(most) if most and counts.count(most) == 1 else NO_COLOUR
