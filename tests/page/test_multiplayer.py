"""Several people: two browsers, a shared screen, spectators, correspondence games, replays."""

from __future__ import annotations

import json
import re
from pathlib import Path
from random import Random
from typing import Any

from playwright.sync_api import Browser, Route, expect

from manhattan.game import Game
from manhattan.record import to_json
from manhattan.rules import Built
from support.browser_user import (
    BOTS,
    DESKTOP,
    PHONE,
    BrowserUser,
    expect_visible,
    open_browser,
    open_table,
)
from support.recording_client import run_on_server
from support.server_fixtures import RunningServer, play_on

LONG_NAME = "Wolfeschlegelsteinhausenbergerdorff"


def test_two_browsers_play_although_one_of_them_goes_offline(
    browser: Browser, server: RunningServer
) -> None:
    with (
        open_browser(browser, server.address) as ada,
        open_browser(browser, server.address, PHONE) as bob,
    ):
        ada.go("/new/friends")
        ada.page.get_by_label("Your name").fill("Ada")
        for _ in range(2):
            ada.page.get_by_role("button", name="Remove player").click()
        ada.page.get_by_role("button", name="Open table").click()
        link = ada.page.get_by_label("Link to this table").input_value()
        bob.page.goto(link)
        bob.page.get_by_label("Your name").fill("Bob")
        bob.page.get_by_role("button", name="Take seat").click()
        expect_visible(bob.page.get_by_text("Waiting for Ada to start the game."))
        ada.page.get_by_role("button", name="Deal cards").click()
        players = (ada, bob)
        _request_undo(players)
        for _ in range(3):
            _player_to_move(players).do_task()
        while _player_to_move(players) is bob:
            bob.do_task()
        bob.set_offline(True)
        expect_visible(bob.page.get_by_text("Connection lost. Reconnecting…"))
        before = bob.ply
        ada.do_task()
        assert bob.ply == before < ada.ply
        bob.set_offline(False)
        expect(bob.page.locator(".banner")).to_have_count(0, timeout=20_000)
        _expect_ply(bob, ada.ply)
        for _ in range(4):
            _player_to_move(players).do_task()
        _expect_ply(ada, max(ada.ply, bob.ply))
        _expect_ply(bob, ada.ply)
        # A player who has built has seen a new card.
        expect(ada.page.get_by_role("button", name="Undo")).to_be_disabled()
        expect_visible(
            ada.page.get_by_title("A player has seen a new card since. This move can’t be undone.")
        )
        # On a phone the button says why when it is pressed.
        undo = bob.page.get_by_role("button", name="Undo")
        expect(undo).to_be_disabled()
        undo.click(force=True)
        expect_visible(
            bob.page.get_by_role("alert").get_by_text("A player has seen a new card since")
        )
        _chat(ada, bob)
        while _player_to_move(players) is ada:
            ada.do_task()
        _resign(ada)


def _request_undo(players: tuple[BrowserUser, BrowserUser]) -> None:
    """Request an undo, withdraw it and request it again; the other player declines."""
    requester = _player_to_move(players)
    other = next(player for player in players if player is not requester)
    requester.do_task()
    undo = requester.page.locator("button[aria-label=Undo]:not([aria-disabled=true])")
    undo.click()
    waiting = requester.page.get_by_text("You’ve asked to undo your last move.")
    expect_visible(waiting)
    expect(undo).to_have_count(0)
    requester.page.get_by_role("button", name="Withdraw request").click()
    expect(waiting).to_have_count(0)
    undo.click()
    expect_visible(other.page.get_by_text("asks to undo the last move."))
    for player, device in zip(players, ("desktop", "phone"), strict=True):
        player.screenshot(f"undo-{device}")
    width = players[1].page.locator(".prompt").evaluate("element => element.offsetWidth")
    assert width > 300  # as wide as the phone allows
    other.page.get_by_role("button", name="Decline").click()
    expect_visible(requester.page.get_by_text("Not everybody agreed: your move stands."))
    requester.page.locator(".prompt").get_by_role("button", name="Close").click()
    expect(requester.page.locator(".prompt")).to_have_count(0)


