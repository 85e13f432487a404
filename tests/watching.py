"""What tests of the environments share: rows read field by field, and games of the rules."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from manhattan.envs.engine.layout import FIELDS
from manhattan.envs.play import Play
from manhattan.envs.seats import Seats
from manhattan.envs.utility import AT_THE_END, WIN_SHARE
from manhattan.kernel import Numbering, Position
from manhattan.kernel.jit import COMPILED
from manhattan.kernel.layout import GAME
from manhattan.rules import EDITIONS, Setup, State, legal_moves, set_up
from manhattan.rules.editions import DEFAULT_EDITION

# Without the compiler all that is asked is which lines are reached: few tables are enough for it.
_COUNTS = (2, 3, 4) if COMPILED else (2, 4)

TABLES = [
    pytest.param(players, edition, marks=pytest.mark.xdist_group(f"envs-{players}"))
    for players in _COUNTS
    for edition in (EDITIONS if COMPILED else [DEFAULT_EDITION])
]
"""Every number of players in every edition; each number in one worker, to be compiled once."""

ONE_OF_EACH = [
    pytest.param(players, DEFAULT_EDITION, marks=pytest.mark.xdist_group(f"envs-{players}"))
    for players in _COUNTS
]


def fields(row: npt.NDArray[Any]) -> dict[str, Any]:
    """A row by its fields."""
    return {f.name: row[f.offset : f.end].reshape(f.shape).tolist() for f in FIELDS}


def play_of(position: Position) -> Play:
    """A game of the environments that stands as a position does."""
    play = Play(Seats(position.setup), WIN_SHARE, AT_THE_END)
    play._record[: GAME.itemsize] = np.frombuffer(position.data.tobytes(), np.uint8)
    play.mover, play.over = position.mover, position.over
    return play


def any_legal(mask: npt.NDArray[Any], dice: Random) -> int:
    return dice.choice(np.flatnonzero(mask).tolist())


def table(players: int, edition: str) -> Setup:
    return set_up(players, edition=edition)


def actions_of(state: State) -> list[int]:
    """The numbers of the legal moves, by the rules."""
    numbering, own = Numbering.of(state.table.setup), state.table.player.colours
    return sorted(numbering.number(move, own) for move in legal_moves(state))
