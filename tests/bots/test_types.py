"""Who hands a bot more than a view is stopped before the program runs."""

from __future__ import annotations

import pytest
from mypy import api

PROGRAM = """
from random import Random
from manhattan.bots import BOTS, bot, evaluate
from manhattan.game import Game
from manhattan.view import view_of

game = Game.new(4)
{call}
"""


@pytest.mark.parametrize(
    ("call", "wrong"),
    [
        ("bot('expert')(view_of(game, 0), Random(1))", ""),
        ("evaluate(view_of(game, 0), Random(1))", ""),
        ("bot('expert')(game.state, Random(1))", "State"),
        ("BOTS['greedy'](game, Random(1))", "Game"),
        ("evaluate(game.state, Random(1))", "State"),
    ],
)
def test_a_bot_takes_a_view_and_nothing_else(call: str, wrong: str) -> None:
    told, _, code = api.run(["--strict", "-c", PROGRAM.format(call=call)])
    if wrong:
        assert f'has incompatible type "{wrong}"; expected "View"' in told
    else:
        assert code == 0, told
