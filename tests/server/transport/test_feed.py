"""The Atom feed of a person's turns and games."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import httpx

from manhattan.client import Client
from support.server_fixtures import RunningServer, play_on
from support.two_people import play_to_end, start, two_people

ATOM = "{http://www.w3.org/2005/Atom}"


def feed_path(client: Client) -> str:
    path: str = client.request("GET", "/api/me/feed")["path"]
    return path


def read(server: RunningServer, path: str) -> ET.Element:
    """Read a feed as a program does: without a cookie."""
    answer = httpx.get(server.address + path)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/atom+xml; charset=utf-8"
    return ET.fromstring(answer.content)


def entries(feed: ET.Element) -> list[tuple[str, str]]:
    """Title and summary of each entry."""
    return [
        (entry.findtext(f"{ATOM}title", ""), entry.findtext(f"{ATOM}summary", ""))
        for entry in feed.findall(f"{ATOM}entry")
    ]


def test_the_feed_tells_turns_starts_and_ends(server: RunningServer) -> None:
    ada, bob = two_people(server)
    table = start(ada, bob)
    path = feed_path(ada)
    started = ("Game started: Bob", "With Bob.")
    turn = ("Your turn: Bob", "Round 1 of 4: Ada 0, Bob 0.")
    assert sorted(entries(read(server, path))) == sorted([turn, started])
    with ada.connect(table) as seat:
        play_on(seat, 1)
    feed = read(server, path)
    others = read(server, feed_path(bob))
    assert entries(feed) == [started]
    assert ("Your turn: Ada", "Round 1 of 4: Ada 0, Bob 0.") in entries(others)
    play_to_end(ada, bob, table)
    game = ada.request("GET", f"/api/me/games/{table}")["game"]
    ours, theirs = (player["points"] for player in game["players"])
    feed = read(server, path)
    # This is all that the feed says: it can hold nothing hidden.
    assert entries(feed) == [("Game over: Bob", f"Ada {ours}, Bob {theirs}.")]
    assert feed.findtext(f"{ATOM}title") == "Manhattan: Ada"
    (link,) = feed.findall(f"{ATOM}entry/{ATOM}link")
    assert link.get("href") == f"{server.address}/table/{table}"
    assert httpx.get(link.get("href") or "").status_code == 200


def test_each_turn_is_an_entry_of_its_own(server: RunningServer) -> None:
    """A feed reader shows an entry once, by its id."""
    ada, bob = two_people(server)
    table = start(ada, bob)
    ids = set()
    with ada.connect(table) as one, bob.connect(table) as other:
        for _ in range(3):
            feed = read(server, feed_path(ada))
            ids |= {id.text for id in feed.findall(f"{ATOM}entry/{ATOM}id")}
            play_on(one, 1)
            play_on(other, 1)
    assert len(ids) == 1 + 3


def test_a_feed_opens_nothing_else_and_ends_with_its_device(server: RunningServer) -> None:
    ada = server.client("Ada")
    path = feed_path(ada)
    token = path.rpartition("/")[2]
    as_cookie = httpx.get(server.address + "/api/me", cookies={"manhattan": token})
    assert as_cookie.json()["name"] is None
    cookie = ada.cookie.partition("=")[2]
    for wrong in ("x", token + "x", token[:-1], cookie, "a" * 301, "WyJhIl0.sig"):
        answer = httpx.get(f"{server.address}/api/feeds/{wrong}")
        assert answer.status_code == 401, wrong
    read(server, path)
    (device,) = ada.request("GET", "/api/me/devices")["devices"]
    ada.request("DELETE", f"/api/me/devices/{device['id']}")
    assert httpx.get(server.address + path).status_code == 401
