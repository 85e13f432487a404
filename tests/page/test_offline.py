"""The service worker: the page without its server, and after an update."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from manhattan.server.transport.http.static import PAGE_FOLDER, Page
from support.browser_user import PHONE, BrowserUser, expect_visible, open_browser
from support.databases import free_port
from support.server_fixtures import AGAINST_EASY, RunningServer, play_on, running_server

WAIT_FOR_WORKER = """async () => {
  await navigator.serviceWorker.ready
  const cached = async (address) => Boolean(await caches.match(address))
  while (!navigator.serviceWorker.controller || !(await cached('/api/tutorial/8/outcomes')))
    await new Promise((resolve) => setTimeout(resolve, 50))
}"""


@contextmanager
def server_on(port: int, tmp_path: Path) -> Iterator[RunningServer]:
    with running_server(str(tmp_path / "tables.db"), port=port) as server:
        yield server


def visit(user: BrowserUser) -> None:
    """Visit the home page, and wait until the service worker has all it needs."""
    user.go("/")
    user.page.evaluate(WAIT_FOR_WORKER)


def test_without_the_server_tutorial_rules_and_saved_games_work(
    browser: Browser, tmp_path: Path
) -> None:
    port = free_port()
    with open_browser(browser, f"http://127.0.0.1:{port}", PHONE) as ada:
        with server_on(port, tmp_path) as server:
            client = server.client("Ada")
            table = client.open_table(seats=AGAINST_EASY, bot_delay_ms=0, start=True)
            with client.connect(table) as seat:
                play_on(seat)
            file = tmp_path / "game.json"
            file.write_text(json.dumps(client.record(table)))
            visit(ada)
            ada.go(f"/replay/{table}")
            expect_visible(ada.page.get_by_role("slider"))
        ada.expect_lost_connection()  # the server is gone
        banner = ada.page.get_by_text("The server can’t be reached.")
        ada.go("/")
        expect_visible(ada.page.get_by_role("heading", level=1))
        expect_visible(banner)
        ada.screenshot("offline-home-phone")
        ada.go("/rules")
        expect_visible(ada.page.get_by_role("heading", level=1))
        ada.go("/learn/4")
        for choice in ("button[data-card]", "button[data-block]", "[data-site].open"):
            ada.page.locator(f"{choice}:not([disabled]):not(.off)").first.click()
        ada.page.get_by_role("button", name=ada.message("dock.build"), exact=True).click()
        expect_visible(ada.page.locator(".outcome"))
        ada.go("/replay")
        ada.page.locator("input[type=file]").set_input_files(file)
        expect_visible(ada.page.get_by_role("slider"))
        ada.go(f"/replay/{table}")  # a game that was watched before
        expect_visible(ada.page.get_by_role("slider"))
        ada.go(f"/table/{table}")
        expect_visible(ada.page.get_by_role("status"))
        with server_on(port, tmp_path):
            ada.go("/")
            expect_visible(ada.page.get_by_role("heading", level=1))
            expect(banner).to_have_count(0)


def test_a_new_build_is_shown_at_once_and_the_old_one_is_forgotten(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = free_port()
    with open_browser(browser, f"http://127.0.0.1:{port}") as ada:
        with server_on(port, tmp_path):
            visit(ada)
        for build in (1, 2, 3):
            folder = tmp_path / f"build-{build}"
            shutil.copytree(PAGE_FOLDER, folder)
            for compressed in folder.glob("*.br"):
                compressed.unlink()
            for name, old, new in (
                ("index.html", "<title>Manhattan", f"<title>Build {build}"),
                ("service-worker.js", "manhattan-page-", f"manhattan-page-{build}-"),
            ):
                text = (folder / name).read_text("utf-8")
                assert old in text
                (folder / name).write_text(text.replace(old, new), "utf-8")
            monkeypatch.setattr("manhattan.server.app.Page", partial(Page, folder))
            with server_on(port, tmp_path):
                response = ada.page.goto(ada.address)
                assert response is not None
                assert f"Build {build}" in response.text()
                # The new worker takes over, and keeps the files of the build before.
                ada.page.wait_for_function(
                    "build => caches.keys().then((names) => "
                    "names.some((name) => name.startsWith(`manhattan-page-${build}-`)))",
                    arg=str(build),
                )
                ada.page.wait_for_function(
                    "() => caches.keys().then((names) => "
                    "names.filter((name) => name.startsWith('manhattan-page-')).length <= 2)"
                )
