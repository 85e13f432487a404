"""A table as the environments know it: its set-up, and what follows from that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from manhattan.envs.engine.memory import Bytes, room
from manhattan.kernel.actions import Numbering
from manhattan.kernel.layout import GAME
from manhattan.kernel.position import Position
from manhattan.rules import SeedShuffler, Setup, deal, set_up
from manhattan.rules.editions import DEFAULT_EDITION


@dataclass(frozen=True, slots=True, eq=False)
class Seats:
    """Who sits at a table and by which rules, in the forms that compiled code takes.

    It is itself and equal to no other: what is kept for one is found at once.
    """

    setup: Setup
    numbering: Numbering = field(init=False)
    players: tuple[int, ...] = field(init=False)
    """Only their length counts: how many players there are, how many colours each has."""
    colours: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "numbering", Numbering.of(self.setup))
        object.__setattr__(self, "players", (0,) * len(self.setup.players))
        object.__setattr__(self, "colours", (0,) * self.setup.schedule.colours)

    @property
    def decisions(self) -> int:
        """How many a whole game has: always the same number."""
        plan = self.setup.schedule
        return len(self.players) * plan.rounds * (1 + plan.blocks * plan.colours)

    @property
    def turns(self) -> int:
        """How many building turns a whole game has."""
        plan = self.setup.schedule
        return len(self.players) * plan.rounds * plan.blocks * plan.colours

    def blank(self, size: int = GAME.itemsize) -> Bytes:
        """A record of such a table, before it is started: in so many bytes, or more."""
        dealt = Position.of_state(deal(self.setup, SeedShuffler(bytes(32)))).data
        record = room(size)
        record[: GAME.itemsize] = np.frombuffer(dealt.tobytes(), np.uint8)
        return record


def seats(
    players: int = 4,
    edition: str = DEFAULT_EDITION,
    house_rules: Mapping[str, str] | None = None,
) -> Seats:
    """A table for so many, by the rules of an edition."""
    return Seats(set_up(players, edition=edition, house_rules=house_rules))


def position_of(seats: Seats, record: Bytes) -> Position:
    """A copy of a game, for what knows the rules' own words: bots, pictures, texts."""
    data = np.frombuffer(record[: GAME.itemsize].tobytes(), GAME).copy().view(np.recarray)
    return Position(seats.setup, data)
