"""The debug switch MANHATTAN_CHECKED: the kernel checks every move and reports illegal ones."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.uncompiled_only

ILLEGAL_MOVES = {
    "a site without a card": "apply_build(g, P, C, 0, 1, away)",
    "a block that isn't there": "apply_build(g, P, C, 0, 4, named)",
    "a removal in the wrong phase": "apply_removal(g, P, C, 0, 1)",
    "a second selection": "select_blocks(g, 0, 0)",
}
SCRIPT = """
import numpy as np
from manhattan.kernel import Position
from manhattan.kernel.bits import trailing_zeros
from manhattan.kernel.transition import apply_build, apply_removal, select_blocks
from manhattan.rules import SeedShuffler, deal, parse_move, set_up

P, C = (0,) * 4, (0,)
setup = set_up(4)
position = Position.from_state(deal(setup, SeedShuffler(bytes(32))))
for _ in range(4):
    position.apply(position.encode(parse_move("[111111]")))
g = position.data[0]
one = np.uint64(1)
named = one << trailing_zeros(g.hand_mask[0])
away = one << trailing_zeros(~g.hand_mask[0])
try:
    {move}
except RuntimeError as error:
    print(error)
"""
WHOLE_GAMES = """
from manhattan.bench.kernel import dealt_position
from manhattan.kernel import playouts
from manhattan.rules import set_up

for players in (2, 3):
    playouts(dealt_position(set_up(players)), 2, threads=1)
"""


def run(script: str, checked: str) -> str:
    env = os.environ | {"NUMBA_DISABLE_JIT": "1", "MANHATTAN_CHECKED": checked}
    command = [sys.executable, "-W", "ignore", "-c", script]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.parametrize("move", ILLEGAL_MOVES.values(), ids=ILLEGAL_MOVES.keys())
def test_an_illegal_move_is_reported(move: str) -> None:
    assert "illegal move" in run(SCRIPT.format(move=move), "1")
    assert run(SCRIPT.format(move=move), "0") == ""


def test_whole_games_pass_every_check() -> None:
    run(WHOLE_GAMES, "1")
