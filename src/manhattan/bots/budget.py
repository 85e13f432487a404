"""How long a bot may think."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeVar

from manhattan.rules import ManhattanError

Limit = TypeVar("Limit", int | None, float | None)


def _never() -> bool:
    return False


class BudgetError(ManhattanError, ValueError):
    """A budget with which nobody could think."""


class Cancelled(ManhattanError):
    """A bot was told to stop thinking, and has not chosen."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What a bot may spend on one move: trials, seconds, or both, whichever ends first.

    Trials are repeated exactly from the same generator, seconds depend on the machine. Who looks
    no further than the board takes no notice of either.
    """

    trials: int | None = None
    seconds: float | None = None
    cancelled: Callable[[], bool] = _never
    """Asked now and then; once it says yes, the bot raises ``Cancelled``."""

    def __post_init__(self) -> None:
        if self.trials is not None and self.trials < 1:
            raise BudgetError(f"A budget has at least one trial, not {self.trials}.")
        if self.seconds is not None and not 0 < self.seconds < float("inf"):
            raise BudgetError(f"A budget has some seconds, not {self.seconds}.")

    def check(self) -> None:
        """Stop here if the bot was told to."""
        if self.cancelled():
            raise Cancelled("The bot was told to stop thinking.")

    def within(self, other: Budget) -> Budget:
        """As much as both allow."""
        return Budget(
            _less(self.trials, other.trials),
            _less(self.seconds, other.seconds),
            lambda: self.cancelled() or other.cancelled(),
        )


def _less(one: Limit, other: Limit) -> Limit:
    if one is None or other is None:
        return other if one is None else one
    return min(one, other)


OWN_PACE: Final = Budget()
"""No limit but the bot's own."""
