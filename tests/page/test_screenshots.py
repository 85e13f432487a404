"""Screenshots of the main pages for visual review, in `tests/screenshots/`."""

from __future__ import annotations

from typing import Final, Literal

import pytest
from playwright.sync_api import Browser

from support.browser_user import BOTS, DESKTOP, PHONE, BrowserUser, expect_visible, open_browser
from support.server_fixtures import RunningServer, play_on

DEVICES: Final = {"desktop": DESKTOP, "phone": PHONE}
THEMES: Final[tuple[Literal["light", "dark"], ...]] = ("dark", "light")


@pytest.mark.parametrize("device", DEVICES)
def test_take_screenshots_in_both_themes(
    browser: Browser, server: RunningServer, device: str
) -> None:
    client = server.client("Ada")
    finished, running = (
        client.open_table(
            seats=[{"occupant": "me"}, *BOTS],
            bot_delay_ms=0,
            start=True,
            first=0,
            edition="hig-1994",
        )
        for _ in range(2)
    )
    with client.connect(finished) as seat:
        play_on(seat)
    with client.connect(running) as seat:
        play_on(seat, 17)
    with open_browser(browser, server.address, DEVICES[device]) as ada:
        ada.sign_in(client)
        _take_screenshots(ada, running, finished, device)


def _take_screenshots(user: BrowserUser, running: str, finished: str, device: str) -> None:
    page = user.page

    def screenshot(name: str) -> None:
        for theme in THEMES:
            page.emulate_media(color_scheme=theme)
            user.screenshot(f"{name}-{device}-{theme}")

    user.go("/")
    expect_visible(page.locator(".city .tower"))
    screenshot("home")
    user.go(f"/table/{running}")
    user.wait_for_task()
    page.locator("[data-card]").first.click()
    page.locator("button[data-block]:not(.off)").first.click()
    for _ in range(2):
        screenshot("table-skyline" if page.locator("svg [data-site]").count() else "table-plan")
        page.keyboard.press("v")
    user.go(f"/table/{finished}")
    expect_visible(user.dialog.get_by_text("Shuffle verified"))
    screenshot("end")
    user.go(f"/replay/{finished}")
    page.get_by_role("button", name="Go to end").click()
    screenshot("replay")
    page.get_by_role("button", name="Score sheet").click()
    expect_visible(user.dialog.locator(".sheet .total"))
    page.wait_for_timeout(800)  # the rows appear one by one
    screenshot("score-sheet")
    user.go("/learn/5")
    expect_visible(page.locator(".dock"))
    screenshot("tutorial")
