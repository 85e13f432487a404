"""Bots. A bot is given a view, never the whole state: it knows only what a player may know."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from manhattan.bots.budget import NO_LIMIT, Budget, BudgetError, Cancelled
from manhattan.bots.evaluation import Evaluation, RankedMove, evaluate
from manhattan.bots.greedy import choose_greedily, choose_greedily_with_any_blocks
from manhattan.bots.hints import Hint, HintReason, HintReasonKind, hint
from manhattan.bots.levels import LEVELS, Level, choose_with_temptation
from manhattan.bots.network_bot import choose_by_network
from manhattan.bots.protocol import Bot
from manhattan.bots.random_bot import choose_at_random
from manhattan.bots.search_bot import choose_as_champion, choose_by_search
from manhattan.bots.value_bot import choose_by_first_value_function, choose_by_value
from manhattan.bots.warmup import start_warmup, warm_up
from manhattan.rules import ManhattanError, Phase

BOTS: Final[Mapping[str, Bot]] = MappingProxyType(
    {
        **LEVELS,
        "random": choose_at_random,
        "greedy": choose_greedily,
        "greedy-any-blocks": choose_greedily_with_any_blocks,
        "value": choose_by_value,
        "search": choose_by_search,
        "network": choose_by_network,
        "expert-1": Level(
            "Expert-1",
            "The strongest level until the champion came: a yardstick that stays as it is.",
            choose_by_search,
            Budget(rollouts=3000, seconds=0.8),
        ),
    }
)
"""All bots by name: the levels, and the bots that they are made of."""

_COMPILED: Final = (
    choose_by_first_value_function,
    choose_by_network,
    choose_as_champion,
    choose_by_search,
    choose_by_value,
    choose_with_temptation,
)
COMPILED_BOTS: Final = frozenset(
    name for name, bot in BOTS.items() if (bot.bot if isinstance(bot, Level) else bot) in _COMPILED
)
"""The bots that need compiled code."""
FALLBACK_LEVEL: Final = "medium"
"""The level that plays for a bot until its code is compiled."""
_SELECTS_BY_SEARCH: Final = frozenset(
    name
    for name, bot in BOTS.items()
    if (bot.bot if isinstance(bot, Level) else bot) is choose_as_champion
)


def needs_compiled_code(name: str, phase: Phase) -> bool:
    """Return whether a bot needs compiled code in a phase: most select by a plan."""
    if phase is Phase.SELECT:
        return name in _SELECTS_BY_SEARCH
    return phase is Phase.BUILD and name in COMPILED_BOTS


class NoSuchBot(ManhattanError, ValueError):
    """A name that no bot has."""


def bot(name: str) -> Bot:
    """Return the bot of this name."""
    if name not in BOTS:
        raise NoSuchBot(f"There is no bot {name!r}. Choose one of: {', '.join(BOTS)}.")
    return BOTS[name]


__all__ = [
    "BOTS",
    "COMPILED_BOTS",
    "FALLBACK_LEVEL",
    "LEVELS",
    "NO_LIMIT",
    "Bot",
    "Budget",
    "BudgetError",
    "Cancelled",
    "Evaluation",
    "Hint",
    "HintReason",
    "HintReasonKind",
    "Level",
    "NoSuchBot",
    "RankedMove",
    "bot",
    "choose_as_champion",
    "choose_at_random",
    "choose_by_first_value_function",
    "choose_by_network",
    "choose_by_search",
    "choose_by_value",
    "choose_greedily",
    "choose_greedily_with_any_blocks",
    "evaluate",
    "hint",
    "needs_compiled_code",
    "start_warmup",
    "warm_up",
]
