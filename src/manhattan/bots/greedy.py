"""The bot that wants most points now: its own, less the mean of the others'."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from manhattan.bots.budget import OWN_PACE, Budget
from manhattan.judgement.plans import PLANS, Plan, affordable
from manhattan.rules import Build, Card, Move, Phase, Remove, Select, Table
from manhattan.rules.blocks import sizes_in
from manhattan.rules.legality import builds
from manhattan.rules.prospect import Standing
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
    if not isinstance(moves[0], Build):
        return least_loss(moves)
    found = worths(table, view.hand)
    best = max(worth for _, worth in found)
    return rng.choice([build for build, worth in found if worth == best])


def least_loss(moves: Sequence[Move]) -> Remove:
    """A block must go: the smallest, of whichever colour."""
    return min((move for move in moves if isinstance(move, Remove)), key=lambda move: move.size)


def select(table: Table, plan: Plan) -> Select:
    """The blocks that a plan wants for this round, or what comes nearest."""
    wanted = plan[table.round - 1]
    own = table.setup.own[table.mover]
    return Select(tuple(sizes_in(affordable(wanted, table.supplies[c.slot])) for c in own))


def worths(table: Table, hand: tuple[Card, ...]) -> list[tuple[Build, int]]:
    """For each placement with some hand the mover's gain less the others' mean, as often as there
    are others."""
    mover, others = table.mover, len(table.setup.players) - 1
    return [
        (build, (others + 1) * gains[mover] - sum(gains))
        for own, sizes, places in Standing(table).outlook(hand)
        for site, least, prospects in places
        for build, gains in zip(builds(own.said, sizes)[least][site], prospects.gains, strict=True)
    ]
