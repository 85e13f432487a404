"""``manhattan train``, ``manhattan bench``, and advice in a game."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from manhattan.ai.model import Kind, read_model
from manhattan.ai.networks import read_networks
from manhattan.ai.training.trainer import Trainer
from manhattan.bench.measurement import Measurement
from manhattan.bots import LEVELS
from manhattan.rules import set_up
from support.cli_runner import run_cli

pytestmark = [pytest.mark.compiled, pytest.mark.xdist_group("4-1")]


def test_training_writes_a_model(tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    done = run_cli("train", "--scale", "0.0001", "--seed", "7", "--out", path)
    assert done.code == 0, done.err
    assert f"Trained a model for 4-players-6x4: {path}" in done.out.replace("\n", "")
    assert "best against first: " in done.out
    model = read_model(Kind.of(set_up(4)), path)
    assert model.metadata["seed"] == 7
    assert [file.name for file in tmp_path.iterdir()] == ["model.npz"]


def test_training_writes_networks(tmp_path: Path) -> None:
    path = tmp_path / "networks.npz"
    done = run_cli("train", "--networks", "--scale", "0.0005", "--seed", "7", "--out", path)
    assert done.code == 0, done.err
    out = done.out.replace("\n", " ")
    assert "Trained the networks for 4-players-6x4" in out
    assert "policy: log-loss " in out
    assert "name it 4-players-6x4-networks.npz" in out
    networks = read_networks(Kind.of(set_up(4)), path)
    assert networks.metadata["seed"] == 7
    assert [file.name for file in tmp_path.iterdir()] == ["networks.npz"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--scale", "0"], "--scale must be a number such as 0.1 or 2, not 0.0."),
        (["--scale", "nan"], "--scale must be a number such as 0.1 or 2, not nan."),
        (["--out", "nowhere/model.npz"], "Can't write model.npz: there is no folder nowhere."),
        (["--players", "5"], "2 to 4 players"),
    ],
)
def test_a_wrong_option_of_train_is_an_error(options: list[str], message: str) -> None:
    done = run_cli("train", *options)
    assert done.code == 1
    assert message in done.error


def test_a_foreign_checkpoint_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "model.training").write_text("notes")
    done = run_cli("train", "--out", tmp_path / "model.npz")
    assert done.code == 1
    assert "can't be read" in done.error
    assert (tmp_path / "model.training").read_text() == "notes"


def test_advice_lists_moves_with_the_win_probabilities_of_all_players() -> None:
    typed = "112234\nadvice\nadvice\nquit\n"
    done = run_cli("play", "--name", "Ada", "--seed", "0" * 64, typed=typed)
    assert "chance to win (yours with a 95 % interval)" in done.out
    tables = done.out.split("┃ move")[1:]
    assert len(tables) == 2
    assert tables[0].split("chance to win")[0] == tables[1].split("chance to win")[0]
    assert "%," in tables[0]


def test_the_bench_of_bots_reports_their_speed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("manhattan.bench.bots.LEVELS", {"hard": LEVELS["hard"]})
    path = tmp_path / "bots.json"
    done = run_cli("bench", "bots", "--players", "4", "--rollouts", "2", "--json", path)
    assert done.code == 0, done.err
    figures = json.loads(path.read_text())
    assert list(figures) == [
        "search_rollouts",
        "bare_rollouts",
        "rollout_ratio",
        "hard_mean",
        "hard_max",
    ]
    assert all(figure["4"] > 0 for figure in figures.values())
    assert figures["hard_mean"]["4"] <= figures["hard_max"]["4"]
    assert "ms per move" in done.out


def test_an_interrupted_bench_reports_its_figures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def measure(*_: object) -> Iterator[Measurement]:
        yield Measurement("rollouts", 4, 1234.0, "a second")
        raise KeyboardInterrupt

    monkeypatch.setattr("manhattan.bench.bots.measure", measure)
    path = tmp_path / "bots.json"
    done = run_cli("bench", "bots", "--json", path)
    assert done.code == 130
    assert "1,234" in done.out
    assert json.loads(path.read_text()) == {"rollouts": {"4": 1234.0}}
    assert done.err.endswith("Interrupted after 1 measurement.\n")
    unwritable = run_cli("bench", "bots", "--json", tmp_path / "no" / "bots.json")
    assert "there is no folder" in unwritable.error  # before anything is measured


def test_interrupted_training_says_what_is_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(_: Trainer) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Trainer, "run", run)
    done = run_cli("train", "--out", tmp_path / "model.npz")
    assert done.code == 130
    assert done.err.endswith("Interrupted in the first stage; nothing is saved yet.\n")


def test_figures_are_written_to_stdout(monkeypatch: pytest.MonkeyPatch) -> None:
    """The table then goes to stderr."""

    def measure(*_: object) -> Iterator[Measurement]:
        yield Measurement("rollouts", 4, 1234.0, "a second")

    monkeypatch.setattr("manhattan.bench.bots.measure", measure)
    done = run_cli("bench", "bots", "--json", "-")
    assert json.loads(done.out) == {"rollouts": {"4": 1234.0}}
    assert "1,234" in done.err
