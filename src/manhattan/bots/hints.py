"""Hints: a good move, and what it changes at once."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from manhattan.bots.greedy import choose_greedily
from manhattan.bots.value_bot import choose_by_value
from manhattan.rules import Block, Build, Colour, Move
from manhattan.rules.legality import colour_of
from manhattan.rules.scoring import placement_gains
from manhattan.view import View


@dataclass(frozen=True, slots=True)
class Hint:
    """A good move; ``evaluate`` estimates its long-term results."""

    move: Move
    takes_from: Colour | None = None
    """For a placement: what ``Built.taken_from`` will be."""
    points: tuple[int, ...] = ()
    """For a placement: how many more points each player would score if the round ended after it."""


def hint(view: View, rng: Random, *, use_model: bool) -> Hint:
    """Suggest the best move by the value function; without a model, which needs compiled code,
    the one that gains most now."""
    move = (choose_by_value if use_model else choose_greedily)(view, rng)
    if not isinstance(move, Build):
        return Hint(move)
    public = view.public
    owner = public.board[move.site].owner
    block = Block(colour_of(public, move), move.size)
    takes_from = None if owner is block.colour else owner
    return Hint(move, takes_from, placement_gains(public.board, public.setup, move.site, block))
