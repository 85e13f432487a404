"""Over HTTP: who one is, tables before and after play, and what is told of a game."""

from __future__ import annotations

import re
from typing import Any

import pytest

from manhattan import record
from manhattan.client import Client, Refused
from manhattan.game import Game
from manhattan.replay import replay
from serving import AGAINST_EASY, Running, play_on
from witness import Witness

TWO = [{"who": "me"}, {"who": "open"}]


def refused(reason: str, who: Client, method: str, path: str, body: object = None) -> Refused:
    with pytest.raises(Refused) as error:
        who.call(method, path, body)
    assert error.value.reason == reason
    return error.value


def test_a_name_is_enough_and_can_be_changed(shared: Running) -> None:
    ada = shared.client("Ada")
    assert ada.call("GET", "/api/me") == {"name": "Ada"}
    assert ada.call("PUT", "/api/me", {"name": "Augusta Ada"}) == {"name": "Augusta Ada"}
    assert ada.call("GET", "/api/me") == {"name": "Augusta Ada"}
    other = shared.client("Augusta Ada")  # names may repeat
    table = ada.open(chairs=TWO)
    assert other.call("GET", f"/api/tables/{table}")["table"]["chairs"][0]["you"] is False


def test_who_is_forgotten_is_nobody(shared: Running) -> None:
    ada = shared.client("Ada")
    before = ada.cookie
    assert ada.call("DELETE", "/api/me") == {"name": None}
    ada.cookie = before
    assert ada.call("GET", "/api/me") == {"name": None}
    refused("no_identity", ada, "GET", "/api/tables/mine")


@pytest.mark.parametrize("name", ["", " ", "x" * 61, "a\nb", "\x1b[2J", 7, None])
def test_what_is_no_name_is_refused(shared: Running, name: Any) -> None:
    refused("bad_request", shared.client("Ada"), "PUT", "/api/me", {"name": name})


def test_the_box_tells_what_can_be_played(shared: Running) -> None:
    box = shared.client("Ada").call("GET", "/api/box")
    assert box["editions"][0]["id"] == "hig-2017"
    assert box["house_rules"]["tallest_tie"] == ["nobody", "one_owner"]
    assert [level["name"] for level in box["levels"]] == ["easy", "medium", "hard", "expert"]


def test_public_tables_are_listed_others_are_not(shared: Running) -> None:
    ada, bob = shared.client("Ada"), shared.client("Bob")
    seen, hidden = ada.open(chairs=TWO, public=True), ada.open(chairs=TWO)
    listed = {one["id"]: one for one in bob.tables()}
    assert seen in listed
    assert hidden not in listed
    assert [player["open"] for player in listed[seen]["players"]] == [False, True]
    bob.sit(seen)
    ada.begin(seen)
    assert seen not in {one["id"] for one in bob.tables()}
    assert seen in {one["id"] for one in bob.tables("playing")}
    bob.sit(hidden)  # whoever has the link may come


def test_my_tables_tell_whose_turn_it_is(served: Running) -> None:
    ada, bob = served.client("Ada"), served.client("Bob")
    days = {"kind": "correspondence", "days": 1}
    table = ada.open(chairs=TWO, first=0, clock=days)
    bob.sit(table)
    ada.begin(table)
    [mine] = ada.call("GET", "/api/tables/mine")["tables"]
    [his] = bob.call("GET", "/api/tables/mine")["tables"]
    assert (mine["your_turn"], his["your_turn"]) == (True, False)
    assert mine["due"] == his["due"] > 0
    with ada.at(table) as seat:
        play_on(seat, moves=1)
    assert bob.call("GET", "/api/tables/mine")["tables"][0]["your_turn"] is True


