"""Calibration: probabilities compared with what came true."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from manhattan.bench.calibration import (
    Sample,
    brier_score,
    calibration_error,
    draw,
    error_by_chance,
    reliability,
    summarize,
)
from support.cli_runner import run_cli


def samples_of(wins: float, count: int = 4000) -> list[Sample]:
    """Games of two in which the first player is given the probability p, for many p, and wins
    with the probability ``wins`` * p."""
    rng = Random(1)
    samples = []
    for n in range(count):
        p = rng.random()
        has_won = float(rng.random() < wins * p)
        samples.append(Sample(n, n % 2 + 1, (p, 1 - p), (has_won, 1 - has_won)))
    return samples


def test_probabilities_that_come_true_have_a_small_error() -> None:
    assert calibration_error(samples_of(1)) < 0.02


def test_too_great_probabilities_have_a_great_error() -> None:
    """Of the players with an estimate of p, half win with p / 2, the others with (1 + p) / 2: in
    the mean the estimate is off by abs(p - 0.5) / 2."""
    assert calibration_error(samples_of(0.5)) == pytest.approx(0.125, abs=0.02)


def test_perfect_probabilities_differ_from_what_comes_true_by_chance() -> None:
    few, many = samples_of(1, 100), samples_of(1, 4000)
    assert error_by_chance(few) > 4 * error_by_chance(many)
    assert calibration_error(many) == pytest.approx(error_by_chance(many), rel=1)
    # A game that is evaluated often does not count as many games.
    often = [replace(sample, game=sample.game // 40) for sample in many]
    assert error_by_chance(often) > 1.5 * error_by_chance(many)


def test_bins_hold_equally_many_probabilities() -> None:
    predicted, _, counts = reliability(samples_of(1)).T
    assert (counts == 800).all()
    assert list(predicted) == sorted(predicted)


def test_the_brier_score_is_the_mean_squared_error() -> None:
    samples = [Sample(0, 1, (0.7, 0.3), (1.0, 0.0)), Sample(1, 1, (0.5, 0.5), (0.5, 0.5))]
    assert brier_score(samples) == pytest.approx((0.09 + 0.09) / 4)


def test_each_round_has_its_own_error() -> None:
    figures = {m.name: m.value for m in summarize(2, samples_of(1))}
    errors = {
        f"{name}{part}"
        for name in ("ece", "ece_by_chance")
        for part in ("", "_round_1", "_round_2")
    }
    assert set(figures) == {"positions", "sum", "brier", *errors}
    assert figures["positions"] == 4000
    assert figures["sum"] == pytest.approx(1)


def test_the_calibration_can_be_drawn(tmp_path: Path) -> None:
    draw(samples_of(1), "two players", tmp_path / "picture.png")
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.compiled
@pytest.mark.xdist_group("4-1")
def test_the_command_plays_games_and_reports(tmp_path: Path) -> None:
    path = tmp_path / "calibration.json"
    options = ["--games", "2", "--positions", "3", "--rollouts", "8", "--workers", "1"]
    done = run_cli("bench", "calibration", "-b", "easy,easy,easy,hard", *options, "--json", path)
    assert done.code == 0, done.err
    figures = json.loads(path.read_text())
    assert 2 <= figures["positions"]["4"] <= 6
    assert figures["sum"]["4"] == pytest.approx(1, abs=1e-6)
    assert 0 <= figures["ece"]["4"] <= 1


def test_unknown_bots_are_refused_before_a_game() -> None:
    done = run_cli("bench", "calibration", "-b", "easy,nobody")
    assert "There is no bot 'nobody'" in done.error
