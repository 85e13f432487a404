"""Champion's search against OpenSpiel's: whole games in OpenSpiel."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.cli_runner import run_cli

pytest.importorskip("pyspiel")
pytestmark = [pytest.mark.compiled, pytest.mark.xdist_group("2-2")]


def test_champion_wins_games_in_openspiel_from_both_seats(tmp_path: Path) -> None:
    path = tmp_path / "figures.json"
    options = ["-p", "2", "--games", "2", "--seconds", "0.004", "--workers", "1"]
    done = run_cli("bench", "ismcts", *options, "--json", path)
    assert done.code == 0, done.err
    figures = json.loads(path.read_text())
    assert figures["ismcts_games"]["2"] == 2
    assert figures["ismcts_wins"]["2"] == 1
