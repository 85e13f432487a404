"""The endgame benchmark: what last placements lose."""

from __future__ import annotations

import pytest

from manhattan.bench import endgame
from manhattan.bench.endgame import Loss, Task, judge, play, summarize
from manhattan.game import Game
from manhattan.kernel import Position
from support.cli_runner import run_cli
from support.positions import play_out, position

pytestmark = [pytest.mark.compiled, pytest.mark.xdist_group("4-1")]


def test_a_placement_that_gives_a_win_away_loses_it() -> None:
    """Orange wins with a tower in a new city, and not by raising its own."""
    state = position(
        "A1:o1 B1:b1 C1:b1 E1:y4", tableaus={"orange": [1]}, hands={0: [1, 2, 3, 4]}, round=4
    )
    at = Position.from_state(state)
    at.data[0].scores[:2] = 20, 18
    assert at.data[0].blocks_left == 1
    losses = {str(at.decode(action)): judge(at, action) for action in at.legal_actions()}
    assert set(losses.values()) == {0.0, 1.0}
    assert losses["A1+1"] == 1
    assert losses["D1+1"] == 0


def test_the_same_placements_lose_the_same() -> None:
    whole = play_out(Game.new(4, seed=bytes(32)))
    at = Position.from_state(whole.at(whole.ply - 3).state)
    losses = [judge(at, at.legal_actions()[0]) for _ in range(2)]
    assert losses[0] == losses[1]
    assert -0.5 < losses[0] <= 1


def test_the_last_placements_of_a_game_are_judged() -> None:
    losses = play(Task("random", 4, number=1, rollouts=1))
    assert [loss.placements_left for loss in losses] == [4, 3, 2, 1]


def test_the_summary_has_the_mean_and_that_of_each_placement() -> None:
    losses = [Loss(1, 0.0), Loss(2, 0.1), Loss(2, 0.3), Loss(4, 0.0)]
    figures = {figure.name: figure.value for figure in summarize(4, losses)}
    assert figures.pop("endgame_loss_interval") == pytest.approx(0.12, abs=0.01)
    assert figures == {
        "endgame_placements": 4,
        "endgame_loss": pytest.approx(0.1),
        "endgame_loss_1_left": 0,
        "endgame_loss_2_left": pytest.approx(0.2),
        "endgame_loss_4_left": 0,
    }


def test_the_command_prints_the_losses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endgame, "play", lambda task: [Loss(1, 0.25)])
    options = ("--games", "2", "--workers", "1", "-p", "4")
    done = run_cli("bench", "endgame", "-b", "random", *options)
    assert "0.25" in done.out