def _chat(ada: BrowserUser, bob: BrowserUser) -> None:
    """A rejected message returns to the input; read and own messages do not count as unread."""
    open_chat, count = ada.page.get_by_role("button", name="Chat"), bob.page.locator(".chat .count")
    open_chat.click()
    chat = ada.page.get_by_role("complementary", name="Chat")  # beside the board
    line, send = ada.page.get_by_label("Write a message"), chat.locator("form button")
    line.fill("\x1f")  # the server rejects this as empty
    send.click()
    expect_visible(chat.get_by_role("alert"))
    expect(line).to_have_value("\x1f")
    line.fill("<b>Good</b> game!")
    send.click()
    expect(line).to_have_value("")
    expect(chat.get_by_role("alert")).to_have_count(0)
    expect(count).to_have_text("1")
    bob.page.get_by_role("button", name="Chat").click()
    expect_visible(bob.dialog.get_by_text("<b>Good</b> game!"))
    bob.press(bob.dialog.get_by_role("button", name="Thank you!"))
    expect_visible(chat.get_by_text("Bob Thank you!"))
    ada.screenshot("chat-desktop")
    bob.screenshot("chat-phone")
    ada.press(chat.get_by_role("button", name="Mute Bob"))
    expect(chat.get_by_text("Bob Thank you!")).to_have_count(0)
    bob.press(bob.dialog.get_by_role("button", name="Hello!"))
    expect_visible(bob.dialog.get_by_text("Bob Hello!"))
    expect(chat.get_by_text("Bob Hello!")).to_have_count(0)
    ada.press(chat.get_by_role("button", name="Show Bob again"))
    expect_visible(chat.get_by_text("Bob Hello!"))
    for player in (ada, bob):
        player.page.reload()
        expect_visible(player.page.locator(".dock"))
        expect(player.page.locator(".chat .count")).to_have_count(0)


def _resign(ada: BrowserUser) -> None:
    """Resign; the page shows it, and offers it only once."""
    settings = ada.page.get_by_role("banner").get_by_role("button", name="Settings")
    settings.click()
    ada.dialog.get_by_role("button", name="Resign").click()
    ada.dialog.locator(".row").get_by_role("button", name="Resign").click()
    expect_visible(
        ada.page.locator(".dock").get_by_text("You’ve resigned; a bot plays to the end for you.")
    )
    expect_visible(ada.page.get_by_title("You’ve resigned; a bot plays to the end for you."))
    settings.click()
    expect_visible(ada.dialog.get_by_text("You’ve resigned; a bot plays to the end for you."))
    assert ada.dialog.get_by_role("button", name="Resign").count() == 0


def _player_to_move(players: tuple[BrowserUser, BrowserUser]) -> BrowserUser:
    """The only player whose page offers a move, once both pages are up to date."""
    ready = ".choose .actions, .removals button, button[data-card]:not([disabled])"
    for _ in range(400):
        active = [player for player in players if player.page.locator(ready).count()]
        if len(active) == 1:
            return active[0]
        players[0].page.wait_for_timeout(50)
    raise AssertionError("neither player, or both, can move")


def _expect_ply(user: BrowserUser, ply: int) -> None:
    """The page shows this ply, or will in a moment."""
    expect(user.page.locator("[data-ply]")).to_have_attribute("data-ply", str(ply))


def test_the_known_name_is_offered_but_never_replaces_typed_text(
    browser: Browser, server: RunningServer
) -> None:
    table = server.client("Host").open_table(
        seats=[{"occupant": "me"}, {"occupant": "open"}],
        clock={"kind": "real_time", "bank": 60, "increment": 2},
        hints_disabled=True,
        house_rules={"tallest_tie": "one_owner", "four_players": "4x6"},
    )
    with open_browser(browser, server.address) as ada:
        ada.sign_in(server.client("Ada"))
        ada.go(f"/table/{table}")
        name = ada.page.get_by_label("Your name")
        expect(name).to_have_value("Ada")
        # The lobby shows the options of the table, and that the host is not connected.
        expect(ada.page.locator(".options li")).to_have_text(
            [
                "Hans im Glück 2017",
                "1 minute for the whole game, plus 2 seconds a move",
                "No hints (serious game)",
                "Tie for tallest: Scores if one colour owns all",
            ]
        )
        expect_visible(ada.page.get_by_text("South · orange, blue · not here yet"))
        requests: list[Route] = []

        def hold(route: Route) -> None:
            requests.append(route)

        ada.page.route("**/api/me", hold)
        with ada.page.expect_request("**/api/me"):
            ada.go("/new/friends")
        name.fill("Countess")
        with ada.page.expect_response("**/api/me"):
            requests[0].continue_()
        ada.settle()
        expect(name).to_have_value("Countess")


