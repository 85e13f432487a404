"""The bot that tries moves out, in many deals of what it can't see."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Final

from manhattan.bots.budget import OWN_PACE, Budget
from manhattan.bots.by_value import without_thinking
from manhattan.rules import Move
from manhattan.view import View

if TYPE_CHECKING:
    from manhattan.judgement.thinking import Tried

TRIALS: Final = 1000
"""So many if nothing else was said."""
_NO_END = 10**9


def choose_by_search(view: View, rng: Random, budget: Budget = OWN_PACE) -> Move:
    """Blocks by a plan; then the placement that does best in trials."""
    budget.check()
    if move := without_thinking(view):
        return move
    return try_out(view, rng, budget, TRIALS)[0][0]


def try_out(
    view: View, rng: Random, budget: Budget, trials: int, *, for_all: bool = False
) -> list[tuple[Move, Tried]]:
    """What trials of the mover's moves came to, the best first. So many trials if the budget
    has no limit of its own."""
    from manhattan.judgement.thinking import Limits, thinker_for  # takes a second to load

    thinker = thinker_for(view, rng.getrandbits(63))
    most = trials if budget.seconds is None else _NO_END
    limits = Limits(budget.trials or most, budget.seconds, budget.check)
    tried = thinker.try_out(thinker.candidates(), limits, for_all=for_all)
    return [(thinker.position.move(one.action), one) for one in tried]
