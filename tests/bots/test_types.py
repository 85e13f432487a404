"""The type checker rejects a program that gives a bot more than a view."""

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


def test_a_bot_takes_only_a_view(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    output, _, _ = api.run(["--no-error-summary", str(program)])
    errors = [line.partition("error: ")[2] for line in output.splitlines()]
    arguments = ("State", "Game", "State")
    assert len(errors) == len(arguments), output
    for line, kind in zip(errors, arguments, strict=True):
        assert f'has incompatible type "{kind}"; expected "View"' in line
