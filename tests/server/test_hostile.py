"""Nobody acts for another: forged, old and borrowed papers are refused, and the reason is clear."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from threading import Barrier, Thread
from typing import Any

import pytest
from itsdangerous import URLSafeSerializer

from manhattan.server.decisions import digest
from manhattan.server.entries import LinkMade
from manhattan.server.sitting import LINK_LASTS, Sitting
from serving import Running
from witness import Json, Witness, closed, logs, nothing_is_left, on_the_server, sitting_at

Come = Callable[..., Witness]


@pytest.fixture
def come(shared: Running) -> Iterator[Come]:
    """Lets people come; afterwards nothing of them is left, and nothing has gone wrong."""
    with logs() as written:
        with ExitStack() as stack:
            yield lambda name=None, cookie=None: stack.enter_context(Witness(shared, name, cookie))
        nothing_is_left(shared)
    assert not written.troubles


@pytest.fixture
def ada(come: Come) -> Witness:
    return come("Ada")


@pytest.fixture
def bob(come: Come) -> Witness:
    return come("Bob")


@pytest.fixture
def eve(come: Come) -> Witness:
    return come("Eve")


@pytest.fixture
def table(ada: Witness, bob: Witness) -> str:
    """Where Ada and Bob play; Ada is to move."""
    table = opened(ada)
    bob.ask("POST", f"/api/tables/{table}/sit", {})
    ada.ask("POST", f"/api/tables/{table}/begin")
    for one in (ada, bob):
        one.look(table)
    return table


def opened(host: Witness, **terms: Any) -> str:
    chairs = [{"who": "me"}, {"who": "open"}]
    return str(host.ask("POST", "/api/tables", {"chairs": chairs, "first": 0} | terms)["id"])


def stands(one: Witness, table: str) -> Sitting:
    return sitting_at(one.up, table)


def hand_of(one: Witness, chair: int, table: str) -> list[int]:
    game = stands(one, table).game
    assert game is not None
    return list(game.state.hands[chair])


def a_move(one: Witness, table: str) -> Json:
    """A move that can be made now."""
    game = stands(one, table).game
    assert game is not None
    return {"ply": game.ply, "move": str(game.legal_moves()[0])}


# Cookies.


def spoilt(cookie: str, other: str) -> dict[str, str]:
    """What somebody might try who has a cookie of his own and wants to be another."""
    signature = cookie.rsplit(".", 1)[1]
    theirs, real = other.rsplit(".", 1)
    forger = URLSafeSerializer("guessed", salt="manhattan-person")
    return {
        "another's name, one's own signature": f"{theirs}.{signature}",
        "another letter in the signature": f"{theirs}.{'B' if real[0] == 'A' else 'A'}{real[1:]}",
        "no signature": theirs,
        "an empty signature": f"{theirs}.",
        "another secret": forger.dumps(["ada", 1]),
        "nothing": "",
        "rubbish": "$.$.$",
        "very much": other * 20,
        "twice": f"{other}.{signature}",
    }


def test_a_forged_cookie_is_nobodys(come: Come, ada: Witness, eve: Witness, table: str) -> None:
    for what, cookie in spoilt(eve.cookie, ada.cookie).items():
        forger = come(cookie=cookie)
        assert forger.ask("GET", "/api/me") == {"name": None}, what
        assert forger.asked("GET", "/api/tables/mine").status_code == 401, what
        assert_sees_nothing(forger.look(table)["own"])
        told = forger.do("play", **a_move(ada, table))
        assert told["reason"] == "no_identity", what


def test_a_cookie_of_strange_bytes_is_nobodys(eve: Witness) -> None:
    for strange in (b"\xff\xfe" * 20, b"\xc3", b"a.\xf0\x9f\x8e\xb2", b'"', b"=;=;\\"):
        answer = eve.asked("GET", "/api/me", headers={"Cookie": b"manhattan=" + strange})
        assert (answer.status_code, answer.json()) == (200, {"name": None})


def test_what_the_server_signed_for_something_else_is_nobodys(come: Come, shared: Running) -> None:
    sign = shared.state.people._signer.dumps
    papers: list[object] = ["ada", [1], [], {}, {"a": 1, "b": 2}, ["nobody", 1], [None, None], 7]
    for paper in papers:
        assert come(cookie=sign(paper)).ask("GET", "/api/me") == {"name": None}, paper


def assert_sees_nothing(own: Json) -> None:
    assert own == {"player": None, "hand": [], "moves": None}


def test_who_wants_to_be_nobody_is_nobody_everywhere(come: Come, ada: Witness, table: str) -> None:
    """Also where he is connected already: perhaps that is not he."""
    old = ada.cookie
    tablet = come(cookie=old)
    assert tablet.look(table)["own"]["hand"] == hand_of(ada, 0, table)
    assert ada.ask("DELETE", "/api/me") == {"name": None}
    for one in (tablet, ada):
        assert closed(one.next) == 4401
    assert ada.cookie == ""
    again = come(cookie=old)
    assert again.ask("GET", "/api/me") == {"name": None}
    assert_sees_nothing(again.look(table)["own"])
    assert again.do("play", **a_move(ada, table))["reason"] == "no_identity"


# Links.


def test_who_gave_his_seat_away_has_none(
    come: Come, ada: Witness, bob: Witness, table: str
) -> None:
    phone = come("Ada's phone")
    phone.look(table)
    secret = ada.ask("POST", f"/api/tables/{table}/link", {})["secret"]
    phone.ask("POST", f"/api/tables/{table}/claim", {"secret": secret})
    ada.catch_up()
    moved = [heard.told for heard in ada.heard if b"seat_moved" in heard.raw]
    assert_sees_nothing(moved[-1]["own"])
    assert_sees_nothing(ada.ask("GET", f"/api/tables/{table}")["own"])
    before = stands(ada, table)
    for kind, what in (("play", a_move(ada, table)), ("resign", {}), ("undo", {"ply": 0})):
        assert ada.do(kind, **what)["reason"] == "not_at_the_table"
    assert stands(ada, table) is before
    assert phone.do("play", **a_move(ada, table))["type"] == "news"
    for one in (ada, bob, phone):  # it was good for once
        again = one.asked("POST", f"/api/tables/{table}/claim", {"secret": secret})
        assert (again.status_code, again.json()["reason"]) == (410, "link_dead")


def test_a_link_is_good_for_one_table_and_an_hour(ada: Witness, eve: Witness, table: str) -> None:
    path = f"/api/tables/{table}"
    elsewhere = opened(ada)
    replaced = ada.ask("POST", f"{path}/link", {})["secret"]
    another_tables = ada.ask("POST", f"/api/tables/{elsewhere}/link", {})["secret"]
    ada.ask("POST", f"{path}/link", {})
    too_old = "a secret of an hour ago"

    def long_ago(_: Sitting, now: int) -> LinkMade:
        then = now - LINK_LASTS - 1
        return LinkMade(at=then, by=ada.person, chair=1, digest=digest(too_old))

    on_the_server(ada.up, ada.up.state.house.act(table, long_ago))
    for secret in (replaced, another_tables, too_old, "guessed guessed"):
        answer = eve.asked("POST", f"{path}/claim", {"secret": secret})
        assert (answer.status_code, answer.json()["reason"]) == (410, "link_dead")
    assert eve.person not in stands(eve, table).people()


def test_who_left_a_chair_does_not_get_it_back_by_a_link(
    ada: Witness, bob: Witness, eve: Witness
) -> None:
    """Or he would sit down, make a link, get up again, and see the next one's cards."""
    table = opened(ada)
    path = f"/api/tables/{table}"
    eve.ask("POST", f"{path}/sit", {})
    secret = eve.ask("POST", f"{path}/link", {})["secret"]
    eve.ask("POST", f"{path}/leave")
    bob.ask("POST", f"{path}/sit", {})
    ada.ask("POST", f"{path}/begin")
    assert eve.asked("POST", f"{path}/claim", {"secret": secret}).json()["reason"] == "link_dead"
    assert bob.ask("GET", path)["own"]["hand"] == hand_of(bob, 1, table)


