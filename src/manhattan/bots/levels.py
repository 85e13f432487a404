"""The levels that people choose their opponents by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from types import MappingProxyType
from typing import Final

from manhattan.bots.budget import OWN_PACE, Budget
from manhattan.bots.by_value import choose_by_first_value
from manhattan.bots.greedy import choose_greedily, choose_greedily_with_any_blocks
from manhattan.bots.protocol import Bot
from manhattan.bots.searching import choose_by_search
from manhattan.bots.uniform import choose_at_random
from manhattan.rules import Move, Phase
from manhattan.view import View


def choose_easily(view: View, rng: Random, budget: Budget = OWN_PACE) -> Move:
    """Any blocks; then every other placement is the greedy one, the rest are anything."""
    if view.table.phase is Phase.BUILD and rng.random() < 0.5:
        return choose_at_random(view, rng, budget)
    return choose_greedily_with_any_blocks(view, rng, budget)


@dataclass(frozen=True, slots=True)
class Level:
    """An opponent of a certain strength. It is a bot that never thinks longer than its budget."""

    name: str
    description: str
    bot: Bot
    budget: Budget = OWN_PACE

    def __call__(self, view: View, rng: Random, budget: Budget = OWN_PACE, /) -> Move:
        return self.bot(view, rng, budget.within(self.budget))


LEVELS: Final[Mapping[str, Level]] = MappingProxyType(
    {
        level.name.lower(): level
        for level in (
            Level(
                "Easy",
                "Takes any blocks and often builds without thinking. Good for a first game.",
                choose_easily,
            ),
            Level(
                "Medium",
                "Big blocks first, and always the most points now. Never thinks of the next round.",
                choose_greedily,
            ),
            Level(
                "Hard",
                "Has learned which towers last and which cities can be held.",
                choose_by_first_value,
            ),
            Level(
                "Expert",
                "Tries every good move out in its head, and watches how you play.",
                choose_by_search,
                Budget(trials=3000, seconds=0.8),
            ),
        )
    }
)
"""By name, from the weakest to the strongest."""
