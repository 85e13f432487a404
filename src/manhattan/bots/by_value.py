"""The bot that has learned what a position is worth, and looks one move ahead."""

from __future__ import annotations

from random import Random

from manhattan.bots.budget import OWN_PACE, Budget
from manhattan.bots.greedy import least_loss, select
from manhattan.judgement.plans import PLANS
from manhattan.rules import Move, Phase
from manhattan.view import View


def choose_by_value(view: View, rng: Random, budget: Budget = OWN_PACE) -> Move:
    """Blocks by a plan; then the placement after which the position is worth most."""
    budget.check()
    return _choose(view, rng, first=False)


def choose_by_first_value(view: View, rng: Random, budget: Budget = OWN_PACE) -> Move:
    """The same with what was learned first, from greedy play alone."""
    budget.check()
    return _choose(view, rng, first=True)


def without_thinking(view: View) -> Move | None:
    """Blocks by a plan, and what there is no choice in; None if it takes thought."""
    if view.table.phase is Phase.SELECT:
        return select(view.table, PLANS[view.table.setup.schedule][-1])
    moves = view.legal_moves()
    if view.table.phase is Phase.REMOVE:
        return least_loss(moves)
    return moves[0] if len(moves) == 1 else None


def _choose(view: View, rng: Random, *, first: bool) -> Move:
    """The best move at first sight, ties at random."""
    if move := without_thinking(view):
        return move
    from manhattan.judgement.thinking import thinker_for  # what compiles takes a second to load

    thinker = thinker_for(view, rng.getrandbits(63))
    values = thinker.values(0 if first else thinker.mind.best)
    best = max(values.values())
    choice = rng.choice([action for action, value in values.items() if value == best])
    return thinker.position.move(choice)
