"""The benchmark of the rules runs; how fast they are is measured, not tested."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from manhattan.bench import rules
from support.cli_runner import run_cli


def test_the_rules_are_measured_for_each_number_of_players(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rules, "RUNS", 1)
    path = tmp_path / "rules.json"
    assert run_cli("bench", "rules", "--games", "1", "--json", path).code == 0
    figures = json.loads(path.read_text("utf-8"))
    assert figures["plain_python"]["all"] > 0
    assert list(figures["games"]) == ["4", "3", "2"]
    assert all(rate > 0 for rate in figures["games"].values())
