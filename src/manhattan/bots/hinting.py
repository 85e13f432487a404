"""A move to make, and what can be said for it at once."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from manhattan.bots.by_value import choose_by_value
from manhattan.bots.greedy import choose_greedily, points_with
from manhattan.rules import Build, Colour, Move
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
    table = view.table
    owner = table.board[move.site].owner
    taken = None if owner in table.player.colours else owner
    gains = zip(points_with(table, [move]), points_with(table), strict=True)
    return Hint(move, taken, tuple(after - before for after, before in gains))