def test_on_a_shared_screen_hands_stay_hidden_until_the_device_is_passed(
    browser: Browser, server: RunningServer
) -> None:
    with open_browser(browser, server.address) as people:
        people.go("/new/screen")
        people.resize(320, 568)
        people.page.get_by_role("button", name="Add player").click()
        remove = people.page.get_by_role("button", name="Remove player")
        box, row = remove.bounding_box(), people.page.locator("li").last.bounding_box()
        assert box is not None
        assert row is not None  # the button is in the middle of its row
        assert abs(2 * (box["y"] - row["y"]) + box["height"] - row["height"]) < 2
        assert people.overflowing("li .field, li button", "form") == []
        remove.click()
        people.resize(*DESKTOP)
        people.page.get_by_label("Your name").fill("Ada")
        people.page.get_by_label("Name of player 2").fill("Bob")
        people.page.get_by_role("button", name="Start game", exact=True).click()
        names: set[str] = set()
        for _ in range(12):
            task = people.wait_for_task()
            if task == "pass_device":
                if not names:  # browsers let a page prevent only the first Escape
                    for _ in range(2):
                        people.page.keyboard.press("Escape")
                    people.page.mouse.click(5, 5)
                    people.settle()
                    expect_visible(people.dialog)
                assert people.page.locator("[data-card]").count() == 0
                name = re.match(r"(\w+)", people.dialog.inner_text().strip())
                assert name is not None
                names.add(name[1])
                if len(names) == 1:
                    people.screenshot("pass-device-desktop")
            people.do_task()
        assert names == {"Ada", "Bob"}


def test_the_next_player_at_a_shared_screen_reads_what_happened(
    browser: Browser, server: RunningServer
) -> None:
    with open_browser(browser, server.address) as people:
        client = server.client("Ada")
        seats = [{"occupant": "me"}, {"occupant": "here", "name": "Bob"}, *BOTS[:1]]
        table = client.open_table(seats=seats, bot_delay_ms=0, start=True, first=0)
        people.sign_in(client)
        people.go(f"/table/{table}")
        heading = people.dialog.get_by_role("heading", name="Since your last turn")
        assert people.wait_for_task() == "pass_device"
        expect(heading).to_have_count(0)  # nobody has moved yet
        rounds: set[str] = set()
        while len(rounds) < 2:
            if people.wait_for_task() != "pass_device":
                people.do_task()
                continue
            dialog = people.dialog.inner_text()
            name = "Ada" if dialog.startswith("Ada") else "Bob"
            view = client.request("GET", f"/api/tables/{table}")
            events = [event for event in view["game_events"] if event["type"] != "redraw"]
            seat = ("Ada", "Bob").index(name)
            last = max((n for n, e in enumerate(events) if e.get("player") == seat), default=None)
            expected = [] if last is None else events[last + 1 :]
            entries = people.dialog.locator("li")
            expect(entries).to_have_count(len(expected))
            for entry, event in zip(entries.all(), expected, strict=True):
                if event["type"] == "build":
                    expect(entry).to_contain_text(event["move"][:2])
                elif event["type"] == "score":
                    expect(entry).to_have_text(f"Round {event['round']} is scored.")
                    rounds.add(name)
            # Nothing hidden: the log says of nobody which card they drew.
            assert not any(event.get("drew") for event in events)
            assert not re.search(r"\bdrew (?!four new cards)", dialog)
            if len(expected) > 4:
                for size in ((320, 568), PHONE, DESKTOP):
                    people.resize(*size)
                    assert people.overflowing("dialog *", "dialog") == []
            people.do_task()


def test_a_spectator_sees_the_game_and_no_hand(browser: Browser, server: RunningServer) -> None:
    with open_browser(browser, server.address) as ada, open_browser(browser, server.address) as cat:
        table = open_table(ada, server, *BOTS)
        cat.go(f"/table/{table}")
        expect_visible(cat.page.get_by_text("You’re watching."))
        expect_visible(ada.page.get_by_title("1 spectator"))
        for _ in range(3):
            ada.do_task()
        cat.wait_past_ply(3)
        assert cat.page.locator("[data-card]").count() == 0
        assert cat.page.locator(".log li").count() > 3


