"""Games among people end: one of them leaves, nobody plays again, the game is aborted."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from manhattan.client import Client
from support.browser_user import DESKTOP, PHONE, BrowserUser, expect_visible, open_browser
from support.moved_clock import MovedClock
from support.server_fixtures import RunningServer, play_on, running_server

OPEN_SEAT = [{"occupant": "me"}, {"occupant": "open"}]
SHORT = {"two_players": "6x4-one-colour"}


def two_people(server: RunningServer) -> tuple[Client, Client, str]:
    """Return Ada, Bob, and a table at which both have a seat. Bob moves first."""
    ada, bob = server.client("Ada"), server.client("Bob")
    table = ada.open_table(seats=OPEN_SEAT, first=1, house_rules=SHORT, bot_delay_ms=0)
    bob.take_seat(table)
    return ada, bob, table


def show(user: BrowserUser, client: Client, path: str) -> None:
    user.sign_in(client)
    user.go(path)


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
def test_a_game_goes_on_after_one_of_two_players_has_left_for_good(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    clock = MovedClock(monkeypatch)
    monkeypatch.setattr("manhattan.server.domain.state.SUBSTITUTE_LEVEL", "easy")  # no compilation
    with (
        running_server(str(tmp_path / "tables.db")) as server,
        open_browser(browser, server.address, size) as ada,
    ):
        person, friend, table = two_people(server)
        person.start_game(table)
        show(ada, person, f"/table/{table}")
        expect_visible(ada.page.locator("[data-ply]"))
        with friend.connect(table) as bob:
            next(bob.messages())
            expect(ada.page.locator(".prompt")).to_have_count(0)
        # The page's own clock shows the wait; the server's clock is moved ahead.
        clock.advance(seconds=90)
        ada.page.reload()
        prompt = ada.page.locator(".prompt")
        expect_visible(prompt.get_by_text(re.compile("Bob has been away for 1 minute")))
        expect_visible(prompt.get_by_text(re.compile(r"In \d+ seconds you can let a bot play")))
        ada.screenshot(f"absent-{size[0]}")
        clock.advance(seconds=60)
        ada.page.reload()
        ada.press(prompt.get_by_role("button", name="Let a bot play"))
        expect(prompt).to_have_count(0)
        expect_visible(ada.page.get_by_text("A bot plays for Bob, who is away.").first)
        ada.play_to_end()
        expect_visible(ada.dialog.locator(".podium"))
        # Bob comes back, and sees how it ended.
        with open_browser(browser, server.address, size) as bob_page:
            show(bob_page, friend, f"/table/{table}")
            expect_visible(bob_page.dialog.locator(".podium"))


def test_a_rematch_is_offered_accepted_and_declined(
    browser: Browser, server: RunningServer
) -> None:
    ada, bob, table = two_people(server)
    ada.start_game(table)
    for client in (ada, bob):
        with client.connect(table) as seat:
            next(seat.messages())
            seat.resign()
    with ada.connect(table) as seat:
        play_on(seat)
    with (
        open_browser(browser, server.address) as one,
        open_browser(browser, server.address, PHONE) as two,
    ):
        for user, client in ((one, ada), (two, bob)):
            show(user, client, f"/table/{table}")
            expect_visible(user.dialog.locator(".podium"))
        one.press(one.dialog.get_by_role("button", name="Play again"))
        expect_visible(one.page.get_by_text("invited"))
        expect(one.page.get_by_role("button", name="One more player needed")).to_be_disabled()
        expect_visible(two.dialog.get_by_text("A rematch is waiting for you."))
        two.screenshot("rematch-offer-phone")
        two.press(two.dialog.get_by_role("button", name="No, thanks"))
        expect_visible(one.page.get_by_text("Open seat"))
        expect(two.dialog.get_by_text("A rematch is waiting for you.")).to_have_count(0)
        # Bob thinks again: the seat is open.
        rematch = one.page.url.rpartition("/")[2]
        two.go(f"/table/{rematch}")
        two.press(two.page.get_by_role("button", name="Take seat"))
        expect_visible(two.page.locator(".seats").get_by_text("You"))


def test_the_last_player_who_accepts_a_rematch_starts_it(
    browser: Browser, server: RunningServer
) -> None:
    ada, bob, table = two_people(server)
    ada.start_game(table)
    for client in (ada, bob):
        with client.connect(table) as seat:
            next(seat.messages())
            seat.resign()
    with ada.connect(table) as seat:
        play_on(seat)
    rematch = ada.request("POST", f"/api/tables/{table}/rematch")["table"]
    with open_browser(browser, server.address) as user:
        show(user, bob, f"/table/{rematch}")
        offer = user.page.locator(".offer")
        expect_visible(offer.get_by_text("Ada would like to play again."))
        user.screenshot("rematch-lobby")
        user.press(offer.get_by_role("button", name="Play again"))
        expect_visible(user.page.locator("[data-ply]"))
        assert ada.request("GET", f"/api/tables/{rematch}")["table"]["stage"] == "playing"


def test_a_game_is_aborted_in_its_first_moves(browser: Browser, server: RunningServer) -> None:
    ada, bob, table = two_people(server)
    ada.start_game(table)
    with open_browser(browser, server.address) as user:
        show(user, bob, f"/table/{table}")
        user.do_task()
        settings = user.page.get_by_role("banner").get_by_role("button", name="Settings")
        settings.click()
        user.dialog.get_by_role("button", name="Abort the game").click()
        expect_visible(user.dialog.get_by_text("End the game for everyone, without a result?"))
        user.dialog.locator(".row").get_by_role("button", name="Abort the game").click()
        expect_visible(user.page.get_by_role("heading", name="Game aborted"))
        user.screenshot("aborted")
        user.page.get_by_role("link", name="Replay").click()
        expect_visible(user.page.get_by_role("slider"))
        # When everyone has moved, it is too late.
        other = ada.open_table(
            seats=[{"occupant": "me"}, {"occupant": "bot", "level": "easy"}],
            bot_delay_ms=0,
            start=True,
        )
        with ada.connect(other) as seat:
            play_on(seat, 2)
        show(user, ada, f"/table/{other}")
        user.wait_for_task()
        settings.click()
        expect_visible(user.dialog.get_by_role("button", name="Resign"))
        expect(user.dialog.get_by_role("button", name="Abort the game")).to_have_count(0)


def test_a_removed_player_sees_it_and_stays_out(browser: Browser, server: RunningServer) -> None:
    ada, bob, table = two_people(server)
    with (
        open_browser(browser, server.address) as host,
        open_browser(browser, server.address, PHONE) as guest,
    ):
        show(host, ada, f"/table/{table}")
        show(guest, bob, f"/table/{table}")
        expect_visible(guest.page.get_by_role("button", name="Leave table"))
        host.press(host.page.get_by_role("button", name="Remove player"))
        expect_visible(host.page.get_by_text("Open seat"))
        expect_visible(guest.page.get_by_text("Ada has removed you from this table."))
        expect(guest.page.get_by_role("button", name="Take seat")).to_have_count(0)
        guest.screenshot("removed-phone")
