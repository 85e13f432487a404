"""Page object for the browser tests: what a person sees, clicks and types on a page.

It collects errors of the page (uncaught errors, console messages, missing files); `open_browser`
fails the test if there are any.
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
from support.server_fixtures import RunningServer

DESKTOP: Final = (1280, 800)
PHONE: Final = (390, 844)
BOTS: Final = [{"occupant": "bot", "level": "easy"}] * 3
TIMEOUT_MS: Final = 30_000
"""Long enough to compile the bots on a busy machine."""
SCREENSHOTS: Final = Path(__file__).parents[1] / "screenshots"
MESSAGES: Final = Path(__file__).parents[2] / "web/src/i18n"
WAIT_FOR_ANIMATIONS: Final = """async () => {
  const running = () => document.getAnimations().filter((animation) =>
    animation.playState === 'running'
    && animation.effect.getComputedTiming().endTime !== Infinity)
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
  await frame()
  while (running().length)
    await Promise.allSettled(running().map((animation) => animation.finished))
  await frame()
}"""
FIND_OVERFLOWING: Final = """([inner, outer]) => [...document.querySelectorAll(inner)]
  .filter((element) => element.checkVisibility())
  .map((element) => {
    const container = element.closest(outer)
    const [a, b] = [element, container].map((box) => box.getBoundingClientRect())
    return [element, a.left - b.left, a.top - b.top, b.right - a.right, b.bottom - a.bottom]
  })
  .filter(([, ...distances]) => Math.min(...distances) < -1)
  .map(([element, ...distances]) =>
    `${element.outerHTML.slice(0, 90)}: ${distances.map(Math.round)}`)"""
_NO_PUSH_SERVICE: Final = re.compile("Push API in incognito")
"""What the browser says in a context without a push service."""
_LOST_CONNECTION: Final = re.compile(r"net::ERR_|WebSocket connection")
"""What the browser says while the server can't be reached."""


