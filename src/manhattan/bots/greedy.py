"""The bot that wants most points now: its own, less the mean of the others'."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from types import MappingProxyType
from typing import Final

from manhattan.bots.budget import OWN_PACE, Budget
from manhattan.rules import Block, Build, Move, Phase, Select, Stock, Table
from manhattan.rules.blocks import SIZES, sizes_in
from manhattan.rules.legality import colour_of
from manhattan.rules.scoring import score_round
from manhattan.view import View

SCHEDULES: Final[Mapping[tuple[int, int], tuple[Stock, ...]]] = MappingProxyType(
    {
        # By (blocks a round, colours each): how many 1s, 2s, 3s and 4s to choose in each round.
        # Big ones first, which in experiments decided more than anything else.
        (6, 1): ((0, 0, 3, 3), (0, 5, 1, 0), (5, 1, 0, 0), (6, 0, 0, 0)),
        (4, 1): (
            (0, 0, 1, 3),
            (0, 1, 3, 0),
            (0, 4, 0, 0),
            (3, 1, 0, 0),
            (4, 0, 0, 0),
            (4, 0, 0, 0),
        ),
        (4, 2): (
            (1, 0, 1, 2),
            (1, 1, 1, 1),
            (0, 2, 2, 0),
            (2, 2, 0, 0),
            (3, 1, 0, 0),
            (4, 0, 0, 0),
        ),
    }
)


def choose_greedily(view: View, rng: Random, _budget: Budget = OWN_PACE) -> Move:
    """Blocks by a schedule; then the placement that changes the points most, ties at random."""
    if view.table.phase is Phase.SELECT:
        return _selection(view.table)
    return choose_greedily_with_any_blocks(view, rng)


def choose_greedily_with_any_blocks(view: View, rng: Random, _budget: Budget = OWN_PACE) -> Move:
    """Any blocks, all choices alike; then as greedy as can be."""
    table, moves = view.table, view.legal_moves()
    if isinstance(moves[0], Select):
        return rng.choice(moves)
    builds = [move for move in moves if isinstance(move, Build)]
    if not builds:  # a block must go: the smallest is the least loss
        return moves[0]
    worths = [_worth(table, build) for build in builds]
    best = max(worths)
    return rng.choice([b for b, worth in zip(builds, worths, strict=True) if worth == best])


def _selection(table: Table) -> Select:
    plan = table.setup.schedule
    wanted = SCHEDULES[plan.blocks, plan.colours][table.round - 1]
    return Select(
        tuple(_affordable(wanted, table.supplies[own.slot]) for own in table.setup.own[table.mover])
    )


def _affordable(wanted: Stock, supply: Stock) -> tuple[int, ...]:
    """The wanted blocks; what the supply lacks is made up from the largest that are left."""
    chosen = [min(want, left) for want, left in zip(wanted, supply, strict=True)]
    for size in reversed(SIZES):
        missing = sum(wanted) - sum(chosen)
        chosen[size - 1] += min(missing, supply[size - 1] - chosen[size - 1])
    ones, twos, threes, fours = chosen
    return sizes_in((ones, twos, threes, fours))


def _worth(table: Table, build: Build) -> float:
    """The mover's points less the others' mean, if the board were scored after the move."""
    board = list(table.board)
    board[build.site] = board[build.site].topped(Block(colour_of(table, build), build.size))
    count = len(table.setup.players)
    points = score_round(tuple(board), table.setup, table.round, (0,) * count).scores
    own = points[table.mover]
    return own - (sum(points) - own) / (count - 1)
