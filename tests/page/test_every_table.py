"""Every edition and number of players, and every strength of bots: begun, and a round played."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from manhattan.rules import EDITIONS
from serving import Running
from visitor import DESKTOP, at_a_table, shows, visiting


def marks_of(number: int, players: int) -> list[pytest.MarkDecorator]:
    """One with two colours; the others only on request."""
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
    browser: Browser, up: Running, edition: str, players: int
) -> None:
    with visiting(browser, up.address) as ada:
        bots = [{"who": "bot", "level": "easy"}] * (players - 1)
        at_a_table(ada, up, *bots, edition=edition)
        for city in EDITIONS[edition].cities:
            shows(ada.page.get_by_text(city, exact=True))
        while (what := ada.act()) != "sheet":
            assert what != "end"
            if what == "choose":
                ada.wait()
                for size in ((320, 568), (844, 390)):
                    ada.resize(*size)
                    assert ada.sticking_out(".dock, .dock button", "body") == [], size
                ada.resize(*DESKTOP)
        shows(ada.page.get_by_role("heading", name="Round 2 of"))
        if players == 2:
            ada.shot(f"table-{edition}-two-players")


@pytest.mark.thorough
@pytest.mark.parametrize("level", ["easy", "medium", "hard", "expert"])
def test_bots_of_a_level(browser: Browser, up: Running, level: str) -> None:
    with visiting(browser, up.address) as ada:
        ada.page.set_default_timeout(180_000)  # the strong ones are compiled first
        ada.go("/new/bots")
        ada.page.get_by_label("Strength of player 2").select_option(level)
        ada.page.get_by_text("More settings").click()
        ada.page.get_by_label("How fast bots move").select_option("0")
        ada.page.get_by_role("button", name="Begin", exact=True).click()
        for _ in range(3):
            ada.act()
        shows(ada.page.get_by_text(f"{level.title()} 1"))
