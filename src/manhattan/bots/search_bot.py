"""The search bot: sequential halving over rollouts (``manhattan.ai.search``)."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Final

from manhattan.bots.budget import NO_LIMIT, Budget
from manhattan.bots.value_bot import obvious_move
from manhattan.rules import Move
from manhattan.view import View

if TYPE_CHECKING:
    from manhattan.ai.search import MoveStats

DEFAULT_ROLLOUTS: Final = 1000
_UNLIMITED = 10**9


def choose_by_search(view: View, rng: Random, budget: Budget = NO_LIMIT) -> Move:
    """Select blocks by a plan; then make the placement that does best in rollouts."""
    budget.check()
    if move := obvious_move(view):
        return move
    return search_moves(view, rng, budget, DEFAULT_ROLLOUTS)[0][0]


def search_moves(
    view: View, rng: Random, budget: Budget, rollouts: int, *, all_players: bool = False
) -> list[tuple[Move, MoveStats]]:
    """Search the mover's moves, the best first; ``rollouts`` apply if the budget has no limit."""
    from manhattan.ai.search import SearchLimits, searcher_for  # loading the compiler: a second

    searcher = searcher_for(view, rng.getrandbits(63))
    default = rollouts if budget.seconds is None else _UNLIMITED
    limits = SearchLimits(budget.rollouts or default, budget.seconds, budget.check)
    stats = searcher.search(searcher.candidates(), limits, all_players=all_players)
    return [(searcher.position.decode(move.action), move) for move in stats]
