"""Opponents. A bot is given a view, never the whole state: it knows what a player would know."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from types import MappingProxyType
from typing import Final, Protocol

from manhattan.bots.budget import OWN_PACE, Budget, BudgetError, Cancelled
from manhattan.bots.greedy import choose_greedily, choose_greedily_with_any_blocks
from manhattan.bots.uniform import choose_at_random
from manhattan.rules import ManhattanError, Move
from manhattan.view import View


class Bot(Protocol):
    """Whoever chooses one of a view's legal moves. The same view, generator and trials lead to
    the same move."""

    def __call__(self, view: View, rng: Random, budget: Budget = OWN_PACE, /) -> Move: ...


BOTS: Final[Mapping[str, Bot]] = MappingProxyType(
    {
        "random": choose_at_random,
        "greedy": choose_greedily,
        "greedy-any-blocks": choose_greedily_with_any_blocks,
    }
)


class NoSuchBot(ManhattanError, ValueError):
    """A name that no bot has."""


def bot(name: str) -> Bot:
    """The bot of this name."""
    if name not in BOTS:
        raise NoSuchBot(f"There is no bot {name!r}. The bots: {', '.join(BOTS)}.")
    return BOTS[name]


__all__ = [
    "BOTS",
    "OWN_PACE",
    "Bot",
    "Budget",
    "BudgetError",
    "Cancelled",
    "NoSuchBot",
    "bot",
    "choose_at_random",
    "choose_greedily",
    "choose_greedily_with_any_blocks",
]
