"""Levels: the bots that people play against, by strength."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from types import MappingProxyType
from typing import Final

from manhattan.bots.budget import NO_LIMIT, Budget
from manhattan.bots.greedy import choose_greedily, choose_greedily_with_any_blocks
from manhattan.bots.protocol import Bot
from manhattan.bots.random_bot import choose_at_random
from manhattan.bots.search_bot import choose_by_search
from manhattan.bots.value_bot import choose_by_first_value_function
from manhattan.rules import Move, Phase
from manhattan.view import View


def choose_easily(view: View, rng: Random, budget: Budget = NO_LIMIT) -> Move:
    """Select blocks at random; make half of the placements greedily and half at random."""
    if view.public.phase is Phase.BUILD and rng.random() < 0.5:
        return choose_at_random(view, rng, budget)
    return choose_greedily_with_any_blocks(view, rng, budget)


@dataclass(frozen=True, slots=True)
class Level:
    """A bot of a certain strength that never exceeds its own budget."""

    name: str
    description: str
    bot: Bot
    budget: Budget = NO_LIMIT

    def __call__(self, view: View, rng: Random, budget: Budget = NO_LIMIT, /) -> Move:
        return self.bot(view, rng, budget.within(self.budget))


LEVELS: Final[Mapping[str, Level]] = MappingProxyType(
    {
        level.name.lower(): level
        for level in (
            Level(
                "Easy",
                "Takes any blocks and often builds at random. Good for a first game.",
                choose_easily,
            ),
            Level(
                "Medium",
                "Builds big blocks first and always takes the most points now. "
                "Never plans for the next round.",
                choose_greedily,
            ),
            Level(
                "Hard",
                "Has learned which towers last and which cities it can hold.",
                choose_by_first_value_function,
            ),
            Level(
                "Expert",
                "Simulates thousands of continuations, and adapts to how you play.",
                choose_by_search,
                Budget(rollouts=3000, seconds=0.8),
            ),
        )
    }
)
"""By name, from the weakest to the strongest."""
