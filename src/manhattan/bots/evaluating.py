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
    low: tuple[float, ...]
    high: tuple[float, ...]
    """Between these lies, in 95 of 100 cases, what more trials would find for each player's
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


def evaluate(view: View, rng: Random | None = None, budget: Budget = OWN_PACE) -> Evaluation:
    """Rank the mover's moves by what they lead to, as far as he can know.

    Moves that were tried oftener come first, since less is known of the others; then those with
    the better chance, where a point of lead counts as much as when a bot chooses. Without a
    generator the same view is always evaluated alike.
    """
    if not view.to_move or view.player is None:
        raise EvaluationError("Only who is to move can have his moves ranked.")
    budget.check()
    dice = rng or Random(0)  # noqa: S311 - trials, not cards
    ranked = []
    for move, tried in try_out(view, dice, budget, TRIALS, for_all=True):
        sure = list(zip(tried.chances, tried.errors, strict=True))
        low = tuple(max(0.0, chance - _SURE * error) for chance, error in sure)
        high = tuple(min(1.0, chance + _SURE * error) for chance, error in sure)
        ranked.append(Ranked(move, tried.chances, tried.points, low, high, tried.trials))
    player = view.player
    ranked.sort(key=lambda one: (one.trials, _worth(one, player)), reverse=True)
    return Evaluation(player, tuple(ranked))


def _worth(ranked: Ranked, player: int) -> float:
    from manhattan.judgement.thinking import POINTS_WORTH  # takes a second to load

    own, others = ranked.scores[player], len(ranked.scores) - 1
    return ranked.chances[player] + POINTS_WORTH * (own - (sum(ranked.scores) - own) / others)
