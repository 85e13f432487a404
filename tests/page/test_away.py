"""A server that goes away: a sentence, no move that it has not taken, and on when it is back."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Browser, expect

from manhattan.client import Client
from serving import process
from visitor import BOTS, DESKTOP, PHONE, shows, visiting

LOST = "The connection is lost. Trying again…"
ABOVE_THE_TABLE = """() => {
  const [banner, table] = ['.banner', '.table'].map((one) =>
    document.querySelector(one).getBoundingClientRect())
  return [table.top - banner.bottom, table.bottom]
}"""


def test_a_server_goes_away_and_comes_back(browser: Browser, tmp_path: Path) -> None:
    with process(str(tmp_path / "tables.db")) as server, visiting(browser, server.address) as ada:
        client = Client(server.address, "Ada", patience=30)
        table = client.open(chairs=[{"who": "me"}, *BOTS], pace=0, begin=True, first=0)
        ada.be(client)
        ada.go(f"/table/{table}")
        ada.act()
        ada.wait()
        before = ada.ply
        server.kill()
        shows(ada.page.get_by_text(LOST))
        for size in (PHONE, DESKTOP):  # it covers nothing, and pushes nothing out of sight
            ada.page.set_viewport_size({"width": size[0], "height": size[1]})
            ada.rest()
            top, bottom = ada.page.evaluate(ABOVE_THE_TABLE)
            assert top >= 0
            assert bottom <= size[1]
        # A move that nobody has taken is not shown.
        ada.page.locator("button[data-card]").first.click()
        ada.page.locator("button[data-block]:not(.off)").first.click()
        ada.page.locator("[data-site].can > .ring").first.click(force=True)
        ada.page.get_by_role("button", name="Build", exact=True).click()
        ada.page.wait_for_timeout(300)
        assert ada.ply == before
        server.start()
        expect(ada.page.get_by_text(LOST)).to_have_count(0, timeout=20_000)
        ada.until_after(before)  # it was said again, once
        ada.wait()
        server.kill()
        ada.page.get_by_role("link", name="Manhattan").click()
        ada.page.get_by_role("button", name=re.compile("Play now")).click()
        shows(ada.page.get_by_role("alert").get_by_text("The server can’t be reached."))
        server.start()
        ada.page.get_by_role("button", name=re.compile("Play now")).click()
        shows(ada.page.get_by_role("heading", name="Round 1 of 4"))