# Seats.


def test_nobody_does_what_is_anothers(ada: Witness, bob: Witness, eve: Witness) -> None:
    table = opened(ada)
    path = f"/api/tables/{table}"
    bob.ask("POST", f"{path}/sit", {})
    before = stands(ada, table)
    for one, what, body, status, reason in (
        (bob, "begin", None, 403, "not_the_host"),
        (bob, "close", None, 403, "not_the_host"),
        (bob, "fill", {"chair": 0, "level": None}, 403, "not_the_host"),
        (ada, "fill", {"chair": 0, "level": "easy"}, 409, "chair_taken"),
        (ada, "fill", {"chair": 1, "level": "easy"}, 409, "chair_taken"),
        (bob, "sit", {"chair": 0}, 409, "already_seated"),
        (eve, "sit", {"chair": 0}, 409, "chair_taken"),
        (eve, "sit", {}, 409, "table_full"),
        (eve, "sit", {"chair": 9}, 404, "no_such_chair"),
        (eve, "leave", None, 403, "not_at_the_table"),
        (eve, "link", {}, 403, "not_at_the_table"),
        (bob, "link", {"chair": 0}, 403, "not_your_seat"),
        (eve, "rematch", None, 403, "not_at_the_table"),
        (bob, "rematch", None, 409, "not_over"),
        (eve, "hint", None, 409, "not_begun"),
    ):
        answer = one.asked("POST", f"{path}/{what}", body)
        assert (answer.status_code, answer.json()["reason"]) == (status, reason), what
    assert stands(ada, table) is before


