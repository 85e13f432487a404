"""The account page: the same person on several devices, by passkey and by recovery code."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, CDPSession, Locator, expect

from support.browser_user import PHONE, BrowserUser, open_browser
from support.server_fixtures import RunningServer

AUTHENTICATOR = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}
CODE = r"[0-9A-Z]{4}(-[0-9A-Z]{4}){4}"


class VirtualAuthenticator:
    """Chromium's authenticator for tests."""

    def __init__(self, user: BrowserUser) -> None:
        self._tools: CDPSession = user.page.context.new_cdp_session(user.page)
        self._tools.send("WebAuthn.enable")
        added = self._tools.send("WebAuthn.addVirtualAuthenticator", {"options": AUTHENTICATOR})
        self._id = added["authenticatorId"]

    def credentials(self) -> list[dict[str, Any]]:
        found = self._tools.send("WebAuthn.getCredentials", {"authenticatorId": self._id})
        credentials: list[dict[str, Any]] = found["credentials"]
        return credentials

    def copy_from(self, other: VirtualAuthenticator) -> None:
        """Take over passkeys, as a synchronized device does."""
        for credential in other.credentials():
            self._tools.send(
                "WebAuthn.addCredential", {"authenticatorId": self._id, "credential": credential}
            )


@contextmanager
def at_localhost(browser: Browser, server: RunningServer, **options: Any) -> Iterator[BrowserUser]:
    """Open a browser at localhost: browsers allow no passkeys for an IP address."""
    address = f"http://localhost:{server.port}"
    with open_browser(browser, address, permissions=["clipboard-write"], **options) as user:
        yield user


def button(user: BrowserUser, name: str) -> Locator:
    return user.page.get_by_role("button", name=name, exact=True)


def section(user: BrowserUser, name: str) -> Locator:
    return user.page.get_by_role("region", name=name, exact=True)


def expect_notice(user: BrowserUser, text: str) -> None:
    expect(user.page.get_by_role("status")).to_have_text(text)


def enter_name(user: BrowserUser, name: str) -> None:
    """Open the account page from the header, and enter a name there."""
    user.go("/")
    user.press(user.page.get_by_role("link", name="Your account"))
    user.page.get_by_role("textbox", name="Your name").fill(name)
    user.press(button(user, "Save the name"))
    expect_notice(user, "Saved.")


def open_table(user: BrowserUser) -> str:
    """Open a table with the user's cookie, and show it."""
    seats = [{"occupant": "me"}, {"occupant": "open"}]
    response = user.page.request.post(
        f"{user.address}/api/tables", data={"seats": seats}, headers={"Origin": user.address}
    )
    table = str(response.json()["id"])
    user.go(f"/table/{table}")
    return table


def create_codes(user: BrowserUser) -> list[str]:
    user.press(button(user, "Create recovery codes"))
    codes = user.page.locator("code")
    expect(codes).to_have_count(4)
    return codes.all_inner_texts()


