"""A table through a websocket: what comes first, what follows, and what was missed."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from manhattan.client import Client
from serving import AGAINST_EASY, Running, loads

TWO = [{"who": "me"}, {"who": "open"}]


class Looking:
    """Somebody at a table, message by message."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.heard: list[Any] = []

    def next(self, kind: str) -> Any:
        """The next message of a kind; what comes before it is kept, too."""
        while True:
            told = loads(self.socket.recv(timeout=60))
            self.heard.append(told)
            if told["type"] == kind:
                return told

    def news(self, what: str) -> Any:
        """The next news of a kind."""
        while True:
            told = self.next("news")
            if told["what"]["type"] == what:
                return told

    def say(self, kind: str, **about: Any) -> str:
        command = {"type": kind, "id": f"{len(self.heard)}-{time.monotonic_ns()}", **about}
        self.socket.send(json.dumps(command))
        return str(command["id"])


class Table:
    """A table and its sockets."""

    def __init__(self, served: Running, stack: ExitStack) -> None:
        self._served = served
        self._stack = stack

    def look(self, client: Client | None, table: str, since: int | None = None) -> Looking:
        headers = {"Cookie": client.cookie} if client else {}
        address = self._served.websocket(table, since)
        socket = self._stack.enter_context(connect(address, additional_headers=headers))
        return Looking(socket)


@pytest.fixture
def at(shared: Running) -> Iterator[Table]:
    with ExitStack() as stack:
        yield Table(shared, stack)


def two_people(shared: Running, **terms: Any) -> tuple[Client, Client, str]:
    ada, bob = shared.client("Ada"), shared.client("Bob")
    table = ada.open(chairs=TWO, first=0, **terms)
    bob.sit(table)
    ada.begin(table)
    return ada, bob, table


def chosen(view: Any) -> str:
    """The first choice of blocks that a view allows: the smallest ones."""
    moves = view["own"]["moves"]
    return "[" + "|".join(["1" * moves["blocks"]] * len(moves["supplies"])) + "]"


def test_first_the_view_then_numbered_news(shared: Running, at: Table) -> None:
    ada, bob, table = two_people(shared)
    one, two, onlooker = at.look(ada, table), at.look(bob, table), at.look(None, table)
    views = [looking.next("view") for looking in (one, two, onlooker)]
    assert {view["number"] for view in views} == {3}  # opened, sat, begun
    assert [len(view["own"]["hand"]) for view in views] == [4, 4, 0]
    assert [view["own"]["player"] for view in views] == [0, 1, None]
    assert views[0]["own"]["moves"]["kind"] == "select"
    assert views[1]["own"]["moves"] is None
    said = one.say("play", ply=0, move=chosen(views[0]))
    news = [looking.news("played") for looking in (one, two, onlooker)]
    assert {told["number"] for told in news} == {3}
    assert [told.get("answers") for told in news] == [said, None, None]
    assert news[1]["own"]["moves"]["kind"] == "select"
    assert news[2]["events"] == [{"type": "select", "player": 0, "move": chosen(views[0])}]
    assert news[2]["changes"]["mover"] == 1


def test_who_was_away_gets_the_rest_or_a_fresh_view(shared: Running, at: Table) -> None:
    ada, bob, table = two_people(shared)
    one, two = at.look(ada, table), at.look(bob, table)
    move = chosen(one.next("view"))
    two.next("view")  # or he may come after the move, and is told no news of it
    one.say("play", ply=0, move=move)
    two.news("played")
    two.say("play", ply=1, move=move)
    two.news("played")
    back = at.look(ada, table, since=3)
    assert back.next("resumed")["number"] == 3
    first, second = back.news("played"), back.news("played")
    assert [first["number"], second["number"]] == [3, 4]
    assert "own" not in first  # what one could do then is no use any more
    assert second["own"]["moves"]["kind"] == "build"
    for since in (0, 1, 99, 10**9):
        told = at.look(ada, table, since=since)
        kind = "resumed" if since == 1 else "view"
        assert loads(told.socket.recv(timeout=60))["type"] == kind
    up_to_date = at.look(ada, table, since=5)
    assert up_to_date.next("resumed")["number"] == 5
    up_to_date.say("ping")
    up_to_date.next("done")
    assert all(told["type"] != "news" for told in up_to_date.heard)


def test_a_repeated_command_is_answered_and_not_done_twice(shared: Running, at: Table) -> None:
    ada, bob, table = two_people(shared)
    one = at.look(ada, table)
    move = chosen(one.next("view"))
    command = json.dumps({"type": "play", "id": "mine", "ply": 0, "move": move})
    one.socket.send(command)
    number = one.news("played")["number"]
    one.socket.send(command)
    assert one.next("done") == {"type": "done", "answers": "mine", "number": number}
    again = at.look(ada, table)
    again.next("view")
    again.socket.send(command)
    assert again.next("done")["number"] == number
    other = at.look(bob, table)  # the same name from another person is another command
    other.next("view")
    other.socket.send(command)
    assert other.next("refused")["reason"] == "too_late"


