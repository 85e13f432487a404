"""Fixtures: servers, and the real databases behind them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.databases import Postgres, Redis, database_at, temporary_server
from support.server_fixtures import RunningServer, running_server


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RunningServer]:
    """A server with SQLite, for one test."""
    with running_server(str(tmp_path / "tables.db")) as server:
        yield server


@pytest.fixture(scope="module")
def shared_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A server that several tests share."""
    with running_server(str(tmp_path_factory.mktemp("shared") / "tables.db")) as server:
        yield server


@pytest.fixture(scope="session")
def own_postgres() -> Iterator[Postgres]:
    """A PostgreSQL that a test may stop if it starts it again."""
    with temporary_server(Postgres) as server:
        yield server


@pytest.fixture(scope="session")
def own_redis() -> Iterator[Redis]:
    """A Redis that a test may stop if it starts it again."""
    with temporary_server(Redis) as server:
        yield server


@pytest.fixture
def postgres(request: pytest.FixtureRequest) -> Iterator[str]:
    """An empty PostgreSQL database for one test."""
    named = os.environ.get("MANHATTAN_TEST_POSTGRES")
    with database_at(named or request.getfixturevalue("own_postgres").address) as address:
        yield address


@pytest.fixture
def redis(request: pytest.FixtureRequest) -> str:
    """A Redis that all tests share: their tables have different ids."""
    named = os.environ.get("MANHATTAN_TEST_REDIS")
    return named or str(request.getfixturevalue("own_redis").address)
