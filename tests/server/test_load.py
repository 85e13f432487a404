"""The load bench works; how much the server carries is measured, not tested."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from manhattan.cli import main
from manhattan.server.load import bench, measuring
from manhattan.server.load.idling import measure_idle
from manhattan.server.load.peer import NoPeer


def test_players_play_and_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(measuring, "WARM_UP", 0.5)
    written = tmp_path / "figures.json"
    command = ["bench", "server", "--tables", "2", "--seconds", "1", "--json", str(written)]
    monkeypatch.setattr("sys.argv", ["manhattan", *command])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    figures = json.loads(written.read_text("utf-8"))
    assert figures["2 tables"]["all"] > 0
    assert figures["8 tables"]["all"] > 0
    assert figures["thinking 50-150 ms, p99"]["all"] > 0
    assert "moves/s" in capsys.readouterr().out


def test_memory_is_looked_at_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measuring, "WARM_UP", 0.2)
    monkeypatch.setattr(bench, "SOAK", 1.0)
    assert all(figure.value > 10 for figure in bench.soak(None))


def test_idle_tables_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("manhattan.server.load.idling._QUIET", 0.5)
    monkeypatch.setattr(bench, "measure_idle", lambda *_: measure_idle(2, 5))
    figures = list(bench.idle())
    assert len(figures) == 3
    assert figures[1].value > 10


def test_without_node_the_peer_is_told_to_be_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(NoPeer, match="leave --peer out"):
        next(bench.busy(1, 1, None, compared=True))
