"""Several people: two browsers, one screen, onlookers, days between moves."""

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
from serving import Running, play_on
from visitor import BOTS, DESKTOP, PHONE, Visitor, at_a_table, shows, visiting

LONG_NAME = "Wolfeschlegelsteinhausenbergerdorff"


def test_two_browsers_and_one_of_them_goes_offline(browser: Browser, up: Running) -> None:
    with visiting(browser, up.address) as ada, visiting(browser, up.address, PHONE) as bob:
        ada.go("/new/friends")
        ada.page.get_by_label("Your name").fill("Ada")
        for _ in range(2):
            ada.page.get_by_role("button", name="One player less").click()
        ada.page.get_by_role("button", name="Open the table").click()
        link = ada.page.get_by_label("Link to this table").input_value()
        bob.page.goto(link)
        bob.page.get_by_label("Your name").fill("Bob")
        bob.page.get_by_role("button", name="Sit down").click()
        shows(bob.page.get_by_text("Ada begins the game."))
        ada.page.get_by_role("button", name="Deal the cards").click()
        both = (ada, bob)
        _ask_to_take_back(both)
        for _ in range(3):
            _who_moves(both).act()
        while _who_moves(both) is bob:
            bob.act()
        bob.page.context.set_offline(True)
        shows(bob.page.get_by_text("The connection is lost. Trying again…"))
        before = bob.ply
        ada.act()
        assert bob.ply == before < ada.ply
        bob.page.context.set_offline(False)
        expect(bob.page.locator(".banner")).to_have_count(0, timeout=20_000)
        _is_at(bob, ada.ply)
        for _ in range(4):
            _who_moves(both).act()
        _is_at(ada, max(ada.ply, bob.ply))
        _is_at(bob, ada.ply)
        # Who has built has seen a card.
        expect(ada.page.get_by_role("button", name="Undo")).to_be_disabled()
        shows(ada.page.get_by_title("Somebody has seen a card since: that can’t be taken back."))
        expect(bob.page.get_by_role("button", name="Undo")).to_have_count(0)
        _talk(ada, bob)
        while _who_moves(both) is ada:
            ada.act()
        _resign(ada)


def _ask_to_take_back(both: tuple[Visitor, Visitor]) -> None:
    """Whoever begins chooses his blocks, and thinks better of it; the other one does not agree."""
    asker = _who_moves(both)
    other = next(one for one in both if one is not asker)
    asker.act()
    undo = asker.page.locator("button[aria-label=Undo]:enabled")
    undo.click()
    waits = asker.page.get_by_text("You have asked to take back your last move.")
    shows(waits)
    expect(undo).to_have_count(0)
    asker.page.get_by_role("button", name="Never mind").click()
    expect(waits).to_have_count(0)
    undo.click()
    shows(other.page.get_by_text("would like to take back the last move."))
    for one in both:
        one.shot(f"undo-{'phone' if one is both[1] else 'desktop'}")
    wide = both[1].page.locator(".question").evaluate("one => one.offsetWidth")
    assert wide > 300  # on the phone, too
    other.page.get_by_role("button", name="Refuse").click()
    shows(asker.page.get_by_text("Not everybody agreed: your move stands."))
    asker.page.locator(".question").get_by_role("button", name="Close").click()
    expect(asker.page.locator(".question")).to_have_count(0)


def _talk(ada: Visitor, bob: Visitor) -> None:
    """What is not taken is there again; what one has read, or said, does not count any more."""
    talk, count = ada.page.get_by_role("button", name="Talk"), bob.page.locator(".talk .count")
    talk.click()
    line, send = ada.page.get_by_label("Say something"), ada.dialog.locator("form button")
    line.fill("\x1f")  # to the server this is nothing at all
    send.click()
    shows(ada.dialog.get_by_role("alert"))
    expect(line).to_have_value("\x1f")
    line.fill("<b>Good</b> game!")
    send.click()
    expect(line).to_have_value("")
    expect(ada.dialog.get_by_role("alert")).to_have_count(0)
    expect(count).to_have_text("1")
    bob.page.get_by_role("button", name="Talk").click()
    shows(bob.dialog.get_by_text("<b>Good</b> game!"))
    for one in (ada, bob):
        one.page.reload()
        shows(one.page.locator(".dock"))
        expect(one.page.locator(".talk .count")).to_have_count(0)


