"""Layout: what has to be visible at each size of screen, from the smallest phone to a desktop."""

from __future__ import annotations

from typing import Final

import pytest
from playwright.sync_api import Browser, Locator, expect

from support.browser_user import BOTS, BrowserUser, expect_visible, open_browser
from support.server_fixtures import RunningServer, play_on

SMALLEST_PHONE: Final = (320, 568)
LANDSCAPE_PHONE: Final = (844, 390)

on_small_screens = pytest.mark.parametrize("size", [SMALLEST_PHONE, LANDSCAPE_PHONE])


def table_after(
    user: BrowserUser, server: RunningServer, moves: int, others: list[dict[str, str]] = BOTS
) -> str:
    """Let an API client play some moves at a new table with bots; return the table."""
    client = server.client("Ada")
    table = client.open_table(
        seats=[{"occupant": "me"}, *others], bot_delay_ms=0, start=True, first=0
    )
    with client.connect(table) as seat:
        play_on(seat, moves)
    user.sign_in(client)
    return table


def finished_table(user: BrowserUser, server: RunningServer) -> str:
    return table_after(user, server, 10**6)


def expect_inside_screen(user: BrowserUser, element: Locator) -> None:
    """Expect an element to be visible as a whole, without scrolling."""
    expect_visible(element)
    box = element.first.bounding_box()
    size = user.page.viewport_size
    assert box
    assert size
    assert box["x"] >= 0
    assert box["y"] >= 0
    assert box["x"] + box["width"] <= size["width"]
    assert box["y"] + box["height"] <= size["height"]


@on_small_screens
def test_the_result_opens_at_its_headline(
    browser: Browser, server: RunningServer, size: tuple[int, int]
) -> None:
    """The button with the focus is visible too, at the bottom."""
    with open_browser(browser, server.address, size) as ada:
        ada.go(f"/table/{finished_table(ada, server)}")
        again = ada.dialog.get_by_role("button", name="Play again")
        expect(again).to_be_focused()
        ada.settle()
        expect_inside_screen(ada, ada.dialog.get_by_role("heading", level=1))
        expect_inside_screen(ada, again)
        expect_inside_screen(ada, ada.dialog.get_by_role("link", name="Replay"))


def test_the_tutorial_fits_the_smallest_phone(browser: Browser, server: RunningServer) -> None:
    with open_browser(browser, server.address, SMALLEST_PHONE) as ada:
        for step in (1, 2, 5, 8):
            ada.go(f"/learn/{step}")
            expect_visible(ada.page.locator(".dock"))
            ada.settle()
            assert ada.page.evaluate("document.documentElement.scrollWidth") == 320
            controls = "header a, header button, .dock button, .cell"
            assert ada.page.evaluate(FIND_BESIDE_SCREEN, controls) == [], step


FIND_BESIDE_SCREEN: Final = """(selector) => [...document.querySelectorAll(selector)]
  .filter((element) => element.checkVisibility())
  .map((element) => [element.outerHTML.slice(0, 90), element.getBoundingClientRect()])
  .filter(([, box]) => box.left < 0 || box.right > innerWidth)
  .map(([text]) => text)"""
"""Elements that are cut off at the left or the right edge of the screen."""
