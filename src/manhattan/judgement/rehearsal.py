"""Compiling ahead what a bot needs to think, in a process of its own."""

from __future__ import annotations

import sys
from typing import Final

from manhattan.background import give_way
from manhattan.judgement.jit import compiled
from manhattan.judgement.mind import Kind, mind_for
from manhattan.judgement.thinking import Limits, Thinker
from manhattan.kernel import Position
from manhattan.kernel.layout import SELECT
from manhattan.kernel.rehearsal import table_for
from manhattan.kernel.warm import is_compiled
from manhattan.rules import SeedShuffler, Setup, deal
from manhattan.view import view

PARTS: Final = ("values", "thinking")


def rehearse_thinking(setup: Setup) -> None:
    """Think once, so that it is compiled."""
    state = deal(setup, SeedShuffler(bytes(32)))
    position = Position.of_view(view(state, state.table.mover))
    while position.data[0].phase == SELECT:
        position.act(position.legal_actions()[0])
    thinker = Thinker(mind_for(Kind.of(setup)), position, 0)
    position.traced = True
    thinker.try_out(thinker.candidates(), Limits(1))


def rehearse_if_need_be(setup: Setup) -> None:
    """Compile what thinking needs, if it is not there yet."""
    if not all(is_compiled(setup, part, compiled.cache) for part in PARTS):
        rehearse_thinking(setup)


if __name__ == "__main__":
    give_way()
    rehearse_if_need_be(table_for(int(sys.argv[1]), int(sys.argv[2])))
