"""Playing by touch: real touch events, which a click of a test does not send."""

from __future__ import annotations

from typing import Final

import pytest
from playwright.sync_api import Browser, expect

from support.browser_user import BOTS, PHONE, expect_visible, open_browser, open_table
from support.server_fixtures import RunningServer

TABLET: Final = (1024, 768)


@pytest.mark.parametrize("size", [PHONE, TABLET])
@pytest.mark.parametrize("mode", ["plan", "skyline"])
def test_card_block_and_site_are_picked_with_one_tap_each(
    browser: Browser, server: RunningServer, size: tuple[int, int], mode: str
) -> None:
    with open_browser(browser, server.address, size, touch=True) as ada:
        open_table(ada, server, *BOTS, first=0)
        ada.do_task()
        assert ada.wait_for_task() == "build"
        if ada.page.locator(f".board .{'plan' if mode == 'plan' else 'scene'}").count() == 0:
            ada.page.keyboard.press("v")
        ada.press(ada.page.locator("button[data-card]:not(.off)").first)
        ada.press(ada.page.locator("button[data-block]:not([disabled]):not(.off)").first)
        build = ada.page.get_by_role("button", name="Build", exact=True)
        sites = ada.page.locator("[data-site].can > .ring, [data-site].open")
        ada.press(sites.first, force=True)  # once: the ghost must not swallow the tap
        expect(build).to_be_enabled()
        before = ada.ply
        ada.press(build)
        ada.wait_past_ply(before)


def test_a_whole_game_is_played_by_touch_alone(browser: Browser, server: RunningServer) -> None:
    with open_browser(browser, server.address, PHONE, touch=True) as ada:
        open_table(ada, server, *BOTS, first=0)
        assert ada.play_to_end() > 28  # four selections, 24 placements, the score sheets
        expect_visible(ada.dialog.locator(".podium"))