def test_a_passkey_signs_in_on_a_second_browser_and_revokes_the_first(
    browser: Browser, server: RunningServer
) -> None:
    with at_localhost(browser, server) as laptop, at_localhost(browser, server) as desktop:
        enter_name(laptop, "Grace")
        first = VirtualAuthenticator(laptop)
        expect(section(laptop, "Come back on any device")).to_contain_text("Only this browser")
        laptop.press(button(laptop, "Add a passkey"))
        expect_notice(laptop, "The passkey is added.")
        expect(
            laptop.page.get_by_role("list", name="Passkeys").get_by_role("listitem")
        ).to_have_count(1)
        laptop.press(button(laptop, "Add a passkey"))
        expect_notice(laptop, "This device already has a passkey for you.")
        table = open_table(laptop)
        expect(laptop.page.get_by_role("heading", level=1)).to_be_visible()

        second = VirtualAuthenticator(desktop)
        desktop.go("/account")
        desktop.press(button(desktop, "Sign in with a passkey"))
        expect_notice(desktop, "No passkey was used.")
        second.copy_from(first)
        desktop.press(button(desktop, "Sign in with a passkey"))
        expect_notice(desktop, "You are signed in as Grace.")
        devices = section(desktop, "Your devices")
        expect(devices.get_by_role("listitem")).to_have_count(2)
        expect(devices).to_contain_text("This device")
        desktop.press(devices.get_by_role("button", name="Sign out", exact=True))
        desktop.press(devices.get_by_role("button", name="Sign out", exact=True).last)
        expect_notice(desktop, "The device is signed out.")
        expect(devices.get_by_role("listitem")).to_have_count(1)
        # The other browser shows the table, and learns it at once.
        expect(laptop.page.get_by_role("heading", level=1)).to_have_text(
            laptop.message("table.signed_out")
        )
        desktop.go(f"/table/{table}")
        expect(desktop.page.get_by_text("Grace").first).to_be_visible()
        laptop.go("/account")
        expect(laptop.page.get_by_role("textbox", name="Your name")).to_have_value("")


def test_the_account_page_shows_the_address_of_a_feed(
    browser: Browser, server: RunningServer
) -> None:
    with at_localhost(browser, server) as ada:
        enter_name(ada, "Ada")
        feed = section(ada, "Feed for other programs")
        ada.press(feed.get_by_role("button", name="Create the address"))
        field = feed.get_by_role("textbox", name="Address of the feed")
        expect(field).to_be_visible()
        address = field.input_value()
        ada.press(feed.get_by_role("button", name="Copy link"))
        expect(feed.get_by_role("button", name="Copied")).to_be_visible()
        answer = httpx.get(address)
        assert answer.status_code == 200
        assert "<title>Manhattan: Ada</title>" in answer.text


def test_a_recovery_code_signs_in_on_a_phone(browser: Browser, server: RunningServer) -> None:
    with (
        at_localhost(browser, server) as laptop,
        open_browser(browser, server.address, PHONE, touch=True) as phone,
    ):
        enter_name(laptop, "Grace")
        codes = create_codes(laptop)
        laptop.press(button(laptop, "Copy"))
        expect(button(laptop, "Copied")).to_be_visible()
        laptop.page.emulate_media(media="print")
        expect(laptop.page.locator("code").first).to_be_visible()
        for hidden in (button(laptop, "Copied"), laptop.page.get_by_role("banner")):
            expect(hidden).to_be_hidden()
        laptop.page.emulate_media(media="screen")
        laptop.press(button(laptop, "I have written them down"))
        expect(laptop.page.get_by_text("4 codes left")).to_be_visible()

        phone.go("/account")
        expect(button(phone, "Sign in with a passkey")).to_have_count(0)  # at an IP address
        field = phone.page.get_by_role("textbox", name="Recovery code")
        field.fill("0000-0000-0000-0000-0000")
        phone.press(button(phone, "Sign in"))
        expect(phone.page.get_by_role("alert")).to_contain_text("This recovery code is wrong")
        field.fill(codes[0].lower())
        phone.press(button(phone, "Sign in"))
        expect_notice(phone, "You are signed in as Grace.")
        expect(phone.page.get_by_text("3 codes left")).to_be_visible()
        assert phone.overflowing("main *", "main") == []

        # The page of a device that was signed out elsewhere says so.
        devices = section(phone, "Your devices")
        expect(devices.get_by_role("listitem")).to_have_count(2)
        phone.press(devices.get_by_role("button", name="Sign out", exact=True))
        phone.press(devices.get_by_role("button", name="Sign out", exact=True).last)
        expect(devices.get_by_role("listitem")).to_have_count(1)
        laptop.press(button(laptop, "Add a passkey"))
        expect(laptop.page.get_by_role("alert")).to_have_text(
            "This device was signed out from another one."
        )


