"""The load test of the server runs; how much it carries is measured, not tested."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from manhattan.bench.server import load as measuring
from manhattan.bench.server import report as bench
from manhattan.bench.server.idle import measure_idle
from manhattan.bench.server.peer import NoPeer
from support.cli_runner import run_cli


def test_moves_of_all_players_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measuring, "WARM_UP_S", 0.5)
    path = tmp_path / "figures.json"
    outcome = run_cli("bench", "server", "--tables", "2", "--seconds", "1", "--json", path)
    assert outcome.code == 0, outcome.err
    figures = json.loads(path.read_text("utf-8"))
    assert figures["2 tables"]["all"] > 0
    assert figures["8 tables"]["all"] > 0
    assert figures["think time 50-150 ms, p99"]["all"] > 0
    assert "moves/s" in outcome.out


def test_memory_is_sampled_during_the_soak(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measuring, "WARM_UP_S", 0.2)
    monkeypatch.setattr(bench, "SOAK_S", 1.0)
    assert all(figure.value > 10 for figure in bench.soak(None))


def test_idle_tables_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("manhattan.bench.server.idle._DURATION_S", 0.5)
    monkeypatch.setattr(bench, "measure_idle", lambda *_: measure_idle(2, 5))
    figures = list(bench.idle())
    assert len(figures) == 3
    assert figures[1].value > 10


def test_the_peer_needs_node(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(NoPeer, match="Remove --peer"):
        next(bench.busy(1, 1, None, with_peer=True))
