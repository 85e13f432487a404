"""How good is each move, and who is likely to win? For hints and analysis."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Final

from manhattan.bots.budget import OWN_PACE, Budget
from manhattan.bots.searching import try_out
from manhattan.rules import ManhattanError, Move
from manhattan.view import View

TRIALS: Final = 2000
_SURE = 1.96
"""Standard errors either side of a 95 % interval."""


class EvaluationError(ManhattanError, ValueError):
    """A view that nothing can be said about."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """What is to be expected after a move."""

    move: Move
    chances: tuple[float, ...]
    """Each player's chance to win; a shared win counts in parts. They add up to 1."""
    scores: tuple[float, ...]
    """Each player's points at the end."""
    low: float
    high: float
    """Between these lies, in 95 of 100 cases, what more trials would find for the mover's own
    chance. How well the trials play is another matter."""
    trials: int


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What is to be expected after each move that was looked at, the best first."""

    player: int
    moves: tuple[Ranked, ...]

    @property
    def best(self) -> Ranked:
        return self.moves[0]

    @property
    def chances(self) -> tuple[float, ...]:
        """Each player's chance to win, if the best move is made."""
        return self.best.chances

    @property
    def scores(self) -> tuple[float, ...]:
        return self.best.scores


def evaluate(view: View, rng: Random, budget: Budget = OWN_PACE) -> Evaluation:
    """Rank the mover's moves by what they lead to, as far as he can know."""
    if not view.to_move or view.player is None:
        raise EvaluationError("Only who is to move can have his moves ranked.")
    budget.check()
    ranked = []
    for move, tried in try_out(view, rng, budget, TRIALS, for_all=True):
        chance, off = tried.chances[view.player], _SURE * tried.error
        low, high = max(0.0, chance - off), min(1.0, chance + off)
        ranked.append(Ranked(move, tried.chances, tried.points, low, high, tried.trials))
    return Evaluation(view.player, tuple(ranked))
