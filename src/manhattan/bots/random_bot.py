"""The random bot: it knows the rules and nothing else."""

from __future__ import annotations

from random import Random

from manhattan.bots.budget import NO_LIMIT, Budget
from manhattan.rules import Move
from manhattan.view import View


def choose_at_random(view: View, rng: Random, budget: Budget = NO_LIMIT) -> Move:
    """Choose a legal move uniformly at random."""
    budget.check()
    return rng.choice(view.legal_moves())
