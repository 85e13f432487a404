"""A correspondence game over some days: the players come and go, and the clock goes on."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from manhattan.client import Client
from support.browser_user import PHONE, BrowserUser, expect_visible, open_browser
from support.moved_clock import MovedClock
from support.server_fixtures import RunningServer, running_server

SEATS = [{"occupant": "me"}, {"occupant": "open"}]
SHORT = {"two_players": "6x4-one-colour"}
CLOCK = {"kind": "correspondence", "days": 2}


def open_home(user: BrowserUser, client: Client) -> None:
    user.sign_in(client)
    user.go("/")


def test_a_game_over_two_days(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("manhattan.server.domain.state.SUBSTITUTE_LEVEL", "easy")
    monkeypatch.setattr("manhattan.server.service.housekeeping.TAKEOVER_DELAY", 100)
    clock, database = MovedClock(monkeypatch), str(tmp_path / "tables.db")
    with running_server(database) as server:
        ada, bob = server.client("Ada"), server.client("Bob")
        table = ada.open_table(seats=SEATS, first=0, house_rules=SHORT, clock=CLOCK)
        bob.take_seat(table)
        ada.start_game(table)
        # The first day: Ada plays on a phone and leaves.
        with open_browser(browser, server.address, PHONE) as phone:
            open_home(phone, ada)
            phone.press(
                phone.page.get_by_role("region", name="Your turn").get_by_role("link").first
            )
            phone.do_task()
            phone.go("/")
            expect(phone.page.get_by_role("region", name="Your turn")).to_have_count(0)
    clock.advance(days=1)
    with running_server(database) as server:  # it was restarted in between
        ada, bob = (Client(server.address, who.name, cookie=who.cookie) for who in (ada, bob))
        # The second day: Bob finds the game, with a day left.
        with open_browser(browser, server.address) as desk:
            open_home(desk, bob)
            waiting = desk.page.get_by_role("region", name="Your turn")
            expect_visible(waiting.get_by_text("23 hours left"))
            waiting.get_by_role("link").first.click()
            desk.do_task()
        assert _seat_of(server, table, 0)["bot_controlled"] is False
        # Ada doesn't come back for two days: a bot plays for her until she does.
        clock.advance(days=2.1)
        with open_browser(browser, server.address) as desk:
            open_home(desk, ada)
            desk.go(f"/table/{table}")
            expect_visible(desk.page.get_by_text("A bot plays for you."))
            expect_visible(desk.page.get_by_text("When you resume, you have 2 days left."))
            desk.page.get_by_role("button", name="Resume playing").click()
            expect(desk.page.get_by_text("A bot plays for you.")).to_have_count(0)
            assert _seat_of(server, table, 0)["bot_controlled"] is False


def _seat_of(server: RunningServer, table: str, player: int) -> dict[str, object]:
    view = server.client("Cat").request("GET", f"/api/tables/{table}")
    seat: dict[str, object] = view["table"]["seats"][player]
    return seat
