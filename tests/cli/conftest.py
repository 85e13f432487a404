"""Fixtures for the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from manhattan.record import write
from support.record_fixtures import finished, record_json


@pytest.fixture
def games(tmp_path: Path) -> Path:
    """A file of two games, one of four players and one of two."""
    path = tmp_path / "games.jsonl"
    write(path, [record_json(), record_json(finished(players=2))])
    return path
