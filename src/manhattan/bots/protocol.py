"""What a bot is."""

from __future__ import annotations

from random import Random
from typing import Protocol

from manhattan.bots.budget import OWN_PACE, Budget
from manhattan.rules import Move
from manhattan.view import View


class Bot(Protocol):
    """Whoever chooses one of a view's legal moves. The same view, generator and trials lead to
    the same move."""

    def __call__(self, view: View, rng: Random, budget: Budget = OWN_PACE, /) -> Move: ...