class BrowserUser:
    """A person in front of a page."""

    def __init__(self, page: Page, address: str, *, touch: bool = False) -> None:
        self.page = page
        self.address = address
        self.touch = touch
        self.rng = Random(1)
        self.problems: list[str] = []
        self._expected_errors = [_NO_PUSH_SERVICE]
        page.on("console", self._on_console)
        page.on("pageerror", lambda error: self.problems.append(f"error: {error}"))
        page.set_default_timeout(20_000)

    def _on_console(self, message: ConsoleMessage) -> None:
        text = f"{message.type}: {message.text} ({message.location['url']})"
        is_expected = any(pattern.search(text) for pattern in self._expected_errors)
        if message.type in ("error", "warning") and not is_expected:
            self.problems.append(text)

    def expect_lost_connection(self) -> None:
        """Expect the browser to report, from now on, that it can't reach the server."""
        self._expected_errors.append(_LOST_CONNECTION)

    def expect_not_found(self, path: str) -> None:
        """Expect an address of the page that doesn't exist. The server says so, by its status."""
        self._expected_errors.append(re.compile(f"status of 404 .*{re.escape(path)}"))

    def expect_status(self, status: int) -> None:
        """Expect the server to reject what the browser loads."""
        self._expected_errors.append(re.compile(f"status of {status} "))

    def set_offline(self, offline: bool) -> None:
        self.expect_lost_connection()
        self.page.context.set_offline(offline)

    def go(self, path: str = "/") -> None:
        self.page.goto(self.address + path)

    def press(self, element: Locator, *, force: bool = False) -> None:
        """Click, or tap with real touch events."""
        if self.touch:
            element.tap(force=force)
        else:
            element.click(force=force)

    def sign_in(self, client: Client) -> None:
        """Take the identity of an API client."""
        name, _, value = client.cookie.partition("=")
        self.page.context.add_cookies([{"name": name, "value": value, "url": self.address}])

    def resize(self, width: int, height: int) -> None:
        self.page.set_viewport_size({"width": width, "height": height})
        self.settle()

    def overflowing(self, inner: str, outer: str) -> list[str]:
        """Elements that reach out of their container (`body`: out of the screen)."""
        elements: list[str] = self.page.evaluate(FIND_OVERFLOWING, [inner, outer])
        return elements

    def settle(self) -> None:
        """Wait until no animation runs."""
        self.page.evaluate(WAIT_FOR_ANIMATIONS)

    def screenshot(self, name: str) -> None:
        """Save a picture in the folder of screenshots."""
        SCREENSHOTS.mkdir(exist_ok=True)
        self.settle()
        self.page.screenshot(path=SCREENSHOTS / f"{name}.png")

    def message(self, key: str) -> str:
        """A message of the page in its current language."""
        language = self.page.locator("html").get_attribute("lang")
        messages: dict[str, str] = json.loads((MESSAGES / f"{language}.json").read_text("utf-8"))
        return messages[key]

    @property
    def dialog(self) -> Locator:
        return self.page.locator("dialog[open]")

    @property
    def ply(self) -> int:
        return int(self.page.locator("[data-ply]").get_attribute("data-ply") or 0)

    def wait_past_ply(self, ply: int) -> None:
        self.page.wait_for_function(
            "ply => Number(document.querySelector('[data-ply]')?.dataset.ply) > ply", arg=ply
        )

    def wait_for_task(self) -> str:
        """Wait until the page asks for an action, and return its kind. Skip scoring animations."""
        tasks = (
            ".scoring, dialog[open], .choose .actions, .removals button, "
            "button[data-card]:not([disabled])"
        )
        expect_visible(self.page.locator(tasks), TIMEOUT_MS)
        if self.page.locator(".scoring").count():
            self.page.evaluate("document.querySelector('.scoring button')?.click()")
            self.page.locator(".scoring").wait_for(state="detached")
            return self.wait_for_task()
        for task, selector in (
            ("end", "dialog[open] .podium"),
            ("sheet", "dialog[open] .sheet"),
            ("pass_device", "dialog[open] .chips"),
            ("select", ".choose .actions"),
            ("remove", ".removals button"),
        ):
            if self.page.locator(selector).count():
                return task
        return "build"

    def select_blocks(self) -> None:
        """Select random blocks for the round."""
        for colour in self.page.locator(".choose fieldset").all():
            more = colour.locator(".count button:last-child:not([disabled])")
            while more.count():
                self.press(more.nth(self.rng.randrange(more.count())))
        self.press(self.page.locator(".choose .primary"))
        self.page.locator(".choose").wait_for(state="detached")

    def build(self) -> None:
        """Build with a random card and block on a random open site."""
        page, before = self.page, self.ply
        self.press(self._random(page.locator("button[data-card]:not([disabled]):not(.off)")))
        self.press(self._random(page.locator("button[data-block]:not([disabled]):not(.off)")))
        # Press the roof or the empty lot, as a person would.
        sites = page.locator("[data-site].can > .ring, [data-site].open")
        self.press(self._random(sites), force=True)
        self.press(page.get_by_role("button", name=self.message("dock.build"), exact=True))
        self.wait_past_ply(before)

    def _random(self, elements: Locator) -> Locator:
        expect_visible(elements, TIMEOUT_MS)
        return elements.nth(self.rng.randrange(elements.count()))

    def do_task(self) -> str:
        """Wait for the next task and do it; return its kind."""
        task = self.wait_for_task()
        if task in ("sheet", "pass_device"):
            self.press(self.dialog.locator(".primary"))
            content = ".sheet" if task == "sheet" else ".chips"
            self.dialog.locator(content).wait_for(state="detached")
        elif task == "select":
            self.select_blocks()
        elif task == "remove":
            self.press(self.page.locator(".removals button").first)
        elif task == "build":
            self.build()
        return task

    def play_to_end(self) -> int:
        """Play until the result is shown; return the number of tasks done."""
        count = 0
        while self.do_task() != "end":
            count += 1
        return count


@contextmanager
def open_browser(
    browser: Browser,
    address: str,
    size: tuple[int, int] = DESKTOP,
    language: str = "en",
    *,
    touch: bool = False,
    **options: Any,
) -> Iterator[BrowserUser]:
    """Open a new browser context, on request that of a device with a touch screen; fail at the end
    if the page has reported a problem."""
    context: BrowserContext = browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        locale=language,
        has_touch=touch,
        is_mobile=touch,
        **options,
    )
    user = BrowserUser(context.new_page(), address, touch=touch)
    try:
        yield user
        assert not user.problems, "\n".join(user.problems)
    finally:
        context.close()


def expect_visible(elements: Locator, timeout_ms: float | None = None) -> None:
    """Expect the first of some elements to become visible.

    (Waiting for a selector instead would keep a handle to the element, which then could not be
    garbage-collected while the page is open.)
    """
    expect(elements.first).to_be_visible(timeout=timeout_ms)


def open_table(
    user: BrowserUser, server: RunningServer, *others: dict[str, str], **options: object
) -> str:
    """Open a table whose bots move without a delay, and show it to the user."""
    client = server.client("Ada")
    table = client.open_table(
        seats=[{"occupant": "me"}, *others], bot_delay_ms=0, start=True, **options
    )
    user.sign_in(client)
    user.go(f"/table/{table}")
    return table
