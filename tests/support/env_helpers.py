"""Helpers for the tests of the environments: tables, observations by field, games."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from manhattan.envs.common.env_core import EnvCore
from manhattan.envs.common.options import EnvOptions
from manhattan.envs.common.rewards import AT_END, WIN_SHARE
from manhattan.envs.common.table_spec import TableSpec
from manhattan.envs.engine.layout import FIELDS
from manhattan.kernel import ActionSpace, Position
from manhattan.kernel.jit import COMPILED
from manhattan.rules import EDITIONS, Setup, State, legal_moves, set_up
from manhattan.rules.editions import DEFAULT_EDITION

# Without the compiler, the tests only have to reach every line: few tables are enough.
_COUNTS = (2, 3, 4) if COMPILED else (2, 4)

TABLES = [
    pytest.param(players, edition, marks=pytest.mark.xdist_group(f"envs-{players}"))
    for players in _COUNTS
    for edition in (EDITIONS if COMPILED else [DEFAULT_EDITION])
]
"""Every number of players in every edition; one worker for each number, which compiles once."""

DEFAULT_TABLES = [
    pytest.param(players, DEFAULT_EDITION, marks=pytest.mark.xdist_group(f"envs-{players}"))
    for players in _COUNTS
]


def fields(row: npt.NDArray[Any]) -> dict[str, Any]:
    """An observation by its fields."""
    return {f.name: row[f.offset : f.end].reshape(f.shape).tolist() for f in FIELDS}


def core_at(position: Position) -> EnvCore:
    """An environment's core at a position."""
    core = EnvCore(EnvOptions(TableSpec(position.setup), WIN_SHARE, AT_END))
    core.position = position
    return core


def random_legal(mask: npt.NDArray[Any], rng: Random) -> int:
    return rng.choice(np.flatnonzero(mask).tolist())


def table(players: int, edition: str) -> Setup:
    return set_up(players, edition=edition)


def legal_actions(state: State) -> list[int]:
    """The legal actions, by the rules."""
    space, own = ActionSpace.for_setup(state.public.setup), state.public.player.colours
    return sorted(space.encode(move, own) for move in legal_moves(state))
