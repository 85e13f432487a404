"""The search bot: sequential halving over rollouts (``manhattan.ai.search``)."""

from __future__ import annotations

import math
from random import Random
from typing import TYPE_CHECKING, Final

from manhattan.bots.budget import NO_LIMIT, Budget
from manhattan.bots.value_bot import obvious_move
from manhattan.rules import Move, Phase
from manhattan.view import View

if TYPE_CHECKING:
    from manhattan.ai.search import MoveStats

DEFAULT_ROLLOUTS: Final = 1000
CHAMPION_ROLLOUTS: Final = 3000
SELECTION_TEMPERATURE: Final = 0.005
"""The difference in win probability that makes a selection less likely by a factor of e."""
MIN_SELECTION_ROLLOUTS: Final = 500
"""With fewer rollouts of the best selection, differences are noise, and the plan is better."""
_UNLIMITED: Final = 10**9


def choose_by_search(view: View, rng: Random, budget: Budget = NO_LIMIT) -> Move:
    """Select blocks by a plan; then make the placement that does best in rollouts."""
    budget.check()
    if move := obvious_move(view):
        return move
    return search_moves(view, rng, budget, DEFAULT_ROLLOUTS)[0][0]


def choose_as_champion(view: View, rng: Random, budget: Budget = NO_LIMIT) -> Move:
    """Select blocks and make placements by a search with the networks of expert iteration."""
    budget.check()
    if view.public.phase is not Phase.SELECT and (move := obvious_move(view)):
        return move
    moves = search_moves(view, rng, budget, CHAMPION_ROLLOUTS, with_networks=True)
    if view.public.phase is not Phase.SELECT:
        return moves[0][0]
    if moves[0][1].rollouts < MIN_SELECTION_ROLLOUTS and (planned := obvious_move(view)):
        return planned
    return _mix(moves, rng)


def _mix(moves: list[tuple[Move, MoveStats]], rng: Random) -> Move:
    """Choose at random among selections that are about as good as the best, so that rivals can't
    predict the choice."""
    best = moves[0][1].value
    weights = [math.exp((stats.value - best) / SELECTION_TEMPERATURE) for _, stats in moves]
    return rng.choices([move for move, _ in moves], weights)[0]


def search_moves(
    view: View,
    rng: Random,
    budget: Budget,
    rollouts: int,
    *,
    all_players: bool = False,
    with_networks: bool = False,
) -> list[tuple[Move, MoveStats]]:
    """Search the mover's moves, the best first; ``rollouts`` apply if the budget has no limit."""
    from manhattan.ai.search import SearchLimits, searcher_for  # loading the compiler: a second

    searcher = searcher_for(view, rng.getrandbits(63), with_networks=with_networks)
    default = rollouts if budget.seconds is None else _UNLIMITED
    limits = SearchLimits(budget.rollouts or default, budget.seconds, budget.check)
    stats = searcher.search(searcher.candidates(), limits, all_players=all_players)
    return [(searcher.position.decode(move.action), move) for move in stats]
