"""The tables of the lockstep tests between the kernel and the rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from random import Random
from typing import Final

from manhattan.rules import (
    EDITIONS,
    SeedShuffler,
    Setup,
    Side,
    State,
    deal,
    draw_start_player,
    set_up,
)
from manhattan.rules.play import begin_turn
from support.positions import crowded

HOUSE_RULES: Final[Sequence[tuple[int, str, Mapping[str, str]]]] = [
    (4, "hig-2017", {"four_players": "4x6"}),
    (4, "hig-1994", {"tallest_tie": "one_owner", "final_tie": "board_tallest"}),
    (3, "hig-1994", {"three_players": "6x4", "final_tie": "own_tallest"}),
    (3, "foxgames-2018", {"final_tie": "shared"}),
    (2, "hig-1994", {"two_players": "6x4-one-colour"}),
    (2, "999-games", {"two_players": "4x4", "final_tie": "board_tallest"}),
]

UNUSUAL_SIDES: Final[Sequence[tuple[Side, ...]]] = [
    (Side.EAST, Side.SOUTH, Side.WEST, Side.NORTH),
    (Side.SOUTH, Side.SOUTH, Side.NORTH, Side.NORTH),
]

GAMES_PER_BOARD = 32
"""A crowded board takes long to make, so some games share one, with other cards."""


def group(setup: Setup) -> str:
    """The group of tables that share compiled code."""
    return f"{len(setup.players)}-{setup.schedule.colours}"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of table: its rules, its sides, and whether the board is crowded from the start."""

    players: int
    edition: str
    house_rules: tuple[tuple[str, str], ...] = ()
    sides: tuple[Side, ...] | None = None
    crowded: bool = False

    @property
    def name(self) -> str:
        """A name without spaces, for the command line."""
        parts = [
            self.edition,
            str(self.players),
            *(f"{row}={value}" for row, value in self.house_rules),
        ]
        if self.sides:
            parts.append("".join(side[0] for side in self.sides))
        return ",".join([*parts, "crowded"] if self.crowded else parts)


KINDS: Final[Mapping[str, Kind]] = {
    kind.name: kind
    for kind in (
        *(Kind(players, edition) for edition in EDITIONS for players in (2, 3, 4)),
        *(Kind(players, edition, tuple(rows.items())) for players, edition, rows in HOUSE_RULES),
        *(Kind(4, "hig-1994", sides=sides) for sides in UNUSUAL_SIDES),
        *(Kind(players, "hig-2017", crowded=True) for players in (2, 3, 4)),
        Kind(4, "999-games", crowded=True),
        Kind(2, "hig-1994", (("two_players", "6x4-one-colour"),), crowded=True),
    )
}


@cache
def setup_of(kind: Kind, first: int = 0) -> Setup:
    return set_up(
        kind.players,
        edition=kind.edition,
        house_rules=dict(kind.house_rules),
        sides=kind.sides,
        first=first,
    )


@dataclass(frozen=True, slots=True)
class Start:
    """The start of a game, and its shuffles."""

    dealt: State
    """Before a player without a legal placement redraws."""
    state: State
    """At the first decision."""
    chance: SeedShuffler
    shared: tuple[Kind, int, int]
    """Starts with an equal value differ only in their cards."""


def start_of(kind: Kind, seed: int, number: int, rng: Random) -> Start:
    """Make the start of a game of a kind."""
    cards = rng.randbytes(32)
    chance = SeedShuffler(cards)
    if not kind.crowded:
        first = draw_start_player(cards, kind.players)
        state = deal(setup_of(kind, first), chance)
        return Start(state, state, chance, (kind, 0, first))
    board = number // GAMES_PER_BOARD
    public = _crowded_board(kind, seed, board).public
    dealt = deal(public.setup, chance)._replace(public=public)
    state, _ = begin_turn(dealt, chance)
    return Start(dealt, state, chance, (kind, seed, board))


@lru_cache(maxsize=len(KINDS))
def _crowded_board(kind: Kind, seed: int, board: int) -> State:
    rng = Random(f"board {seed} {kind.name} {board}")
    return crowded(setup_of(kind, rng.randrange(kind.players)), rng, low=True)
