"""Notifications of an open page: the tab, and the system while the page is in the background."""

from __future__ import annotations

import re

from playwright.sync_api import Browser, expect

from support.browser_user import BrowserUser, expect_visible, open_browser
from support.server_fixtures import RunningServer, play_on

HIDE = "Object.defineProperty(document, 'hidden', { value: true, configurable: true })"
ALLOW = """
  Object.defineProperty(Notification, 'permission', { value: 'granted' })
  globalThis.shown = []
  ServiceWorkerRegistration.prototype.showNotification = async (title, { body, tag, lang }) =>
    void globalThis.shown.push({ title, body, tag, lang })
"""
"""A headless browser grants no permission for notifications and shows none: what the page and the
service worker hand over to it is noted here."""
OPEN_SEAT = [{"occupant": "me"}, {"occupant": "open"}]


def allow_notifications(user: BrowserUser, kinds: list[str]) -> None:
    """Switch kinds of notifications on in the settings."""
    user.page.add_init_script(ALLOW)
    user.go("/")
    user.page.evaluate("async () => void (await navigator.serviceWorker.ready)")
    user.page.get_by_role("button", name="Settings").click()
    for kind in kinds:
        user.dialog.get_by_label(kind).check()
    user.page.keyboard.press("Escape")


def test_a_page_in_the_background_notifies_of_the_turn(
    browser: Browser, server: RunningServer
) -> None:
    with open_browser(browser, server.address) as user:
        ada, bob = server.client("Ada"), server.client("Bob")
        table = ada.open_table(seats=OPEN_SEAT, first=1)
        bob.take_seat(table)
        user.sign_in(ada)
        allow_notifications(user, ["It’s my turn"])
        ada.start_game(table)
        user.go(f"/table/{table}")
        expect_visible(user.page.locator("[data-ply]"))
        icon = user.page.locator("link[rel=icon]")
        expect(icon).to_have_attribute("href", "/icon.svg")
        user.page.evaluate(HIDE)
        with bob.connect(table) as seat:
            play_on(seat, 1)
        user.page.wait_for_function("() => globalThis.shown.length > 0")
        notification = {"title": "Your turn", "body": "Manhattan with Bob"}
        about = {"tag": table, "lang": "en"}
        assert user.page.evaluate("globalThis.shown") == [notification | about]
        expect(user.page).to_have_title(re.compile("^Your turn"))
        expect(icon).to_have_attribute("href", "/icon-badge.svg")


def test_a_kind_that_is_off_and_a_page_in_front_notify_of_nothing(
    browser: Browser, server: RunningServer
) -> None:
    for kinds, is_hidden in ((["A game ends"], True), (["It’s my turn"], False)):
        with open_browser(browser, server.address) as user:
            ada, bob = server.client("Ada"), server.client("Bob")
            table = ada.open_table(seats=OPEN_SEAT, first=1)
            bob.take_seat(table)
            user.sign_in(ada)
            allow_notifications(user, kinds)
            ada.start_game(table)
            user.go(f"/table/{table}")
            expect_visible(user.page.locator("[data-ply]"))
            if is_hidden:
                user.page.evaluate(HIDE)
            with bob.connect(table) as seat:
                play_on(seat, 1)
            expect(user.page).to_have_title(re.compile("^Your turn"))
            assert user.page.evaluate("globalThis.shown") == []


def test_blocked_notifications_are_explained(browser: Browser, server: RunningServer) -> None:
    with open_browser(browser, server.address) as user:
        user.page.add_init_script(
            "Object.defineProperty(Notification, 'permission', { value: 'denied' })"
        )
        user.go("/")
        user.page.get_by_role("button", name="Settings").click()
        expect_visible(user.dialog.get_by_text("Your browser blocks notifications"))
        expect(user.dialog.get_by_label("It’s my turn")).to_be_disabled()
