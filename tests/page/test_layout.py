"""Layout: what has to be visible at each size of screen, from the smallest phone to a desktop."""

from __future__ import annotations

from typing import Final

import pytest
from playwright.sync_api import Browser, Locator, expect

from support.browser_user import BOTS, BrowserUser, expect_visible, open_browser, open_table
from support.server_fixtures import RunningServer, play_on

SMALLEST_PHONE: Final = (320, 568)
LANDSCAPE_PHONE: Final = (844, 390)

on_small_screens = pytest.mark.parametrize("size", [SMALLEST_PHONE, LANDSCAPE_PHONE])

FIND_SCROLLABLE: Final = """() => [document.documentElement, ...document.querySelectorAll('*')]
  .filter((element) => element === document.documentElement
    || ['auto', 'scroll'].includes(getComputedStyle(element).overflowY))
  .filter((element) => element.scrollHeight > element.clientHeight)
  .map((element) => `${element.tagName}.${element.className}: ${element.scrollHeight}`)"""
"""Elements whose content is higher than they are."""
FIND_OVERLAPPING: Final = """([one, other]) => {
  const boxes = (selector) => [...document.querySelectorAll(selector)]
    .filter((element) => element.checkVisibility())
    .map((element) => element.getBoundingClientRect())
  return boxes(one).flatMap((a) => boxes(other)
    .filter((b) => a.left < b.right - 1 && b.left < a.right - 1
      && a.top < b.bottom - 3 && b.top < a.bottom - 3)
    .map((b) => [a, b].map((box) => [box.left, box.top, box.right, box.bottom].map(Math.round))))
}"""
"""Elements of one kind that lie over those of another one; shadows may touch."""


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


@pytest.mark.parametrize("size", [SMALLEST_PHONE, (360, 640), (390, 844)])
def test_no_city_lies_under_the_dock_of_a_phone(
    browser: Browser, server: RunningServer, size: tuple[int, int]
) -> None:
    with open_browser(browser, server.address, size) as ada:
        for others in (BOTS, BOTS[:1]):  # against one opponent, everybody has two colours
            ada.go(f"/table/{table_after(ada, server, 4, others)}")
            assert ada.wait_for_task() == "build"
            _expect_whole_board(ada)
            ada.page.locator("button[data-card]:not(.off)").first.click()
            _expect_whole_board(ada)
        ada.go(f"/replay/{finished_table(ada, server)}?at=60")
        expect_visible(ada.page.locator(".time"))
        _expect_whole_board(ada)


def _expect_whole_board(user: BrowserUser) -> None:
    expect(user.page.locator(".cell")).to_have_count(54)
    user.settle()
    assert user.overflowing(".cell, section.dock, section.dock button", "body") == []
    boxes = user.page.evaluate(
        "['.board', 'section.dock'].map((name) => document.querySelector(name)"
        ".getBoundingClientRect()).map(({ top, bottom }) => [top, bottom])"
    )
    assert boxes[0][1] <= boxes[1][0]


def test_in_landscape_the_log_fills_the_room_above_the_dock(
    browser: Browser, server: RunningServer
) -> None:
    with open_browser(browser, server.address, LANDSCAPE_PHONE) as ada:
        ada.go(f"/table/{table_after(ada, server, 4)}")
        ada.wait_for_task()
        latest = ada.page.get_by_role("complementary", name="Log")
        expect_inside_screen(ada, latest)
        expect_visible(latest.get_by_text("Tallest now"))
        assert ada.overflowing(".dock button, .cell", "body") == []


@pytest.mark.parametrize(
    ("size", "language"),
    [(SMALLEST_PHONE, "en"), (SMALLEST_PHONE, "nl"), (LANDSCAPE_PHONE, "en")],
)
def test_bots_keep_their_numbers_where_names_are_cut_off(
    browser: Browser, server: RunningServer, size: tuple[int, int], language: str
) -> None:
    """The number of a bot stays visible."""
    medium = [{"occupant": "bot", "level": "medium"}] * 3
    with open_browser(browser, server.address, size, language) as ada:
        ada.go(f"/table/{table_after(ada, server, 1, medium)}")
        names = ada.page.locator(".opponents .name")
        expect(names).to_have_count(3)
        assert names.evaluate_all(FIND_CUT_OFF_NUMBERS) == []
        if language == "en":
            assert names.evaluate_all(
                "(names) => names.every((name) => name.scrollWidth <= name.clientWidth)"
            )


FIND_CUT_OFF_NUMBERS: Final = """(names) => names.filter((name) => {
  const walker = document.createTreeWalker(name, NodeFilter.SHOW_TEXT)
  let text
  while (walker.nextNode()) if (walker.currentNode.data.trim()) text = walker.currentNode
  const range = document.createRange()
  range.setStart(text, text.length - 1)
  range.setEnd(text, text.length)
  return range.getBoundingClientRect().right > name.getBoundingClientRect().right + 1
}).map((name) => name.textContent)"""
"""Names whose last character is not visible."""