def _resign(ada: Visitor) -> None:
    """Once, and one is told."""
    settings = ada.page.get_by_role("banner").get_by_role("button", name="Settings")
    settings.click()
    ada.dialog.get_by_role("button", name="Resign").click()
    ada.dialog.locator(".row").get_by_role("button", name="Resign").click()
    shows(ada.page.locator(".dock").get_by_text("You have resigned; a bot plays on for you."))
    shows(ada.page.get_by_title("You have resigned; a bot plays on for you."))
    settings.click()
    shows(ada.dialog.get_by_text("You have resigned; a bot plays on for you."))
    assert ada.dialog.get_by_role("button", name="Resign").count() == 0


def _who_moves(both: tuple[Visitor, Visitor]) -> Visitor:
    """Whose page offers something to do, once both have heard of all that was done."""
    ready = ".choose .actions, .removals button, button[data-card]:not([disabled])"
    for _ in range(400):
        found = [one for one in both if one.page.locator(ready).count()]
        if len(found) == 1:
            return found[0]
        both[0].page.wait_for_timeout(50)
    raise AssertionError("nobody, or both, can move")


def _is_at(visitor: Visitor, ply: int) -> None:
    """The page shows the game as it is after so many moves, or will in a moment."""
    expect(visitor.page.locator("[data-ply]")).to_have_attribute("data-ply", str(ply))


def test_a_name_that_is_known_is_offered_and_never_put_over_what_is_typed(
    browser: Browser, up: Running
) -> None:
    table = up.client("Host").open(
        chairs=[{"who": "me"}, {"who": "open"}],
        clock={"kind": "real_time", "bank": 60, "increment": 2},
        serious=True,
        house_rules={"tallest_tie": "one_owner", "four_players": "4x6"},
    )
    with visiting(browser, up.address) as ada:
        ada.be(up.client("Ada"))
        ada.go(f"/table/{table}")
        name = ada.page.get_by_label("Your name")
        expect(name).to_have_value("Ada")
        # What one would sit down to, and that the host is not there.
        expect(ada.page.locator(".terms li")).to_have_text(
            [
                "Hans im Glück 2017",
                "1 minute for the whole game, 2 seconds more after each move",
                "A serious game: no hints for anybody",
                "Several tallest towers: Their one owner scores",
            ]
        )
        shows(ada.page.get_by_text("South · orange, blue · not here yet"))
        asked: list[Route] = []

        def hold(route: Route) -> None:
            asked.append(route)

        ada.page.route("**/api/me", hold)
        with ada.page.expect_request("**/api/me"):
            ada.go("/new/friends")
        name.fill("Countess")
        with ada.page.expect_response("**/api/me"):
            asked[0].continue_()
        ada.rest()
        expect(name).to_have_value("Countess")


def test_at_one_screen_hands_stay_hidden_until_one_sits_down(browser: Browser, up: Running) -> None:
    with visiting(browser, up.address) as people:
        people.go("/new/screen")
        people.resize(320, 568)
        people.page.get_by_role("button", name="Another player").click()
        less = people.page.get_by_role("button", name="One player less")
        box, row = less.bounding_box(), people.page.locator("li").last.bounding_box()
        assert box is not None
        assert row is not None  # in the middle of its row: seen to belong to it
        assert abs(2 * (box["y"] - row["y"]) + box["height"] - row["height"]) < 2
        assert people.sticking_out("li .field, li button", "form") == []
        less.click()
        people.resize(*DESKTOP)
        people.page.get_by_label("Your name").fill("Ada")
        people.page.get_by_label("Name of player 2").fill("Bob")
        people.page.get_by_role("button", name="Begin", exact=True).click()
        seen: set[str] = set()
        for _ in range(12):
            what = people.wait()
            if what == "curtain":
                if not seen:  # twice: the second time a browser does not ask the page
                    for _ in range(2):
                        people.page.keyboard.press("Escape")
                    people.page.mouse.click(5, 5)
                    people.rest()
                    shows(people.dialog)
                assert people.page.locator("[data-card]").count() == 0
                name = re.match(r"(\w+)", people.dialog.inner_text().strip())
                assert name is not None
                seen.add(name[1])
                if len(seen) == 1:
                    people.shot("curtain-desktop")
            people.act()
        assert seen == {"Ada", "Bob"}