@pytest.mark.parametrize(
    ("choice", "is_brought"), [("Take the games along", True), ("Sign in without them", False)]
)
def test_games_are_not_left_without_a_question(
    browser: Browser, server: RunningServer, choice: str, is_brought: bool
) -> None:
    with at_localhost(browser, server) as laptop, at_localhost(browser, server) as other:
        enter_name(laptop, "Grace")
        [code, *_] = create_codes(laptop)
        enter_name(other, "Hopper")
        table = open_table(other)
        other.go("/account")
        other.page.get_by_role("textbox", name="Recovery code").fill(code)
        other.press(button(other, "Sign in"))
        question = section(other, "Sign in as somebody else").get_by_role("alert")
        expect(question).to_contain_text("You are Hopper here and have a seat at 1 table.")
        expect(question).to_contain_text("could not come back")
        other.press(button(other, choice))
        expect_notice(other, "You are signed in as Grace.")
        other.go("/games")
        links = other.page.locator(f"main a[href='/table/{table}']")
        expect(links).to_have_count(1 if is_brought else 0)


def test_everything_is_downloaded_and_deleted(browser: Browser, server: RunningServer) -> None:
    with at_localhost(browser, server) as user:
        enter_name(user, "Grace")
        table = open_table(user)
        user.press(user.page.get_by_role("button", name="Settings").first)
        user.press(user.dialog.get_by_role("link", name="Your account"))
        with user.page.expect_download() as downloading:
            user.press(user.page.get_by_role("link", name="Download everything"))
        assert downloading.value.suggested_filename == "manhattan.json"
        export = json.loads(downloading.value.path().read_text("utf-8"))
        assert export["account"]["name"] == "Grace"
        assert [entry["table"]["id"] for entry in export["tables"]] == [table]
        user.press(button(user, "Delete everything"))
        user.press(button(user, "Cancel"))
        user.press(button(user, "Delete everything"))
        expect(section(user, "Your data")).to_contain_text("This can’t be undone.")
        user.press(button(user, "Delete for good"))
        expect_notice(user, "Everything is deleted.")
        expect(user.page.get_by_role("textbox", name="Your name")).to_have_value("")
        assert user.page.request.get(f"{user.address}/api/me").json() == {"name": None}


def test_everything_works_with_the_keyboard(browser: Browser, server: RunningServer) -> None:
    """Where a pressed button disappears, the message has the focus."""
    with at_localhost(browser, server) as user:
        enter_name(user, "Grace")
        VirtualAuthenticator(user)
        button(user, "Add a passkey").focus()
        user.page.keyboard.press("Enter")
        expect_notice(user, "The passkey is added.")
        expect(button(user, "Add a passkey")).to_be_focused()
        button(user, "Remove").focus()
        user.page.keyboard.press("Enter")
        expect(button(user, "Cancel")).to_be_focused()
        user.page.keyboard.press("Tab")
        user.page.keyboard.press("Enter")
        expect_notice(user, "The passkey is removed.")
        expect(user.page.locator(".messages")).to_be_focused()


def test_a_name_that_imitates_a_bot_is_explained(browser: Browser, server: RunningServer) -> None:
    with at_localhost(browser, server) as user:
        user.go("/account")
        for name, problem in (
            ("Expert 2", "reason.name_of_a_bot"),
            ("Adа", "reason.name_mixed_scripts"),
        ):
            user.page.get_by_role("textbox", name="Your name").fill(name)
            user.press(button(user, "Save the name"))
            expect(user.page.get_by_role("alert")).to_have_text(user.message(problem))


@pytest.mark.parametrize("language", ["en", "de", "fr", "nl", "pl"])
def test_the_page_fits_in_every_language(
    browser: Browser, server: RunningServer, language: str
) -> None:
    client = server.client("Grace")
    client.request("POST", "/api/me/recovery-codes")
    with open_browser(browser, server.address, (320, 640), language) as user:
        user.sign_in(client)
        user.go("/account")
        expect(user.page.get_by_role("region")).to_have_count(6)
        assert user.overflowing("main *", "main") == []
