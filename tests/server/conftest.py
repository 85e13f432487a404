"""Servers, and the real databases behind them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from serving import Running, running


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Running]:
    """A server of one's own, with SQLite."""
    with running(str(tmp_path / "tables.db")) as up:
        yield up


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server that several tests share."""
    with running(str(tmp_path_factory.mktemp("served") / "tables.db")) as up:
        yield up