def test_a_correspondence_game_is_resumed_from_the_home_page(
    browser: Browser, server: RunningServer
) -> None:
    with open_browser(browser, server.address) as ada:
        clock = {"kind": "correspondence", "days": 2}
        open_table(ada, server, *BOTS, clock=clock)
        ada.do_task()
        ply = ada.ply
        ada.go("/")
        ada.page.get_by_role("region", name="Your turn").get_by_role("link").first.click()
        ada.wait_for_task()
        assert ada.ply >= ply
        for size in ((320, 568), PHONE, DESKTOP):
            ada.resize(*size)
            expect_visible(ada.page.get_by_role("timer"))
            assert ada.overflowing(".opponents .clock, .opponents .score", "li") == [], size


def record_of_own_takeover() -> dict[str, Any]:
    """A two-player game whose last move takes over a tower of the player's other colour."""
    rng = Random(1)
    game = Game.new(2, seed=bytes(32))
    while True:
        player = game.public.player
        built, *_ = game.play(rng.choice(game.legal_moves()))
        if isinstance(built, Built) and built.taken_from in player.colours:
            return to_json(game)


def test_a_saved_game_is_downloaded_and_replayed(
    browser: Browser, server: RunningServer, tmp_path: Path
) -> None:
    with open_browser(browser, server.address) as ada:
        client = server.client(LONG_NAME)
        table = client.open_table(seats=[{"occupant": "me"}, BOTS[0]], bot_delay_ms=0, start=True)
        with client.connect(table) as seat:
            play_on(seat)
        ada.sign_in(client)
        ada.go(f"/table/{table}")
        expect_visible(ada.dialog.locator(".points"))
        ada.resize(*PHONE)
        assert ada.overflowing("dialog .points, dialog .primary", "dialog") == []
        ada.resize(*DESKTOP)
        # The rematch is announced to everyone at the table.
        expect(ada.dialog.get_by_role("button", name="Play again")).to_be_focused()
        rematch = client.request("POST", f"/api/tables/{table}/rematch")["table"]
        expect_visible(ada.dialog.get_by_text("A rematch is waiting for you."))
        expect(ada.dialog.get_by_role("button", name="Play again")).to_be_focused()
        with ada.page.expect_download() as download:
            ada.page.get_by_role("link", name="Save game").click()
        ada.page.context.clear_cookies()  # spectators see the rematch too
        ada.page.reload()
        next_game = ada.dialog.get_by_role("link", name="Go to the next game")
        expect(next_game).to_have_attribute("href", f"/table/{rematch}")
        ada.page.keyboard.press("Escape")
        expect_visible(ada.page.locator(".spectator").get_by_text("Game over.", exact=True))
        file = tmp_path / "game.json"
        download.value.save_as(file)
        ada.go("/replay")
        ada.page.locator("input[type=file]").set_input_files(file)
        moves = len([e for e in client.record(table)["events"] if "move" in e])
        expect_visible(ada.page.get_by_text(f"Move 0 of {moves}"))
        expect_visible(ada.page.get_by_text("Shuffle verified"))
        for _ in range(3):
            ada.page.get_by_role("button", name="Next move").click()
        expect_visible(ada.page.get_by_text(f"Move 3 of {moves}"))
        ada.page.get_by_role("button", name="Go to end").click()
        expect_visible(ada.page.get_by_role("button", name="Score sheet"))
        ada.page.get_by_label("Visible cards").select_option(LONG_NAME)
        assert ada.page.locator(".hand").count() == 1
        ada.resize(*PHONE)
        assert ada.overflowing(".hands b", ".hand") == []
        ada.resize(*DESKTOP)
        ada.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        ada.go(f"/replay/{table}?at=abc")
        expect_visible(ada.page.get_by_text(f"Move 0 of {moves}"))
        ada.go(f"/replay/{table}?at=6")
        expect_visible(ada.page.get_by_text(f"Move 6 of {moves}"))
        ada.page.keyboard.press("ArrowRight")
        expect_visible(ada.page.get_by_text(f"Move 7 of {moves}"))
        ada.page.get_by_role("button", name="Link to this position").click()
        expect_visible(ada.page.get_by_role("button", name="Copied"))
        link = ada.page.evaluate("navigator.clipboard.readText()")
        assert link == f"{server.address}/replay/{table}?at=7"
        ada.page.goto(link)
        expect_visible(ada.page.get_by_text(f"Move 7 of {moves}"))
        ada.screenshot("replay-desktop")
        file.write_text(json.dumps(record_of_own_takeover()))
        ada.go("/replay")
        ada.page.locator("input[type=file]").set_input_files(file)
        ada.page.get_by_role("button", name="Go to end").click()
        status = ada.page.locator(".dock").get_by_role("status")
        expect(status).to_have_text("Player 1 took over D3, back right, from orange, 3 to 3.")


