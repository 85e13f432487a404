"""A real browser, and a server behind it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from serving import Running, running


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's Chromium."""
    with sync_playwright() as playwright:
        found = shutil.which("chromium")
        assert found, "there is no Chromium here: `make test` installs it"
        chromium = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server with the page."""
    with running(str(tmp_path_factory.mktemp("page") / "tables.db")) as server:
        yield server
