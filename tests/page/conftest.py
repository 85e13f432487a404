"""A real browser, and a server behind it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from serving import Running, running


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's Chromium: where there is one, that without windows, which takes two thirds of the
    time; the whole one if it is asked for."""
    with sync_playwright() as playwright:
        asked_for = os.environ.get("BROWSER_TESTED")
        names = [asked_for] if asked_for else ["chromium-headless-shell", "chromium"]
        found = next(filter(None, map(shutil.which, names)), None)
        assert found, "there is no Chromium here: `make test` installs it"
        chromium = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server with the page."""
    with running(str(tmp_path_factory.mktemp("page") / "tables.db")) as server:
        yield server
