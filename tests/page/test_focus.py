"""The keyboard focus and the order of the accessibility tree."""

from __future__ import annotations

import re

from playwright.sync_api import Browser, expect

from support.browser_user import BOTS, BrowserUser, expect_visible, open_browser, open_table
from support.server_fixtures import RunningServer, play_on

DESCRIBE_FOCUS = """() => {
  const element = document.activeElement
  return element.hasAttribute('data-site') ? 'site' : element.tagName.toLowerCase()
}"""


def focus_of(user: BrowserUser) -> str:
    kind: str = user.page.evaluate(DESCRIBE_FOCUS)
    return kind


def test_an_arrow_key_enters_the_board_from_anywhere(
    browser: Browser, server: RunningServer
) -> None:
    with open_browser(browser, server.address) as ada:
        open_table(ada, server, *BOTS, first=0)
        ada.do_task()
        assert ada.wait_for_task() == "build"
        assert focus_of(ada) != "site"
        ada.page.keyboard.press("ArrowRight")
        assert focus_of(ada) == "site"
        # From a button the arrow leads to a site that can be built on.
        card = ada.page.locator("button[data-card]").last
        card.focus()
        ada.page.keyboard.press("Enter")
        ada.page.keyboard.press("ArrowDown")
        focused = ada.page.locator("[data-site]:focus")
        expect(focused).to_have_accessible_name(re.compile("you can build here"))
        ada.page.keyboard.press("ArrowLeft")
        assert focus_of(ada) == "site"
        # A field needs its arrow keys.
        ada.page.get_by_role("banner").get_by_role("button", name="Settings").click()
        ada.dialog.get_by_role("combobox").first.focus()
        ada.page.keyboard.press("ArrowDown")
        assert focus_of(ada) == "select"


def test_the_board_is_one_stop_of_the_tab_key(browser: Browser, server: RunningServer) -> None:
    with open_browser(browser, server.address) as ada:
        open_table(ada, server, *BOTS, first=0)
        ada.wait_for_task()
        ada.page.locator("[data-site]").nth(53).wait_for()
        for _ in range(2):  # in both board modes
            ada.page.get_by_role("banner").get_by_role("button", name="Settings").focus()
            ada.page.keyboard.press("Tab")
            assert focus_of(ada) == "site"
            ada.page.keyboard.press("Tab")
            assert focus_of(ada) == "button"
            ada.page.keyboard.press("v")
            ada.settle()


def test_the_focus_stays_in_the_dock_after_a_build_and_a_score_sheet(
    browser: Browser, server: RunningServer
) -> None:
    with open_browser(browser, server.address, reduced_motion="reduce") as ada:
        client = server.client("Ada")
        table = client.open_table(
            seats=[{"occupant": "me"}, *BOTS], bot_delay_ms=0, start=True, first=0
        )
        with client.connect(table) as seat:
            play_on(seat, 5)
        ada.sign_in(client)
        ada.go(f"/table/{table}")
        ada.wait_for_task()
        dock = ada.page.get_by_role("region", name="Ada: cards and blocks")
        ada.build()
        expect(dock).to_be_focused()
        ada.wait_for_task()
        ada.build()
        expect_visible(ada.dialog.get_by_role("heading", name="Round 1"))
        ada.page.keyboard.press("Enter")
        expect(ada.dialog).to_have_count(0)
        # On a busy machine the blocks of the next round can follow the dialog with a delay.
        assert ada.wait_for_task() == "select"
        expect(dock).to_be_focused()
        ada.page.keyboard.press("Tab")
        assert ada.page.evaluate("document.activeElement.closest('section.dock') !== null")
        # Also if nothing had the focus when a dialog opened.
        ada.page.evaluate("document.activeElement.blur()")
        ada.page.keyboard.press("?")
        ada.page.keyboard.press("Escape")
        expect(dock).to_be_focused()


def test_screen_readers_read_both_board_modes_city_by_city(
    browser: Browser, server: RunningServer
) -> None:
    """In the skyline, each city is a group with its name and leader."""
    with open_browser(browser, server.address) as ada:
        open_table(ada, server, *BOTS, first=0)
        ada.wait_for_task()
        ada.page.locator("[data-site]").nth(53).wait_for()
        board = ada.page.get_by_role("group", name="The six cities")
        expected = [f"{city}{number}" for city in "ABCDEF" for number in range(1, 10)]
        skyline = board.aria_snapshot()
        assert re.findall(r'button "([A-F][1-9]),', skyline) == expected
        assert re.findall(r'group "([A-F]), empty"', skyline) == list("ABCDEF")
        ada.page.keyboard.press("v")
        expect_visible(ada.page.locator(".cells"))
        assert re.findall(r'button "([A-F][1-9]),', board.aria_snapshot()) == expected