def test_nobody_moves_for_another(
    come: Come, ada: Witness, bob: Witness, eve: Witness, table: str
) -> None:
    stranger = come()
    for one in (eve, stranger):
        one.look(table)
    before = stands(ada, table)
    move = a_move(ada, table)
    for one, kind, what, reason in (
        (bob, "play", move, "not_your_turn"),
        (ada, "play", move | {"ply": 1}, "too_early"),
        (ada, "play", move | {"ply": 10**6}, "too_early"),
        (bob, "resign", {"player": 0}, "not_your_seat"),
        (bob, "back", {"player": 0}, "not_your_seat"),
        (ada, "resign", {"player": 9}, "no_such_chair"),
        (ada, "back", {}, "not_played_for"),
        (ada, "answer", {"yes": True}, "nothing_asked"),
        (ada, "undo", {"ply": 0}, "nothing_to_take_back"),
        *((eve, kind, what, "not_at_the_table") for kind, what in commands(move)),
        *((stranger, kind, what, "no_identity") for kind, what in commands(move)),
        (stranger, "say", {"text": "Let me in."}, "no_identity"),
    ):
        told = one.do(kind, **what)
        assert (told["type"], told["reason"]) == ("refused", reason), (one.name, kind)
    assert stands(ada, table) is before
    assert ada.do("play", **move)["type"] == "news"
    assert ada.do("play", **move)["reason"] == "too_late"
    assert bob.do("undo", ply=1)["reason"] == "nothing_to_take_back"
    assert ada.do("undo", ply=1)["type"] == "news"
    for one, reason in (
        (ada, "nothing_asked"),
        (eve, "not_at_the_table"),
        (stranger, "no_identity"),
    ):
        assert one.do("answer", yes=True)["reason"] == reason  # only Bob may agree
    assert stands(ada, table).undo is not None


def test_advice_is_for_who_is_to_move(come: Come, ada: Witness, bob: Witness, eve: Witness) -> None:
    chairs = [{"who": "me"}, {"who": "here", "name": "Bea"}, {"who": "open"}]
    for serious in (False, True):
        table = opened(ada, chairs=chairs, first=2, serious=serious)
        bob.ask("POST", f"/api/tables/{table}/sit", {})
        ada.ask("POST", f"/api/tables/{table}/begin")
        for one, status, reason in (
            (ada, 409, "advice_out_of_turn"),  # at her screen nobody is to move
            (eve, 403, "not_at_the_table"),
            (come(), 401, "no_identity"),
        ):
            for what in ("hint", "evaluation"):
                answer = one.asked("POST", f"/api/tables/{table}/{what}")
                refused = (403, "serious") if serious and one.name else (status, reason)
                assert (answer.status_code, answer.json()["reason"]) == refused


def commands(move: Json) -> list[tuple[str, Json]]:
    return [
        ("play", move),
        ("undo", {"ply": move["ply"]}),
        ("answer", {"yes": True}),
        ("resign", {}),
        ("resign", {"player": 0}),
        ("back", {}),
    ]


# Commands that come twice.


def test_a_command_that_comes_twice_is_done_once(come: Come, ada: Witness, table: str) -> None:
    said: Json = {"id": "only once", "text": "Hello."}
    assert ada.do("say", **said)["type"] == "news"
    assert ada.do("say", **said)["type"] == "done"
    move = a_move(ada, table) | {"id": "my move"}
    news = ada.do("play", **move)
    ada.look(table)  # the connection broke; who knows whether it arrived?
    done = ada.do("play", **move)
    assert (done["type"], done["number"]) == ("done", news["number"])
    tablet = come(cookie=ada.cookie)
    tablet.look(table)
    assert tablet.do("say", **said)["type"] == "done"
    sitting = stands(ada, table)
    assert sitting.game is not None
    assert (sitting.game.ply, len(sitting.talk)) == (1, 1)


def test_anothers_command_of_the_same_name_is_another(
    ada: Witness, bob: Witness, table: str
) -> None:
    for one in (ada, bob):
        assert one.do("say", id="1", text="Hello.")["type"] == "news"
    assert len(stands(ada, table).talk) == 2


def test_a_command_through_two_connections_at_once_is_done_once(
    come: Come, ada: Witness, table: str
) -> None:
    tablet = come(cookie=ada.cookie)
    tablet.look(table)
    barrier = Barrier(2)
    told: list[Json] = []

    def say(one: Witness, round: int) -> None:
        barrier.wait()
        told.append(one.do("say", id=f"round {round}", text="Hello."))

    for round in range(20):
        told.clear()
        threads = [Thread(target=say, args=(one, round)) for one in (ada, tablet)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(each["type"] for each in told) == ["done", "news"]
        assert len({each["number"] for each in told}) == 1
    assert len(stands(ada, table).talk) == 20
