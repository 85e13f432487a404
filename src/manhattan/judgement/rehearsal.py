"""Compiling ahead what a bot needs to think, in a process of its own."""

from __future__ import annotations

import sys
from typing import Final

from manhattan.background import give_way
from manhattan.game import Game
from manhattan.judgement.jit import compiled
from manhattan.judgement.thinking import Limits, thinker_for
from manhattan.kernel.rehearsal import table_for
from manhattan.kernel.warm import is_compiled
from manhattan.rules import Phase, Setup
from manhattan.view import view_of

PARTS: Final = ("values", "thinking")


def rehearse_thinking(setup: Setup) -> None:
    """Think once, so that it is compiled."""
    game = Game.from_seed(setup, bytes(32))
    while game.table.phase is Phase.SELECT:
        game.play(game.legal_moves()[0])
    game.play(game.legal_moves()[0])
    thinker = thinker_for(view_of(game, game.table.mover), 0)
    thinker.try_out(thinker.candidates(), Limits(1))


def rehearse_if_need_be(setup: Setup) -> None:
    """Compile what thinking needs, if it is not there yet."""
    if not all(is_compiled(setup, part, compiled.cache) for part in PARTS):
        rehearse_thinking(setup)


if __name__ == "__main__":
    give_way()
    rehearse_if_need_be(table_for(int(sys.argv[1]), int(sys.argv[2])))
