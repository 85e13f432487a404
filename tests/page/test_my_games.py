"""My games and its start on the home page: states, pages, live updates, removal."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, expect

from support.browser_user import BOTS, DESKTOP, PHONE, BrowserUser, open_browser
from support.many_games import play_games
from support.server_fixtures import RunningServer, play_on, running_server

RUNNING, FINISHED, PAGE = 10, 50, 20


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A server whose games are Ada's alone."""
    with running_server(str(tmp_path_factory.mktemp("games") / "tables.db")) as server:
        yield server


def rows(user: BrowserUser, state: str | None = None) -> Locator:
    return user.page.locator(f"[data-state={state}]" if state else "[data-game]")


def card(user: BrowserUser, table: str) -> Locator:
    """A game among those that wait for the user."""
    return user.page.locator(f".cards a[href='/table/{table}']")


def row(user: BrowserUser, table: str) -> Locator:
    return user.page.locator(f"[data-game='{table}']")


def test_on_a_phone_one_city_stands_beside_the_headline(
    browser: Browser, server: RunningServer
) -> None:
    ada, bob = server.client("Ada"), server.client("Bob")
    play_games(server, [ada, bob], 1, 2)
    for language, size in (("en", PHONE), ("de", (320, 568)), ("pl", (820, 1000))):
        with open_browser(browser, server.address, size, language) as user:
            user.sign_in(ada)
            user.go("/")
            headline, waiting = user.page.locator("h1"), user.page.locator(".turns, .cards").first
            expect(waiting).to_be_visible()
            expect(user.page.locator(".city svg g[role=group]")).to_have_count(1)
            user.settle()
            boxes = [
                each.bounding_box() for each in (headline, user.page.locator(".city"), waiting)
            ]
            title, city, cards = (box for box in boxes if box is not None)
            assert city["x"] > title["x"]
            assert city["y"] < title["y"] + title["height"]
            assert city["y"] + city["height"] <= cards["y"] + 1
            assert user.overflowing("header > *, main > *:not(.headline)", ".home") == []
            # The header stays on one line.
            header = user.page.locator("header").bounding_box()
            assert header is not None
            assert header["height"] < 80


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_ten_running_and_fifty_finished_games(
    browser: Browser, server: RunningServer, size: tuple[int, int]
) -> None:
    ada, bob = server.client("Ada"), server.client("Bob")
    finished = play_games(server, [ada, bob], FINISHED, 999)
    running = play_games(server, [ada, bob], RUNNING, 1)
    [mine] = play_games(server, [ada, bob], 1, 2)
    with open_browser(browser, server.address, size) as user:
        user.sign_in(ada)
        user.go("/")
        expect(card(user, mine)).to_be_visible()
        if size == DESKTOP:
            expect(user.page.get_by_role("link", name="All 61")).to_be_visible()
            expect(rows(user, "running")).to_have_count(2)
            expect(rows(user, "finished")).to_have_count(1)
        user.page.get_by_role("link", name="My games").first.click()
        expect(user.page).to_have_title("(1) My games · Manhattan")
        expect(card(user, mine)).to_be_visible()
        expect(rows(user, "running")).to_have_count(RUNNING)
        expect(rows(user, "finished")).to_have_count(PAGE - RUNNING - 1)
        for name in ("Your turn 1", "Running 10", "Finished 50"):
            expect(user.page.get_by_role("button", name=name)).to_be_visible()
        expect(user.page.locator(".statistics")).to_contain_text("50 games")
        # Page by page to the end.
        more = user.page.locator(".more button")
        seen = PAGE
        while more.count():
            expect(more).to_have_text(re.compile(f"^{61 - seen} older"))
            more.click()
            seen = min(seen + PAGE, 61)
            expect(user.page.locator("[data-game], .cards > li")).to_have_count(seen)
        listed = [each.get_attribute("data-game") for each in rows(user, "finished").all()]
        assert listed == finished[::-1]  # the latest first
        # A filter shows one state.
        user.page.get_by_role("button", name="Running 10").click()
        expect(rows(user, "finished")).to_have_count(0)
        expect(rows(user)).to_have_count(RUNNING)
        listed = [each.get_attribute("data-game") for each in rows(user).all()]
        assert sorted(map(str, listed)) == sorted(running)
        expect(card(user, mine)).to_have_count(0)
        # And a finished game can be replayed.
        user.page.get_by_role("button", name="Finished 50").click()
        user.page.get_by_role("link", name="Replay: Bob").first.click()
        expect(user.page).to_have_url(f"{server.address}/replay/{finished[-1]}")


