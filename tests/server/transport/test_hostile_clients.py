"""Hostile clients: forged, old and borrowed credentials are rejected, with a clear reason."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from hashlib import sha256
from threading import Barrier, Thread
from typing import Any

import pytest
from itsdangerous import URLSafeSerializer

from manhattan.server.domain.events import SeatTransferCreated
from manhattan.server.domain.state import TRANSFER_LIFETIME, TableState
from manhattan.server.service.clock_and_secrets import now_ms
from support.recording_client import (
    Json,
    RecordingClient,
    assert_nothing_left,
    captured_logs,
    close_code,
    inject_event,
    state_of,
)
from support.server_fixtures import RunningServer

Join = Callable[..., RecordingClient]


@pytest.fixture
def join(shared_server: RunningServer) -> Iterator[Join]:
    """Create clients; after the test nothing of them is left, and no error was logged."""
    with captured_logs() as written:
        with ExitStack() as stack:
            yield lambda name=None, cookie=None: stack.enter_context(
                RecordingClient(shared_server, name, cookie)
            )
        assert_nothing_left(shared_server)
    assert not written.errors


@pytest.fixture
def ada(join: Join) -> RecordingClient:
    return join("Ada")


@pytest.fixture
def bob(join: Join) -> RecordingClient:
    return join("Bob")


@pytest.fixture
def eve(join: Join) -> RecordingClient:
    return join("Eve")


@pytest.fixture
def table(ada: RecordingClient, bob: RecordingClient) -> str:
    """A table of Ada and Bob; it's Ada's turn."""
    table = open_table(ada)
    bob.call("POST", f"/api/tables/{table}/seats")
    ada.call("POST", f"/api/tables/{table}/start")
    for one in (ada, bob):
        one.watch(table)
    return table


def open_table(host: RecordingClient, **options: Any) -> str:
    seats = [{"occupant": "me"}, {"occupant": "open"}]
    return str(host.call("POST", "/api/tables", {"seats": seats, "first": 0} | options)["id"])


def client_state(one: RecordingClient, table: str) -> TableState:
    return state_of(one.server, table)


def hand_of(one: RecordingClient, seat: int, table: str) -> list[int]:
    game = client_state(one, table).game
    assert game is not None
    return list(game.state.hands[seat])


def legal_move(one: RecordingClient, table: str) -> Json:
    game = client_state(one, table).game
    assert game is not None
    return {"ply": game.ply, "move": str(game.legal_moves()[0])}


def assert_spectator(private: Json) -> None:
    undo = {"allowed": False, "reason": "not_at_the_table", "params": {}}
    assert private == {"player": None, "hand": [], "moves": None, "undo": undo}


# Cookies.


def forgeries(own: str, other: str) -> dict[str, str]:
    """Cookies with which a person might try to be another."""
    signature = own.rsplit(".", 1)[1]
    payload, real = other.rsplit(".", 1)
    forger = URLSafeSerializer("guessed", salt="manhattan-person")
    return {
        "the other's payload, the own signature": f"{payload}.{signature}",
        "one wrong letter": f"{payload}.{'B' if real[0] == 'A' else 'A'}{real[1:]}",
        "no signature": payload,
        "an empty signature": f"{payload}.",
        "another secret": forger.dumps(["ada", 1]),
        "nothing": "",
        "rubbish": "$.$.$",
        "too long": other * 20,
        "two signatures": f"{other}.{signature}",
    }


def test_a_forged_cookie_identifies_nobody(
    join: Join, ada: RecordingClient, eve: RecordingClient, table: str
) -> None:
    for name, cookie in forgeries(eve.cookie, ada.cookie).items():
        forger = join(cookie=cookie)
        assert forger.call("GET", "/api/me") == {"name": None}, name
        assert forger.request("GET", "/api/me/games").status_code == 401, name
        assert_spectator(forger.watch(table)["private"])
        answer = forger.execute("play", **legal_move(ada, table))
        assert answer["reason"] == "no_identity", name


def test_a_cookie_of_strange_bytes_identifies_nobody(eve: RecordingClient) -> None:
    for strange in (b"\xff\xfe" * 20, b"\xc3", b"a.\xf0\x9f\x8e\xb2", b'"', b"=;=;\\"):
        answer = eve.request("GET", "/api/me", headers={"Cookie": b"manhattan=" + strange})
        assert (answer.status_code, answer.json()) == (200, {"name": None})


def test_a_signature_of_something_else_identifies_nobody(
    join: Join, shared_server: RunningServer
) -> None:
    sign = shared_server.services.accounts._signer.dumps
    payloads: list[object] = ["ada", [1], [], {}, {"a": 1, "b": 2}, ["nobody", 1], [None, None], 7]
    for payload in payloads:
        assert join(cookie=sign(payload)).call("GET", "/api/me") == {"name": None}, payload


def test_a_revoked_account_is_disconnected_everywhere(
    join: Join, ada: RecordingClient, table: str
) -> None:
    """Also where it is connected already: perhaps by another person."""
    old = ada.cookie
    tablet = join(cookie=old)
    assert tablet.watch(table)["private"]["hand"] == hand_of(ada, 0, table)
    assert ada.call("DELETE", "/api/me") == {"name": None}
    for one in (tablet, ada):
        assert close_code(one.receive) == 4401
    assert ada.cookie == ""
    again = join(cookie=old)
    assert again.call("GET", "/api/me") == {"name": None}
    assert_spectator(again.watch(table)["private"])
    assert again.execute("play", **legal_move(ada, table))["reason"] == "no_identity"


# Seat transfers.


def test_a_transferred_seat_is_lost_to_the_old_device(
    join: Join, ada: RecordingClient, bob: RecordingClient, table: str
) -> None:
    phone = join("Ada's phone")
    phone.watch(table)
    path = f"/api/tables/{table}/seat-transfers"
    secret = ada.call("POST", path, {})["secret"]
    phone.call("POST", f"{path}/claim", {"secret": secret})
    ada.catch_up()
    transferred = [
        received.message for received in ada.received if b"seat_transferred" in received.raw
    ]
    assert_spectator(transferred[-1]["private"])
    assert_spectator(ada.call("GET", f"/api/tables/{table}")["private"])
    before = client_state(ada, table)
    for kind, fields in (("play", legal_move(ada, table)), ("resign", {}), ("undo", {"ply": 0})):
        assert ada.execute(kind, **fields)["reason"] == "not_at_the_table"
    assert client_state(ada, table) is before
    assert phone.execute("play", **legal_move(ada, table))["type"] == "update"
    for one in (ada, bob, phone):  # the secret was good for once
        again = one.request("POST", f"{path}/claim", {"secret": secret})
        assert (again.status_code, again.json()["reason"]) == (410, "transfer_expired")


def test_a_transfer_is_good_for_one_table_and_an_hour(
    ada: RecordingClient, eve: RecordingClient, table: str
) -> None:
    path = f"/api/tables/{table}/seat-transfers"
    other_table = open_table(ada)
    replaced = ada.call("POST", path, {})["secret"]
    of_other_table = ada.call("POST", f"/api/tables/{other_table}/seat-transfers", {})["secret"]
    ada.call("POST", path, {})
    too_old = "a secret of an hour ago"
    created_at = now_ms() - TRANSFER_LIFETIME - 1
    digest = sha256(too_old.encode()).hexdigest()
    event = SeatTransferCreated(at=created_at, by=ada.person, seat=1, digest=digest)
    inject_event(ada.server, table, event)
    for secret in (replaced, of_other_table, too_old, "guessed guessed"):
        answer = eve.request("POST", f"{path}/claim", {"secret": secret})
        assert (answer.status_code, answer.json()["reason"]) == (410, "transfer_expired")
    assert eve.person not in client_state(eve, table).people()


def test_a_transfer_ends_when_its_creator_leaves_the_seat(
    ada: RecordingClient, bob: RecordingClient, eve: RecordingClient
) -> None:
    """Or a person could take a seat, prepare a transfer, leave, and see the next one's cards."""
    table = open_table(ada)
    path = f"/api/tables/{table}"
    eve.call("POST", f"{path}/seats")
    secret = eve.call("POST", f"{path}/seat-transfers", {})["secret"]
    eve.call("POST", f"{path}/leave")
    bob.call("POST", f"{path}/seats")
    ada.call("POST", f"{path}/start")
    claimed = eve.request("POST", f"{path}/seat-transfers/claim", {"secret": secret})
    assert claimed.json()["reason"] == "transfer_expired"
    assert bob.call("GET", path)["private"]["hand"] == hand_of(bob, 1, table)


