"""Servers, and the real databases behind them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from databases import Postgres, Redis, database_at, own
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


@pytest.fixture(scope="session")
def own_postgres() -> Iterator[Postgres]:
    """A PostgreSQL that a test may stop, if it starts it again."""
    with own(Postgres) as server:
        yield server


@pytest.fixture(scope="session")
def own_redis() -> Iterator[Redis]:
    """A Redis that a test may stop, if it starts it again."""
    with own(Redis) as server:
        yield server


@pytest.fixture
def postgres(request: pytest.FixtureRequest) -> Iterator[str]:
    """An empty database of one's own in PostgreSQL."""
    named = os.environ.get("MANHATTAN_TEST_POSTGRES")
    with database_at(named or request.getfixturevalue("own_postgres").address) as address:
        yield address


@pytest.fixture
def redis(request: pytest.FixtureRequest) -> str:
    """A Redis. (It is shared: nobody hears of tables whose name he does not know.)"""
    named = os.environ.get("MANHATTAN_TEST_REDIS")
    return named or str(request.getfixturevalue("own_redis").address)
