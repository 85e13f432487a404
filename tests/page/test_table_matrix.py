"""A round of every edition with every number of players, and a few moves of every bot."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from manhattan.bots import LEVELS
from manhattan.bots.names import BOT_NAMES
from manhattan.rules import EDITIONS
from support.browser_user import DESKTOP, expect_visible, open_browser, open_table
from support.server_fixtures import RunningServer


def marks_of(number: int, players: int) -> list[pytest.MarkDecorator]:
    """One combination with two colours runs by default, the others only on request."""
    return [] if (number, players) == (1, 2) else [pytest.mark.thorough]


@pytest.mark.parametrize(
    ("edition", "players"),
    [
        pytest.param(edition, players, marks=marks_of(number, players))
        for number, edition in enumerate(EDITIONS)
        for players in (2, 3, 4)
    ],
)
def test_a_round_of_every_edition(
    browser: Browser, server: RunningServer, edition: str, players: int
) -> None:
    with open_browser(browser, server.address) as ada:
        bots = [{"occupant": "bot", "level": "easy"}] * (players - 1)
        open_table(ada, server, *bots, edition=edition)
        for city in EDITIONS[edition].cities:
            expect_visible(ada.page.get_by_text(city, exact=True))
        while (task := ada.do_task()) != "sheet":
            assert task != "end"
            if task == "select":
                ada.wait_for_task()
                for size in ((320, 568), (844, 390)):
                    ada.resize(*size)
                    assert ada.overflowing(".dock, .dock button", "body") == [], size
                ada.resize(*DESKTOP)
        expect_visible(ada.page.get_by_role("heading", name="Round 2 of"))
        if players == 2:
            ada.screenshot(f"table-{edition}-two-players")


@pytest.mark.thorough
@pytest.mark.parametrize("level", list(LEVELS))
def test_bots_of_every_level_move(browser: Browser, server: RunningServer, level: str) -> None:
    with open_browser(browser, server.address) as ada:
        ada.page.set_default_timeout(180_000)  # strong bots are compiled first
        ada.go("/new/bots")
        ada.page.get_by_label("Level of player 2").select_option(level)
        ada.page.get_by_text("More settings").click()
        ada.page.get_by_label("Bot speed").select_option("0")
        ada.page.get_by_role("button", name="Start game", exact=True).click()
        for _ in range(3):
            ada.do_task()
        expect_visible(ada.page.get_by_text(BOT_NAMES[level][0]))
        expect_visible(ada.page.get_by_text(level.title(), exact=True))