# Seats.


def test_nobody_does_what_is_for_others_over_http(
    ada: RecordingClient, bob: RecordingClient, eve: RecordingClient
) -> None:
    table = open_table(ada)
    path = f"/api/tables/{table}"
    bob.call("POST", f"{path}/seats")
    before = client_state(ada, table)
    easy = {"level": "easy"}
    for one, method, action, body, status, reason in (
        (bob, "POST", "start", None, 403, "not_the_host"),
        (bob, "POST", "close", None, 403, "not_the_host"),
        (bob, "DELETE", "seats/0", None, 403, "not_the_host"),
        (bob, "PUT", "seats/0/bot", easy, 403, "not_the_host"),
        (ada, "PUT", "seats/0/bot", easy, 409, "seat_taken"),
        (ada, "PUT", "seats/1/bot", easy, 409, "seat_taken"),
        (ada, "DELETE", "seats/0", None, 409, "seat_taken"),
        (bob, "POST", "seats/0", None, 409, "already_seated"),
        (eve, "POST", "seats/0", None, 409, "seat_taken"),
        (eve, "POST", "seats", None, 409, "table_full"),
        (eve, "POST", "seats/9", None, 404, "no_such_seat"),
        (eve, "POST", "leave", None, 403, "not_at_the_table"),
        (eve, "POST", "seat-transfers", {}, 403, "not_at_the_table"),
        (bob, "POST", "seat-transfers", {"seat": 0}, 403, "not_your_seat"),
        (eve, "POST", "rematch", None, 403, "not_at_the_table"),
        (bob, "POST", "rematch", None, 409, "not_over"),
        (eve, "POST", "hint", None, 409, "not_started"),
    ):
        answer = one.request(method, f"{path}/{action}", body)
        assert (answer.status_code, answer.json()["reason"]) == (status, reason), action
    assert client_state(ada, table) is before


