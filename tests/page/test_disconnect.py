"""An unreachable server: the page says so, shows no unconfirmed move, and resumes afterwards."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Browser, expect

from manhattan.client import Client
from support.browser_user import BOTS, DESKTOP, PHONE, expect_visible, open_browser
from support.server_fixtures import process

CONNECTION_LOST = "Connection lost. Reconnecting…"
MEASURE_BANNER = """() => {
  const [banner, table] = ['.banner', '.table'].map((selector) =>
    document.querySelector(selector).getBoundingClientRect())
  return [table.top - banner.bottom, table.bottom]
}"""


def test_the_page_survives_a_restart_of_the_server(browser: Browser, tmp_path: Path) -> None:
    with (
        process(str(tmp_path / "tables.db")) as server,
        open_browser(browser, server.address) as ada,
    ):
        client = Client(server.address, "Ada", timeout=30)
        table = client.open_table(
            seats=[{"occupant": "me"}, *BOTS], bot_delay_ms=0, start=True, first=0
        )
        ada.sign_in(client)
        ada.go(f"/table/{table}")
        ada.do_task()
        ada.wait_for_task()
        before = ada.ply
        ada.expect_lost_connection()
        server.kill()
        expect_visible(ada.page.get_by_text(CONNECTION_LOST))
        for size in (
            PHONE,
            DESKTOP,
        ):  # the banner covers nothing and pushes nothing out of the screen
            ada.page.set_viewport_size({"width": size[0], "height": size[1]})
            ada.settle()
            distance, bottom = ada.page.evaluate(MEASURE_BANNER)
            assert distance >= 0
            assert bottom <= size[1]
        # A move that the server has not confirmed is not shown.
        ada.page.locator("button[data-card]").first.click()
        ada.page.locator("button[data-block]:not(.off)").first.click()
        ada.page.locator("[data-site].can > .ring").first.click(force=True)
        ada.page.get_by_role("button", name="Build", exact=True).click()
        ada.page.wait_for_timeout(300)
        assert ada.ply == before
        server.start()
        expect(ada.page.get_by_text(CONNECTION_LOST)).to_have_count(0, timeout=20_000)
        ada.wait_past_ply(before)  # the command was sent again, and executed once
        ada.wait_for_task()
        server.kill()
        ada.page.get_by_role("link", name="Manhattan").click()
        ada.page.get_by_role("button", name=re.compile("Play now")).click()
        expect_visible(ada.page.get_by_role("alert").get_by_text("The server can’t be reached."))
        server.start()
        ada.page.get_by_role("button", name=re.compile("Play now")).click()
        expect_visible(ada.page.get_by_role("heading", name="Round 1 of 4"))
