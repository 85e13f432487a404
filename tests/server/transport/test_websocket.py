"""A table through its websocket: the view, the updates that follow, and those that were missed."""

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
from manhattan.server.transport.ws.client_socket import INTERNAL_ERROR
from manhattan.server.transport.ws.connection import Connection
from support.moved_clock import MovedClock
from support.placements import placement_gains
from support.recording_client import assert_nothing_left, captured_logs, close_code
from support.server_fixtures import AGAINST_EASY, RunningServer, loads

TWO_SEATS = [{"occupant": "me"}, {"occupant": "open"}]
SPECTATOR: dict[str, Any] = {
    "player": None,
    "hand": [],
    "moves": None,
    "undo": {"allowed": False, "reason": "not_at_the_table", "params": {}},
}


class Viewer:
    """A websocket, message by message."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.received: list[Any] = []

    def next(self, kind: str) -> Any:
        """Return the next message of a type; those before it are kept."""
        while True:
            message = loads(self.socket.recv(timeout=60))
            self.received.append(message)
            if message["type"] == kind:
                return message

    def update(self, event: str) -> Any:
        """Return the next update with an event of a type."""
        while True:
            message = self.next("update")
            if message["event"]["type"] == event:
                return message

    def send(self, kind: str, **fields: Any) -> str:
        command = {"type": kind, "id": f"{len(self.received)}-{time.monotonic_ns()}", **fields}
        self.socket.send(json.dumps(command))
        return str(command["id"])


class Viewers:
    """Opens websockets, and closes them after the test."""

    def __init__(self, server: RunningServer, stack: ExitStack) -> None:
        self._server = server
        self._stack = stack

    def connect(self, client: Client | None, table: str, since: int | None = None) -> Viewer:
        headers = {"Cookie": client.cookie} if client else {}
        address = self._server.websocket(table, since)
        return Viewer(self._stack.enter_context(connect(address, additional_headers=headers)))


@pytest.fixture
def viewers(shared_server: RunningServer) -> Iterator[Viewers]:
    with ExitStack() as stack:
        yield Viewers(shared_server, stack)


def two_players(shared_server: RunningServer, **options: Any) -> tuple[Client, Client, str]:
    ada, bob = shared_server.client("Ada"), shared_server.client("Bob")
    table = ada.open_table(seats=TWO_SEATS, first=0, **options)
    bob.take_seat(table)
    ada.start_game(table)
    return ada, bob, table


def smallest_blocks(message: Any) -> str:
    """Return the selection of the smallest blocks."""
    moves = message["private"]["moves"]
    return "[" + "|".join(["1" * moves["blocks"]] * len(moves["supplies"])) + "]"


def test_a_view_comes_first_and_numbered_updates_follow(
    shared_server: RunningServer, viewers: Viewers
) -> None:
    ada, bob, table = two_players(shared_server)
    one, two = viewers.connect(ada, table), viewers.connect(bob, table)
    spectator = viewers.connect(None, table)
    views = [viewer.next("view") for viewer in (one, two, spectator)]
    assert {view["number"] for view in views} == {3}  # opened, seat taken, started
    assert [len(view["private"]["hand"]) for view in views] == [4, 4, 0]
    assert [view["private"]["player"] for view in views] == [0, 1, None]
    assert views[0]["private"]["moves"]["kind"] == "select"
    assert views[1]["private"]["moves"] is None
    move = smallest_blocks(views[0])
    command = one.send("play", ply=0, move=move)
    updates = [viewer.update("move_played") for viewer in (one, two, spectator)]
    assert {update["number"] for update in updates} == {3}
    assert [update.get("reply_to") for update in updates] == [command, None, None]
    assert {json.dumps(update["event"]) for update in updates} == {
        json.dumps({"type": "move_played", "player": 0, "move": move})
    }
    assert updates[1]["private"]["moves"]["kind"] == "select"
    assert updates[2]["game_events"] == [{"type": "select", "player": 0, "move": move}]
    assert updates[2]["patch"]["mover"] == 1


def test_a_reconnected_viewer_gets_missed_updates_or_a_new_view(
    shared_server: RunningServer, viewers: Viewers
) -> None:
    ada, bob, table = two_players(shared_server)
    one, two = viewers.connect(ada, table), viewers.connect(bob, table)
    move = smallest_blocks(one.next("view"))
    two.next("view")  # or Bob may connect after the move, and get no update of it
    one.send("play", ply=0, move=move)
    two.update("move_played")
    two.send("play", ply=1, move=move)
    two.update("move_played")
    reconnected = viewers.connect(ada, table, since=3)
    assert reconnected.next("resumed")["number"] == 3
    first, second = reconnected.update("move_played"), reconnected.update("move_played")
    assert [first["number"], second["number"]] == [3, 4]
    assert "private" not in first  # only the latest legal moves are of use
    assert second["private"]["moves"]["kind"] == "build"
    for since in (0, 1, 99, 10**9):
        viewer = viewers.connect(ada, table, since=since)
        expected = "resumed" if since == 1 else "view"
        assert loads(viewer.socket.recv(timeout=60))["type"] == expected
    up_to_date = viewers.connect(ada, table, since=5)
    assert up_to_date.next("resumed")["number"] == 5
    up_to_date.send("ping")
    up_to_date.next("done")
    assert all(message["type"] != "update" for message in up_to_date.received)


def test_a_repeated_command_is_answered_and_executed_once(
    shared_server: RunningServer, viewers: Viewers
) -> None:
    ada, bob, table = two_players(shared_server)
    one = viewers.connect(ada, table)
    move = smallest_blocks(one.next("view"))
    command = json.dumps({"type": "play", "id": "mine", "ply": 0, "move": move})
    one.socket.send(command)
    number = one.update("move_played")["number"]
    one.socket.send(command)
    assert one.next("done") == {"type": "done", "reply_to": "mine", "number": number}
    reconnected = viewers.connect(ada, table)
    reconnected.next("view")
    reconnected.socket.send(command)
    assert reconnected.next("done")["number"] == number
    other = viewers.connect(bob, table)  # another person's command with this id is another command
    other.next("view")
    other.socket.send(command)
    assert other.next("error")["reason"] == "too_late"


def test_why_a_move_is_illegal_is_judged_by_what_the_viewer_sees(
    shared_server: RunningServer, viewers: Viewers
) -> None:
    ada, _, table = two_players(shared_server)
    one, spectator = viewers.connect(ada, table), viewers.connect(None, table)
    command = one.send("why", move="A1+1o")
    answer = one.next("why")
    assert (answer["reply_to"], answer["problem"]["reason"]) == (command, "select_first")
    one.send("why", move="[1111|1111]")
    assert one.next("why")["problem"] is None
    spectator.send("why", move="A1+1o")
    assert spectator.next("why")["problem"]["reason"] == "not_playing"
    one.send("why", move="nonsense")
    assert one.next("error")["reason"] == "notation"


def test_chat_and_presence_reach_everyone(shared_server: RunningServer, viewers: Viewers) -> None:
    ada, bob, table = two_players(shared_server)
    one = viewers.connect(ada, table)
    assert one.next("view")["presence"]["present"] == [True, False]
    two = viewers.connect(bob, table)
    assert one.next("presence")["present"] == [True, True]
    spectator = viewers.connect(shared_server.client("Cat"), table)
    assert one.next("presence")["spectators"] == 1
    two.send("chat", text="<b>Hello</b>")
    assert one.update("chat_sent")["event"] == {
        "type": "chat_sent",
        "name": "Bob",
        "seat": 1,
        "text": "<b>Hello</b>",
    }
    spectator.send("chat", text="Good luck")
    assert one.update("chat_sent")["event"]["seat"] is None
    two.socket.close()
    assert one.next("presence")["present"] == [True, False]
    lines = viewers.connect(bob, table).next("view")["chat"]
    assert [line["text"] for line in lines] == ["<b>Hello</b>", "Good luck"]
    anonymous = viewers.connect(None, table)
    anonymous.send("chat", text="hi")
    assert anonymous.next("error")["reason"] == "no_identity"


def test_an_undo_is_requested_and_answered(shared_server: RunningServer, viewers: Viewers) -> None:
    ada, bob, table = two_players(shared_server)
    one, two = viewers.connect(ada, table), viewers.connect(bob, table)
    two.next("view")
    one.send("play", ply=0, move=smallest_blocks(one.next("view")))
    one.send("undo", ply=1)
    requested = two.update("undo_requested")
    assert requested["table"]["undo"] == {"player": 0, "ply": 0, "you_decide": True}
    two.send("answer_undo", accept=True)
    undone = one.update("undo_answered")
    assert undone["patch"]["ply"] == 0
    assert undone["private"]["moves"]["kind"] == "select"
    assert undone["table"]["undo"] is None


def test_the_server_says_whether_an_undo_is_possible(
    shared_server: RunningServer, viewers: Viewers
) -> None:
    """The page repeats no rule: it shows the button by this alone."""
    ada, bob, table = two_players(shared_server)
    one, two = viewers.connect(ada, table), viewers.connect(bob, table)
    view = one.next("view")
    nothing = {"allowed": False, "reason": "nothing_to_undo", "params": {}}
    assert view["private"]["undo"] == two.next("view")["private"]["undo"] == nothing
    move = smallest_blocks(view)
    one.send("play", ply=0, move=move)
    allowed: Any = {"allowed": True, "reason": None, "params": {}}
    assert one.update("move_played")["private"]["undo"] == allowed
    assert two.update("move_played")["private"]["undo"] == nothing
    one.send("undo", ply=1)
    pending = {"allowed": False, "reason": "undo_pending", "params": {"name": "Ada"}}
    assert one.update("undo_requested")["private"]["undo"] == pending
    assert two.update("undo_requested")["private"]["undo"] == pending
    two.send("answer_undo", accept=False)
    assert one.update("undo_answered")["private"]["undo"] == allowed
    two.send("play", ply=1, move=move)
    played = one.update("move_played")
    assert played["private"]["undo"] == allowed  # no player has seen a card since
    one.send(
        "play", ply=2, move=next(iter(placement_gains(played["private"]["moves"]["placements"])))
    )
    seen = {"allowed": False, "reason": "card_seen", "params": {}}
    assert one.update("move_played")["private"]["undo"] == seen


def test_a_shared_screen_shows_only_the_hand_of_the_player_to_move(
    shared_server: RunningServer, viewers: Viewers
) -> None:
    ada = shared_server.client("Ada")
    seats = [
        {"occupant": "me"},
        {"occupant": "here", "name": "Eve"},
        {"occupant": "bot", "level": "easy"},
    ]
    table = ada.open_table(seats=seats, first=0, bot_delay_ms=200, start=True)
    screen = viewers.connect(ada, table)
    view = screen.next("view")
    assert view["private"]["player"] == 0
    move = smallest_blocks(view)
    screen.send("play", ply=0, move=move)
    after = screen.update("move_played")
    assert after["private"]["player"] == 1
    assert after["private"]["hand"] != view["private"]["hand"]
    screen.send("play", ply=1, move=move)
    hidden = screen.update("move_played")["private"]
    assert hidden | {"undo": None} == SPECTATOR | {"undo": None}
    assert screen.update("move_played")["private"]["player"] == 0  # after the bot's move


def test_a_bot_plays_for_a_player_whose_time_expired_until_they_resume(
    shared_server: RunningServer, viewers: Viewers, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = {"kind": "real_time", "bank": 60}
    ada, bob, table = two_players(shared_server, clock=clock, bot_delay_ms=0)
    one, two = viewers.connect(ada, table), viewers.connect(bob, table)
    two.next("view")
    assert one.next("view")["position"]["clock"]["left"] == [60_000, 60_000]
    MovedClock(monkeypatch).advance(seconds=63)
    expired = two.update("time_expired")
    assert expired["event"]["player"] == 0
    # The clock after a return is announced, and kept.
    seats = expired["table"]["seats"]
    assert [seat["time_after_return"] for seat in seats] == [30_000, None]
    assert two.update("move_played")["event"]["player"] == 0
    one.send("play", ply=1, move="[1111|1111]")
    assert one.next("error")["reason"] == "bot_controlled"
    one.send("resume")
    returned = one.update("player_returned")
    assert returned["table"]["seats"][0]["bot_controlled"] is False
    assert returned["table"]["seats"][0]["time_after_return"] is None
    assert returned["patch"]["clock"]["left"][0] == 30_000


def test_a_missing_table_is_reported_before_the_connection_is_closed(
    shared_server: RunningServer, viewers: Viewers
) -> None:
    viewer = viewers.connect(shared_server.client("Ada"), "aaaaaaaaaaaaaa")
    assert viewer.next("error")["reason"] == "no_such_table"
    with pytest.raises(ConnectionClosed) as closed:
        viewer.socket.recv(timeout=60)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4404


def test_a_bot_waits_so_that_people_can_follow(
    shared_server: RunningServer, viewers: Viewers
) -> None:
    ada = shared_server.client("Ada")
    table = ada.open_table(seats=AGAINST_EASY, first=0, bot_delay_ms=400, start=True)
    one = viewers.connect(ada, table)
    one.send("play", ply=0, move=smallest_blocks(one.next("view")))
    own, bot = one.update("move_played"), one.update("move_played")
    assert bot["at"] - own["at"] >= 400


def test_a_revoked_account_is_disconnected(shared_server: RunningServer, viewers: Viewers) -> None:
    ada, _, table = two_players(shared_server)
    one = viewers.connect(ada, table)
    one.next("view")
    ada.request("DELETE", "/api/me")
    with pytest.raises(ConnectionClosed) as closed:
        one.next("update")
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4401


def test_an_unexpected_error_closes_the_websocket_and_is_logged_once(
    shared_server: RunningServer, viewers: Viewers, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = shared_server.client("Ada")
    table = ada.open_table(seats=AGAINST_EASY, first=0, start=True)
    viewer = viewers.connect(ada, table)
    viewer.next("view")

    def fail(*_: object) -> None:
        raise RuntimeError("a bug")

    with captured_logs() as logs:
        with monkeypatch.context() as patch:
            patch.setattr(Connection, "_explain", fail)
            viewer.send("why", move="A1+1")
            assert close_code(lambda: viewer.socket.recv(timeout=10)) == INTERNAL_ERROR
        assert_nothing_left(shared_server)
    assert [line["message"] for line in logs.errors] == ["a websocket failed"]
    assert viewers.connect(ada, table).next("view")["position"]["ply"] == 0
