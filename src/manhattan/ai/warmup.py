"""Warm-up: compile what search needs, before a player waits for it.

Run as a module with a number of players and of colours each, in a process of its own.
"""

from __future__ import annotations

import sys
from typing import Final

from manhattan.ai.jit import compiled
from manhattan.ai.search import SearchLimits, searcher_for
from manhattan.game import Game
from manhattan.kernel.compile_notice import is_compiled, setup_for_shape
from manhattan.rules import Phase, Setup
from manhattan.view import view_of
from manhattan.warmup import lower_priority

COMPILED_PARTS: Final = ("values", "policy", "search")


def warm_up(setup: Setup) -> None:
    """Search one move, so that all of it is compiled or loaded."""
    game = Game.from_seed(setup, bytes(32))
    while game.public.phase is Phase.SELECT:
        game.play(game.legal_moves()[0])
    game.play(game.legal_moves()[0])
    searcher = searcher_for(view_of(game, game.public.mover), 0, with_networks=True)
    searcher.placement_values(searcher.model.best_policy)
    searcher.search(searcher.candidates(), SearchLimits(1))


def warm_up_if_needed(setup: Setup) -> None:
    """Compile what search needs, unless the cache has it."""
    if not all(is_compiled(setup, part, compiled.cache) for part in COMPILED_PARTS):
        warm_up(setup)


if __name__ == "__main__":
    lower_priority()
    warm_up_if_needed(setup_for_shape(int(sys.argv[1]), int(sys.argv[2])))