def test_chairs_are_taken_freed_and_filled(shared: Running) -> None:
    ada, bob = shared.client("Ada"), shared.client("Bob")
    table = ada.open(chairs=[*TWO, {"who": "open"}])
    assert bob.sit(table, 2)["chairs"][2]["you"] is True
    refused("chair_taken", shared.client("Cat"), "POST", f"/api/tables/{table}/sit", {"chair": 2})
    bob.leave(table)
    filled = ada.call("POST", f"/api/tables/{table}/fill", {"chair": 2, "level": "easy"})
    assert filled["chairs"][2]["who"] == "bot"
    refused("seats_open", ada, "POST", f"/api/tables/{table}/begin")
    assert ada.call("POST", f"/api/tables/{table}/close")["stage"] == "closed"
    refused("closed", bob, "POST", f"/api/tables/{table}/sit", {})


def test_what_is_not_there_is_said_so(shared: Running) -> None:
    ada = shared.client("Ada")
    refused("no_such_table", ada, "GET", "/api/tables/aaaaaaaaaaaaaa")
    refused("no_such_table", ada, "GET", "/api/tables/UPPER")
    assert "Not Found" in str(refused("http", ada, "GET", "/api/nothing"))
    assert "Method Not Allowed" in str(refused("http", ada, "PATCH", "/api/me"))


def test_a_running_game_is_told_without_secrets_a_finished_one_whole(shared: Running) -> None:
    ada, cat = shared.client("Ada"), shared.client("Cat")
    table = ada.open(chairs=AGAINST_EASY, pace=0)
    refused("not_begun", cat, "GET", f"/api/tables/{table}/record")
    ada.begin(table)
    with ada.at(table) as seat:
        play_on(seat, moves=4)
        saved = cat.record(table)
        assert saved["seed"] is None
        assert saved["deck"] is None
        assert all("drew" not in event for event in saved["events"])
        play_on(seat)
    whole = cat.record(table)
    assert whole["seed"]
    assert replay(record.parse(record.to_line(whole))).over


def test_the_same_people_play_again_at_one_new_table(shared: Running) -> None:
    ada, bob = shared.client("Ada"), shared.client("Bob")
    chairs = [{"who": "me"}, {"who": "here", "name": "Eve"}, {"who": "open"}]
    chairs.append({"who": "bot", "level": "easy"})
    table = ada.open(chairs=chairs, first=0, pace=0, serious=True, edition="hig-1994", public=True)
    bob.sit(table)
    ada.begin(table)
    refused("not_over", ada, "POST", f"/api/tables/{table}/rematch")
    for one, player in ((ada, 0), (ada, 1), (bob, 2)):
        with one.at(table) as seat:
            seat.news().__next__()
            seat.ask("resign", player=player)
    with ada.at(table) as seat:
        for _ in seat.news():
            if seat.over:
                break
    refused("not_at_the_table", shared.client("Cat"), "POST", f"/api/tables/{table}/rematch")
    again = bob.call("POST", f"/api/tables/{table}/rematch")["table"]
    assert ada.call("POST", f"/api/tables/{table}/rematch")["table"] == again
    told = ada.call("GET", f"/api/tables/{again}")["table"]
    assert [chair["name"] for chair in told["chairs"]] == ["Ada", "Eve", "Bob", "Easy 1"]
    assert [chair["you"] for chair in told["chairs"]] == [True, True, False, False]
    refused("table_full", shared.client("Cat"), "POST", f"/api/tables/{again}/sit", {"chair": None})
    assert (told["first"], told["stage"]) == (1, "gathering")  # the next one begins
    assert (told["serious"], told["edition"], told["after"]) == (True, "hig-1994", table)
    assert ada.call("GET", f"/api/tables/{table}")["table"]["next"] == again
    # Ada did not ask first: it is Bob's table, and his to begin.
    path = f"/api/tables/{table}/rematch?begin=true"
    assert ada.call("POST", path)["table"] == again
    assert ada.call("GET", f"/api/tables/{again}")["table"]["stage"] == "gathering"
    assert bob.call("POST", path)["table"] == bob.call("POST", path)["table"] == again
    assert ada.call("GET", f"/api/tables/{again}")["table"]["stage"] == "playing"