def test_nobody_moves_for_another(
    join: Join, ada: RecordingClient, bob: RecordingClient, eve: RecordingClient, table: str
) -> None:
    anonymous = join()
    for one in (eve, anonymous):
        one.watch(table)
    before = client_state(ada, table)
    move = legal_move(ada, table)
    for one, kind, fields, reason in (
        (bob, "play", move, "not_your_turn"),
        (ada, "play", move | {"ply": 1}, "too_early"),
        (ada, "play", move | {"ply": 10**6}, "too_early"),
        (bob, "resign", {"player": 0}, "not_your_seat"),
        (bob, "resume", {"player": 0}, "not_your_seat"),
        (ada, "resign", {"player": 9}, "no_such_seat"),
        (ada, "resume", {}, "not_bot_controlled"),
        (ada, "answer_undo", {"accept": True}, "no_undo_request"),
        (ada, "undo", {"ply": 0}, "nothing_to_undo"),
        *((eve, kind, fields, "not_at_the_table") for kind, fields in commands(move)),
        *((anonymous, kind, fields, "no_identity") for kind, fields in commands(move)),
        (anonymous, "chat", {"text": "Let me in."}, "no_identity"),
        (anonymous, "rematch", {}, "no_identity"),
    ):
        answer = one.execute(kind, **fields)
        assert (answer["type"], answer["reason"]) == ("error", reason), (one.name, kind)
    assert client_state(ada, table) is before
    assert ada.execute("play", **move)["type"] == "update"
    assert ada.execute("play", **move)["reason"] == "too_late"
    assert bob.execute("undo", ply=1)["reason"] == "nothing_to_undo"
    assert ada.execute("undo", ply=1)["type"] == "update"
    for one, reason in (
        (ada, "no_undo_request"),
        (eve, "not_at_the_table"),
        (anonymous, "no_identity"),
    ):
        assert one.execute("answer_undo", accept=True)["reason"] == reason  # only Bob may agree
    assert client_state(ada, table).undo is not None


