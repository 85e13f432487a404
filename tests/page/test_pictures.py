"""Pictures for whoever changes the page: in `screenshots/`, beside those of the other tests."""

from __future__ import annotations

from typing import Final, Literal

import pytest
from playwright.sync_api import Browser

from serving import Running, play_on
from visitor import BOTS, DESKTOP, PHONE, Visitor, shows, visiting

DEVICES: Final = {"desktop": DESKTOP, "phone": PHONE}
THEMES: Final[tuple[Literal["light", "dark"], ...]] = ("dark", "light")


@pytest.mark.parametrize("device", DEVICES)
def test_the_pages_by_day_and_by_night(browser: Browser, up: Running, device: str) -> None:
    client = up.client("Ada")
    over, table = (
        client.open(chairs=[{"who": "me"}, *BOTS], pace=0, begin=True, first=0, edition="hig-1994")
        for _ in range(2)
    )
    with client.at(over) as seat:
        play_on(seat)
    with client.at(table) as seat:
        play_on(seat, 17)
    with visiting(browser, up.address, DEVICES[device]) as ada:
        ada.be(client)
        _pictures(ada, table, over, device)


def _pictures(visitor: Visitor, table: str, over: str, device: str) -> None:
    page = visitor.page

    def shot(name: str) -> None:
        for theme in THEMES:
            page.emulate_media(color_scheme=theme)
            visitor.shot(f"{name}-{device}-{theme}")

    visitor.go("/")
    shows(page.locator(".city .tower"))
    shot("home")
    visitor.go(f"/table/{table}")
    visitor.wait()
    page.locator("[data-card]").first.click()
    page.locator("button[data-block]:not(.off)").first.click()
    for _ in range(2):
        shot("table-skyline" if page.locator("svg [data-site]").count() else "table-plan")
        page.keyboard.press("v")
    visitor.go(f"/table/{over}")
    shows(visitor.dialog.get_by_text("Fair: verified"))
    shot("end")
    visitor.go(f"/replay/{over}")
    page.get_by_role("button", name="To the end").click()
    shot("replay")
    page.get_by_role("button", name="Score sheet").click()
    shows(visitor.dialog.locator(".sheet .total"))
    page.wait_for_timeout(800)  # row by row
    shot("score-sheet")
    visitor.go("/learn/4")
    shows(page.locator(".dock"))
    shot("tutorial")
