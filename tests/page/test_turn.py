"""A turn: suggestion, hint, undo, confirmation, tooltips, and the scoring on the board."""

from __future__ import annotations

import re
from typing import Final

from playwright.sync_api import Browser, expect

from support.browser_user import (
    BOTS,
    DESKTOP,
    PHONE,
    BrowserUser,
    expect_visible,
    open_browser,
    open_table,
)
from support.server_fixtures import RunningServer, play_on

LANDSCAPE_PHONE: Final = (844, 390)
ZOOMED: Final = (720, 450)
"""A desktop at a zoom of 200 %."""
SMALLEST_PHONE: Final = (320, 568)
MEASURE_DISTORTION: Final = """() => {
  const distortion = (cell) => {
    const [box, drawn] = [cell.getBoundingClientRect(), cell.viewBox.baseVal]
    const factor = box.width / box.height / (drawn.width / drawn.height)
    return Math.max(factor, 1 / factor)
  }
  return Math.max(...[...document.querySelectorAll('.plan-cell')].map(distortion))
}"""
"""The largest distortion of a cell of the plan: shown against drawn aspect ratio."""
FIND_WIDE_LABELS: Final = """() => {
  const wideLines = (label) => {
    const text = document.createRange()
    text.selectNodeContents(label)
    const box = label.parentElement.getBoundingClientRect()
    return [...text.getClientRects()]
      .filter((line) => line.left < box.left + 2 || line.right > box.right - 2)
      .filter((line) => line.top < label.getBoundingClientRect().bottom - 4)
      .map((line) => `${label.textContent}: ${line.width} in ${box.width}`)
  }
  return [...document.querySelectorAll('.tableau .piece small')].flatMap(wideLines)
}"""
"""Labels of blocks that are too wide for their frame."""
FIND_COVERED: Final = """() => {
  const box = document.querySelector('.scoring').getBoundingClientRect()
  return [...document.querySelectorAll('.dock, .opponents li, .board .cell, .board .site')]
    .filter((element) => element.checkVisibility())
    .map((element) => [element, element.getBoundingClientRect()])
    .filter(([, other]) => other.left < box.right && other.right > box.left)
    .filter(([, other]) => other.top < box.bottom - 1 && other.bottom > box.top + 1)
    .map(([element]) => element.outerHTML.slice(0, 90))
}"""
"""Elements that the text of the scoring animation covers."""


def test_a_suggestion_is_taken_and_a_hint_is_built_and_undone(
    browser: Browser, server: RunningServer
) -> None:
    with open_browser(browser, server.address) as ada:
        open_table(ada, server, *BOTS, first=0)
        assert ada.wait_for_task() == "select"
        ada.resize(*LANDSCAPE_PHONE)
        assert ada.overflowing(".choose button, .cell", "body") == []
        ada.resize(*DESKTOP)
        expect(ada.page).to_have_title(re.compile("^Your turn · Ada, "))
        confirm = ada.page.get_by_role("button", name="Take these blocks")
        expect(confirm).to_be_disabled()
        ada.page.get_by_role("button", name="Suggest").click()
        expect_visible(ada.page.get_by_text("Choose your blocks: 6 of 6"))
        reason = ada.page.locator(".prompt")
        expect(reason).to_have_text("Hint Blocks like these did best in many games.")
        confirm.click()
        ada.page.locator(".choose").wait_for(state="detached")
        assert ada.wait_for_task() == "build"
        # The tableaus of the opponents are public.
        tableaus = ada.page.get_by_role("list", name="Players").get_by_role("img")
        expect(tableaus).to_have_count(3)
        for tableau in tableaus.all():
            expect(tableau).to_have_accessible_name(re.compile("Blocks left: .*floor"))
        # Cards and board fit the screen together even where there is little room.
        for size in (LANDSCAPE_PHONE, ZOOMED):
            ada.resize(*size)
            assert ada.overflowing(".dock, .dock button, .cell", "body") == []
            assert ada.page.evaluate(MEASURE_DISTORTION) < 1.03
        ada.resize(*SMALLEST_PHONE)
        assert ada.overflowing(".dock button", ".dock") == []
        assert ada.overflowing(".dock button", "body") == []
        assert ada.page.evaluate(MEASURE_DISTORTION) < 1.03
        ada.resize(*DESKTOP)
        ada.page.get_by_role("button", name="Hint").click()
        build = ada.page.get_by_role("button", name="Build", exact=True)
        expect(build).to_be_enabled()
        # The hint says why, while its move is picked.
        expect(reason).to_have_text(re.compile(r"^Hint You .*As things stand: you [+]\d"))
        ada.page.get_by_role("button", name="Cancel").click()
        expect(reason).to_have_count(0)
        ada.page.get_by_role("button", name="Hint").click()
        reason.get_by_role("button", name="Close").click()
        expect(reason).to_have_count(0)
        expect(build).to_be_enabled()
        before = ada.ply
        build.click()
        ada.wait_past_ply(before)
        ada.wait_for_task()
        expect_visible(ada.page.locator(".log li").get_by_text("You"))
        ada.page.get_by_role("button", name="Undo").click()
        expect(ada.page.locator("[data-ply]")).to_have_attribute("data-ply", str(before))


