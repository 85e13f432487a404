"""The greedy bot: it maximizes its points now, less the mean of its rivals' points."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from manhattan.ai.selection_plans import PLANS, Plan, affordable
from manhattan.bots.budget import NO_LIMIT, Budget
from manhattan.projected_scores import ProjectedScores
from manhattan.rules import Build, Card, Move, Phase, PublicState, Remove, Select
from manhattan.rules.blocks import sizes_in
from manhattan.view import View


def choose_greedily(view: View, rng: Random, budget: Budget = NO_LIMIT) -> Move:
    """Select blocks by a plan; then make the placement that gains most, ties at random."""
    budget.check()
    if view.public.phase is Phase.SELECT:
        return planned_selection(view.public, PLANS[view.public.setup.schedule][0])
    return choose_greedily_with_any_blocks(view, rng, budget)


def choose_greedily_with_any_blocks(view: View, rng: Random, budget: Budget = NO_LIMIT) -> Move:
    """Select blocks at random; then make the placement that gains most, ties at random."""
    budget.check()
    moves = view.legal_moves()
    if isinstance(moves[0], Select):
        return rng.choice(moves)
    if not isinstance(moves[0], Build):
        return smallest_removal(moves)
    gains = lead_gains(view.public, view.hand)
    best = max(gain for _, gain in gains)
    return rng.choice([build for build, gain in gains if gain == best])


def smallest_removal(moves: Sequence[Move]) -> Remove:
    """Return the removal of the smallest block, of any colour."""
    return min((move for move in moves if isinstance(move, Remove)), key=lambda move: move.size)


def planned_selection(public: PublicState, plan: Plan) -> Select:
    """Return the selection of a plan for this round, as far as the supplies allow it."""
    planned = plan[public.round - 1]
    own = public.setup.colours_by_player[public.mover]
    return Select(tuple(sizes_in(affordable(planned, public.supplies[c.slot])) for c in own))


def lead_gains(public: PublicState, hand: tuple[Card, ...]) -> list[tuple[Build, int]]:
    """Return each placement with the mover's gain less the mean of the rivals' gains, multiplied
    by the number of rivals to stay in whole numbers."""
    mover, rivals = public.mover, len(public.setup.players) - 1
    return [
        (build, (rivals + 1) * gains[mover] - sum(gains))
        for options in ProjectedScores(public).placement_options(hand)
        for build, gains in options.gains_by_move()
    ]
