"""Evaluation: rank a player's moves by search, with win probabilities for hints and analysis."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Final

from manhattan.bots.budget import NO_LIMIT, Budget
from manhattan.bots.search_bot import search_moves
from manhattan.rules import ManhattanError, Move
from manhattan.view import View

DEFAULT_ROLLOUTS: Final = 2000
_Z_95 = 1.96
"""Standard errors on either side of a 95 % confidence interval."""


class EvaluationError(ManhattanError, ValueError):
    """A view whose player is not to move."""


@dataclass(frozen=True, slots=True)
class RankedMove:
    """The expected results of a move."""

    move: Move
    win_probabilities: tuple[float, ...]
    """Of each player; a shared win counts in equal parts. They add up to 1."""
    expected_scores: tuple[float, ...]
    """The final scores of each player."""
    low: tuple[float, ...]
    high: tuple[float, ...]
    """The 95 % confidence interval of each win probability: what more rollouts would find, which
    says nothing about how well the rollouts play."""
    rollouts: int


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The moves that were searched, the best first."""

    player: int
    moves: tuple[RankedMove, ...]

    @property
    def best(self) -> RankedMove:
        return self.moves[0]

    @property
    def win_probabilities(self) -> tuple[float, ...]:
        """Of each player, if the best move is played."""
        return self.best.win_probabilities

    @property
    def expected_scores(self) -> tuple[float, ...]:
        return self.best.expected_scores


def evaluate(view: View, rng: Random | None = None, budget: Budget = NO_LIMIT) -> Evaluation:
    """Rank the mover's moves by their expected results, as far as the mover can know them.

    The order is the one in which a bot would choose: moves with more rollouts come first, since
    less is known of the others; among equals the policy network's opinion counts besides the
    value. Without a generator the result depends on the view alone.
    """
    if not view.is_to_move or view.player is None:
        raise EvaluationError("Only the player who is to move can have moves evaluated.")
    budget.check()
    ranked = []
    rng = rng or Random(0)  # noqa: S311 - rollouts, not cards
    moves = search_moves(view, rng, budget, DEFAULT_ROLLOUTS, all_players=True, with_networks=True)
    for move, stats in moves:
        estimates = list(zip(stats.win_probabilities, stats.standard_errors, strict=True))
        ranked.append(
            RankedMove(
                move,
                stats.win_probabilities,
                stats.expected_scores,
                low=tuple(max(0.0, mean - _Z_95 * error) for mean, error in estimates),
                high=tuple(min(1.0, mean + _Z_95 * error) for mean, error in estimates),
                rollouts=stats.rollouts,
            )
        )
    return Evaluation(view.player, tuple(ranked))
