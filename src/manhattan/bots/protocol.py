"""The interface of a bot."""

from __future__ import annotations

from random import Random
from typing import Protocol

from manhattan.bots.budget import NO_LIMIT, Budget
from manhattan.rules import Move
from manhattan.view import View


class Bot(Protocol):
    """A function that chooses one of a view's legal moves. The same view, generator and number of
    rollouts give the same move."""

    def __call__(self, view: View, rng: Random, budget: Budget = NO_LIMIT, /) -> Move: ...
