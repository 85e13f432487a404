"""The specification of a table, in the forms that the environments need."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from manhattan.kernel.actions import ActionSpace
from manhattan.kernel.layout import table_shape
from manhattan.rules import Setup, set_up
from manhattan.rules.editions import DEFAULT_EDITION


@dataclass(frozen=True, slots=True, eq=False)
class TableSpec:
    """The players and rules of a table. Compared by identity, which makes it a cheap cache key."""

    setup: Setup
    action_space: ActionSpace = field(init=False)
    players: tuple[int, ...] = field(init=False)
    """Like ``colours`` for compiled code, which takes numbers as lengths: see ``table_shape``."""
    colours: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "action_space", ActionSpace.for_setup(self.setup))
        players, colours = table_shape(len(self.setup.players), self.setup.schedule.colours)
        object.__setattr__(self, "players", players)
        object.__setattr__(self, "colours", colours)

    @property
    def turns(self) -> int:
        """The number of building turns of every game."""
        schedule = self.setup.schedule
        return len(self.players) * schedule.rounds * schedule.blocks * schedule.colours

    @property
    def decisions(self) -> int:
        """The number of decisions of every game."""
        return self.turns + len(self.players) * self.setup.schedule.rounds


def table_spec(
    players: int = 4,
    edition: str = DEFAULT_EDITION,
    house_rules: Mapping[str, str] | None = None,
) -> TableSpec:
    return TableSpec(set_up(players, edition=edition, house_rules=house_rules))
