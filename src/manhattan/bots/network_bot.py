"""The network bot: it makes the placement that the policy network finds most likely, without any
search."""

from __future__ import annotations

from random import Random

from manhattan.bots.budget import NO_LIMIT, Budget
from manhattan.bots.value_bot import obvious_move
from manhattan.rules import Move
from manhattan.view import View


def choose_by_network(view: View, rng: Random, budget: Budget = NO_LIMIT) -> Move:
    """Select blocks by a plan; then make the placement that a strong player most likely makes."""
    budget.check()
    if move := obvious_move(view):
        return move
    from manhattan.ai.search import searcher_for  # loading the compiler takes a second

    searcher = searcher_for(view, rng.getrandbits(63), with_networks=True)
    return searcher.position.decode(searcher.candidates()[0])
