"""The debug switch: with it the kernel checks every move inside, and illegal ones are told."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

TRIES = {
    "a site that no card names": "build(g, P, C, 0, 0, 1, away, one, NO_FATE)",
    "a block that is not there": "build(g, P, C, 0, 0, 4, named, one, NO_FATE)",
    "a removal out of turn": "remove(g, C, 0, 0, 1)",
    "blocks chosen twice": "take_blocks(g, 0, 0)",
}
SCRIPT = """
import numpy as np
from manhattan.kernel import Position
from manhattan.kernel.bits import lowest
from manhattan.kernel.turn import NO_FATE, build, remove, take_blocks
from manhattan.rules import SeedShuffler, deal, parse_move, set_up

P, C = (0,) * 4, (0,)
setup = set_up(4)
position = Position.of_state(deal(setup, SeedShuffler(bytes(32))))
for _ in range(4):
    position.act(position.action(parse_move("[111111]")))
g = position.data[0]
one = np.uint64(1)
named = one << lowest(g.points_at[0])
away = one << lowest(~g.points_at[0])
try:
    {move}
except RuntimeError as error:
    print(error)
"""
WHOLE_GAMES = """
from manhattan.kernel import Batch, random_games
from manhattan.rules import set_up
batch = Batch(set_up(2), 2)
for _ in range(120):
    batch.step(batch.random_actions())
random_games(set_up(3), 1, threads=1)
"""


def run(script: str, checked: str) -> str:
    env = os.environ | {"NUMBA_DISABLE_JIT": "1", "MANHATTAN_CHECKED": checked}
    command = [sys.executable, "-W", "ignore", "-c", script]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.parametrize("move", TRIES.values(), ids=TRIES.keys())
def test_an_illegal_move_inside_is_told(move: str) -> None:
    assert "illegal move" in run(SCRIPT.format(move=move), "1")
    assert run(SCRIPT.format(move=move), "0") == ""


def test_whole_games_pass_every_check() -> None:
    run(WHOLE_GAMES, "1")
