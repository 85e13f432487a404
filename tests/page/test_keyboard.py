"""A whole game without a mouse, and without looking: by keys, labels and what is announced."""

from __future__ import annotations

import re

from playwright.sync_api import Browser, Locator, expect

from serving import Running
from visitor import BOTS, Visitor, at_a_table, shows, visiting


def announced(visitor: Visitor) -> str:
    """What a screen reader says of the game."""
    return visitor.page.get_by_role("log").inner_text()


def press_on(visitor: Visitor, one: Locator) -> None:
    """Walk to something with the Tab key, and press it."""
    one.first.wait_for()
    for _ in range(60):
        if one.first.evaluate("one => one === document.activeElement"):
            visitor.page.keyboard.press("Enter")
            return
        visitor.page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not lead to {one}")


def choose_by_keys(visitor: Visitor) -> None:
    more = visitor.page.get_by_role("button", name=re.compile("One block more of 1 floor"))
    two = visitor.page.get_by_role("button", name=re.compile("One block more of 2 floors"))
    take = visitor.page.get_by_role("button", name="Take these")
    while take.is_disabled():
        press_on(visitor, more if more.is_enabled() else two if two.is_enabled() else _any(visitor))
    press_on(visitor, take)
    take.wait_for(state="detached")


def _any(visitor: Visitor) -> Locator:
    return visitor.page.get_by_role("button", name=re.compile("One block more"), disabled=False)


def build_by_keys(visitor: Visitor) -> None:
    """A card by its number, a block by its size, a site by walking to one whose label says so."""
    page, before = visitor.page, visitor.ply
    for card in "1234":
        page.keyboard.press("Escape")
        page.keyboard.press(card)
        for size in "1234":
            page.keyboard.press(f"Shift+Digit{size}")
            blocks = page.get_by_role("group", name="Blocks of this round")
            if not blocks.get_by_role("button", pressed=True).count():
                continue  # there is none of this size
            open_site = page.get_by_role("button", name=re.compile("you can build here"))
            if open_site.count():
                walk_to(visitor, open_site.first)
                page.keyboard.press("Enter")
                shows(page.get_by_role("button", name="Build", exact=True))
                page.keyboard.press("Enter")
                visitor.until_after(before)
                return
    raise AssertionError("no card and block go together")


def walk_to(visitor: Visitor, site: Locator) -> None:
    """With the arrow keys over the board, which one Tab leads into."""
    page = visitor.page
    page.locator("[data-site][tabindex='0']").focus()
    row, column = _place(site)
    for _ in range(40):
        here = page.locator("[data-site]:focus")
        at_row, at_column = _place(here)
        if (at_row, at_column) == (row, column):
            return
        key = "ArrowDown" if at_row < row else "ArrowUp" if at_row > row else ""
        key = key or ("ArrowRight" if at_column < column else "ArrowLeft")
        page.keyboard.press(key)
    raise AssertionError("the arrow keys do not lead there")


def _place(site: Locator) -> tuple[int, int]:
    """Where a site is in the rows and columns of the whole board, as South sees it."""
    index = int(site.get_attribute("data-site") or 0)
    city, place = divmod(index, 9)
    return city // 3 * 3 + place // 3, city % 3 * 3 + place % 3


def test_a_whole_game_by_keyboard_and_labels_only(browser: Browser, up: Running) -> None:
    with visiting(browser, up.address) as ada:
        at_a_table(ada, up, *BOTS, first=0)
        heard: list[str] = []
        while True:
            what = ada.wait()
            heard.append(announced(ada))
            if what == "end":
                break
            if what == "sheet":
                ada.page.keyboard.press("Enter")
                ada.dialog.locator(".sheet").wait_for(state="detached")
            elif what == "choose":
                choose_by_keys(ada)
            else:
                build_by_keys(ada)
        assert any(re.search(r"took over [A-F]\d, .* from .*\d to \d", one) for one in heard)
        assert all("Your turn" in one for one in heard[:5])
        ada.page.keyboard.press("Escape")
        shows(ada.page.get_by_role("button", name="Show the result"))


def test_the_keys_are_listed_and_the_view_changes_with_one(browser: Browser, up: Running) -> None:
    with visiting(browser, up.address) as ada:
        at_a_table(ada, up, *BOTS)
        ada.wait()
        ada.page.locator("[data-site]").nth(53).wait_for()  # site by site at first
        ada.page.keyboard.press("v")
        shows(ada.page.locator(".cells"))
        # Who stands on a site when he presses it still does, and is told about it.
        ada.page.locator("[data-name=D8]").focus()
        for view in ("svg [data-site]", ".cells", "svg [data-site]"):
            ada.page.keyboard.press("v")
            shows(ada.page.locator(view))
            shows(ada.page.locator("[data-name=D8][tabindex='0']:focus"))
            shows(ada.page.locator(".board .tip"))
        ada.page.keyboard.press("?")
        shows(ada.dialog.get_by_role("heading", name="Keys"))
        ada.page.keyboard.press("Escape")
        assert ada.dialog.count() == 0
        # A dialog keeps the keys to itself, and the focus: where a button makes room for another.
        settings = ada.page.get_by_role("banner").get_by_role("button", name="Settings")
        settings.click()
        ada.dialog.get_by_role("button", name="Resign").click()
        expect(ada.dialog.get_by_role("button", name="Cancel")).to_be_focused()
        ada.page.keyboard.press("Enter")
        expect(ada.dialog.get_by_role("button", name="Resign")).to_be_focused()
        ada.page.evaluate("document.activeElement.blur()")
        ada.page.keyboard.press("v")
        ada.rest()
        shows(ada.page.locator("svg [data-site]"))
        ada.page.keyboard.press("Escape")
        assert ada.dialog.count() == 0
        expect(settings).to_be_focused()
