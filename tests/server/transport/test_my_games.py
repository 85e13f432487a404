"""The list of a person's games: states, pages, results, removal, statistics."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from manhattan.bots import LEVELS
from manhattan.client import Client, RequestRejected
from support.server_fixtures import AGAINST_EASY, RunningServer, play_on
from support.two_people import SHORT, TWO_SEATS, play_to_end, start, two_people

DAY_MS = 24 * 60 * 60 * 1000


def games(client: Client, query: str = "") -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = client.request("GET", f"/api/me/games{query}")["games"]
    return listed


def states(client: Client) -> dict[str, str]:
    return {game["id"]: game["state"] for game in games(client)}


def check_rejected(reason: str, client: Client, method: str, path: str) -> None:
    with pytest.raises(RequestRejected) as error:
        client.request(method, path)
    assert error.value.reason == reason


def test_the_list_says_whose_turn_it_is(server: RunningServer) -> None:
    ada, bob = two_people(server)
    slow = start(ada, bob, clock={"kind": "correspondence", "days": 2})
    untimed = start(ada, bob)
    urgent = start(ada, bob, clock={"kind": "correspondence", "days": 1})
    waiting = ada.open_table(seats=TWO_SEATS)
    assert list(states(ada)) == [urgent, slow, untimed, waiting]
    assert set(states(bob).values()) == {"running"}
    [first, *_] = games(ada, "?state=your_turn")
    assert first["deadline"] - first["since"] == DAY_MS
    assert games(ada, "?state=your_turn")[2]["deadline"] is None  # nobody waits 30 days
    assert [player["you"] for player in first["players"]] == [True, False]
    assert (first["mover"], first["round"], first["rounds"]) == (0, 1, 4)
    assert first["board"] == "." * 54
    assert ada.request("GET", "/api/me/games")["counts"] == {
        "your_turn": 3,
        "running": 0,
        "lobby": 1,
        "finished": 0,
        "removed": 0,
    }
    with ada.connect(urgent) as seat:
        play_on(seat, moves=1)
    assert states(bob)[urgent] == "your_turn"
    assert states(ada)[urgent] == "running"
    [running] = games(ada, "?state=running")
    assert (running["id"], running["mover"], running["deadline"]) == (urgent, 1, None)
    ada.request("POST", f"/api/tables/{waiting}/close")
    assert waiting not in states(ada)


def test_a_finished_game_has_its_result_and_the_leads(server: RunningServer) -> None:
    ada, bob = two_people(server)
    table = start(ada, bob)
    play_to_end(ada, bob, table)
    [game] = games(ada)
    assert game["state"] == "finished"
    recorded = ada.record(table)
    view = ada.request("GET", f"/api/tables/{table}")["position"]
    assert [player["points"] for player in game["players"]] == view["result"]["scores"]
    firsts = [n for n, player in enumerate(game["players"]) if player["place"] == 1]
    assert firsts == view["result"]["winners"]
    leads = [sheet["scores"][0] - sheet["scores"][1] for sheet in view["sheets"]]
    assert game["leads"] == leads
    assert games(bob)[0]["leads"] == [-lead for lead in leads]
    assert recorded["result"]["winners"] == view["result"]["winners"]
    sites = [f"{city}{n}" for city in "ABCDEF" for n in range(1, 10)]
    owners = [view["towers"].get(site, {}).get("owner") for site in sites]
    letters = {"orange": "o", "blue": "b", "yellow": "y", "purple": "p", None: "."}
    assert game["board"] == "".join(letters[owner] for owner in owners)
    wins = [client.request("GET", "/api/me/statistics")["wins"] for client in (ada, bob)]
    assert wins == [int(0 in firsts), int(1 in firsts)]


def test_a_shared_screen_and_a_substitute(server: RunningServer) -> None:
    ada = server.client("Ada")
    seats = [{"occupant": "me"}, {"occupant": "here", "name": "Cat"}]
    shared = ada.open_table(seats=seats, start=True, house_rules=SHORT)
    with ada.connect(shared) as seat:
        play_on(seat)
    [game] = games(ada)
    assert (game["leads"], [player["you"] for player in game["players"]]) == ([], [True, True])
    assert ada.request("GET", "/api/me/statistics")["games"] == 0
    # A person who resigned is never to move, and doesn't win what the bot wins.
    table = ada.open_table(seats=AGAINST_EASY, start=True, first=0, bot_delay_ms=5000)
    with ada.connect(table) as seat:
        seat.resign()
    assert states(ada)[table] == "running"


def test_pages_of_twenty(server: RunningServer) -> None:
    ada = server.client("Ada")
    tables = [ada.open_table(seats=TWO_SEATS) for _ in range(45)]
    pages, query = [], "?state=lobby"
    while True:
        page = ada.request("GET", f"/api/me/games{query}")
        pages.append([game["id"] for game in page["games"]])
        assert page["counts"]["lobby"] == 45
        if page["next"] is None:
            break
        query = f"?state=lobby&cursor={page['next']}"
    assert [len(page) for page in pages] == [20, 20, 5]
    assert sorted(table for page in pages for table in page) == sorted(tables)
    assert ada.request("GET", "/api/me/games?state=finished")["next"] is None


def cursor(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


@pytest.mark.parametrize(
    "query",
    [
        "cursor=nonsense",
        "cursor=%F0%9F%8E%B2",
        "cursor=" + cursor("[]"),
        "cursor=" + cursor('["nowhere", 1, "t"]'),
        "cursor=" + cursor('["lobby", 1e400, "t"]'),
        "cursor=" + cursor('["lobby", 99999999999999999999, "t"]'),
        "cursor=" + cursor('["lobby", 1, ""]'),
        "cursor=" + cursor('["lobby", 1, "\' OR 1=1"]'),
        "state=finished&cursor=" + cursor('["lobby", 1, "t"]'),
        f"cursor={'A' * 300}",
        "state=closed",
        "state=",
        "removed=perhaps",
        "players=5",
        "players=two",
        "opponents=nobody",
    ],
)
def test_a_wrong_query_is_rejected(shared_server: RunningServer, query: str) -> None:
    ada = shared_server.client("Ada")
    check_rejected("bad_request", ada, "GET", f"/api/me/games?{query}")


def test_games_are_filtered_by_players_and_opponents(server: RunningServer) -> None:
    ada = server.client("Ada")
    people = ada.open_table(seats=TWO_SEATS)
    lobby = ada.open_table(seats=[*TWO_SEATS, {"occupant": "open"}])
    bots = [{"occupant": "bot", "level": level} for level in ("medium", "hard")]
    running = ada.open_table(seats=[{"occupant": "me"}, *bots], first=0, start=True)

    def listed(query: str) -> set[str]:
        return {game["id"] for game in games(ada, f"?{query}")}

    assert listed("players=2") == {people}
    assert listed("players=3") == {lobby, running}
    assert listed("players=4") == set()
    assert listed("opponents=people") == {people, lobby}
    assert listed("opponents=hard") == {running}
    assert listed("opponents=medium") == set()  # the strongest bot counts
    assert listed("players=3&opponents=people&state=lobby") == {lobby}
    counts = ada.request("GET", "/api/me/games?players=3&state=finished")["counts"]
    assert (counts["your_turn"], counts["lobby"], counts["finished"]) == (1, 1, 0)
    # A bot at a table that waits for players: its place in the list stays.
    before = ada.request("GET", f"/api/me/games/{lobby}")["game"]["since"]
    ada.request("PUT", f"/api/tables/{lobby}/seats/2/bot", {"level": "expert"})
    assert listed("opponents=expert") == {lobby}
    assert listed("opponents=people") == {people}
    assert ada.request("GET", f"/api/me/games/{lobby}")["game"]["since"] == before
    ada.request("DELETE", f"/api/tables/{lobby}/seats/2")
    assert listed("opponents=people") == {people, lobby}


def test_a_list_can_be_limited_to_any_level(shared_server: RunningServer) -> None:
    ada = shared_server.client("Ada")
    assert [games(ada, f"?opponents={level}") for level in LEVELS] == [[]] * len(LEVELS)


def test_any_place_is_a_valid_cursor(shared_server: RunningServer) -> None:
    ada = shared_server.client("Ada")
    ada.open_table(seats=TWO_SEATS)
    for place, count in (('["lobby", 0, "t"]', 0), ('["your_turn", 5, "t"]', 1)):
        assert len(games(ada, f"?cursor={cursor(place)}")) == count


def test_a_game_is_removed_for_one_person_and_restored(server: RunningServer) -> None:
    ada, bob = two_people(server)
    table = start(ada, bob)
    path = f"/api/me/games/{table}"
    check_rejected("your_turn", ada, "DELETE", path)
    assert states(ada) == {table: "your_turn"}
    entry = bob.request("DELETE", path)
    assert entry["game"]["removed"] is True
    assert (entry["counts"]["running"], entry["counts"]["removed"]) == (0, 1)
    assert (games(bob), len(games(bob, "?removed=true"))) == ([], 1)
    assert len(games(ada)) == 1
    assert bob.request("DELETE", path) == entry  # a repeated request changes nothing
    assert bob.request("PUT", path)["counts"]["running"] == 1
    bob.request("DELETE", path)
    with ada.connect(table) as seat:
        play_on(seat, moves=1)
    assert states(bob) == {table: "your_turn"}  # it came back: Ada waits for Bob


def test_only_own_games_are_shown_and_removed(shared_server: RunningServer) -> None:
    ada, eve = shared_server.client("Ada"), shared_server.client("Eve")
    table = ada.open_table(seats=TWO_SEATS)
    for method in ("GET", "PUT", "DELETE"):
        check_rejected("not_at_the_table", eve, method, f"/api/me/games/{table}")
        check_rejected("not_at_the_table", ada, method, f"/api/me/games/{'x' * 14}")
        check_rejected("no_such_table", ada, method, "/api/me/games/short")
    assert states(ada) == {table: "lobby"}
    eve.request("DELETE", "/api/me")
    for path in ("games", f"games/{table}", "statistics"):
        check_rejected("no_identity", eve, "GET", f"/api/me/{path}")


def test_statistics_by_players_and_bots(server: RunningServer) -> None:
    ada = server.client("Ada")
    empty: dict[str, Any] = {
        "games": 0,
        "wins": 0,
        "best_score": None,
        "by_players": [],
        "by_bots": [],
    }
    assert ada.request("GET", "/api/me/statistics") == empty
    seats = [*AGAINST_EASY, {"occupant": "bot", "level": "medium"}]
    table = ada.open_table(seats=seats, start=True, bot_delay_ms=0)
    with ada.connect(table) as seat:
        play_on(seat)
    [game] = games(ada, "?state=finished")
    statistics = ada.request("GET", "/api/me/statistics")
    [me] = [player for player in game["players"] if player["you"]]
    wins = int(me["place"] == 1)
    assert statistics == {
        "games": 1,
        "wins": wins,
        "best_score": me["points"],
        "by_players": [{"players": 3, "games": 1, "wins": wins}],
        "by_bots": [{"level": "medium", "games": 1, "wins": wins}],
    }
    ada.request("DELETE", f"/api/me/games/{table}")
    assert ada.request("GET", "/api/me/statistics") == statistics
