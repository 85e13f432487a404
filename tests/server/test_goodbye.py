"""Who says goodbye is nobody from then on, whatever happens at the same moment."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from databases import busy
from manhattan.client import Client
from serving import Running, running


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "tables.db")
    return str(request.getfixturevalue("postgres"))


@pytest.fixture
def up(database: str) -> Iterator[Running]:
    with running(database) as up:
        yield up


def test_a_new_name_does_not_make_void_cookies_good_again(up: Running, database: str) -> None:
    """On one device somebody says a new name, on another one goodbye: who he is has been looked up
    for both before anything is written."""
    for _ in range(5):  # a database that has several writers may let either be first
        ada = up.client("Ada")
        cookie, here, there = ada.cookie, ada, Client(up.address, "Ada", cookie=ada.cookie)
        with ThreadPoolExecutor() as pool:
            with busy(database, "people"):
                goodbye = pool.submit(there.call, "DELETE", "/api/me")
                time.sleep(0.1)
                renamed = pool.submit(here.call, "PUT", "/api/me", {"name": "Lady Ada"})
                time.sleep(0.1)
            assert goodbye.result() == {"name": None}
            assert renamed.result() == {"name": "Lady Ada"}
        there.cookie = cookie
        assert there.call("GET", "/api/me") == {"name": None}
        # Whoever comes with a void cookie is a newcomer; or he was renamed first, and is nobody.
        told = here.call("GET", "/api/me")["name"]
        assert told == (None if here.cookie == cookie else "Lady Ada")
