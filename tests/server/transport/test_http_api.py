"""The HTTP API: accounts, tables before and after a game, records and hints."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import httpx
import pytest

from manhattan import record
from manhattan.bots import LEVELS
from manhattan.client import Client, RequestRejected
from manhattan.game import Game
from manhattan.replay import replay
from manhattan.server.transport.http.static import PAGE_FOLDER, Page
from support.recording_client import RecordingClient
from support.server_fixtures import AGAINST_EASY, RunningServer, get, play_on

TWO_SEATS = [{"occupant": "me"}, {"occupant": "open"}]


def check_rejected(
    reason: str, client: Client, method: str, path: str, body: object = None
) -> RequestRejected:
    with pytest.raises(RequestRejected) as error:
        client.request(method, path, body)
    assert error.value.reason == reason
    return error.value


# Accounts.


def test_a_name_registers_an_account_and_can_be_changed(shared_server: RunningServer) -> None:
    ada = shared_server.client("Ada")
    assert ada.request("GET", "/api/me") == {"name": "Ada"}
    assert ada.request("PUT", "/api/me", {"name": "Augusta Ada"}) == {"name": "Augusta Ada"}
    assert ada.request("GET", "/api/me") == {"name": "Augusta Ada"}
    other = shared_server.client("Augusta Ada")  # names needn't be unique
    table = ada.open_table(seats=TWO_SEATS)
    assert other.request("GET", f"/api/tables/{table}")["table"]["seats"][0]["you"] is False


def test_a_revoked_account_is_gone(shared_server: RunningServer) -> None:
    ada = shared_server.client("Ada")
    cookie = ada.cookie
    assert ada.request("DELETE", "/api/me") == {"name": None}
    ada.cookie = cookie
    assert ada.request("GET", "/api/me") == {"name": None}
    check_rejected("no_identity", ada, "GET", "/api/me/games")


@pytest.mark.parametrize("name", ["", " ", "x" * 61, "a\nb", "\x1b[2J", 7, None])
def test_an_impossible_name_is_rejected(shared_server: RunningServer, name: Any) -> None:
    check_rejected("bad_request", shared_server.client("Ada"), "PUT", "/api/me", {"name": name})


# Tables.


def test_each_game_has_a_different_seed(shared_server: RunningServer) -> None:
    ada = shared_server.client("Ada")
    tables = [ada.open_table(seats=AGAINST_EASY, start=True) for _ in range(2)]
    for _ in range(2):
        tables.append(ada.open_table(seats=AGAINST_EASY))
        ada.start_game(tables[-1])
    views = [ada.request("GET", f"/api/tables/{table}") for table in tables]
    assert len({view["table"]["commitment"] for view in views} - {None}) == 4


def test_the_catalog_lists_what_can_be_played(shared_server: RunningServer) -> None:
    catalog = shared_server.client("Ada").request("GET", "/api/catalog")
    assert catalog["editions"][0]["id"] == "hig-2017"
    assert catalog["house_rules"]["tallest_tie"] == ["nobody", "one_owner"]
    assert [level["name"] for level in catalog["levels"]] == list(LEVELS)


def test_only_public_tables_are_listed(shared_server: RunningServer) -> None:
    ada, bob = shared_server.client("Ada"), shared_server.client("Bob")
    public = ada.open_table(seats=TWO_SEATS, public=True)
    private = ada.open_table(seats=TWO_SEATS)
    listed = {table["id"]: table for table in bob.list_tables()}
    assert public in listed
    assert private not in listed
    assert [player["open"] for player in listed[public]["players"]] == [False, True]
    bob.take_seat(public)
    ada.start_game(public)
    assert public not in {table["id"] for table in bob.list_tables()}
    assert public in {table["id"] for table in bob.list_tables("playing")}
    bob.take_seat(private)  # the link is enough


def test_seats_are_taken_left_and_given_to_bots(shared_server: RunningServer) -> None:
    ada, bob, cat = (
        shared_server.client("Ada"),
        shared_server.client("Bob"),
        shared_server.client("Cat"),
    )
    table = ada.open_table(seats=[*TWO_SEATS, {"occupant": "open"}])
    path = f"/api/tables/{table}"
    assert bob.take_seat(table, 2)["seats"][2]["you"] is True
    check_rejected("seat_taken", cat, "POST", f"{path}/seats/2")
    bob.leave_table(table)
    seated = ada.request("PUT", f"{path}/seats/2/bot", {"level": "easy"})
    assert seated["seats"][2]["occupant"] == "bot"
    assert ada.request("DELETE", f"{path}/seats/2")["seats"][2]["occupant"] == "open"
    assert cat.take_seat(table, 2)["seats"][2]["you"] is True
    freed = ada.request("DELETE", f"{path}/seats/2")  # the host removes a guest
    assert freed["seats"][2]["occupant"] == "open"
    check_rejected("seats_open", ada, "POST", f"{path}/start")
    assert ada.request("POST", f"{path}/close")["stage"] == "closed"
    check_rejected("closed", bob, "POST", f"{path}/seats")


def test_missing_tables_paths_and_methods_are_reported(shared_server: RunningServer) -> None:
    ada = shared_server.client("Ada")
    check_rejected("no_such_table", ada, "GET", "/api/tables/aaaaaaaaaaaaaa")
    check_rejected("no_such_table", ada, "GET", "/api/tables/UPPER")
    assert "Not Found" in str(check_rejected("http", ada, "GET", "/api/nothing"))
    error = check_rejected("http", ada, "PATCH", "/api/me")
    assert error.params == {"status": 405}
    assert "Method Not Allowed" in str(error)


def test_all_methods_of_a_path_are_listed(shared_server: RunningServer) -> None:
    answer = httpx.patch(f"{shared_server.address}/api/me")
    assert (answer.status_code, answer.headers["allow"]) == (405, "DELETE, GET, PUT")


def test_the_same_people_get_one_table_for_their_rematch(shared_server: RunningServer) -> None:
    ada, bob, cat = (
        shared_server.client("Ada"),
        shared_server.client("Bob"),
        shared_server.client("Cat"),
    )
    seats = [{"occupant": "me"}, {"occupant": "here", "name": "Eve"}, {"occupant": "open"}]
    seats.append({"occupant": "bot", "level": "easy"})
    table = ada.open_table(
        seats=seats, first=0, bot_delay_ms=0, hints_disabled=True, edition="hig-1994", public=True
    )
    path = f"/api/tables/{table}/rematch"
    bob.take_seat(table)
    ada.start_game(table)
    check_rejected("not_over", ada, "POST", path)
    for client, player in ((ada, 0), (ada, 1), (bob, 2)):
        with client.connect(table) as seat:
            next(seat.messages())
            seat.send("resign", player=player)
    with ada.connect(table) as seat:
        for _ in seat.messages():
            if seat.is_over:
                break
    check_rejected("not_at_the_table", cat, "POST", path)
    rematch = bob.request("POST", path)["table"]
    assert ada.request("POST", path)["table"] == rematch
    info = ada.request("GET", f"/api/tables/{rematch}")["table"]
    assert [seat["name"] for seat in info["seats"]] == ["Ada", "Eve", "Bob", "Lotte"]
    assert [seat["you"] for seat in info["seats"]] == [True, True, False, False]
    check_rejected("table_full", cat, "POST", f"/api/tables/{rematch}/seats")
    assert (info["first"], info["stage"]) == (1, "lobby")  # the next player starts
    assert info["hints_disabled"]
    assert (info["edition"], info["rematch_of"]) == ("hig-1994", table)
    assert ada.request("GET", f"/api/tables/{table}")["table"]["rematch"] == rematch
    # Both have accepted: either can start the game.
    assert [bob.request("POST", f"{path}?start=true")["table"] for _ in "12"] == [rematch] * 2
    assert ada.request("GET", f"/api/tables/{rematch}")["table"]["stage"] == "playing"


def test_a_seat_moves_to_another_device(shared_server: RunningServer) -> None:
    laptop, phone = shared_server.client("Ada"), shared_server.client("Ada")
    table = laptop.open_table(seats=AGAINST_EASY, start=True)
    path = f"/api/tables/{table}/seat-transfers"
    secret = laptop.request("POST", path, {})["secret"]
    claimed = phone.request("POST", f"{path}/claim", {"secret": secret})
    assert claimed["seats"][0]["you"] is True
    check_rejected("transfer_expired", laptop, "POST", f"{path}/claim", {"secret": secret})
    assert laptop.request("GET", f"/api/tables/{table}")["private"]["hand"] == []
    assert len(phone.request("GET", f"/api/tables/{table}")["private"]["hand"]) == 4


# Games.


def test_the_record_of_a_running_game_holds_nothing_hidden(shared_server: RunningServer) -> None:
    ada, cat = shared_server.client("Ada"), shared_server.client("Cat")
    table = ada.open_table(seats=AGAINST_EASY, bot_delay_ms=0)
    check_rejected("not_started", cat, "GET", f"/api/tables/{table}/record")
    ada.start_game(table)
    with ada.connect(table) as seat:
        play_on(seat, moves=4)
        running = cat.record(table)
        assert running["seed"] is None
        assert running["deck"] is None
        assert all("drew" not in event for event in running["events"])
        play_on(seat)
    finished = cat.record(table)
    assert finished["seed"]
    assert replay(record.parse(record.to_line(finished))).is_over


def test_hints_are_for_the_player_to_move_unless_disabled(shared_server: RunningServer) -> None:
    ada = shared_server.client("Ada")
    table = ada.open_table(seats=AGAINST_EASY, first=0, start=True)
    hint = ada.request("POST", f"/api/tables/{table}/hint")
    assert hint["move"].startswith("[")
    assert hint["reasons"] == [{"kind": "strong_selection", "colour": None, "city": None}]
    cat = shared_server.client("Cat")
    check_rejected("not_at_the_table", cat, "POST", f"/api/tables/{table}/hint")
    with ada.connect(table) as seat:
        next(seat.messages())
        seat.play(hint["move"])
    check_rejected("hint_out_of_turn", ada, "POST", f"/api/tables/{table}/hint")
    without = ada.open_table(seats=AGAINST_EASY, first=0, hints_disabled=True, start=True)
    check_rejected("hints_disabled", ada, "POST", f"/api/tables/{without}/hint")
    check_rejected("hints_disabled", ada, "POST", f"/api/tables/{without}/evaluation")


@pytest.mark.compiled
@pytest.mark.xdist_group("4-1")
def test_moves_are_evaluated_by_what_the_player_sees(shared_server: RunningServer) -> None:
    ada = shared_server.client("Ada")
    seats = [{"occupant": "me"}, *[{"occupant": "bot", "level": "easy"}] * 3]
    table = ada.open_table(seats=seats, first=0, bot_delay_ms=0, start=True)
    with ada.connect(table) as seat:
        play_on(seat, moves=1)
        next(seat.turns())  # her next turn: all players have chosen their blocks
    evaluation = ada.request("POST", f"/api/tables/{table}/evaluation")
    assert evaluation["player"] == 0
    assert sum(evaluation["moves"][0]["win_probabilities"]) == pytest.approx(1)
    hint = ada.request("POST", f"/api/tables/{table}/hint")
    assert len(hint["gains"]) == 4
    assert hint["reasons"][-1]["kind"] in ("starts_tower", "takes_tower", "raises_tower")


def test_a_record_is_checked_against_the_rules(shared_server: RunningServer) -> None:
    with RecordingClient(shared_server, "Ada") as ada:
        game = Game.new(2, seed=bytes(32))
        while not game.is_over:
            game.play(game.legal_moves()[0])
        saved = record.to_json(game)
        assert ada.call("POST", "/api/records/check", saved) == {"moves": game.ply, "over": True}
        event = next(n for n, one in enumerate(saved["events"]) if one["type"] == "build")
        wrong = saved | {"events": [*saved["events"][:event], *saved["events"][event + 1 :]]}
        bodies: list[Any] = [wrong, {}, {"format": "manhattan-record"}, []]
        for body in (*bodies, saved | {"first": 10**400}):
            answer = ada.request("POST", "/api/records/check", body)
            assert answer.status_code == 422
            assert answer.json()["reason"] == "record"
            assert answer.json()["params"]["what"] == answer.json()["text"]


# The page.


def test_the_page_and_its_files_are_served(shared_server: RunningServer) -> None:
    with httpx.Client(base_url=shared_server.address) as browser:
        page = browser.get("/")
        assert page.status_code == 200
        assert "<title>Manhattan</title>" in page.text
        styles = re.findall(r'href="(/assets/[^"]+\.css)"', page.text)
        assert styles
        for style in styles:
            assert browser.get(style).headers["content-type"].startswith("text/css")
        for path in ("new/bots", "watch", "games", "account", "learn/3", "rules", "replay"):
            assert browser.get(f"/{path}").status_code == 200, path
        assert browser.get("/../app.py").status_code == 404
        assert browser.get("/nowhere").json()["reason"] == "http"


def test_files_of_the_page_are_cached_and_compressed(shared_server: RunningServer) -> None:
    with httpx.Client(
        base_url=shared_server.address, headers={"Accept-Encoding": "gzip"}
    ) as browser:
        page = browser.get("/")
        assert page.headers["cache-control"] == "no-cache"
        assert page.headers["content-encoding"] == "gzip"
        tag = page.headers["etag"]
        unchanged = browser.get("/", headers={"If-None-Match": tag})
        assert (unchanged.status_code, unchanged.content) == (304, b"")
        assert browser.get("/", headers={"If-None-Match": '"other"'}).status_code == 200
        assert browser.head("/").headers["content-length"] == page.headers["content-length"]
        plain = browser.get("/", headers={"Accept-Encoding": "identity"})
        assert "content-encoding" not in plain.headers
        lost = browser.get("/nowhere", headers={"Accept": "text/html"})
        assert (lost.status_code, lost.headers["content-type"]) == (404, "text/html; charset=utf-8")


def test_hidden_files_of_the_page_are_not_served(
    shared_server: RunningServer, tmp_path: Path
) -> None:
    """They say how the page was built."""
    for path in PAGE_FOLDER.rglob(".*"):
        name = path.relative_to(PAGE_FOLDER).as_posix()
        assert get(shared_server, f"/{name}")[0] == 404, name
    for name in (".made-from", "index.html", ".well-hidden/index.html"):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text("Hello")
    assert set(Page(tmp_path)._files) == {"index.html"}


def test_a_client_may_ask_for_refusals_with_the_status_200(shared_server: RunningServer) -> None:
    preference = "problem-status=200"
    with httpx.Client(base_url=shared_server.address) as browser:
        plain = browser.get("/api/tables/aaaaaaaaaaaaaa")
        quiet = browser.get(
            "/api/tables/aaaaaaaaaaaaaa", headers={"Prefer": f"respond-async, {preference}"}
        )
        assert (plain.status_code, quiet.status_code) == (404, 200)
        assert plain.json() == quiet.json()
        assert quiet.headers["preference-applied"] == preference
        assert "preference-applied" not in plain.headers
        # A result has no such header, and an unknown address keeps its status.
        headers = {"Prefer": preference}
        assert "preference-applied" not in browser.get("/api/catalog", headers=headers).headers
        assert browser.get("/api/nothing", headers=headers).status_code == 404
        other = browser.get("/api/tables/aaaaaaaaaaaaaa", headers={"Prefer": "handling=strict"})
        assert other.status_code == 404
