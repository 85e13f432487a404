"""The tutorial in a browser: every step can be solved on a desktop, on the smallest phone and by
keys, and errors are explained."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Locator, expect

from support.browser_user import DESKTOP, PHONE, BrowserUser, expect_visible, open_browser
from support.server_fixtures import RunningServer

SMALLEST = (360, 640)
BUILDS = {
    2: (3, "orange3", "D3"),
    4: (5, "orange4", "C5"),
    5: (5, "orange2", "C5"),
    7: (5, "orange2", "D5"),
    8: (7, "orange4", "D7"),
    9: (5, "blue1", "B5"),
}
"""The card, block and site that solve a step."""


def outcome(user: BrowserUser) -> Locator:
    return user.page.locator(".outcome")


def pick(user: BrowserUser, card: int, block: str, site: str) -> None:
    page = user.page
    if page.locator(f"[data-card='{card}']").get_attribute("aria-pressed") == "false":
        page.click(f"[data-card='{card}']")
    page.locator(f"[data-block='{block}']").first.click()
    page.locator(f"[data-name='{site}']").dispatch_event("click")


def build(user: BrowserUser, card: int, block: str, site: str) -> None:
    pick(user, card, block, site)
    user.page.get_by_role("button", name="Build", exact=True).click()


def solve(user: BrowserUser, number: int) -> None:
    page = user.page
    if number == 1:
        assert not page.locator("[data-card]").count()  # there is nothing to do but to read
    elif number == 3:
        page.click("[data-card='3']")
        page.get_by_role("group", name="Whose view?").get_by_text("Jonas").click()
    elif number == 6:
        user.select_blocks()
    else:
        build(user, *BUILDS[number])
    if number == 7:
        expect_visible(user.dialog.get_by_text("Tallest tower, 13 floors"))
        # A city without towers is empty, not tied.
        notes = user.dialog.locator("th small")
        expect(notes).to_have_text(
            [*("3", "2", "2", "tied", "2", "2", "empty"), "1", "after one round"]
        )
        user.dialog.get_by_role("button", name="Back to the tutorial").click()
    expect_visible(outcome(user).get_by_role("paragraph"))


def solve_within(user: BrowserUser, number: int, width: int) -> None:
    """Solve a step; the page is never wider than the screen."""
    user.page.locator(".dock").wait_for()
    solve(user, number)
    assert user.page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(
    "size",
    [
        pytest.param(DESKTOP, marks=pytest.mark.thorough),
        PHONE,
        pytest.param(SMALLEST, marks=pytest.mark.thorough),
    ],
)
def test_the_whole_tutorial(browser: Browser, server: RunningServer, size: tuple[int, int]) -> None:
    """From the home page to a first game, without horizontal scrolling."""
    with open_browser(browser, server.address, size) as ada:
        ada.go("/")
        ada.page.get_by_role("link", name=re.compile("Learn")).click()
        for number in range(1, 9):
            expect_visible(ada.page.locator(f"[href='/learn/{number}'][aria-current=step]"))
            solve_within(ada, number, size[0])
            if number < 8:
                outcome(ada).get_by_role("link", name="Next").click()
                ada.page.wait_for_url(f"**/learn/{number + 1}")
        expect_visible(outcome(ada).get_by_role("button", name="Play now"))
        outcome(ada).get_by_role("link", name="Extra: two players").click()
        solve_within(ada, 9, size[0])
        outcome(ada).get_by_role("button", name="Play now").click()
        ada.page.wait_for_url("**/table/*")


def test_an_illegal_move_is_explained(browser: Browser, server: RunningServer) -> None:
    with open_browser(browser, server.address) as ada:
        logged: list[str] = []
        ada.page.on("console", lambda message: logged.append(message.text))
        ada.go("/learn/5")
        pick(ada, 5, "orange1", "C5")
        expect_visible(
            ada.page.get_by_role("alert").get_by_text("C5: 3 floors for blue, 2 for you.")
        )
        assert not outcome(ada).count()
        build(ada, 5, "orange2", "C5")
        expect_visible(outcome(ada).get_by_text("the whole tower is yours"))
        assert logged == []  # a mistake is not a failed request


@pytest.mark.thorough
def test_a_missed_task_can_be_repeated(browser: Browser, server: RunningServer) -> None:
    with open_browser(browser, server.address) as ada:
        ada.go("/learn/8")
        build(ada, 7, "orange4", "A7")
        expect_visible(outcome(ada).get_by_text("That brings 4 points."))
        outcome(ada).get_by_role("button", name="Try again").click()
        solve(ada, 8)
        expect_visible(outcome(ada).get_by_text("6 points: 3 for the tallest tower"))


def test_a_card_names_other_sites_from_another_seat(
    browser: Browser, server: RunningServer
) -> None:
    with open_browser(browser, server.address, PHONE) as ada:
        ada.go("/learn/3")
        ada.page.click("[data-card='3']")
        named = ada.page.locator(".cell.open")
        expect(named).to_have_count(6)
        assert {site.get_attribute("data-name") for site in named.all()} == set(_in_every_city("3"))
        seats = ada.page.get_by_role("group", name="Whose view?")
        for name, position in (("Jonas", "9"), ("Inês", "7"), ("Tariq", "1"), ("You", "3")):
            seats.get_by_text(name).click()
            expect_visible(ada.page.locator(f".cell.open[data-name='F{position}']"))
            assert {site.get_attribute("data-name") for site in named.all()} == set(
                _in_every_city(position)
            )


def _in_every_city(position: str) -> list[str]:
    return [f"{city}{position}" for city in "ABCDEF"]


@pytest.mark.thorough
def test_a_step_by_keyboard_and_announcements(browser: Browser, server: RunningServer) -> None:
    with open_browser(browser, server.address) as ada:
        page = ada.page
        ada.go("/learn/5")
        page.locator(".dock").wait_for()
        page.keyboard.press("2")
        page.keyboard.press("Shift+Digit2")
        site = page.get_by_role("button", name=re.compile("^C5, centre: .*you can build here"))
        site.focus()
        page.keyboard.press("Enter")
        page.keyboard.press("Enter")
        expect(page.get_by_role("log")).to_contain_text("the whole tower is yours")
        expect(outcome(ada).get_by_role("link", name="Next")).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="Choose blocks")).to_be_focused()


def test_the_tutorial_keeps_no_state_but_the_address(
    browser: Browser, server: RunningServer
) -> None:
    with open_browser(browser, server.address, language="de") as ada:
        ada.go("/learn/4")
        expect_visible(ada.page.get_by_role("heading", name="Höher bauen"))
        assert ada.page.evaluate("localStorage.length") == 0
        for unknown in ("/learn/10", "/learn/-1"):
            ada.go(unknown)
            expect_visible(ada.page.get_by_role("link"))
            assert not ada.page.locator(".dock").count()
