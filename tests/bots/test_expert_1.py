"""Expert-1, the yardstick, stays as it is: its choices in one game, written down once."""

from __future__ import annotations

from random import Random

import pytest

from manhattan.bots import BOTS, Budget
from manhattan.game import Game
from manhattan.view import view_of
from support.positions import play_out

pytestmark = [pytest.mark.compiled, pytest.mark.xdist_group("4-1")]

CHOICES = {
    0: "[333344]",
    4: "A8+1",
    10: "F3+4",
    21: "D4+1",
    40: "E1+2",
    55: "E6+2",
    77: "C7+1",
    98: "B3+3",
    105: "F4+2",
    111: "E3+1",
}


@pytest.mark.parametrize("ply", CHOICES)
def test_expert_1_chooses_as_it_always_has(ply: int) -> None:
    game = play_out(Game.new(4, seed=bytes(32)), until=ply)
    view = view_of(game, game.public.mover)
    move = BOTS["expert-1"](view, Random(ply), Budget(rollouts=300))
    assert str(move) == CHOICES[ply]
