"""Compiling ahead: what a person would wait for is compiled in another process meanwhile.

Compiled code depends on the number of players and of colours each alone, and lies in a cache on
the disk: so a process of its own can make it, with low priority, while somebody reads the first
page or makes his first move. Afterwards it is loaded in a second.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from manhattan.background import Rehearsal, give_way, start_rehearsal
from manhattan.kernel.batch import Batch
from manhattan.kernel.jit import COMPILED
from manhattan.kernel.mass import random_games
from manhattan.kernel.playouts import playouts
from manhattan.kernel.position import KernelError, Position
from manhattan.kernel.warm import is_compiled
from manhattan.rules import SeedShuffler, Setup, deal, set_up


def _start(setup: Setup) -> Position:
    return Position.of_state(deal(setup, SeedShuffler(bytes(32))))


def _move(setup: Setup) -> None:
    position = _start(setup)
    position.act(position.legal_actions()[0])


REHEARSALS: Final[Mapping[str, Callable[[Setup], object]]] = {
    "moves": _move,
    "dealing": lambda setup: _start(setup).deal_unseen(0),
    "playouts": lambda setup: playouts(_start(setup), 1),
    "batches": lambda setup: Batch(setup, 2),
    "games abreast": lambda setup: random_games(setup, 1),
}
"""What can be compiled ahead, by the names that are told when somebody has to wait for it."""


def table_for(players: int, colours: int) -> Setup:
    """Any table with so many players and colours each: compiled code knows nothing else."""
    setup = set_up(players)
    if setup.schedule.colours != colours and players == 2:
        setup = set_up(players, house_rules={"two_players": "6x4-one-colour"})
    if setup.schedule.colours != colours:
        raise KernelError(f"No table has {players} players with {colours} colours each.")
    return setup


def rehearse(setup: Setup, parts: Iterable[str]) -> None:
    """Do everything once, so that it is compiled."""
    for part in parts:
        REHEARSALS[part](setup)


def rehearse_in_background(setup: Setup, parts: Iterable[str]) -> Rehearsal:
    """Compile what is not compiled yet in a process of its own, and don't wait for it."""
    missing = [part for part in parts if not is_compiled(setup, part)]
    if not missing or not COMPILED:
        return Rehearsal(None)
    return start_rehearsal(
        "manhattan.kernel.rehearsal", len(setup.players), setup.schedule.colours, *missing
    )


if __name__ == "__main__":
    give_way()
    rehearse(table_for(int(sys.argv[1]), int(sys.argv[2])), sys.argv[3:])
