"""Whole games in a browser: by mouse, by keyboard, on a phone."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser

from serving import Running
from visitor import BOTS, DESKTOP, PHONE, Visitor, at_a_table, shows, visiting


def test_play_now_is_one_click_and_a_game(browser: Browser, up: Running) -> None:
    with visiting(browser, up.address, DESKTOP) as ada:
        ada.go("/")
        shows(ada.page.get_by_role("heading", name=re.compile("Six cities")))
        ada.page.get_by_role("button", name=re.compile("Play now")).click()
        shows(ada.page.get_by_role("heading", name="Round 1 of 4"))
        assert ada.wait() == "choose"
        shows(ada.page.get_by_text("Medium 3"))


def test_a_whole_game_of_four_by_mouse(browser: Browser, up: Running) -> None:
    with visiting(browser, up.address, DESKTOP) as ada:
        table = at_a_table(ada, up, *BOTS)
        assert ada.play() == 4 + 24 + 4  # choices, builds, sheets
        shows(ada.dialog.get_by_text("Fair: verified"))
        ada.shot("end-desktop")
        record = up.client("Bob").record(table)
        assert record["result"]["scores"] == [
            int(text) for text in _by_player(ada, record["players"])
        ]
        ada.page.get_by_role("button", name="Play again").click()
        shows(ada.page.get_by_role("heading", name="Round 1 of 4"))


def _by_player(visitor: Visitor, players: list[dict[str, str]]) -> list[str]:
    """The points on the podium, in the order of the players."""
    rows = [row.inner_text().split("\n") for row in visitor.dialog.locator(".podium li").all()]
    points = {row[1]: row[-1] for row in rows}
    return [points[player["name"]] for player in players]


@pytest.mark.thorough
def test_a_whole_game_of_two_on_a_phone(browser: Browser, up: Running) -> None:
    with visiting(browser, up.address, PHONE, has_touch=True) as ada:
        at_a_table(ada, up, BOTS[0])
        assert ada.play() == 6 + 48 + 6
        shows(ada.dialog.get_by_text("Fair: verified"))
        ada.shot("end-phone")
