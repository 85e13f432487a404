"""Levels: the bots that people play against, by strength."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from types import MappingProxyType
from typing import Final

from manhattan.bots.budget import NO_LIMIT, Budget
from manhattan.bots.greedy import choose_greedily, choose_greedily_with_any_blocks
from manhattan.bots.network_bot import choose_by_network
from manhattan.bots.protocol import Bot
from manhattan.bots.random_bot import choose_at_random
from manhattan.bots.search_bot import CHAMPION_ROLLOUTS, choose_as_champion
from manhattan.bots.value_bot import choose_by_first_value_function
from manhattan.rules import Move, Phase
from manhattan.view import View


def choose_easily(view: View, rng: Random, budget: Budget = NO_LIMIT) -> Move:
    """Select blocks at random; make half of the placements greedily and half at random."""
    if view.public.phase is Phase.BUILD and rng.random() < 0.5:
        return choose_at_random(view, rng, budget)
    return choose_greedily_with_any_blocks(view, rng, budget)


def choose_with_temptation(view: View, rng: Random, budget: Budget = NO_LIMIT) -> Move:
    """Build by the first value function, but make most placements greedily."""
    if view.public.phase is Phase.BUILD and rng.random() < 0.6:
        return choose_greedily(view, rng, budget)
    return choose_by_first_value_function(view, rng, budget)


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
                "Casual",
                "Takes whatever blocks it likes, and always the most points now.",
                choose_greedily_with_any_blocks,
            ),
            Level(
                "Medium",
                "Builds big blocks first and always takes the most points now. "
                "Never plans for the next round.",
                choose_greedily,
            ),
            Level(
                "Advanced",
                "Knows which towers last, but can't resist quick points.",
                choose_with_temptation,
            ),
            Level(
                "Hard",
                "Has learned which towers last and which cities it can hold.",
                choose_by_first_value_function,
            ),
            Level(
                "Expert",
                "Plays by instinct, at once. It has studied the games of strong players.",
                choose_by_network,
            ),
            Level(
                "Champion",
                "Thinks through thousands of continuations, adapts to how you play, and "
                "you can't predict its blocks.",
                choose_as_champion,
                Budget(rollouts=CHAMPION_ROLLOUTS, seconds=0.8),
            ),
        )
    }
)
"""By name, from the weakest to the strongest."""
