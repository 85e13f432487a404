"""The documentation, as a visitor of the page sees it: a link, the search, and no violation."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from support.axe import violations
from support.browser_user import DESKTOP, PHONE, BrowserUser, expect_visible, open_browser
from support.server_fixtures import RunningServer


def test_a_visitor_opens_the_documentation_and_finds_something(
    browser: Browser, server: RunningServer
) -> None:
    with open_browser(browser, server.address) as ada:
        page = ada.page
        elsewhere: list[str] = []
        page.on("request", lambda request: elsewhere.append(request.url))
        ada.go("/")
        page.get_by_role("link", name="Documentation").click()
        expect(page).to_have_url(f"{server.address}/docs/")
        expect(page.get_by_role("heading", level=1)).to_have_text(re.compile("One skyline"))
        for door in ("Play", "Host", "Build a bot", "Research"):
            expect_visible(page.get_by_role("heading", level=2, name=door, exact=True))
        page.keyboard.press("Control+k")
        page.locator("input[placeholder=Search]").fill("sequential halving")
        page.get_by_text("How Champion chooses a move").click()
        expect(page).to_have_url(re.compile(r"/docs/explanation/bots/"))
        assert not [url for url in elsewhere if not url.startswith((server.address, "data:"))]


def test_the_settings_lead_to_the_documentation(browser: Browser, server: RunningServer) -> None:
    with open_browser(browser, server.address, language="de") as ada:
        ada.go("/watch")
        ada.page.get_by_role("button", name=ada.message("settings.title")).click()
        with ada.page.context.expect_page() as opened:
            ada.dialog.get_by_role("link", name=re.compile("Dokumentation")).click()
        expect(opened.value).to_have_url(f"{server.address}/docs/")


def test_the_service_worker_leaves_the_documentation_to_the_server(
    browser: Browser, server: RunningServer
) -> None:
    with open_browser(browser, server.address) as ada:
        ada.go("/")
        ada.page.wait_for_function("() => navigator.serviceWorker.controller")
        for path, is_cached in (("/rules", True), ("/docs/", False), ("/docs", False)):
            response = ada.page.goto(server.address + path)
            assert response is not None
            assert response.from_service_worker is is_cached, path


def test_the_moving_picture_can_be_paused_and_stands_still_on_request(
    browser: Browser, server: RunningServer
) -> None:
    with open_browser(browser, server.address) as ada:
        ada.go("/docs/")
        assert shown_pictures(ada.page) == ["turn-light.webp"]
        ada.page.get_by_label("Pause the picture").check(force=True)
        assert shown_pictures(ada.page) == ["turn-light-still.webp"]
        ada.page.emulate_media(color_scheme="dark", reduced_motion="reduce")
        ada.go("/docs/")
        assert shown_pictures(ada.page) == ["turn-dark-still.webp"]


def shown_pictures(page: Page) -> list[str]:
    pictures = page.locator(".film img:visible")
    expect(pictures).to_have_count(1)
    expect(pictures).to_have_js_property("complete", True)
    names: list[str] = pictures.evaluate_all(
        "all => all.map((picture) => picture.currentSrc.split('/').pop())"
    )
    return names


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize(
    "path",
    [
        "/docs/",
        *(
            pytest.param(f"/docs/{page}/", marks=pytest.mark.thorough)
            for page in ("tutorials/build-a-bot", "reference/http-api", "reference/python/game")
        ),
    ],
)
def test_axe_finds_no_violation(
    browser: Browser, server: RunningServer, path: str, size: tuple[int, int]
) -> None:
    with open_browser(browser, server.address, size) as ada:
        ada.go(path)
        screenshot(ada, path, size, "light")
        assert found(ada) == []
        ada.page.emulate_media(color_scheme="dark")
        expect(ada.page.locator("body")).to_have_attribute("data-md-color-scheme", "slate")
        screenshot(ada, path, size, "dark")
        assert found(ada) == []
        assert ada.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def found(user: BrowserUser) -> list[str]:
    """Violations, except that the theme puts the copy buttons of code into unnamed landmarks."""
    return [violation for violation in violations(user) if ".md-code__nav" not in violation]


def screenshot(user: BrowserUser, path: str, size: tuple[int, int], theme: str) -> None:
    name = path.strip("/").replace("/", "-")
    user.screenshot(f"{name}-{'phone' if size == PHONE else 'desktop'}-{theme}")
