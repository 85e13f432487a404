"""The bot that wants most points now: its own, less the mean of the others'."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from manhattan.bots.budget import OWN_PACE, Budget
from manhattan.judgement.plans import PLANS, Plan, affordable
from manhattan.rules import Build, Move, Phase, Remove, Select, Table
from manhattan.rules.blocks import sizes_in
from manhattan.rules.prospect import Prospect, prospects
from manhattan.view import View


def choose_greedily(view: View, rng: Random, budget: Budget = OWN_PACE) -> Move:
    """Blocks by a plan; then the placement that changes the points most, ties at random."""
    budget.check()
    if view.table.phase is Phase.SELECT:
        return select(view.table, PLANS[view.table.setup.schedule][0])
    return choose_greedily_with_any_blocks(view, rng, budget)


def choose_greedily_with_any_blocks(view: View, rng: Random, budget: Budget = OWN_PACE) -> Move:
    """Any blocks, all choices alike; then as greedy as can be."""
    budget.check()
    table, moves = view.table, view.legal_moves()
    if isinstance(moves[0], Select):
        return rng.choice(moves)
    builds = [move for move in moves if isinstance(move, Build)]
    if not builds:
        return least_loss(moves)
    worths = [_worth(prospect, table.mover) for prospect in prospects(table, builds)]
    best = max(worths)
    return rng.choice([b for b, worth in zip(builds, worths, strict=True) if worth == best])


def least_loss(moves: Sequence[Move]) -> Remove:
    """A block must go: the smallest, of whichever colour."""
    return min((move for move in moves if isinstance(move, Remove)), key=lambda move: move.size)


def select(table: Table, plan: Plan) -> Select:
    """The blocks that a plan wants for this round, or what comes nearest."""
    wanted = plan[table.round - 1]
    own = table.setup.own[table.mover]
    return Select(tuple(sizes_in(affordable(wanted, table.supplies[c.slot])) for c in own))


def _worth(prospect: Prospect, mover: int) -> int:
    """The mover's gain less the others' mean, as often as there are others."""
    own, others = prospect.gains[mover], len(prospect.gains) - 1
    return own * others - (sum(prospect.gains) - own)