def test_a_seat_moves_to_another_device(shared: Running) -> None:
    laptop, phone = shared.client("Ada"), shared.client("Ada")
    table = laptop.open(chairs=AGAINST_EASY, begin=True)
    secret = laptop.call("POST", f"/api/tables/{table}/link", {})["secret"]
    claimed = phone.call("POST", f"/api/tables/{table}/claim", {"secret": secret})
    assert claimed["chairs"][0]["you"] is True
    refused("link_dead", laptop, "POST", f"/api/tables/{table}/claim", {"secret": secret})
    assert laptop.call("GET", f"/api/tables/{table}")["own"]["hand"] == []
    assert len(phone.call("GET", f"/api/tables/{table}")["own"]["hand"]) == 4


def test_hints_are_for_who_is_to_move_and_not_at_serious_tables(shared: Running) -> None:
    ada = shared.client("Ada")
    table = ada.open(chairs=AGAINST_EASY, first=0, begin=True)
    hint = ada.call("POST", f"/api/tables/{table}/hint")
    assert hint["move"].startswith("[")
    refused("not_at_the_table", shared.client("Cat"), "POST", f"/api/tables/{table}/hint")
    with ada.at(table) as seat:
        seat.news().__next__()
        seat.play(hint["move"])
    refused("advice_out_of_turn", ada, "POST", f"/api/tables/{table}/hint")
    serious = ada.open(chairs=AGAINST_EASY, first=0, serious=True, begin=True)
    refused("serious", ada, "POST", f"/api/tables/{serious}/hint")
    refused("serious", ada, "POST", f"/api/tables/{serious}/evaluation")


@pytest.mark.compiled
@pytest.mark.xdist_group("4-1")
def test_moves_are_thought_over_by_what_one_sees(shared: Running) -> None:
    ada = shared.client("Ada")
    chairs = [{"who": "me"}, *[{"who": "bot", "level": "easy"}] * 3]
    table = ada.open(chairs=chairs, first=0, pace=0, begin=True)
    with ada.at(table) as seat:
        play_on(seat, moves=1)
        next(seat.turns())  # it is Ada's turn again: everybody has chosen his blocks
    told = ada.call("POST", f"/api/tables/{table}/evaluation")
    assert told["player"] == 0
    assert sum(told["moves"][0]["chances"]) == pytest.approx(1)
    hint = ada.call("POST", f"/api/tables/{table}/hint")
    assert len(hint["gains"]) == 4


def test_a_browser_gets_a_page(shared: Running) -> None:
    import httpx

    with httpx.Client(base_url=shared.address) as browser:
        page = browser.get("/")
        assert page.status_code == 200
        assert "<title>Manhattan</title>" in page.text
        styles = re.findall(r'href="(/assets/[^"]+\.css)"', page.text)
        assert styles
        for style in styles:
            assert browser.get(style).headers["content-type"].startswith("text/css")
        assert browser.get("/../app.py").status_code == 404
        assert browser.get("/nowhere").json()["reason"] == "http"


# Saved games.


def test_a_saved_game_is_checked_by_the_rules(shared: Running) -> None:
    with Witness(shared, "Ada") as ada:
        game = Game.new(2, seed=bytes(32))
        while not game.over:
            game.play(game.legal_moves()[0])
        saved = record.to_json(game)
        assert ada.ask("POST", "/api/records/check", saved) == {"moves": game.ply, "over": True}
        event = next(n for n, one in enumerate(saved["events"]) if one["type"] == "build")
        wrong = saved | {"events": [*saved["events"][:event], *saved["events"][event + 1 :]]}
        for body in (wrong, {}, {"format": "manhattan-record"}, saved | {"first": 10**400}):
            answer = ada.asked("POST", "/api/records/check", body)
            assert answer.status_code == 422
            assert answer.json()["reason"] == "record"
            assert answer.json()["figures"]["what"] == answer.json()["text"]
