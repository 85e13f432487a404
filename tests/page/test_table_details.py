"""Details of a table: the fixed view of a shared screen, signs, texts, names and links."""

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
from support.server_fixtures import RunningServer, play_on

LOCATE_SITES = """() => Object.fromEntries([...document.querySelectorAll('[data-name]')]
  .map((site) => [site.dataset.name, site.getBoundingClientRect()])
  .map(([name, box]) => [name, [Math.round(box.x), Math.round(box.y)]]))"""


def open_settings(user: BrowserUser) -> None:
    user.page.get_by_role("banner").get_by_role("button", name="Settings").click()


def open_table_before_scoring(user: BrowserUser, server: RunningServer) -> None:
    """Show a game in the user's last turn of the first round."""
    client = server.client("Ada")
    table = client.open_table(
        seats=[{"occupant": "me"}, *BOTS], bot_delay_ms=0, start=True, first=0
    )
    with client.connect(table) as seat:
        play_on(seat, 6)
    user.sign_in(client)
    user.go(f"/table/{table}")
    user.wait_for_task()


def sites_of_next_turns(user: BrowserUser) -> list[dict[str, list[int]]]:
    """Where the sites are in the plan, in a turn of each player."""
    places = []
    for _ in range(2):
        while user.wait_for_task() != "build":
            user.do_task()
        places.append(user.page.evaluate(LOCATE_SITES))
        user.build()
    return places


def test_on_one_screen_the_board_can_stay_as_it_is(browser: Browser, server: RunningServer) -> None:
    with open_browser(browser, server.address) as ada:
        open_table(ada, server, {"occupant": "here", "name": "Bea"}, first=0)
        ada.do_task()
        ada.page.get_by_role("button", name="Plan").click()
        first, second = sites_of_next_turns(ada)
        assert first != second
        ada.wait_for_task()
        ada.do_task()
        open_settings(ada)
        ada.dialog.get_by_label("don’t turn the board").check()
        ada.page.keyboard.press("Escape")
        first, second = sites_of_next_turns(ada)
        assert first == second
        ada.page.reload()  # the setting is remembered
        third, fourth = sites_of_next_turns(ada)
        assert first == third == fourth
        while ada.wait_for_task() != "build":
            ada.do_task()
        # Cards are turned like the board: in both turns they show the place of their sites.
        for _ in range(2):
            while ada.wait_for_task() != "build":
                ada.do_task()
            card = ada.page.locator("button[data-card]:not(.off)").first
            label = card.inner_text().lower()
            card.click()
            expect(ada.page.locator(".cell.open").first).to_have_accessible_name(
                re.compile(f"[A-F][1-9], {label}:")
            )
            ada.page.keyboard.press("Escape")
            ada.build()


def test_settings_of_a_table_without_shared_screen_offer_no_fixed_view(
    browser: Browser, server: RunningServer
) -> None:
    with open_browser(browser, server.address) as ada:
        open_table(ada, server, *BOTS)
        ada.wait_for_task()
        open_settings(ada)
        expect_visible(ada.dialog.get_by_label("Animations"))
        expect(ada.dialog.get_by_label("don’t turn the board")).to_have_count(0)


def test_rules_and_tutorial_open_beside_the_game(browser: Browser, server: RunningServer) -> None:
    with open_browser(browser, server.address, PHONE) as ada:
        open_table(ada, server, *BOTS, first=0)
        ada.wait_for_task()
        address = ada.page.url
        open_settings(ada)
        for link, path in (
            ("Rules, in a new tab", "/rules/"),
            ("Learn to play, in a new tab", "/learn"),
        ):
            with ada.page.context.expect_page() as opened:
                ada.dialog.get_by_role("link", name=link).click()
            expect(opened.value).to_have_url(re.compile(path))
            expect_visible(opened.value.get_by_role("heading", level=1))
        assert ada.page.url == address
        ada.page.keyboard.press("Escape")
        assert ada.wait_for_task() == "select"


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
def test_a_plus_sign_in_the_plan_means_points(
    browser: Browser, server: RunningServer, size: tuple[int, int]
) -> None:
    """The floors of a block that would be built have an arrow."""
    with open_browser(browser, server.address, size) as ada:
        open_table_before_scoring(ada, server)
        if size == DESKTOP:
            ada.page.keyboard.press("v")
        ada.page.locator("button[data-card]:not(.off)").first.click()
        ada.page.locator("button[data-block]:not(.off)").first.click()
        ada.page.locator(".cell.open").first.click()
        ghost = ada.page.locator(".cell[aria-pressed=true]")
        expect_visible(ghost.locator(".rise path"))
        assert "+" not in (ghost.text_content() or "")
        ada.page.get_by_role("button", name="Build", exact=True).click()
        expect(ada.page.locator(".plan-cell .points text").first).to_have_text(re.compile(r"\+\d"))


def test_a_place_is_shown_only_when_points_are_counted(
    browser: Browser, server: RunningServer
) -> None:
    """Not while a round is being scored: somebody's points are still missing."""
    with open_browser(browser, server.address) as ada:
        open_table_before_scoring(ada, server)
        dock = ada.page.get_by_role("region", name="Ada: cards and blocks")
        ada.build()
        expect_visible(ada.page.locator(".award"))
        expect_visible(dock.get_by_text("points so far"))
        ada.do_task()
        expect_visible(dock.get_by_text(re.compile(r"points, \d.. place")))


def test_a_new_player_reads_what_choosing_is_for_and_counts_only_marked_sites(
    browser: Browser, server: RunningServer
) -> None:
    for size in (DESKTOP, PHONE):
        with open_browser(browser, server.address, size) as ada:
            open_table(ada, server, *BOTS, first=0)
            assert ada.wait_for_task() == "select"
            expect_visible(ada.page.get_by_text("You build one of these blocks each turn"))
            ada.do_task()
            assert ada.wait_for_task() == "build"
            expect(ada.page.get_by_text("You build one of these blocks")).to_have_count(0)
            if size == DESKTOP:
                expect_visible(ada.page.get_by_text("Pick a site"))
                assert ada.page.locator("[data-site].can").count() == 0
                ada.page.locator("button[data-card]").first.click()
                expect_visible(ada.page.get_by_text(re.compile(r"Pick one of \d+ sites")))


def test_players_of_the_same_name_get_numbers(browser: Browser, server: RunningServer) -> None:
    with open_browser(browser, server.address) as ada:
        open_table(ada, server, {"occupant": "here", "name": "Ada"}, BOTS[0], first=0)
        expect_visible(ada.dialog.get_by_role("heading", name="Ada’s turn"))
        ada.do_task()
        names = ada.page.locator(".opponents .name")
        expect(names.first).to_have_text("Ada (2)")


def test_settings_lead_to_the_licences_of_bundled_software(
    browser: Browser, server: RunningServer
) -> None:
    with open_browser(browser, server.address) as ada:
        ada.go("/")
        open_settings(ada)
        with ada.page.context.expect_page() as opened:
            ada.dialog.get_by_role("link", name="Licences, in a new tab").click()
        expect(opened.value.locator("body")).to_contain_text("## svelte - ")