def test_an_onlooker_sees_the_game_and_no_hand(browser: Browser, up: Running) -> None:
    with visiting(browser, up.address) as ada, visiting(browser, up.address) as cat:
        table = at_a_table(ada, up, *BOTS)
        cat.go(f"/table/{table}")
        shows(cat.page.get_by_text("You are looking on."))
        for _ in range(3):
            ada.act()
        cat.until_after(3)
        assert cat.page.locator("[data-card]").count() == 0
        assert cat.page.locator(".log li").count() > 3


def test_a_table_with_days_for_a_move_is_left_and_found_again(
    browser: Browser, up: Running
) -> None:
    with visiting(browser, up.address) as ada:
        clock = {"kind": "correspondence", "days": 2}
        at_a_table(ada, up, *BOTS, clock=clock)
        ada.act()
        ply = ada.ply
        ada.go("/")
        ada.page.get_by_role("list", name="Your tables").get_by_role("link").first.click()
        ada.wait()
        assert ada.ply >= ply
        for size in ((320, 568), PHONE, DESKTOP):
            ada.resize(*size)
            shows(ada.page.get_by_role("timer"))
            assert ada.sticking_out(".opponents .clock, .opponents .score", "li") == [], size


def taken_from_oneself() -> dict[str, Any]:
    """A saved game of two whose last move takes a tower of the builder's other colour."""
    rng = Random(1)
    game = Game.new(2, seed=bytes(32))
    while True:
        player = game.table.player
        built, *_ = game.play(rng.choice(game.legal_moves()))
        if isinstance(built, Built) and built.taken_from in player.colours:
            return to_json(game)


def test_a_saved_game_is_downloaded_and_replayed(
    browser: Browser, up: Running, tmp_path: Path
) -> None:
    with visiting(browser, up.address) as ada:
        client = up.client(LONG_NAME)
        table = client.open(chairs=[{"who": "me"}, BOTS[0]], pace=0, begin=True)
        with client.at(table) as seat:
            play_on(seat)
        ada.be(client)
        ada.go(f"/table/{table}")
        shows(ada.dialog.locator(".points"))
        ada.resize(*PHONE)
        assert ada.sticking_out("dialog .points, dialog .primary", "dialog") == []
        ada.resize(*DESKTOP)
        # The next game is announced to all.
        expect(ada.dialog.get_by_role("button", name="Play again")).to_be_focused()
        following = client.call("POST", f"/api/tables/{table}/rematch")["table"]
        onward = ada.dialog.get_by_role("link", name="To the next game")
        expect(onward).to_have_attribute("href", f"/table/{following}")
        expect(onward).to_be_focused()
        with ada.page.expect_download() as download:
            ada.page.get_by_role("link", name="Save the game").click()
        ada.page.context.clear_cookies()  # who looks on hears of the next game, too
        ada.page.reload()
        shows(onward)
        ada.page.keyboard.press("Escape")
        shows(ada.page.locator(".onlooker").get_by_text("The game is over.", exact=True))
        file = tmp_path / "game.json"
        download.value.save_as(file)
        ada.go("/replay")
        ada.page.locator("input[type=file]").set_input_files(file)
        moves = len([e for e in client.record(table)["events"] if "move" in e])
        shows(ada.page.get_by_text(f"Move 0 of {moves}"))
        shows(ada.page.get_by_text("Fair: verified"))
        for _ in range(3):
            ada.page.get_by_role("button", name="One move on").click()
        shows(ada.page.get_by_text(f"Move 3 of {moves}"))
        ada.page.get_by_role("button", name="To the end").click()
        shows(ada.page.get_by_role("button", name="Score sheet"))
        ada.page.get_by_label("Whose cards are shown").select_option(LONG_NAME)
        assert ada.page.locator(".hand").count() == 1
        ada.resize(*PHONE)
        assert ada.sticking_out(".hands b", ".hand") == []
        ada.resize(*DESKTOP)
        ada.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        ada.go(f"/replay/{table}?at=abc")
        shows(ada.page.get_by_text(f"Move 0 of {moves}"))
        ada.go(f"/replay/{table}?at=6")
        shows(ada.page.get_by_text(f"Move 6 of {moves}"))
        ada.page.keyboard.press("ArrowRight")
        shows(ada.page.get_by_text(f"Move 7 of {moves}"))
        ada.page.get_by_role("button", name="Link to this moment").click()
        shows(ada.page.get_by_role("button", name="Copied"))
        link = ada.page.evaluate("navigator.clipboard.readText()")
        assert link == f"{up.address}/replay/{table}?at=7"
        ada.page.goto(link)
        shows(ada.page.get_by_text(f"Move 7 of {moves}"))
        ada.shot("replay-desktop")
        file.write_text(json.dumps(taken_from_oneself()))
        ada.go("/replay")
        ada.page.locator("input[type=file]").set_input_files(file)
        ada.page.get_by_role("button", name="To the end").click()
        said = ada.page.locator(".dock").get_by_role("status")
        expect(said).to_have_text("Player 1 took over D3, back right, from orange, 3 to 3.")


