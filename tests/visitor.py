"""Somebody in front of a real browser: what he sees, clicks and presses.

Whatever goes wrong behind his back (an error in the console, a file that is missing) is noted, and
the test fails on it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any, Final

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Locator, Page, expect

from manhattan.client import Client
from serving import Running

DESKTOP: Final = (1280, 800)
PHONE: Final = (390, 844)
BOTS: Final = [{"who": "bot", "level": "easy"}] * 3
PATIENCE: Final = 30_000
"""Milliseconds: bots may have to be compiled, and machines be busy."""
SHOTS: Final = Path(__file__).parent.parent / "screenshots"
"""What the pages look like, for whoever changes them."""
WORDS: Final = Path(__file__).parent.parent / "web/src/i18n"
AT_REST: Final = """async () => {
  const moving = () => document.getAnimations().filter((one) =>
    one.playState === 'running' && one.effect.getComputedTiming().endTime !== Infinity)
  const frame = () => new Promise((done) => requestAnimationFrame(done))
  await frame()
  while (moving().length) await Promise.allSettled(moving().map((one) => one.finished))
  await frame()
}"""
STICKING_OUT: Final = """([inner, outer]) => [...document.querySelectorAll(inner)]
  .filter((one) => one.checkVisibility())
  .map((one) => {
    const [a, b] = [one, one.closest(outer)].map((two) => two.getBoundingClientRect())
    return [one, a.left - b.left, a.top - b.top, b.right - a.right, b.bottom - a.bottom]
  })
  .filter(([, ...room]) => Math.min(...room) < -1)
  .map(([one, ...room]) => `${one.outerHTML.slice(0, 90)}: ${room.map(Math.round)}`)"""
_EXPECTED = re.compile(r"status of 4\d\d|net::ERR_|WebSocket connection")
"""What a browser says by itself when a server refuses or is away."""


class Visitor:
    """A page in a browser, and hands."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self.address = address
        self.dice = Random(1)
        self.troubles: list[str] = []
        page.on("console", self._heard)
        page.on("pageerror", lambda error: self.troubles.append(f"error: {error}"))
        page.set_default_timeout(20_000)

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not _EXPECTED.search(message.text):
            self.troubles.append(f"{message.type}: {message.text}")

    def go(self, path: str = "/") -> None:
        self.page.goto(self.address + path)

    def be(self, client: Client) -> None:
        """Be somebody whom a program has introduced."""
        name, _, value = client.cookie.partition("=")
        self.page.context.add_cookies([{"name": name, "value": value, "url": self.address}])

    def resize(self, width: int, height: int) -> None:
        """The window, or the phone on its side."""
        self.page.set_viewport_size({"width": width, "height": height})
        self.rest()

    def sticking_out(self, inner: str, outer: str) -> list[str]:
        """What is not wholly inside that around it (`body`: the screen)."""
        told: list[str] = self.page.evaluate(STICKING_OUT, [inner, outer])
        return told

    def rest(self) -> None:
        """Until what moves or fades has come to rest."""
        self.page.evaluate(AT_REST)

    def shot(self, name: str) -> None:
        """A picture for the folder."""
        SHOTS.mkdir(exist_ok=True)
        self.rest()
        self.page.screenshot(path=SHOTS / f"{name}.png")

    # A game.

    @property
    def dialog(self) -> Locator:
        return self.page.locator("dialog[open]")

    def wait(self) -> str:
        """Until there is something to do: a dialog, blocks to choose, a turn, or the end."""
        todo = (
            ".tally, dialog[open], .choose .actions, .removals button, "
            "button[data-card]:not([disabled])"
        )
        shows(self.page.locator(todo), PATIENCE)
        if self.page.locator(".tally").count():  # he has seen it before, and skips it
            self.page.evaluate("document.querySelector('.tally button')?.click()")
            self.page.locator(".tally").wait_for(state="detached")
            return self.wait()
        for what, where in (
            ("end", "dialog[open] .podium"),
            ("sheet", "dialog[open] .sheet"),
            ("curtain", "dialog[open] .chips"),
            ("choose", ".choose .actions"),
            ("remove", ".removals button"),
        ):
            if self.page.locator(where).count():
                return what
        return "build"

    def choose(self) -> None:
        """Any blocks: the smallest first, by the plus."""
        for colour in self.page.locator(".choose fieldset").all():
            more = colour.locator(".count button:last-child:not([disabled])")
            while more.count():
                more.nth(self.dice.randrange(more.count())).click()
        self.page.locator(".choose .primary").click()
        self.page.locator(".choose").wait_for(state="detached")

    def build(self) -> None:
        """Any card, any block that goes with it, any site that lights up."""
        page, before = self.page, self.ply
        self._any(page.locator("button[data-card]:not([disabled]):not(.off)")).click()
        self._any(page.locator("button[data-block]:not([disabled]):not(.off)")).click()
        # On the roof, or the empty lot: what a person would point at.
        self._any(page.locator("[data-site].can > .ring, [data-site].open")).click(force=True)
        page.get_by_role("button", name=self.word("dock.build"), exact=True).click()
        self.until_after(before)

    def word(self, key: str) -> str:
        """A message of the page, in the language that it speaks."""
        language = self.page.locator("html").get_attribute("lang")
        told: dict[str, str] = json.loads((WORDS / f"{language}.json").read_text("utf-8"))
        return told[key]

    def _any(self, found: Locator) -> Locator:
        shows(found, PATIENCE)
        return found.nth(self.dice.randrange(found.count()))

    @property
    def ply(self) -> int:
        return int(self.page.locator("[data-ply]").get_attribute("data-ply") or 0)

    def until_after(self, ply: int) -> None:
        self.page.wait_for_function(
            "ply => Number(document.querySelector('[data-ply]')?.dataset.ply) > ply", arg=ply
        )

    def act(self) -> str:
        """Do whatever is to be done next; say what it was."""
        what = self.wait()
        if what in ("sheet", "curtain"):
            self.dialog.locator(".primary").click()
            inside = ".sheet" if what == "sheet" else ".chips"
            self.dialog.locator(inside).wait_for(state="detached")
        elif what == "choose":
            self.choose()
        elif what == "remove":
            self.page.locator(".removals button").first.click()
        elif what == "build":
            self.build()
        return what

    def play(self) -> int:
        """To the end. How many times something was done?"""
        done = 0
        while self.act() != "end":
            done += 1
        return done


@contextmanager
def visiting(
    browser: Browser,
    address: str,
    size: tuple[int, int] = DESKTOP,
    language: str = "en",
    **more: Any,
) -> Iterator[Visitor]:
    """Somebody visits; when he goes, nothing must have gone wrong."""
    context: BrowserContext = browser.new_context(
        viewport={"width": size[0], "height": size[1]}, locale=language, **more
    )
    visitor = Visitor(context.new_page(), address)
    try:
        yield visitor
        assert not visitor.troubles, "\n".join(visitor.troubles)
    finally:
        context.close()


def shows(where: Locator, patience: float | None = None) -> None:
    """(What waits for a selector gets the element, and keeps hold of it as long as the page is
    open: then it would be the test that leaves things behind in the page.)"""
    expect(where.first).to_be_visible(timeout=patience)


def at_a_table(visitor: Visitor, up: Running, *others: dict[str, str], **terms: object) -> str:
    """A table against bots that don't let one wait."""
    client = up.client("Ada")
    table = client.open(chairs=[{"who": "me"}, *others], pace=0, begin=True, **terms)
    visitor.be(client)
    visitor.go(f"/table/{table}")
    return table