def test_the_lists_change_when_a_friend_plays(browser: Browser, server: RunningServer) -> None:
    ada, bob = server.client("Ada"), server.client("Bob")
    home, other = play_games(server, [bob, ada], 2, 0)
    with open_browser(browser, server.address) as user:
        user.sign_in(ada)
        user.go("/")
        expect(rows(user, "running")).to_have_count(2)
        with bob.connect(home) as seat:
            play_on(seat, moves=1)
        expect(card(user, home)).to_be_visible()
        expect(user.page.get_by_text("1 game waits for you")).to_be_visible()
        expect(user.page).to_have_title("(1) Manhattan")  # for people who look at another tab
        user.go("/games")
        expect(card(user, home)).to_be_visible()
        expect(row(user, other)).to_contain_text("Bob to move")
        with bob.connect(other) as seat:
            play_on(seat, moves=1)
        expect(card(user, other)).to_be_visible()
        expect(user.page.get_by_role("button", name="Your turn 2")).to_be_visible()
        # Ada plays on another device; Bob opens a table for both, and closes it.
        with ada.connect(home) as seat:
            play_on(seat, moves=1)
        expect(card(user, home)).to_have_count(0)
        expect(row(user, home)).to_contain_text("Bob to move")
        table = bob.open_table(seats=[{"occupant": "me"}, {"occupant": "open"}])
        ada.take_seat(table)
        expect(row(user, table)).to_contain_text("Waiting for players")
        bob.request("DELETE", f"/api/tables/{table}/seats/1")
        expect(row(user, table)).to_have_count(0)


def test_the_lists_are_complete_after_a_lost_connection(
    browser: Browser, server: RunningServer
) -> None:
    ada, bob = server.client("Ada"), server.client("Bob")
    [table] = play_games(server, [bob, ada], 1, 0)
    with open_browser(browser, server.address) as user:
        user.sign_in(ada)
        user.go("/games")
        expect(row(user, table)).to_contain_text("Bob to move")
        user.set_offline(True)
        with bob.connect(table) as seat:
            play_on(seat, moves=1)
        user.page.wait_for_timeout(600)
        expect(row(user, table)).to_contain_text("Bob to move")
        user.set_offline(False)
        expect(card(user, table)).to_be_visible()


def test_a_game_is_removed_and_restored_by_keyboard(
    browser: Browser, server: RunningServer
) -> None:
    ada, bob = server.client("Ada"), server.client("Bob")
    one, other = play_games(server, [ada, bob], 2, 999)
    [running] = play_games(server, [ada, bob], 1, 1)
    with open_browser(browser, server.address) as user:
        user.sign_in(ada)
        user.go("/games")
        user.page.get_by_role("button", name="Finished 2").click()
        row(user, one).get_by_role("button", name="Remove from the list: Bob").focus()
        user.page.keyboard.press("Enter")
        expect(row(user, one)).to_have_count(0)
        expect(user.page.get_by_role("button", name="Finished 1")).to_be_visible()
        undo = user.page.get_by_role("button", name="Undo")
        expect(undo).to_be_focused()
        expect(user.page.get_by_role("status").first).to_contain_text("Removed from your list: Bob")
        user.page.keyboard.press("Enter")
        expect(row(user, one)).to_be_visible()
        expect(row(user, one).get_by_role("link")).to_be_focused()
        # It stays removed after a reload, and can be restored later.
        row(user, other).get_by_role("button").click()
        expect(undo).to_be_visible()
        user.go("/games")
        expect(row(user, one)).to_be_visible()
        expect(row(user, other)).to_have_count(0)
        user.page.get_by_role("button", name="1 removed game").click()
        row(user, other).get_by_role("button", name="Back to the list: Bob").click()
        expect(row(user, other)).to_have_count(0)
        user.page.get_by_role("button", name="All", exact=True).click()
        expect(row(user, other)).to_be_visible()
        # A removed game shows up while it waits for Ada.
        row(user, running).get_by_role("button").click()
        expect(row(user, running)).to_have_count(0)
        with bob.connect(running) as seat:
            play_on(seat, moves=1)
        expect(card(user, running)).to_be_visible()


