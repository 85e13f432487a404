"""Nothing stands in anybody's way: axe on every page, in light and dark; and no text is cut off, in
any language, on a small phone or a desktop."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, expect

from manhattan.server.lessons import LESSONS
from serving import Running, play_on
from visitor import BOTS, DESKTOP, Visitor, shows, visiting

AXE: Final = Path(__file__).parent.parent.parent / "web/node_modules/axe-core/axe.min.js"
LANGUAGES: Final = ("en", "de", "fr", "nl", "pl")
SMALL_PHONE: Final = (360, 740)


@cache
def axe() -> str:
    return AXE.read_text("utf-8")


def violations(visitor: Visitor, *rules: str) -> list[str]:
    """What axe finds fault with, by all its rules or some. Its own code runs beside the page's,
    which its policy allows to nobody else."""
    visitor.rest()  # what fades in has no contrast yet
    if not visitor.page.evaluate("'axe' in window"):
        visitor.page.evaluate(axe())
    wanted: dict[str, Any] = {"resultTypes": ["violations"]} | ({"runOnly": rules} if rules else {})
    told: dict[str, Any] = visitor.page.evaluate("wanted => axe.run(wanted)", wanted)
    return [
        f"{one['id']}: {node['target']} {node['failureSummary']}"
        for one in told["violations"]
        for node in one["nodes"]
    ]


CUT_OFF = """() => {
  const found = []
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    const node = walker.currentNode
    const parent = node.parentElement
    const other = 'svg, .unseen, .city, [data-may-be-cut], option'
    if (!node.data.trim() || parent.closest(other)) continue
    const range = document.createRange()
    range.selectNodeContents(node)
    const text = range.getBoundingClientRect()
    if (!text.width || !parent.checkVisibility({ opacityProperty: true })) continue
    if (text.right > innerWidth + 1 || text.left < -1) found.push(`${node.data.trim()}: outside`)
    for (let box = parent; box; box = box.parentElement) {
      const style = getComputedStyle(box)
      if (style.overflowX === 'visible' || style.overflowX === 'auto') continue
      const edge = box.getBoundingClientRect()
      if (text.right > edge.right + 1 || text.left < edge.left - 1) {
        found.push(`${node.data.trim()}: cut off by ${box.className || box.tagName}`)
        break
      }
    }
  }
  if (document.documentElement.scrollWidth > innerWidth) found.push('the page scrolls sideways')
  return found
}"""


def _pages(visitor: Visitor, up: Running) -> Iterator[str]:
    """What is there before a game."""
    new = ("/new/friends", "/new/screen", "/new/bots")
    for path in ("/", *new, "/watch", "/replay", "/rules", "/nowhere"):
        visitor.go(path)
        visitor.page.wait_for_load_state("networkidle")
        yield path
    client = up.client("Ada")
    waiting = client.open(chairs=[{"who": "me"}, {"who": "open"}, BOTS[0]])
    visitor.be(client)
    visitor.go(f"/table/{waiting}")
    visitor.page.get_by_role("img").first.wait_for()
    yield "gathering"


def _lessons(visitor: Visitor, _: Running) -> Iterator[str]:
    for number in LESSONS:
        visitor.go(f"/learn/{number}")
        shows(visitor.page.locator(".dock"))
        yield f"/learn/{number}"


def _a_round(visitor: Visitor, up: Running) -> Iterator[str]:
    """The states of a game. Its dull parts are played by a program with the same identity."""
    client = up.client("Ada")
    table = client.open(chairs=[{"who": "me"}, BOTS[0]], pace=0, begin=True)
    visitor.be(client)
    visitor.go(f"/table/{table}")
    visitor.wait()
    yield "choosing blocks"
    visitor.act()
    visitor.wait()
    visitor.page.locator("[data-card]").first.click()
    yield "a card picked"
    visitor.page.get_by_role("banner").get_by_role("button").last.click()
    yield "settings"
    visitor.page.keyboard.press("Escape")
    visitor.page.keyboard.press("v")
    yield "the other view"
    visitor.page.keyboard.press("v")
    visitor.act()
    with client.at(table) as seat:
        play_on(seat, 7)
        visitor.page.locator("dialog[open] .sheet").wait_for()
        yield "score sheet"
        play_on(seat)
    visitor.go(f"/table/{table}")
    visitor.page.locator(".podium").wait_for()
    yield "end"
    visitor.go(f"/replay/{table}?at=9")
    visitor.page.locator(".time").wait_for()
    yield "replay"


PLACES: Final = {"pages": _pages, "lessons": _lessons, "a game": _a_round}
"""Every page and state, one after the other, in three parts that are walked through at once."""
in_all_places = pytest.mark.parametrize("part", PLACES)


def _picture(visitor: Visitor, place: str, end: str) -> None:
    visitor.shot(f"{re.sub('[^a-z0-9]+', '-', place).strip('-') or 'home'}-{end}")


@in_all_places
def test_axe_finds_nothing(browser: Browser, up: Running, part: str) -> None:
    """By day; and by night, when nothing but the colours is another."""
    with visiting(browser, up.address, DESKTOP) as ada:
        for place in PLACES[part](ada, up):
            _picture(ada, place, "desktop-light")
            assert violations(ada) == [], place
            ada.page.emulate_media(color_scheme="dark")
            _picture(ada, place, "desktop-dark")
            assert violations(ada, "color-contrast") == [], f"{place} by night"
            ada.page.emulate_media(color_scheme="light")


SMALL: Final = """() => [...document.querySelectorAll('button, a[href], input, select')]
  .filter((one) => one.checkVisibility() && !one.closest('p, label, .unseen'))
  .map((one) => [one.outerHTML.slice(0, 90), one.getBoundingClientRect()])
  .filter(([, box]) => box.width && (box.width < 24 || box.height < 24))
  .map(([text]) => text)"""
"""What can be touched and is less than 24 pixels wide or high (WCAG 2.2, 2.5.8)."""


@in_all_places
@pytest.mark.parametrize(
    ("size", "language"),
    [
        pytest.param(
            size,
            language,
            id=f"{'phone' if size == SMALL_PHONE else 'desktop'}-{language}",
            # The longest words stand for all.
            marks=[] if size == SMALL_PHONE and language == "de" else [pytest.mark.thorough],
        )
        for size in (SMALL_PHONE, DESKTOP)
        for language in LANGUAGES
    ],
)
def test_no_text_is_cut_off_and_no_finger_too_large(
    browser: Browser, up: Running, size: tuple[int, int], language: str, part: str
) -> None:
    with visiting(browser, up.address, size, language) as ada:
        for place in PLACES[part](ada, up):
            if size == SMALL_PHONE and language == "en":
                _picture(ada, place, "phone")
            assert ada.page.evaluate(CUT_OFF) == [], place
            if size == SMALL_PHONE:
                assert ada.page.evaluate(SMALL) == [], place
            assert ada.page.locator("html").get_attribute("lang") == language


def test_the_language_is_the_browsers_and_is_switched_at_once(
    browser: Browser, up: Running
) -> None:
    with visiting(browser, up.address, language="fr-CH") as ada:
        ada.go("/watch")
        expect(ada.page).to_have_title("Regarder une partie · Manhattan")
        ada.page.get_by_role("button", name="Réglages").click()
        for language in LANGUAGES:
            ada.dialog.get_by_role("combobox").first.select_option(language)
            expect(ada.page.locator("html")).to_have_attribute("lang", language)
            expect(ada.page).to_have_title(f"{ada.word('home.watch')} · Manhattan")
            expect(ada.dialog.get_by_role("heading")).to_have_text(ada.word("settings.title"))
