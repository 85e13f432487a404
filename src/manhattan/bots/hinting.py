"""A move to make, and what can be said for it at once."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from manhattan.bots.by_value import choose_by_value
from manhattan.bots.greedy import choose_greedily
from manhattan.rules import Build, Colour, Move
from manhattan.rules.prospect import Standing
from manhattan.view import View


@dataclass(frozen=True, slots=True)
class Hint:
    """A good move. What is to be expected of it in the long run, ``evaluate`` tells."""

    move: Move
    takes_from: Colour | None = None
    """Whose tower it takes; None if it was empty or one's own."""
    points: tuple[int, ...] = ()
    """How many points more each player would score if the round ended after it; for a block
    that is placed."""


def hint(view: View, rng: Random, *, learned: bool) -> Hint:
    """The best move by what was learned, or the most points now: that needs no compiled code."""
    move = (choose_by_value if learned else choose_greedily)(view, rng)
    if not isinstance(move, Build):
        return Hint(move)
    prospect = Standing(view.table).prospect(move)
    own = view.table.player.colours
    taken = None if prospect.takes_from in own else prospect.takes_from
    return Hint(move, taken, prospect.gains)
