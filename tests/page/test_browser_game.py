"""Whole games in a browser: on a desktop and on a phone."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, expect

from support.browser_user import (
    BOTS,
    DESKTOP,
    PHONE,
    BrowserUser,
    expect_visible,
    open_browser,
    open_table,
)
from support.server_fixtures import RunningServer


def test_quick_play_starts_a_game_with_one_click(browser: Browser, server: RunningServer) -> None:
    with open_browser(browser, server.address, DESKTOP) as ada:
        ada.go("/")
        expect_visible(ada.page.get_by_role("heading", name=re.compile("Six cities")))
        ada.page.get_by_role("button", name=re.compile("Play now")).click()
        expect_visible(ada.page.get_by_role("heading", name="Round 1 of 4"))
        assert ada.wait_for_task() == "select"
        players = ada.page.get_by_role("list", name="Players").get_by_role("listitem")
        expect(players).to_contain_text(["Clara", "Greta", "Hugo"])
        expect(players).to_contain_text(["Medium"] * 3)


def test_a_whole_four_player_game_by_mouse(browser: Browser, server: RunningServer) -> None:
    with open_browser(browser, server.address, DESKTOP) as ada:
        table = open_table(ada, server, *BOTS)
        assert ada.play_to_end() == 4 + 24 + 4  # selections, builds, score sheets
        expect_visible(ada.dialog.get_by_text("Shuffle verified"))
        ada.screenshot("end-desktop")
        record = server.client("Bob").record(table)
        assert record["result"]["scores"] == [
            int(text) for text in _points_by_player(ada, record["players"])
        ]
        ada.page.get_by_role("button", name="Play again").click()
        expect_visible(ada.page.get_by_role("heading", name="Round 1 of 4"))


def _points_by_player(user: BrowserUser, players: list[dict[str, str]]) -> list[str]:
    """The points in the ranking, in the order of the players."""
    rows = [row.inner_text().split("\n") for row in user.dialog.locator(".podium li").all()]
    points = {row[1]: row[-1] for row in rows}
    return [points[player["name"]] for player in players]


@pytest.mark.thorough
def test_a_whole_two_player_game_on_a_phone(browser: Browser, server: RunningServer) -> None:
    with open_browser(browser, server.address, PHONE, touch=True) as ada:
        open_table(ada, server, BOTS[0])
        assert ada.play_to_end() == 6 + 48 + 6
        expect_visible(ada.dialog.get_by_text("Shuffle verified"))
        ada.screenshot("end-phone")