def test_broken_files_and_links_get_an_error_message_and_a_link_home(
    browser: Browser, server: RunningServer, tmp_path: Path
) -> None:
    with open_browser(browser, server.address) as ada:
        broken = tmp_path / "broken.json"
        for text in ("{", "[]", "7", "null", '{"format": "manhattan-record"}', "\x00"):
            broken.write_text(text)
            ada.go("/replay")
            ada.page.locator("input[type=file]").set_input_files(broken)
            expect(ada.page.get_by_role("alert")).to_have_text(
                "This file isn’t a saved game, or it was changed. Choose another one."
            )
        ada.go("/table/aaaaaaaaaaaaaa")
        expect_visible(ada.page.get_by_role("heading", name="Table not found"))
        ada.page.get_by_role("link", name="Home").click()
        expect_visible(ada.page.get_by_role("button", name=re.compile("Play now")))
        ada.go("/table/nonsense")
        expect_visible(ada.page.get_by_role("link", name="Home"))
        alert = ada.page.get_by_role("alert")
        for name in ("aaaaaaaaaaaaaa", "nonsense"):
            ada.go(f"/replay/{name}")
            expect(alert).to_have_text("Table not found. Check the link.")
        ada.go("/new/friends")
        ada.page.get_by_label("Your name").fill("A\u202eb")  # a right-to-left override
        ada.page.get_by_role("button", name="Open table").click()
        expect(alert).to_have_text(re.compile("^This name isn’t valid. "))


def test_a_full_table_can_be_watched(browser: Browser, server: RunningServer) -> None:
    """A person who has had the name of a bot keeps it; the bot has another one."""
    host = server.client("Ada")
    [person, *_] = server.services.accounts._signer.loads(host.cookie.partition("=")[2])
    # Today, nobody can choose such a name.
    run_on_server(server, server.services.tables.store.rename_person(person, "Lotte", now=1))
    assert host.request("PUT", "/api/me", {"name": "Lotte"}) == {"name": "Lotte"}
    table = host.open_table(seats=[{"occupant": "me"}, {"occupant": "open"}, BOTS[0]])
    server.client("Guest").take_seat(table)
    with open_browser(browser, server.address, language="de") as cat:
        cat.go(f"/table/{table}")
        expect_visible(cat.page.get_by_text("Warte, bis Lotte das Spiel startet."))
        assert cat.page.get_by_role("button", name="Platz nehmen").count() == 0
        expect(cat.page.locator(".occupant > b")).to_have_text(["Lotte", "Guest", "Milo"])


def test_absent_and_resigned_players_are_marked_on_every_screen(
    browser: Browser, server: RunningServer
) -> None:
    host = server.client("Host")
    clock = {"kind": "real_time", "bank": 5400}
    table = host.open_table(seats=[{"occupant": "me"}, {"occupant": "open"}], clock=clock, first=0)
    guest = server.client("Bartholomew the Magnificent")
    guest.take_seat(table)
    with open_browser(browser, server.address) as cat:
        cat.go(f"/table/{table}")
        expect_visible(cat.page.get_by_text("Waiting for Host to start the game."))
        assert cat.page.get_by_role("button", name="Take seat").count() == 0
        host.start_game(table)
        with guest.connect(table) as seat:
            seat.resign()
        players = cat.page.get_by_role("list", name="Players").get_by_role("listitem")
        for size in (PHONE, (320, 568), DESKTOP):
            cat.resize(*size)
            expect_visible(players.first.get_by_text("offline", exact=True))
            expect_visible(players.last.get_by_text("resigned", exact=True))
            assert cat.overflowing(".opponents li *:not(.visually-hidden)", "li") == [], size
        entry = cat.page.locator(".log li").first
        expect(entry).to_have_text("Bartholomew the Magnificent resigned; a bot plays on.")