def commands(move: Json) -> list[tuple[str, Json]]:
    return [
        ("play", move),
        ("undo", {"ply": move["ply"]}),
        ("answer_undo", {"accept": True}),
        ("resign", {}),
        ("resign", {"player": 0}),
        ("resume", {}),
    ]


def test_hints_are_for_the_player_whose_turn_it_is(
    join: Join, ada: RecordingClient, bob: RecordingClient, eve: RecordingClient
) -> None:
    seats = [{"occupant": "me"}, {"occupant": "here", "name": "Bea"}, {"occupant": "open"}]
    for disabled in (False, True):
        table = open_table(ada, seats=seats, first=2, hints_disabled=disabled)
        bob.call("POST", f"/api/tables/{table}/seats")
        ada.call("POST", f"/api/tables/{table}/start")
        for one, status, reason in (
            (ada, 409, "hint_out_of_turn"),  # it's nobody's turn at her screen
            (eve, 403, "not_at_the_table"),
            (join(), 401, "no_identity"),
        ):
            for kind in ("hint", "evaluation"):
                answer = one.request("POST", f"/api/tables/{table}/{kind}")
                expected = (403, "hints_disabled") if disabled and one.name else (status, reason)
                assert (answer.status_code, answer.json()["reason"]) == expected


# Repeated commands.


def test_a_repeated_command_is_executed_once(join: Join, ada: RecordingClient, table: str) -> None:
    chat: Json = {"id": "only once", "text": "Hello."}
    assert ada.execute("chat", **chat)["type"] == "update"
    assert ada.execute("chat", **chat)["type"] == "done"
    move = legal_move(ada, table) | {"id": "my move"}
    update = ada.execute("play", **move)
    ada.watch(table)  # as if the connection had broken before the reply
    done = ada.execute("play", **move)
    assert (done["type"], done["number"]) == ("done", update["number"])
    tablet = join(cookie=ada.cookie)
    tablet.watch(table)
    assert tablet.execute("chat", **chat)["type"] == "done"
    state = client_state(ada, table)
    assert state.game is not None
    assert (state.game.ply, len(state.chat)) == (1, 1)


def test_another_persons_command_with_the_same_id_is_another(
    ada: RecordingClient, bob: RecordingClient, table: str
) -> None:
    for one in (ada, bob):
        assert one.execute("chat", id="1", text="Hello.")["type"] == "update"
    assert len(client_state(ada, table).chat) == 2


def test_a_command_over_two_connections_at_once_is_executed_once(
    join: Join, ada: RecordingClient, table: str
) -> None:
    tablet = join(cookie=ada.cookie)
    tablet.watch(table)
    barrier = Barrier(2)
    answers: list[Json] = []

    def send(one: RecordingClient, number: int) -> None:
        barrier.wait()
        answers.append(one.execute("chat", id=f"round {number}", text="Hello."))

    for number in range(20):
        answers.clear()
        threads = [Thread(target=send, args=(one, number)) for one in (ada, tablet)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(answer["type"] for answer in answers) == ["done", "update"]
        assert len({answer["number"] for answer in answers}) == 1
    assert len(client_state(ada, table).chat) == 20
