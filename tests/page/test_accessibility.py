"""Accessibility: axe on every page in both themes; no text is cut off in any language, and every
control is large enough on a phone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import pytest
from playwright.sync_api import Browser, expect

from manhattan.server.service.tutorial import EXERCISES
from support.axe import violations
from support.browser_user import BOTS, DESKTOP, BrowserUser, expect_visible, open_browser
from support.many_games import play_games
from support.server_fixtures import RunningServer, play_on

LANGUAGES: Final = ("en", "de", "fr", "nl", "pl")
SMALL_PHONE: Final = (360, 740)
SIZES: Final = (
    (320, 568),
    (360, 640),
    (390, 844),
    (844, 390),
    (768, 1024),
    (1024, 768),
    (1440, 900),
)


FIND_CUT_OFF_TEXT: Final = """() => {
  const found = []
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    const node = walker.currentNode
    const parent = node.parentElement
    const ignored = 'svg, .visually-hidden, .city, [data-may-be-cut], option'
    if (!node.data.trim() || parent.closest(ignored)) continue
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


def _static_pages(user: BrowserUser, server: RunningServer) -> Iterator[str]:
    """The pages outside of a game, and a lobby."""
    new = ("/new/friends", "/new/screen", "/new/bots")
    user.expect_not_found("/nowhere")
    for path in ("/", *new, "/watch", "/replay", "/rules", "/account", "/nowhere"):
        user.go(path)
        user.page.wait_for_load_state("networkidle")
        yield path
    client = server.client("Ada")
    lobby = client.open_table(seats=[{"occupant": "me"}, {"occupant": "open"}, BOTS[0]])
    user.sign_in(client)
    user.go(f"/table/{lobby}")
    user.page.get_by_role("img").first.wait_for()
    yield "lobby"
    client.request("POST", "/api/me/recovery-codes")
    user.go("/account")
    expect(user.page.get_by_role("region")).to_have_count(6)
    yield "account"


def _tutorial_steps(user: BrowserUser, _: RunningServer) -> Iterator[str]:
    for number in EXERCISES:
        user.go(f"/learn/{number}")
        expect_visible(user.page.locator(".dock"))
        yield f"/learn/{number}"


def _game_states(user: BrowserUser, server: RunningServer) -> Iterator[str]:
    """The states of a game. An API client with the same identity plays the rest of it."""
    client = server.client("Ada")
    table = client.open_table(seats=[{"occupant": "me"}, BOTS[0]], bot_delay_ms=0, start=True)
    user.sign_in(client)
    user.go(f"/table/{table}")
    user.wait_for_task()
    yield "choosing blocks"
    user.do_task()
    user.wait_for_task()
    user.page.locator("[data-card]").first.click()
    yield "a card picked"
    user.page.get_by_role("banner").get_by_role("button").last.click()
    yield "settings"
    user.page.keyboard.press("Escape")
    user.page.keyboard.press("v")
    yield "the other view"
    user.page.keyboard.press("v")
    user.do_task()
    with client.connect(table) as seat:
        play_on(seat, 7)
        user.page.locator("dialog[open] .sheet").wait_for()
        yield "score sheet"
        play_on(seat)
    user.go(f"/table/{table}")
    user.page.locator(".podium").wait_for()
    yield "end"
    user.go(f"/replay/{table}?at=9")
    user.page.locator(".time").wait_for()
    yield "replay"


def _game_lists(user: BrowserUser, server: RunningServer) -> Iterator[str]:
    """Home and My games, without and with games."""
    user.go("/games")
    expect_visible(user.page.locator(".notice"))
    yield "my games, empty"
    ada, bob, cat = (server.client(name) for name in ("Ada", "Maximilian the Elder", "Cat"))
    play_games(server, [ada, bob], 2, 999)
    play_games(server, [bob, ada, cat], 2, 999)
    play_games(server, [ada, bob, cat], 2, 30, clock={"kind": "correspondence", "days": 3})
    play_games(server, [bob, ada], 1, 16)
    play_games(server, [ada, bob], 1, 16)
    ada.open_table(seats=[{"occupant": "me"}, {"occupant": "open"}])
    user.sign_in(ada)
    user.go("/")
    expect_visible(user.page.locator(".dock"))
    user.page.wait_for_load_state("networkidle")
    yield "home with games"
    user.go("/games")
    expect_visible(user.page.locator("[data-game]"))
    user.page.wait_for_load_state("networkidle")
    yield "my games"
    user.page.locator("[data-state=finished] button").first.click()
    expect_visible(user.page.locator(".removed"))
    yield "a game removed"
    user.page.locator(".more button").last.click()
    expect(user.page.locator("[data-game]")).to_have_count(1)
    yield "removed games"


TOURS: Final = {
    "pages": _static_pages,
    "tutorial": _tutorial_steps,
    "game": _game_states,
    "game lists": _game_lists,
}
"""All pages and states, in tours that can run side by side."""
on_each_tour = pytest.mark.parametrize("tour", TOURS)


def _screenshot(user: BrowserUser, state: str, suffix: str) -> None:
    user.screenshot(f"{re.sub('[^a-z0-9]+', '-', state).strip('-') or 'home'}-{suffix}")


@on_each_tour
def test_axe_finds_no_violation(browser: Browser, server: RunningServer, tour: str) -> None:
    """All rules in the light theme; in the dark theme and in forced colours, which differ only in
    colours, contrast."""
    with open_browser(browser, server.address, DESKTOP) as ada:
        for state in TOURS[tour](ada, server):
            _screenshot(ada, state, "desktop-light")
            assert violations(ada) == [], state
            ada.page.emulate_media(color_scheme="dark")
            _screenshot(ada, state, "desktop-dark")
            assert violations(ada, "color-contrast") == [], f"{state} in the dark theme"
            ada.page.emulate_media(color_scheme="light", forced_colors="active")
            _screenshot(ada, state, "desktop-forced")
            assert violations(ada, "color-contrast") == [], f"{state} in forced colours"
            ada.page.emulate_media(forced_colors="none")


@pytest.mark.parametrize(
    "tour", ["game", *(pytest.param(tour, marks=pytest.mark.thorough) for tour in list(TOURS)[:2])]
)
def test_axe_finds_no_violation_at_any_size(
    browser: Browser, server: RunningServer, tour: str
) -> None:
    """The parts of the page that exist depend on the size of the screen."""
    with open_browser(browser, server.address, SIZES[0]) as ada:
        for state in TOURS[tour](ada, server):
            for size in SIZES:
                ada.resize(*size)
                assert violations(ada) == [], f"{state} at {size}"
            ada.resize(*SIZES[0])


FIND_SMALL_TARGETS: Final = """() =>
  [...document.querySelectorAll('button, a[href], input, select')]
  .filter((target) => target.checkVisibility()
    && !target.closest('p, label, .visually-hidden'))
  .map((target) => [target.outerHTML.slice(0, 90), target.getBoundingClientRect()])
  .filter(([, box]) => box.width && (box.width < 24 || box.height < 24))
  .map(([text]) => text)"""
"""Targets that are less than 24 pixels wide or high (WCAG 2.2, 2.5.8)."""


@on_each_tour
@pytest.mark.parametrize(
    ("size", "language"),
    [
        pytest.param(
            size,
            language,
            id=f"{'phone' if size == SMALL_PHONE else 'desktop'}-{language}",
            # German has the longest words.
            marks=[] if size == SMALL_PHONE and language == "de" else [pytest.mark.thorough],
        )
        for size in (SMALL_PHONE, DESKTOP)
        for language in LANGUAGES
    ],
)
def test_no_text_is_cut_off_and_no_target_is_too_small(
    browser: Browser, server: RunningServer, size: tuple[int, int], language: str, tour: str
) -> None:
    with open_browser(browser, server.address, size, language) as ada:
        for state in TOURS[tour](ada, server):
            if size == SMALL_PHONE and language == "en":
                _screenshot(ada, state, "phone")
            assert ada.page.evaluate(FIND_CUT_OFF_TEXT) == [], state
            if size == SMALL_PHONE:
                assert ada.page.evaluate(FIND_SMALL_TARGETS) == [], state
            assert ada.page.locator("html").get_attribute("lang") == language


def test_the_page_speaks_the_browsers_language_until_another_is_chosen(
    browser: Browser, server: RunningServer
) -> None:
    with open_browser(browser, server.address, language="fr-CH") as ada:
        ada.go("/watch")
        expect(ada.page).to_have_title("Regarder une partie · Manhattan")
        ada.page.get_by_role("button", name="Réglages").click()
        for language in LANGUAGES:
            ada.dialog.get_by_role("combobox").first.select_option(language)
            expect(ada.page.locator("html")).to_have_attribute("lang", language)
            expect(ada.page).to_have_title(f"{ada.message('home.watch')} · Manhattan")
            expect(ada.dialog.get_by_role("heading")).to_have_text(ada.message("settings.title"))
