"""Learning and thinking at the command line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from commandline import manhattan
from manhattan.bots import LEVELS
from manhattan.figure import Figure
from manhattan.judgement.mind import Kind, read_mind
from manhattan.judgement.training import Training
from manhattan.rules import set_up

pytestmark = [pytest.mark.compiled, pytest.mark.xdist_group("4-1")]


def test_training_ends_with_a_file_that_bots_can_play_by(tmp_path: Path) -> None:
    path = tmp_path / "mind.npz"
    done = manhattan("train", "--scale", "0.0001", "--seed", "7", "--out", path)
    assert done.code == 0, done.err
    assert f"Learned for 4-players-6x4: {path}" in done.out.replace("\n", "")
    assert "best against first: " in done.out
    mind = read_mind(Kind.of(set_up(4)), path)
    assert mind.about["seed"] == 7
    assert [file.name for file in tmp_path.iterdir()] == ["mind.npz"]


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (["--scale", "0"], "--scale is a number like 0.1 or 2, not 0.0."),
        (["--scale", "nan"], "--scale is a number like 0.1 or 2, not nan."),
        (["--out", "nowhere/mind.npz"], "There is no folder nowhere to write mind.npz into."),
        (["--players", "5"], "2 to 4 players"),
    ],
)
def test_what_can_not_be_learned_is_told(asked: list[str], told: str) -> None:
    done = manhattan("train", *asked)
    assert done.code == 1
    assert told in done.sentence


def test_another_training_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "mind.training").write_text("notes")
    done = manhattan("train", "--out", tmp_path / "mind.npz")
    assert done.code == 1
    assert "can't be read" in done.sentence
    assert (tmp_path / "mind.training").read_text() == "notes"


def test_advice_names_moves_and_everybodys_chances() -> None:
    typed = "112234\nadvice\nadvice\nquit\n"
    done = manhattan("play", "--name", "Ada", "--seed", "0" * 64, typed=typed)
    assert "each player's chance to win (95 % sure of yours)" in done.out
    tables = done.out.split("┃ move")[1:]
    assert len(tables) == 2
    assert tables[0].split("each player")[0] == tables[1].split("each player")[0]
    assert "%," in tables[0]


def test_the_bench_tells_how_fast_bots_think(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("manhattan.bots.speed.LEVELS", {"hard": LEVELS["hard"]})
    path = tmp_path / "bots.json"
    done = manhattan("bench", "bots", "--players", "4", "--trials", "2", "--json", path)
    assert done.code == 0, done.err
    figures = json.loads(path.read_text())
    assert list(figures) == ["trials", "rollouts", "trials_ratio", "hard_mean", "hard_most"]
    assert all(figure["4"] > 0 for figure in figures.values())
    assert figures["hard_mean"]["4"] <= figures["hard_most"]["4"]
    assert "ms a move" in done.out


def test_a_bench_that_is_broken_off_tells_what_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def measure(*_: object) -> Iterator[Figure]:
        yield Figure("trials", 4, 1234.0, "a second")
        raise KeyboardInterrupt

    monkeypatch.setattr("manhattan.bots.speed.measure", measure)
    path = tmp_path / "bots.json"
    done = manhattan("bench", "bots", "--json", path)
    assert done.code == 130
    assert "1,234" in done.out
    assert json.loads(path.read_text()) == {"trials": {"4": 1234.0}}
    assert done.err.endswith("Broken off after 1 figure.\n")
    nowhere = manhattan("bench", "bots", "--json", tmp_path / "no" / "bots.json")
    assert "There is no folder" in nowhere.sentence  # and nothing was measured for it


def test_learning_that_is_broken_off_tells_how_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(_: Training) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Training, "run", run)
    done = manhattan("train", "--out", tmp_path / "mind.npz")
    assert done.code == 130
    assert done.err.endswith("Broken off in the first stage: nothing is kept yet.\n")
