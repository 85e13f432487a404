"""Opponents. A bot is given a view, never the whole state: it knows what a player would know."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from manhattan.bots.budget import OWN_PACE, Budget, BudgetError, Cancelled
from manhattan.bots.by_value import choose_by_first_value, choose_by_value
from manhattan.bots.evaluating import Evaluation, Ranked, evaluate
from manhattan.bots.greedy import choose_greedily, choose_greedily_with_any_blocks
from manhattan.bots.hinting import Hint, hint
from manhattan.bots.levels import LEVELS, Level
from manhattan.bots.protocol import Bot
from manhattan.bots.searching import choose_by_search
from manhattan.bots.uniform import choose_at_random
from manhattan.rules import ManhattanError

BOTS: Final[Mapping[str, Bot]] = MappingProxyType(
    {
        **LEVELS,
        "random": choose_at_random,
        "greedy": choose_greedily,
        "greedy-any-blocks": choose_greedily_with_any_blocks,
        "value": choose_by_value,
        "search": choose_by_search,
    }
)
"""Everybody who can be asked for by name: the levels, and what they are made of."""

THINKERS: Final = frozenset({"hard", "expert", "value", "search"})
"""Those who need compiled code: the first time somebody may have to wait for it."""


class NoSuchBot(ManhattanError, ValueError):
    """A name that no bot has."""


def bot(name: str) -> Bot:
    """The bot of this name."""
    if name not in BOTS:
        raise NoSuchBot(f"There is no bot {name!r}. The bots: {', '.join(BOTS)}.")
    return BOTS[name]


__all__ = [
    "BOTS",
    "LEVELS",
    "OWN_PACE",
    "THINKERS",
    "Bot",
    "Budget",
    "BudgetError",
    "Cancelled",
    "Evaluation",
    "Hint",
    "Level",
    "NoSuchBot",
    "Ranked",
    "bot",
    "choose_at_random",
    "choose_by_first_value",
    "choose_by_search",
    "choose_by_value",
    "choose_greedily",
    "choose_greedily_with_any_blocks",
    "evaluate",
    "hint",
]