def test_bad_files_and_dead_links_get_a_sentence_and_a_way_on(
    browser: Browser, up: Running, tmp_path: Path
) -> None:
    with visiting(browser, up.address) as ada:
        broken = tmp_path / "broken.json"
        for text in ("{", "[]", "7", "null", '{"format": "manhattan-record"}', "\x00"):
            broken.write_text(text)
            ada.go("/replay")
            ada.page.locator("input[type=file]").set_input_files(broken)
            said = expect(ada.page.get_by_role("alert"))
            said.to_have_text("This is no saved game, or it was changed.")
        ada.go("/table/aaaaaaaaaaaaaa")
        shows(ada.page.get_by_role("heading", name="There is no such table"))
        ada.page.get_by_role("link", name="To the first page").click()
        shows(ada.page.get_by_role("button", name=re.compile("Play now")))
        ada.go("/table/nonsense")
        shows(ada.page.get_by_role("link", name="To the first page"))
        alert = ada.page.get_by_role("alert")
        for name in ("aaaaaaaaaaaaaa", "nonsense"):
            ada.go(f"/replay/{name}")
            expect(alert).to_have_text("There is no such table. Look at the link again.")
        ada.go("/new/friends")
        ada.page.get_by_label("Your name").fill("A\u202eb")  # turns around what follows
        ada.page.get_by_role("button", name="Open the table").click()
        expect(alert).to_have_text(re.compile("^That can’t be a name. "))


def test_a_full_table_can_be_looked_at(browser: Browser, up: Running) -> None:
    """And a person who is called like a bot keeps his name."""
    host = up.client("Easy 1")
    table = host.open(chairs=[{"who": "me"}, {"who": "open"}, BOTS[0]])
    up.client("Guest").sit(table)
    with visiting(browser, up.address, language="de") as cat:
        cat.go(f"/table/{table}")
        shows(cat.page.get_by_text("Easy 1 beginnt das Spiel."))
        assert cat.page.get_by_role("button", name="Hinsetzen").count() == 0
        expect(cat.page.locator(".who > b")).to_have_text(["Easy 1", "Guest", "Leicht 1"])


def test_who_goes_is_missed_on_whatever_one_looks_on(browser: Browser, up: Running) -> None:
    host = up.client("Host")
    clock = {"kind": "real_time", "bank": 5400}
    table = host.open(chairs=[{"who": "me"}, {"who": "open"}], clock=clock, first=0)
    guest = up.client("Bartholomew the Magnificent")
    guest.sit(table)
    with visiting(browser, up.address) as cat:
        cat.go(f"/table/{table}")
        shows(cat.page.get_by_text("Host begins the game."))
        assert cat.page.get_by_role("button", name="Sit down").count() == 0
        host.begin(table)
        with guest.at(table) as seat:
            seat.resign()
        players = cat.page.get_by_role("list", name="Players").get_by_role("listitem")
        for size in (PHONE, (320, 568), DESKTOP):
            cat.resize(*size)
            shows(players.first.get_by_text("away", exact=True))
            shows(players.last.get_by_text("resigned", exact=True))
            assert cat.sticking_out(".opponents li *:not(.unseen)", "li") == [], size
        told = cat.page.locator(".log li").first
        expect(told).to_have_text("Bartholomew the Magnificent resigned; a bot plays on.")
