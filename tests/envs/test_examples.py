"""The examples and the benchmark run."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from manhattan.bench import envs as envs_bench

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.xdist_group("envs-4")
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("random_openspiel", "points: ["),
        ("random_pettingzoo", "City F"),
        ("random_gymnasium", "a batch of a thousand: 2000 games were played"),
    ],
)
def test_random_games(name: str, expected: str, capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    assert expected in capsys.readouterr().out


@pytest.mark.xdist_group("envs-4")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_benchmark_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """It works. The speed doesn't matter."""
    monkeypatch.setattr(envs_bench, "RUNS", 1)
    monkeypatch.setattr(envs_bench, "use_one_core", lambda: None)
    names = {figure.name for figure in envs_bench.measure(decisions=100, batch=2, players=[4])}
    assert {"openspiel", "pettingzoo_raw", "pettingzoo_wrapped", "vector_choosing"} <= names
