"""Budgets: how much a bot may spend on one move."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeVar

from manhattan.rules import ManhattanError

Limit = TypeVar("Limit", int | None, float | None)


def _never() -> bool:
    return False


class BudgetError(ManhattanError, ValueError):
    """A budget that allows nothing."""


class Cancelled(ManhattanError):
    """A bot was cancelled before it chose a move."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What a bot may spend on one move: rollouts, seconds, or both, whichever ends first.

    A search with a number of rollouts is reproducible from its random generator; seconds depend
    on the machine. Bots that do not search ignore both.
    """

    rollouts: int | None = None
    seconds: float | None = None
    is_cancelled: Callable[[], bool] = _never
    """Called every few milliseconds; once it returns True, the bot raises ``Cancelled``."""

    def __post_init__(self) -> None:
        if self.rollouts is not None and self.rollouts < 1:
            raise BudgetError(f"A budget needs at least one rollout, not {self.rollouts}.")
        if self.seconds is not None and not 0 < self.seconds < float("inf"):
            raise BudgetError(f"A budget needs a positive number of seconds, not {self.seconds}.")

    def check(self) -> None:
        """Raise ``Cancelled`` if the bot was cancelled."""
        if self.is_cancelled():
            raise Cancelled("The bot was cancelled.")

    def within(self, other: Budget) -> Budget:
        """Return the budget that both allow."""
        return Budget(
            _tighter(self.rollouts, other.rollouts),
            _tighter(self.seconds, other.seconds),
            lambda: self.is_cancelled() or other.is_cancelled(),
        )


def _tighter(left: Limit, right: Limit) -> Limit:
    if left is None or right is None:
        return right if left is None else left
    return min(left, right)


NO_LIMIT: Final = Budget()
"""No limit except the bot's own."""
