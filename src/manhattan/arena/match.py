"""Who plays whom, and on which seats: planned so that luck cancels out.

The cards of a deal are played several times, each time with the bots moved on by one seat: so
everybody has had every hand, and the luck of the deal is nobody's. Deals differ in who sits next
to whom and in who starts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from random import Random

from manhattan.arena.own import player
from manhattan.rules import DEFAULT_EDITION, ManhattanError, Setup, set_up


class ArenaError(ManhattanError, ValueError):
    """A match that can't be played."""


@dataclass(frozen=True, slots=True)
class Seating:
    """One game of a match."""

    deal: int
    """Games of one deal have the same cards."""
    rotation: int
    seats: tuple[int, ...]
    """For each seat the number of the bot in the match."""
    first: int
    """Who starts."""


@dataclass(frozen=True)
class Match:
    """So many games between some bots. A name may stand there more than once."""

    bots: tuple[str, ...]
    games: int
    players: int = 4
    edition: str = DEFAULT_EDITION
    house_rules: Mapping[str, str] = field(default_factory=dict)
    seed: int = 0

    def __post_init__(self) -> None:
        for name in self.bots:
            player(name)
        if len(self.bots) < self.players:
            raise ArenaError(
                f"{self.players} players need {self.players} bots, not {len(self.bots)}; "
                "one may be named several times."
            )
        if self.games < 1:
            raise ArenaError(f"Play at least one game, not {self.games}.")
        self.setup(0)

    def setup(self, first: int) -> Setup:
        return set_up(self.players, edition=self.edition, house_rules=self.house_rules, first=first)

    @property
    def deals(self) -> int:
        """Every deal is played from every seat: games are rounded up to whole deals."""
        return -(-self.games // self.players)

    @cached_property
    def _tables(self) -> list[tuple[int, ...]]:
        return list(combinations(range(len(self.bots)), self.players))

    def seatings(self, deal: int) -> Iterator[Seating]:
        """The games of a deal."""
        # Each table once before one is played again, in any order: whoever stops early has
        # not played the first bots only.
        cycle, number = divmod(deal, len(self._tables))
        tables = self._tables.copy()
        self.random("tables", cycle).shuffle(tables)
        table = list(tables[number])
        self.random("seats", deal).shuffle(table)
        for rotation in range(self.players):
            seats = tuple(table[rotation:] + table[:rotation])
            yield Seating(deal, rotation, seats, deal % self.players)

    def cards(self, deal: int) -> bytes:
        """The seed of a deal's shuffles."""
        return self._digest("cards", deal)

    def random(self, *what: object) -> Random:
        """A generator for this and nothing else."""
        return Random(self._digest(*what))  # noqa: S311 - bots' dice, not the cards

    def _digest(self, *what: object) -> bytes:
        text = " ".join(map(str, ("manhattan arena", self.seed, *what)))
        return hashlib.sha256(text.encode()).digest()
