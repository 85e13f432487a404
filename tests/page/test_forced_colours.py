"""Forced colours (high contrast): what is drawn by backgrounds and shadows stays visible."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Locator

from support.browser_user import (
    BOTS,
    DESKTOP,
    PHONE,
    BrowserUser,
    expect_visible,
    open_browser,
    open_table,
)
from support.server_fixtures import RunningServer


def style(element: Locator, name: str) -> str:
    value: str = element.evaluate("(element, name) => getComputedStyle(element)[name]", name)
    return value


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE])
def test_cards_marks_and_progress_are_visible_in_forced_colours(
    browser: Browser, server: RunningServer, size: tuple[int, int], theme: str
) -> None:
    with open_browser(
        browser, server.address, size, forced_colors="active", color_scheme=theme
    ) as ada:
        open_table(ada, server, *BOTS, first=0)
        ada.do_task()
        assert ada.wait_for_task() == "build"
        ada.page.locator("button[data-card]").first.click()
        ada.page.locator("button[data-block]:not(.off)").first.click()
        ada.settle()
        card = ada.page.locator("button[data-card]").first
        position = int(card.get_attribute("data-card") or 0)
        places = card.locator("i")
        colours = [style(place, "backgroundColor") for place in places.all()]
        assert colours.count(colours[position - 1]) == 1
        for picked, other in (("card", "card"), ("block", "block")):
            frames = [
                style(
                    ada.page.locator(f"button[data-{name}][aria-pressed={on}]").first, "boxShadow"
                )
                for name, on in ((picked, "true"), (other, "false"))
            ]
            assert frames[0] != "none"
            assert frames[0] != frames[1]
        _expect_progress(ada)
        expect_visible(ada.page.locator("[data-site].can > .ring, [data-site].open .ring"))
        ada.screenshot(f"forced-colours-{size[0]}-{theme}")


def _expect_progress(user: BrowserUser) -> None:
    part = user.page.locator(".track b").first
    assert style(part, "backgroundColor") != style(part.locator(".."), "backgroundColor")
