"""Compiling ahead what a bot needs to think, in a process of its own."""

from __future__ import annotations

import sys
from typing import Final

from manhattan.judgement.jit import compiled
from manhattan.judgement.mind import Kind, mind_for
from manhattan.judgement.thinking import Limits, Thinker
from manhattan.kernel import Position
from manhattan.kernel.rehearsal import Rehearsal, give_way, start_rehearsal, table_for
from manhattan.kernel.warm import is_compiled
from manhattan.rules import SeedShuffler, Setup, deal
from manhattan.view import view

PARTS: Final = ("values", "thinking")


def rehearse_thinking(setup: Setup) -> None:
    """Think once, so that it is compiled."""
    state = deal(setup, SeedShuffler(bytes(32)))
    position = Position.of_view(view(state, state.table.mover))
    while position.data[0].phase == 0:
        position.act(position.legal_actions()[0])
    thinker = Thinker(mind_for(Kind.of(setup)), position, 0)
    position.traced = True
    thinker.try_out(thinker.candidates(), Limits(1))


def rehearse_thinking_in_background(setup: Setup) -> Rehearsal:
    """Have what thinking needs compiled elsewhere, if it is not there yet."""
    missing = [part for part in PARTS if not is_compiled(setup, part, compiled.cache)]
    return start_rehearsal(__spec__.name, setup, missing)


if __name__ == "__main__":
    give_way()
    rehearse_thinking(table_for(int(sys.argv[1]), int(sys.argv[2])))