def test_the_list_is_filtered_by_players_and_opponents(
    browser: Browser, server: RunningServer
) -> None:
    ada, bob = server.client("Ada"), server.client("Bob")
    two = play_games(server, [ada, bob], 3, 999)
    [running] = play_games(server, [ada, bob], 1, 1)
    bots = [{"occupant": "me"}, *BOTS[:2]]
    waiting = ada.open_table(seats=bots, start=True, first=0)
    with open_browser(browser, server.address) as user:
        user.sign_in(ada)
        user.go("/games")
        players = user.page.get_by_label("Number of players")
        opponents = user.page.get_by_label("Opponents")
        expect(user.page.locator(".cards > li")).to_contain_text("Lotte Easy")
        expect(rows(user)).to_have_count(4)
        players.select_option("2 players")
        expect(card(user, waiting)).to_have_count(0)
        expect(rows(user)).to_have_count(4)
        expect(user.page.get_by_role("button", name="Your turn 0")).to_be_visible()
        opponents.select_option("With bots: Easy")
        expect(user.page.get_by_text("No game matches.")).to_be_visible()
        players.select_option("2–4 players")
        expect(card(user, waiting)).to_be_visible()
        expect(rows(user)).to_have_count(0)
        opponents.select_option("Among people")
        user.page.get_by_role("button", name="Finished 3").click()
        expect(rows(user)).to_have_count(3)
        # What changes meanwhile stays out of the list, or leaves it.
        row(user, two[0]).get_by_role("button").click()
        expect(row(user, two[0])).to_have_count(0)
        expect(user.page.get_by_role("button", name="Finished 2")).to_be_visible()
        opponents.select_option("With bots: Easy")
        expect(user.page.get_by_text("No game matches.")).to_be_visible()
        user.page.get_by_role("button", name="Show all games").click()
        expect(row(user, running)).to_be_visible()
        expect(opponents).to_have_value("")
        for size in ((320, 568), PHONE, DESKTOP):
            user.resize(*size)
            assert user.overflowing(".bar select, .bar button, .cards a, .rows a", "main") == []


def test_a_visitor_without_games(browser: Browser, server: RunningServer) -> None:
    with open_browser(browser, server.address) as stranger:
        stranger.go("/")
        expect(stranger.page.get_by_role("button", name=re.compile("Play now"))).to_be_visible()
        expect(stranger.page.get_by_role("link", name="My games")).to_have_count(0)
        expect(stranger.page.locator(".dock")).to_have_count(0)
        stranger.go("/games")
        expect(stranger.page.get_by_text("No games yet")).to_be_visible()
        stranger.sign_in(server.client("Ada"))
        stranger.go("/games")
        expect(stranger.page.get_by_text("No games yet")).to_be_visible()


def test_the_games_are_no_part_of_a_first_visit(browser: Browser, server: RunningServer) -> None:
    fetched: list[str] = []
    with open_browser(browser, server.address) as stranger:
        stranger.page.on("request", lambda request: fetched.append(Path(request.url).name))
        stranger.go("/")
        stranger.page.wait_for_load_state("networkidle")
        assert any(name.startswith("HomePage") for name in fetched)
        assert not [name for name in fetched if re.match("(?i)game|homedock", name)]