def test_why_not_is_answered_by_what_one_sees(shared: Running, at: Table) -> None:
    ada, _, table = two_people(shared)
    one, onlooker = at.look(ada, table), at.look(None, table)
    asked = one.say("why", move="A1+1o")
    told = one.next("why")
    assert (told["answers"], told["refusal"]["reason"]) == (asked, "select_first")
    one.say("why", move="[1111|1111]")
    assert one.next("why")["refusal"] is None
    onlooker.say("why", move="A1+1o")
    assert onlooker.next("why")["refusal"]["reason"] == "not_playing"
    one.say("why", move="nonsense")
    assert one.next("refused")["reason"] == "notation"


def test_people_talk_and_see_who_is_there(shared: Running, at: Table) -> None:
    ada, bob, table = two_people(shared)
    one = at.look(ada, table)
    assert one.next("view")["presence"]["present"] == [True, False]
    two = at.look(bob, table)
    assert one.next("presence")["present"] == [True, True]
    onlooker = at.look(shared.client("Cat"), table)
    assert one.next("presence")["watching"] == 1
    two.say("say", text="<b>Hello</b>")
    said = one.news("said")["what"]
    assert (said["name"], said["chair"], said["text"]) == ("Bob", 1, "<b>Hello</b>")
    onlooker.say("say", text="Good luck")
    assert one.news("said")["what"]["chair"] is None
    two.socket.close()
    assert one.next("presence")["present"] == [True, False]
    assert [line["text"] for line in at.look(bob, table).next("view")["talk"]] == [
        "<b>Hello</b>",
        "Good luck",
    ]
    stranger = at.look(None, table)
    stranger.say("say", text="hi")
    assert stranger.next("refused")["reason"] == "no_identity"


def test_taking_back_is_asked_and_answered(shared: Running, at: Table) -> None:
    ada, bob, table = two_people(shared)
    one, two = at.look(ada, table), at.look(bob, table)
    two.next("view")
    one.say("play", ply=0, move=chosen(one.next("view")))
    one.say("undo", ply=1)
    asked = two.news("undo_asked")
    assert asked["table"]["undo"] == {"player": 0, "ply": 0, "you_decide": True}
    two.say("answer", yes=True)
    back = one.news("undo_answered")
    assert back["changes"]["ply"] == 0
    assert back["own"]["moves"]["kind"] == "select"
    assert back["table"]["undo"] is None


def test_at_one_screen_only_the_hand_of_who_is_to_move_is_shown(shared: Running, at: Table) -> None:
    ada = shared.client("Ada")
    chairs = [{"who": "me"}, {"who": "here", "name": "Eve"}, {"who": "bot", "level": "easy"}]
    table = ada.open(chairs=chairs, first=0, pace=200, begin=True)
    screen = at.look(ada, table)
    view = screen.next("view")
    assert view["own"]["player"] == 0
    move = chosen(view)
    screen.say("play", ply=0, move=move)
    after = screen.news("played")
    assert after["own"]["player"] == 1
    assert after["own"]["hand"] != view["own"]["hand"]
    screen.say("play", ply=1, move=move)
    assert screen.news("played")["own"] == {"player": None, "hand": [], "moves": None}
    assert screen.news("played")["own"]["player"] == 0  # the bot has chosen


def test_a_bot_plays_for_whoever_runs_out_of_time_until_he_is_back(
    shared: Running, at: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, bob, table = two_people(shared, clock={"kind": "real_time", "bank": 60}, pace=0)
    one, two = at.look(ada, table), at.look(bob, table)
    two.next("view")
    assert one.next("view")["position"]["clock"]["left"] == [60_000, 60_000]
    real = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: real() + 63 * 10**9)  # a minute later
    assert two.news("ran_out")["what"]["player"] == 0
    assert two.news("played")["what"]["player"] == 0
    one.say("play", ply=1, move="[1111|1111]")
    assert one.next("refused")["reason"] == "played_for"
    one.say("back")
    assert one.news("returned")["table"]["chairs"][0]["played_for"] is False


def test_a_table_that_is_not_there_is_told_and_closed(shared: Running, at: Table) -> None:
    nowhere = at.look(shared.client("Ada"), "aaaaaaaaaaaaaa")
    assert nowhere.next("refused")["reason"] == "no_such_table"
    with pytest.raises(ConnectionClosed) as closed:
        nowhere.socket.recv(timeout=60)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4404


def test_a_bot_waits_so_that_people_can_follow(shared: Running, at: Table) -> None:
    ada = shared.client("Ada")
    table = ada.open(chairs=AGAINST_EASY, first=0, pace=400, begin=True)
    one = at.look(ada, table)
    one.say("play", ply=0, move=chosen(one.next("view")))
    mine, its = one.news("played"), one.news("played")
    assert its["at"] - mine["at"] >= 400


def test_who_is_nobody_any_more_is_sent_away(shared: Running, at: Table) -> None:
    ada, _, table = two_people(shared)
    one = at.look(ada, table)
    one.next("view")
    ada.call("DELETE", "/api/me")
    with pytest.raises(ConnectionClosed) as closed:
        one.next("news")
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4401
