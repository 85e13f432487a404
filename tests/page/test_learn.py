"""The tutorial in a browser: every step can be done, by mouse on a desktop, by hand on the smallest
phone, by keys; and what is wrong is explained."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Locator, expect

from serving import Running
from visitor import DESKTOP, PHONE, Visitor, shows, visiting

SMALLEST = (360, 640)
BUILDS = {
    2: (3, "orange3", "D3"),
    3: (5, "orange4", "C5"),
    4: (5, "orange2", "C5"),
    6: (5, "orange2", "D5"),
    7: (5, "blue1", "B5"),
    8: (7, "orange4", "D7"),
}
"""Card, block and site that solve a step."""


def outcome(visitor: Visitor) -> Locator:
    return visitor.page.locator(".outcome")


def pick(visitor: Visitor, card: int, block: str, site: str) -> None:
    page = visitor.page
    if page.locator(f"[data-card='{card}']").get_attribute("aria-pressed") == "false":
        page.click(f"[data-card='{card}']")
    page.locator(f"[data-block='{block}']").first.click()
    page.locator(f"[data-name='{site}']").dispatch_event("click")


def build(visitor: Visitor, card: int, block: str, site: str) -> None:
    pick(visitor, card, block, site)
    visitor.page.get_by_role("button", name="Build", exact=True).click()


def solve(visitor: Visitor, number: int) -> None:
    page = visitor.page
    if number == 1:
        page.click("[data-card='3']")
        page.get_by_role("group", name="Through whose eyes?").get_by_text("Jonas").click()
    elif number == 5:
        visitor.choose()
    else:
        build(visitor, *BUILDS[number])
    if number == 6:
        shows(visitor.dialog.get_by_text("Tallest tower, 13 floors"))
        visitor.dialog.get_by_role("button", name="Back to the tutorial").click()
    shows(outcome(visitor).get_by_role("paragraph"))


@pytest.mark.parametrize(
    "size",
    [
        pytest.param(DESKTOP, marks=pytest.mark.thorough),
        PHONE,
        pytest.param(SMALLEST, marks=pytest.mark.thorough),
    ],
)
def test_the_whole_tutorial(browser: Browser, up: Running, size: tuple[int, int]) -> None:
    """From the first page to a game of one's own, and nothing ever sticks out."""
    with visiting(browser, up.address, size) as ada:
        ada.go("/")
        ada.page.get_by_role("link", name=re.compile("Learn")).click()
        for number in range(1, 9):
            shows(ada.page.locator(f"[href='/learn/{number}'][aria-current=step]"))
            ada.page.locator(".dock").wait_for()
            solve(ada, number)
            assert ada.page.evaluate("document.documentElement.scrollWidth") <= size[0]
            if number < 8:
                outcome(ada).get_by_role("link", name="Next").click()
                ada.page.wait_for_url(f"**/learn/{number + 1}")
        outcome(ada).get_by_role("button", name="Play now").click()
        ada.page.wait_for_url("**/table/*")


def test_what_is_refused_is_explained(browser: Browser, up: Running) -> None:
    with visiting(browser, up.address) as ada:
        ada.go("/learn/4")
        pick(ada, 5, "orange1", "C5")
        shows(ada.page.get_by_role("alert").get_by_text("C5 is blue’s with 3 floors"))
        assert not outcome(ada).count()
        build(ada, 5, "orange2", "C5")
        shows(outcome(ada).get_by_text("the whole tower is yours"))


@pytest.mark.thorough
def test_something_else_can_be_tried_again(browser: Browser, up: Running) -> None:
    with visiting(browser, up.address) as ada:
        ada.go("/learn/8")
        build(ada, 7, "orange4", "A7")
        shows(outcome(ada).get_by_text("That brings 4 points."))
        outcome(ada).get_by_role("button", name="Try again").click()
        solve(ada, 8)
        shows(outcome(ada).get_by_text("6 points: 3 for the tallest tower"))


def test_a_card_means_other_sites_from_another_chair(browser: Browser, up: Running) -> None:
    with visiting(browser, up.address, PHONE) as ada:
        ada.go("/learn/1")
        ada.page.click("[data-card='3']")
        named = ada.page.locator(".cell.open")
        expect(named).to_have_count(6)
        assert {one.get_attribute("data-name") for one in named.all()} == set(_all("3"))
        chairs = ada.page.get_by_role("group", name="Through whose eyes?")
        for name, site in (("Jonas", "9"), ("Inês", "7"), ("Tariq", "1"), ("You", "3")):
            chairs.get_by_text(name).click()
            shows(ada.page.locator(f".cell.open[data-name='F{site}']"))
            assert {one.get_attribute("data-name") for one in named.all()} == set(_all(site))


def _all(site: str) -> list[str]:
    return [f"{city}{site}" for city in "ABCDEF"]


@pytest.mark.thorough
def test_by_keys_and_by_ear(browser: Browser, up: Running) -> None:
    with visiting(browser, up.address) as ada:
        page = ada.page
        ada.go("/learn/4")
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


def test_an_address_is_all_that_is_remembered(browser: Browser, up: Running) -> None:
    with visiting(browser, up.address, language="de") as ada:
        ada.go("/learn/3")
        shows(ada.page.get_by_role("heading", name="Höher bauen"))
        assert ada.page.evaluate("localStorage.length") == 0
        for nowhere in ("/learn/9", "/learn/-1"):
            ada.go(nowhere)
            shows(ada.page.get_by_role("link"))
            assert not ada.page.locator(".dock").count()
