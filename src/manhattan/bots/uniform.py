"""The bot that knows the rules and nothing else."""

from __future__ import annotations

from random import Random

from manhattan.bots.budget import OWN_PACE, Budget
from manhattan.rules import Move
from manhattan.view import View


def choose_at_random(view: View, rng: Random, budget: Budget = OWN_PACE) -> Move:
    """Any legal move, all alike."""
    budget.check()
    return rng.choice(view.legal_moves())
