"""Keyboard and screen reader: a whole game by keys, accessible names and announcements."""

from __future__ import annotations

import re

from playwright.sync_api import Browser, Locator, expect

from support.browser_user import BOTS, BrowserUser, expect_visible, open_browser, open_table
from support.server_fixtures import RunningServer


def announcement(user: BrowserUser) -> str:
    """The content of the live region."""
    return user.page.get_by_role("log").inner_text()


def tab_to_and_press(user: BrowserUser, target: Locator) -> None:
    """Move the focus with the Tab key to an element, and press Enter."""
    target.first.wait_for()
    for _ in range(60):
        if target.first.evaluate("element => element === document.activeElement"):
            user.page.keyboard.press("Enter")
            return
        user.page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not reach {target}")


def select_blocks_by_keys(user: BrowserUser) -> None:
    one_floor = user.page.get_by_role("button", name=re.compile("One block more: 1 floor"))
    two_floors = user.page.get_by_role("button", name=re.compile("One block more: 2 floors"))
    confirm = user.page.get_by_role("button", name="Take these blocks")
    while confirm.is_disabled():
        enabled = (button for button in (one_floor, two_floors) if button.is_enabled())
        tab_to_and_press(user, next(enabled, _any_size(user)))
    tab_to_and_press(user, confirm)
    confirm.wait_for(state="detached")


def _any_size(user: BrowserUser) -> Locator:
    return user.page.get_by_role("button", name=re.compile("One block more"), disabled=False)


def build_by_keys(user: BrowserUser) -> None:
    """Pick a card by its number, a block by its size, and a site whose accessible name is open."""
    page, before = user.page, user.ply
    for card in "1234":
        page.keyboard.press("Escape")
        page.keyboard.press(card)
        for size in "1234":
            page.keyboard.press(f"Shift+Digit{size}")
            blocks = page.get_by_role("group", name="This round’s blocks")
            if not blocks.get_by_role("button", pressed=True).count():
                continue  # no block of this size
            open_site = page.get_by_role("button", name=re.compile("you can build here"))
            if open_site.count():
                move_to(user, open_site.first)
                page.keyboard.press("Enter")
                expect_visible(page.get_by_role("button", name="Build", exact=True))
                page.keyboard.press("Enter")
                user.wait_past_ply(before)
                return
    raise AssertionError("no card goes with any block")


def move_to(user: BrowserUser, site: Locator) -> None:
    """Move the focus to a site with the arrow keys. The board is one stop of the Tab key."""
    page = user.page
    page.locator("[data-site][tabindex='0']").focus()
    row, column = _grid_position(site)
    for _ in range(40):
        focused = page.locator("[data-site]:focus")
        at_row, at_column = _grid_position(focused)
        if (at_row, at_column) == (row, column):
            return
        key = "ArrowDown" if at_row < row else "ArrowUp" if at_row > row else ""
        key = key or ("ArrowRight" if at_column < column else "ArrowLeft")
        page.keyboard.press(key)
    raise AssertionError("the arrow keys do not reach the site")


def _grid_position(site: Locator) -> tuple[int, int]:
    """Row and column of a site on the whole board, as seen from the south."""
    index = int(site.get_attribute("data-site") or 0)
    city, position = divmod(index, 9)
    return city // 3 * 3 + position // 3, city % 3 * 3 + position % 3


def test_a_whole_game_by_keyboard_and_accessible_names(
    browser: Browser, server: RunningServer
) -> None:
    with open_browser(browser, server.address) as ada:
        open_table(ada, server, *BOTS, first=0)
        announcements: list[str] = []
        while True:
            task = ada.wait_for_task()
            announcements.append(announcement(ada))
            if task == "end":
                break
            if task == "sheet":
                ada.page.keyboard.press("Enter")
                ada.dialog.locator(".sheet").wait_for(state="detached")
            elif task == "select":
                select_blocks_by_keys(ada)
            else:
                build_by_keys(ada)
        takeover = re.compile(r"took over [A-F]\d, .* from .*\d to \d")
        assert any(map(takeover.search, announcements))
        assert all("Your turn" in text for text in announcements[:5])
        ada.page.keyboard.press("Escape")
        expect_visible(ada.page.get_by_role("button", name="Show the result"))


def test_shortcuts_are_listed_and_change_the_board_mode(
    browser: Browser, server: RunningServer
) -> None:
    with open_browser(browser, server.address) as ada:
        open_table(ada, server, *BOTS)
        ada.wait_for_task()
        ada.page.locator("[data-site]").nth(53).wait_for()  # the first rendering is progressive
        ada.page.keyboard.press("v")
        expect_visible(ada.page.locator(".cells"))
        # A focused site keeps its focus and its tooltip when the board mode changes.
        ada.page.locator("[data-name=D8]").focus()
        for drawing in ("svg [data-site]", ".cells", "svg [data-site]"):
            ada.page.keyboard.press("v")
            expect_visible(ada.page.locator(drawing))
            expect_visible(ada.page.locator("[data-name=D8][tabindex='0']:focus"))
            expect_visible(ada.page.locator(".board .tip"))
        ada.page.keyboard.press("?")
        expect_visible(ada.dialog.get_by_role("heading", name="Keyboard shortcuts"))
        ada.page.keyboard.press("Escape")
        assert ada.dialog.count() == 0
        # A dialog keeps the focus, even when the focused button is replaced, and all keys.
        settings = ada.page.get_by_role("banner").get_by_role("button", name="Settings")
        settings.click()
        ada.dialog.get_by_role("button", name="Resign").click()
        expect(ada.dialog.get_by_role("button", name="Cancel")).to_be_focused()
        ada.page.keyboard.press("Enter")
        expect(ada.dialog.get_by_role("button", name="Resign")).to_be_focused()
        ada.page.evaluate("document.activeElement.blur()")
        ada.page.keyboard.press("v")
        ada.settle()
        expect_visible(ada.page.locator("svg [data-site]"))
        ada.page.keyboard.press("Escape")
        assert ada.dialog.count() == 0
        expect(settings).to_be_focused()
