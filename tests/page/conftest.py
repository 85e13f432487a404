"""Fixtures: a real browser, and a server behind it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from support.server_fixtures import RunningServer, running_server


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A Chromium: the one that TEST_BROWSER names, or the first one found."""
    with sync_playwright() as playwright:
        named = os.environ.get("TEST_BROWSER")
        names = [named] if named else ["chromium-headless-shell", "chromium", "google-chrome"]
        program = next(filter(None, map(shutil.which, names)), None)
        assert program, "no Chromium found: `make test` installs one"
        chromium = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A server with the page, for all tests."""
    with running_server(str(tmp_path_factory.mktemp("page") / "tables.db")) as server:
        yield server
