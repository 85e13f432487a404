"""The tables that the kernel and the rules play at against each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from random import Random
from typing import Final

from manhattan.rules import EDITIONS, Seat, SeedShuffler, Setup, State, deal, lot, set_up
from manhattan.rules.play import begin_turn
from positions import crowded

HOUSE_RULES: Final[Sequence[tuple[int, str, Mapping[str, str]]]] = [
    (4, "hig-2017", {"four_players": "4x6"}),
    (4, "hig-1994", {"tallest_tie": "one_owner", "final_tie": "board_tallest"}),
    (3, "hig-1994", {"three_players": "6x4", "final_tie": "own_tallest"}),
    (3, "foxgames-2018", {"final_tie": "shared"}),
    (2, "hig-1994", {"two_players": "6x4-one-colour"}),
    (2, "999-games", {"two_players": "4x4", "final_tie": "board_tallest"}),
]

ODD_SEATS: Final[Sequence[tuple[Seat, ...]]] = [
    (Seat.EAST, Seat.SOUTH, Seat.WEST, Seat.NORTH),
    (Seat.SOUTH, Seat.SOUTH, Seat.NORTH, Seat.NORTH),
]

GAMES_ON_A_BOARD = 32
"""A crowded board is dear to make, so some games start from the same one, with other cards."""


def group(setup: Setup) -> str:
    """Tables of one group are compiled alike."""
    return f"{len(setup.players)}-{setup.schedule.colours}"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of table: its rules, its seats, and whether the board is crowded from the start."""

    players: int
    edition: str
    changes: tuple[tuple[str, str], ...] = ()
    seats: tuple[Seat, ...] | None = None
    crowded: bool = False

    @property
    def name(self) -> str:
        """Without blanks, so that a command can name it."""
        parts = [
            self.edition,
            str(self.players),
            *(f"{row}={value}" for row, value in self.changes),
        ]
        if self.seats:
            parts.append("".join(seat[0] for seat in self.seats))
        return ",".join([*parts, "crowded"] if self.crowded else parts)


KINDS: Final[Mapping[str, Kind]] = {
    kind.name: kind
    for kind in (
        *(Kind(players, edition) for edition in EDITIONS for players in (2, 3, 4)),
        *(Kind(players, edition, tuple(rows.items())) for players, edition, rows in HOUSE_RULES),
        *(Kind(4, "hig-1994", seats=seats) for seats in ODD_SEATS),
        *(Kind(players, "hig-2017", crowded=True) for players in (2, 3, 4)),
        Kind(4, "999-games", crowded=True),
        Kind(2, "hig-1994", (("two_players", "6x4-one-colour"),), crowded=True),
    )
}


@cache
def table_of(kind: Kind, first: int = 0) -> Setup:
    return set_up(
        kind.players,
        edition=kind.edition,
        house_rules=dict(kind.changes),
        seats=kind.seats,
        first=first,
    )


@dataclass(frozen=True, slots=True)
class Start:
    """Where a game starts, and the cards that it will be played with."""

    dealt: State
    """Before anybody could be stuck with his hand."""
    state: State
    """At the first decision."""
    chance: SeedShuffler
    shared: tuple[Kind, int, int]
    """Starts that are equal in this differ in nothing but cards."""


def start_of(kind: Kind, seed: int, number: int, rng: Random) -> Start:
    """The start of a game of its kind."""
    cards = rng.randbytes(32)
    chance = SeedShuffler(cards)
    if not kind.crowded:
        first = lot(cards, kind.players)
        state = deal(table_of(kind, first), chance)
        return Start(state, state, chance, (kind, 0, first))
    board = number // GAMES_ON_A_BOARD
    table = _crowded_board(kind, seed, board).table
    dealt = deal(table.setup, chance)._replace(table=table)
    state, _ = begin_turn(dealt, chance)
    return Start(dealt, state, chance, (kind, seed, board))


@lru_cache(maxsize=len(KINDS))
def _crowded_board(kind: Kind, seed: int, board: int) -> State:
    rng = Random(f"board {seed} {kind.name} {board}")
    return crowded(table_of(kind, rng.randrange(kind.players)), rng, low=True)
