"""Help with a turn: a suggestion, a hint, taking back, building without being asked, what a tower
tells; and the round as it is scored on the board."""

from __future__ import annotations

import re
from typing import Final

from playwright.sync_api import Browser, expect

from serving import Running, play_on
from visitor import BOTS, DESKTOP, PHONE, Visitor, at_a_table, shows, visiting

ON_ITS_SIDE: Final = (844, 390)
ENLARGED: Final = (720, 450)
"""A desktop's window at 200 %."""
SMALLEST: Final = (320, 568)
STRETCHED: Final = """() => Math.max(...[...document.querySelectorAll('.seen-above')].map((one) => {
  const [box, drawn] = [one.getBoundingClientRect(), one.viewBox.baseVal]
  const by = box.width / box.height / (drawn.width / drawn.height)
  return Math.max(by, 1 / by)
}))"""
"""How much wider or higher than drawn the worst site from above is shown."""
LABELS: Final = """() => [...document.querySelectorAll('.tableau .piece small')].flatMap((one) => {
  const words = document.createRange()
  words.selectNodeContents(one)
  const box = one.parentElement.getBoundingClientRect()
  return [...words.getClientRects()]
    .filter((line) => line.left < box.left + 2 || line.right > box.right - 2)
    .filter((line) => line.top < one.getBoundingClientRect().bottom - 4)
    .map((line) => `${one.textContent}: ${line.width} in ${box.width}`)
})"""
"""Words below blocks that come upon the frame, or the next one's."""
COVERED: Final = """() => {
  const box = document.querySelector('.tally').getBoundingClientRect()
  return [...document.querySelectorAll('.dock, .opponents li, .board .cell, .board .site')]
    .filter((one) => one.checkVisibility())
    .map((one) => [one, one.getBoundingClientRect()])
    .filter(([, two]) => two.left < box.right && two.right > box.left)
    .filter(([, two]) => two.top < box.bottom - 1 && two.bottom > box.top + 1)
    .map(([one]) => one.outerHTML.slice(0, 90))
}"""
"""What lies below the words with which a round is scored."""


def test_what_is_suggested_can_be_taken_and_a_hint_built_and_taken_back(
    browser: Browser, up: Running
) -> None:
    with visiting(browser, up.address) as ada:
        at_a_table(ada, up, *BOTS, first=0)
        assert ada.wait() == "choose"
        ada.resize(*ON_ITS_SIDE)
        assert ada.sticking_out(".choose button, .cell", "body") == []
        ada.resize(*DESKTOP)
        expect(ada.page).to_have_title(re.compile("^Your turn · Ada, "))
        take = ada.page.get_by_role("button", name="Take these")
        expect(take).to_be_disabled()
        ada.page.get_by_role("button", name="Suggestion").click()
        shows(ada.page.get_by_text("Choose your blocks: 6 of 6"))
        take.click()
        ada.page.locator(".choose").wait_for(state="detached")
        assert ada.wait() == "build"
        # What the others chose lies open.
        chosen = ada.page.get_by_role("list", name="Players").get_by_role("img")
        expect(chosen).to_have_count(3)
        for one in chosen.all():
            expect(one).to_have_accessible_name(re.compile("Blocks left: .*floor"))
        # Where there is little room, cards and board are on the screen together all the same.
        for low in (ON_ITS_SIDE, ENLARGED):
            ada.resize(*low)
            assert ada.sticking_out(".dock, .dock button, .cell", "body") == []
            assert ada.page.evaluate(STRETCHED) < 1.03
        ada.resize(*SMALLEST)
        assert ada.sticking_out(".dock button", ".dock") == []
        assert ada.sticking_out(".dock button", "body") == []
        assert ada.page.evaluate(STRETCHED) < 1.03
        ada.resize(*DESKTOP)
        ada.page.get_by_role("button", name="Hint").click()
        build = ada.page.get_by_role("button", name="Build", exact=True)
        expect(build).to_be_enabled()
        before = ada.ply
        build.click()
        ada.until_after(before)
        ada.wait()
        shows(ada.page.locator(".log li").get_by_text("You"))
        ada.page.get_by_role("button", name="Undo").click()
        expect(ada.page.locator("[data-ply]")).to_have_attribute("data-ply", str(before))