def test_without_confirmation_a_press_on_a_site_builds(
    browser: Browser, server: RunningServer
) -> None:
    with open_browser(browser, server.address) as ada:
        open_table(ada, server, *BOTS, first=0)
        ada.do_task()
        assert ada.wait_for_task() == "build"
        expect_visible(
            ada.page.locator("[data-block] .block > .roof")
        )  # a drawing, not only a number
        ada.page.get_by_role("banner").get_by_role("button", name="Settings").click()
        expect_visible(ada.dialog.get_by_label("Sounds"))
        assert not ada.dialog.get_by_label("Sounds").is_checked()
        ada.dialog.get_by_label("Confirm each move").uncheck()
        for language in ("de", "nl", "en"):  # languages with long words first
            ada.dialog.get_by_role("combobox").first.select_option(language)
            expect(ada.page.locator("html")).to_have_attribute("lang", language)
            assert ada.page.evaluate(FIND_WIDE_LABELS) == [], language
        ada.page.keyboard.press("Escape")
        before = ada.ply
        ada.page.locator("button[data-card]").first.click()
        ada.page.locator("button[data-block]:not(.off)").first.click()
        ada.page.locator("[data-site].can > .ring").first.click(force=True)
        ada.wait_past_ply(before)


def _after_some_moves(user: BrowserUser, server: RunningServer, moves: int) -> set[str]:
    """Show a game against three bots after some moves of an API client; return the open sites."""
    client = server.client("Ada")
    table = client.open_table(
        seats=[{"occupant": "me"}, *BOTS], bot_delay_ms=0, start=True, first=0
    )
    with client.connect(table) as seat:
        play_on(seat, moves)
        sites = {move.partition("+")[0] for move in next(seat.turns()).moves}
    user.sign_in(client)
    user.go(f"/table/{table}")
    user.wait_for_task()
    return sites


def test_the_tooltip_of_a_tower_shows_its_floors_and_the_cost_of_a_takeover(
    browser: Browser, server: RunningServer
) -> None:
    """On a desktop by pointing, on a phone by tapping."""
    for size, touch in ((DESKTOP, False), (PHONE, True)):
        with open_browser(browser, server.address, size, touch=touch) as ada:
            # On a phone an open site has no tooltip: the dock describes the move instead.
            open_sites = "|".join(_after_some_moves(ada, server, 3))
            closed_tower = re.compile(rf"^(?!{open_sites}).*floors?, .* \((blue|yellow)\)")
            tower = ada.page.get_by_role("button", name=closed_tower)
            tower.first.focus()
            tip = ada.page.locator(".tip").first
            expect_visible(tip.get_by_text("To take it over"))
            expect_visible(tip.get_by_text(re.compile(r"You: (\d floor|out of reach)")))
            box = tip.evaluate("element => element.getBoundingClientRect().toJSON()")
            assert box["left"] >= 0
            assert box["right"] <= size[0]
            for _ in range(2):  # in both board modes
                ada.page.keyboard.press("v")
                tower.first.focus()
                expect_visible(tip.get_by_text("To take it over"))


def test_a_tooltip_says_what_a_placement_gains_also_on_a_shared_screen(
    browser: Browser, server: RunningServer
) -> None:
    """The first tower of a game is the tallest, has the majority, and counts for itself."""
    for others in (BOTS, ({"occupant": "here", "name": "Bea"},)):
        with open_browser(browser, server.address) as ada:
            open_table(ada, server, *others, first=0)
            while ada.wait_for_task() != "build":
                ada.do_task()
            ada.page.locator("button[data-card]:not(.off)").first.click()
            ada.page.locator("button[data-block]:not([disabled]):not(.off)").first.click()
            ada.page.locator("[data-site].can > .ring, [data-site].open").first.hover(force=True)
            expect_visible(ada.page.locator(".tip").get_by_text("+6"))


def test_a_round_is_scored_on_the_board_and_can_be_skipped(
    browser: Browser, server: RunningServer
) -> None:
    with open_browser(browser, server.address) as ada:
        _after_some_moves(ada, server, 6)
        before = ada.ply
        ada.build()
        ada.wait_past_ply(before)
        animation = ada.page.locator(".scoring")
        expect_visible(animation)
        for size in (PHONE, DESKTOP):
            ada.page.set_viewport_size({"width": size[0], "height": size[1]})
            # The board is laid out again a frame or two after the resize.
            ada.page.wait_for_function(f"({FIND_COVERED})().length === 0")
            assert ada.overflowing(".scoring, .scoring button", "body") == []
        expect_visible(ada.page.locator(".site.dim"))
        ada.screenshot("scoring-desktop")
        expect_visible(ada.page.locator(".award"))
        animation.get_by_role("button", name="Skip").click()
        expect_visible(ada.dialog.get_by_role("heading", name="Round 1"))
        assert animation.count() == 0


def test_with_reduced_motion_the_score_sheet_opens_at_once(
    browser: Browser, server: RunningServer
) -> None:
    with open_browser(browser, server.address, PHONE, reduced_motion="reduce") as ada:
        _after_some_moves(ada, server, 6)
        ada.build()
        expect_visible(ada.dialog.get_by_role("heading", name="Round 1"))
