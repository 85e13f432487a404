"""The examples run; so does the bench."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from manhattan.envs import speed

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.xdist_group("envs-4")
@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("random_openspiel", "points: ["),
        ("random_pettingzoo", "City F"),
        ("random_gymnasium", "a thousand at once: 2000 games were played"),
    ],
)
def test_random_games(name: str, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    assert told in capsys.readouterr().out


@pytest.mark.xdist_group("envs-4")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_bench_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not how fast: only that it works."""
    monkeypatch.setattr(speed, "RUNS", 1)
    monkeypatch.setattr(speed, "use_one_core", lambda: None)
    names = {figure.name for figure in speed.measure(decisions=100, batch=2, players=[4])}
    assert {"openspiel", "pettingzoo_raw", "pettingzoo_wrapped", "vector_choosing"} <= names
