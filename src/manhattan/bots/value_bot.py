"""The value bot: it looks one move ahead with a trained value function."""

from __future__ import annotations

from random import Random

from manhattan.ai.selection_plans import PLANS
from manhattan.bots.budget import NO_LIMIT, Budget
from manhattan.bots.greedy import planned_selection, smallest_removal
from manhattan.rules import Move, Phase
from manhattan.view import View


def choose_by_value(view: View, rng: Random, budget: Budget = NO_LIMIT) -> Move:
    """Select blocks by a plan; then make the placement with the greatest value afterwards."""
    budget.check()
    return _choose(view, rng, use_first=False)


def choose_by_first_value_function(view: View, rng: Random, budget: Budget = NO_LIMIT) -> Move:
    """Choose by the first value function, which was trained on greedy play alone."""
    budget.check()
    return _choose(view, rng, use_first=True)


def obvious_move(view: View) -> Move | None:
    """Return the move if there is nothing to evaluate: the planned selection, the removal of the
    smallest block, or the only legal placement; otherwise None."""
    if view.public.phase is Phase.SELECT:
        return planned_selection(view.public, PLANS[view.public.setup.schedule][-1])
    moves = view.legal_moves()
    if view.public.phase is Phase.REMOVE:
        return smallest_removal(moves)
    return moves[0] if len(moves) == 1 else None


def _choose(view: View, rng: Random, *, use_first: bool) -> Move:
    if move := obvious_move(view):
        return move
    from manhattan.ai.search import searcher_for  # loading the compiler takes a second

    searcher = searcher_for(view, rng.getrandbits(63))
    values = searcher.placement_values(0 if use_first else searcher.model.best_policy)
    best = max(values.values())
    choice = rng.choice([action for action, value in values.items() if value == best])
    return searcher.position.decode(choice)
