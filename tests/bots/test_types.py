"""Who hands a bot more than a view is stopped before the program runs."""

from __future__ import annotations

from pathlib import Path

from mypy import api

PROGRAM = """
from random import Random
from manhattan.bots import BOTS, bot, evaluate
from manhattan.game import Game
from manhattan.view import view_of

game = Game.new(4)
bot("expert")(view_of(game, 0), Random(1))
evaluate(view_of(game, 0), Random(1))
bot("expert")(game.state, Random(1))
BOTS["greedy"](game, Random(1))
evaluate(game.state, Random(1))
"""


def test_a_bot_takes_a_view_and_nothing_else(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    told, _, _ = api.run(["--no-error-summary", str(program)])
    wrong = [line.partition("error: ")[2] for line in told.splitlines()]
    given = ("State", "Game", "State")
    assert len(wrong) == len(given), told
    for line, kind in zip(wrong, given, strict=True):
        assert f'has incompatible type "{kind}"; expected "View"' in line