@on_small_screens
def test_a_replay_on_a_phone_has_a_way_out_and_a_log(
    browser: Browser, server: RunningServer, size: tuple[int, int]
) -> None:
    with open_browser(browser, server.address, size) as ada:
        ada.go(f"/replay/{finished_table(ada, server)}?at=9")
        banner = ada.page.get_by_role("banner")
        expect(ada.page).to_have_title("Replay · Ada, Lotte, Milo, Nina · Manhattan")
        for tool in ("Settings", "Log"):
            expect_inside_screen(ada, banner.get_by_role("button", name=tool))
        banner.get_by_role("button", name="Log").click()
        expect(ada.dialog.get_by_role("listitem")).not_to_have_count(0)
        ada.page.keyboard.press("Escape")
        banner.get_by_role("button", name="Settings").click()
        expect_visible(ada.dialog.get_by_label("Language"))
        ada.page.keyboard.press("Escape")
        home = banner.get_by_role("link", name="Manhattan")
        expect_inside_screen(ada, home)
        home.click()
        expect_visible(ada.page.get_by_role("button", name="Play now"))


def test_a_replay_turns_all_cards_like_the_board(browser: Browser, server: RunningServer) -> None:
    """Before a build, the builder's hand shows a card at the site's place on the drawn board."""
    with open_browser(browser, server.address) as ada:
        table = finished_table(ada, server)
        record = server.client("Ada").record(table)
        moves = [event for event in record["events"] if "move" in event]
        builds = {n: event for n, event in enumerate(moves) if "+" in event["move"]}
        sides = set()
        for number, event in list(builds.items())[:8]:
            ada.go(f"/replay/{table}?at={number}")
            player = record["players"][event["player"]]
            sides.add(player["side"])
            place = event["move"][1]
            hand = ada.page.locator(f".hand.{player['colours'][0]} .card")
            expect_visible(hand.locator(f".at{place}"))
            named = hand.filter(has=ada.page.locator(f".at{place}")).first
            expect(named).to_have_text(ada.message(f"position.{place}"))
        assert sides == {"south", "west", "north", "east"}
        expect_visible(ada.page.get_by_text("Every card is turned"))


def test_the_whole_log_opens_next_to_the_board(browser: Browser, server: RunningServer) -> None:
    with open_browser(browser, server.address, (1440, 900)) as ada:
        ada.go(f"/table/{table_after(ada, server, 4)}")
        ada.wait_for_task()
        button = ada.page.get_by_role("banner").get_by_role("button", name="Log")
        entries = ada.page.get_by_role("complementary", name="Log").locator("li")
        expect(entries).to_have_count(9)
        button.click()
        expect(button).to_have_attribute("aria-expanded", "true")
        expect(entries.filter(has_text="chose")).to_have_count(4)
        assert ada.dialog.count() == 0
        ada.screenshot("log-desktop")
        button.click()
        expect(entries).to_have_count(9)


@pytest.mark.parametrize("language", ["en", "de", "fr", "nl", "pl"])
def test_the_tutorial_does_not_scroll_in_landscape(
    browser: Browser, server: RunningServer, language: str
) -> None:
    with open_browser(browser, server.address, (844, 390), language) as learner:
        for step in range(1, 10):
            learner.go(f"/learn/{step}")
            expect_visible(learner.page.locator(".tutorial > .dock"))
            learner.settle()
            assert learner.page.evaluate(FIND_SCROLLABLE) == [], step
            parts = ".tutorial button, .tutorial a, .step-text *, .cell"
            assert learner.overflowing(parts, ".tutorial") == [], step
            assert learner.page.evaluate(FIND_OVERLAPPING, [".cell", ".dock"]) == []
            assert (
                learner.page.evaluate(FIND_OVERLAPPING, ["header a, header button", ".board"]) == []
            )


@pytest.mark.parametrize(
    ("language", "bots", "size"),
    [("en", 3, (320, 568)), ("de", 3, (320, 568)), ("fr", 1, (320, 568)), ("pl", 1, (360, 640))],
)
def test_all_cities_are_visible_while_blocks_are_chosen(
    browser: Browser, server: RunningServer, language: str, bots: int, size: tuple[int, int]
) -> None:
    with open_browser(browser, server.address, size, language) as ada:
        open_table(ada, server, *BOTS[:bots], first=0)
        assert ada.wait_for_task() == "select"
        ada.settle()
        assert ada.page.evaluate(FIND_SCROLLABLE) == []
        assert ada.overflowing(".cell, .choose button", "body") == []
        sections = ".plan section header, .plan section .cells"
        assert ada.page.evaluate(FIND_OVERLAPPING, [sections, ".dock, .opponents"]) == []
        assert ada.page.evaluate(FIND_OVERLAPPING, [".plan header", ".plan .cells"]) == []
        # The board of the turns that follow is large enough for fingers.
        ada.do_task()
        assert ada.wait_for_task() == "build"
        box = ada.page.locator(".cell").first.bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= 20