def test_who_does_not_want_to_be_asked_builds_at_once(browser: Browser, up: Running) -> None:
    with visiting(browser, up.address) as ada:
        at_a_table(ada, up, *BOTS, first=0)
        ada.act()
        assert ada.wait() == "build"
        shows(ada.page.locator("[data-block] .block > .roof"))  # a drawing, not only its numbers
        ada.page.get_by_role("banner").get_by_role("button", name="Settings").click()
        shows(ada.dialog.get_by_label("Sounds"))
        assert not ada.dialog.get_by_label("Sounds").is_checked()
        ada.dialog.get_by_label("Ask before a block is built").uncheck()
        for language in ("de", "nl", "en"):  # whose words are long
            ada.dialog.get_by_role("combobox").first.select_option(language)
            expect(ada.page.locator("html")).to_have_attribute("lang", language)
            assert ada.page.evaluate(LABELS) == [], language
        ada.page.keyboard.press("Escape")
        before = ada.ply
        ada.page.locator("button[data-card]").first.click()
        ada.page.locator("button[data-block]:not(.off)").first.click()
        ada.page.locator("[data-site].can > .ring").first.click(force=True)
        ada.until_after(before)


def _after_some_moves(visitor: Visitor, up: Running, moves: int) -> set[str]:
    """Ada's choice and so many turns against three bots, played by a program. Where can she build
    now?"""
    client = up.client("Ada")
    table = client.open(chairs=[{"who": "me"}, *BOTS], pace=0, begin=True, first=0)
    with client.at(table) as seat:
        play_on(seat, moves)
        sites = {move.partition("+")[0] for move in next(seat.turns()).moves}
    visitor.be(client)
    visitor.go(f"/table/{table}")
    visitor.wait()
    return sites


def test_a_tower_tells_its_floors_and_what_each_would_need(browser: Browser, up: Running) -> None:
    """On a desktop where one points, on a phone where one taps."""
    for size, touch in ((DESKTOP, False), (PHONE, True)):
        with visiting(browser, up.address, size, has_touch=touch) as ada:
            # (Of one on which she could build, a phone tells that instead.)
            hers = "|".join(_after_some_moves(ada, up, 3))
            others = re.compile(rf"^(?!{hers}).*floors?, .*, (blue|yellow)")
            tower = ada.page.get_by_role("button", name=others)
            tower.first.focus()
            tip = ada.page.locator(".tip").first
            shows(tip.get_by_text("To take it over"))
            shows(tip.get_by_text(re.compile(r"You: (\d floor|out of reach)")))
            inside = tip.evaluate("one => one.getBoundingClientRect().toJSON()")
            assert inside["left"] >= 0
            assert inside["right"] <= size[0]
            for _ in range(2):  # whichever way it is drawn
                ada.page.keyboard.press("v")
                tower.first.focus()
                shows(tip.get_by_text("To take it over"))


def test_a_round_is_scored_on_the_board_and_can_be_skipped(browser: Browser, up: Running) -> None:
    with visiting(browser, up.address) as ada:
        _after_some_moves(ada, up, 6)
        before = ada.ply
        ada.build()
        ada.until_after(before)
        tally = ada.page.locator(".tally")
        shows(tally)
        for size in (PHONE, DESKTOP):
            ada.page.set_viewport_size({"width": size[0], "height": size[1]})
            assert ada.page.evaluate(COVERED) == []
            assert ada.sticking_out(".tally, .tally button", "body") == []
        shows(ada.page.locator(".site.dim"))
        ada.shot("scoring-desktop")
        shows(ada.page.locator(".award"))
        tally.get_by_role("button", name="Skip").click()
        shows(ada.dialog.get_by_role("heading", name="Round 1"))
        assert tally.count() == 0


def test_who_wants_no_motion_sees_the_sheet_at_once(browser: Browser, up: Running) -> None:
    with visiting(browser, up.address, PHONE, reduced_motion="reduce") as ada:
        _after_some_moves(ada, up, 6)
        ada.build()
        shows(ada.dialog.get_by_role("heading", name="Round 1"))
