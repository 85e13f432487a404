"""A match: which bots play which games on which seats, planned so that luck cancels out.

The cards of a deal are played several times, each time with the bots moved on by one seat
(duplicate play), so that every bot plays every hand. Deals differ in neighbours and start player.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from random import Random

from manhattan.arena.loader import load_bot
from manhattan.bots import Budget
from manhattan.rules import DEFAULT_EDITION, ManhattanError, Setup, set_up


class ArenaError(ManhattanError, ValueError):
    """A match that can't be played."""


@dataclass(frozen=True, slots=True)
class Seating:
    """The seats of one game of a match."""

    deal: int
    """Games of one deal have the same cards."""
    rotation: int
    seats: tuple[int, ...]
    """For each seat the index of its bot in the match."""
    first: int
    """The seat of the start player."""


@dataclass(frozen=True)
class Match:
    """A number of games between some bots. A bot may be named more than once."""

    bots: tuple[str, ...]
    games: int
    players: int = 4
    edition: str = DEFAULT_EDITION
    house_rules: Mapping[str, str] = field(default_factory=dict)
    seed: int = 0
    seconds: float | None = None
    """The time of every bot for each move, in place of its own budget."""

    def __post_init__(self) -> None:
        for name in self.bots:
            load_bot(name)
        if len(self.bots) < self.players:
            raise ArenaError(
                f"{self.players} players need {self.players} bots, not {len(self.bots)}; "
                "a bot may be named several times."
            )
        if self.games < 1:
            raise ArenaError(f"Play at least one game, not {self.games}.")
        Budget(seconds=self.seconds)  # rejects a time that is not positive
        self.setup(0)

    def setup(self, first: int) -> Setup:
        return set_up(self.players, edition=self.edition, house_rules=self.house_rules, first=first)

    @property
    def deals(self) -> int:
        """The number of deals: the games, rounded up so that each deal is played from every
        seat."""
        return -(-self.games // self.players)

    @cached_property
    def _tables(self) -> list[tuple[int, ...]]:
        return list(combinations(range(len(self.bots)), self.players))

    def seatings(self, deal: int) -> Iterator[Seating]:
        """Yield the games of a deal."""
        # Each combination of bots plays once before one plays again, in random order: an
        # interrupted match has not played the first bots only.
        cycle, number = divmod(deal, len(self._tables))
        tables = self._tables.copy()
        self.rng("tables", cycle).shuffle(tables)
        table = list(tables[number])
        self.rng("seats", deal).shuffle(table)
        for rotation in range(self.players):
            seats = tuple(table[rotation:] + table[:rotation])
            yield Seating(deal, rotation, seats, deal % self.players)

    def shuffle_seed(self, deal: int) -> bytes:
        """Return the seed of a deal's shuffles."""
        return self._digest("cards", deal)

    def rng(self, *purpose: object) -> Random:
        """Return a random generator for one purpose, independent of all others."""
        return Random(self._digest(*purpose))  # noqa: S311 - for bots, not for cards

    def _digest(self, *purpose: object) -> bytes:
        text = " ".join(map(str, ("manhattan arena", self.seed, *purpose)))
        return hashlib.sha256(text.encode()).digest()
