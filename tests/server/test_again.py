"""Playing again over the websocket: it shows the next table, and nothing more of the last one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from manhattan.client import Client, Refused, Seat
from manhattan.server.limits import Rate
from serving import AGAINST_EASY, NO_LIMITS, Running, play_on, running

SHORT = {"two_players": "6x4-one-colour"}


def over(up: Running) -> tuple[Client, str]:
    """Somebody, and a table at which he has played with a bot."""
    ada = up.client("Ada")
    table = ada.open(chairs=AGAINST_EASY, house_rules=SHORT, pace=0, begin=True)
    with ada.at(table) as seat:
        play_on(seat)
    return ada, table


@contextmanager
def after_a_game(up: Running) -> Iterator[tuple[Seat, Seat]]:
    """Two people who have played to the end, and still sit there."""
    ada, bob = up.client("Ada"), up.client("Bob")
    table = ada.open(chairs=[{"who": "me"}, {"who": "open"}], house_rules=SHORT)
    bob.sit(table)
    ada.begin(table)
    with ExitStack() as opened:
        seats = [opened.enter_context(one.at(table)) for one in (ada, bob)]
        threads = [Thread(target=play_on, args=(seat,)) for seat in seats]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
        yield seats[0], seats[1]


def test_game_after_game_through_one_websocket(shared: Running) -> None:
    ada, table = over(shared)
    with ada.at(table) as seat:
        seat.again(begin=True)
        socket, names = seat._socket, [table]
        for _ in range(2):
            assert (seat.table["after"], seat.table["stage"]) == (names[-1], "playing")
            names.append(seat.table["id"])
            assert len(play_on(seat)) == 28
            assert seat.over
            seat.again(begin=True)
        assert seat._socket is socket  # it was never made anew
        assert len({*names, seat.table["id"]}) == 4
    assert ada.call("GET", f"/api/tables/{table}")["table"]["next"] == names[1]


def test_both_come_to_the_same_table_and_the_first_to_ask_deals(shared: Running) -> None:
    with after_a_game(shared) as (ada, bob):
        bob.again(begin=True)
        assert bob.table["stage"] == "playing"
        assert bob.table["host"] is True
        ada.again(begin=True)
        assert ada.table["id"] == bob.table["id"]
        assert ada.table["host"] is False
        threads = [Thread(target=play_on, args=(seat,)) for seat in (ada, bob)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
        assert ada.over
        assert bob.over


def test_who_does_not_ask_to_begin_waits(shared: Running) -> None:
    with after_a_game(shared) as (ada, bob):
        ada.again()
        assert ada.table["stage"] == "gathering"
        bob.again(begin=True)  # it is not his table
        assert bob.table["stage"] == "gathering"


def heard(seat: Seat) -> list[dict[str, Any]]:
    """All that somebody is told up to now."""
    seat._send('{"type": "ping", "id": "enough"}')
    return list(takewhile(lambda told: told.get("answers") != "enough", seat.news()))


def test_nothing_more_is_heard_of_the_last_table(shared: Running) -> None:
    with after_a_game(shared) as (ada, bob):
        ada.again(begin=True)
        bob.say("Where are you?")
        assert heard(ada) == []
        ada.say("Here.")
        seen = Client(shared.address, "Bob", cookie=bob._cookie).call(
            "GET", f"/api/tables/{bob.table['id']}"
        )
        assert seen["table"]["next"] == ada.table["id"]
        assert [line["text"] for line in seen["talk"]] == ["Where are you?"]
        assert seen["presence"]["present"] == [False, True]
        assert [told["type"] for told in heard(bob)] == []


def test_who_may_not_play_again_stays_where_he_is(shared: Running) -> None:
    ada, table = over(shared)
    with shared.client("Cat").at(table) as looking, ada.at(table) as seat:
        next(looking.news())
        with pytest.raises(Refused) as told:
            looking.again()
        assert told.value.reason == "not_at_the_table"
        seat.say("Good game.")
        assert next(n for n in looking.news() if n["type"] == "news")["what"]["type"] == "said"
    running_game = ada.open(chairs=AGAINST_EASY, begin=True)
    with ada.at(running_game) as seat, pytest.raises(Refused) as told:
        seat.again()
    assert told.value.reason == "not_over"
    nameless = Seat(shared.websocket("").partition("/api/")[0], table, "", 2)
    with nameless, pytest.raises(Refused) as told:
        nameless.again()
    assert told.value.reason == "no_identity"


def test_an_answer_that_was_lost_is_asked_for_again(shared: Running) -> None:
    """The connection broke when the new table was there, and before its view was heard."""
    with after_a_game(shared) as (ada, bob):
        old = ada.table["id"]
        ada.again(begin=True)
        following = ada.table["id"]
        ada.close()
        ada._name, ada._number = old, None
        ada.again(begin=True)
        assert ada.table["id"] == following
        bob.again()
        assert bob.table["id"] == following


def test_a_connection_that_breaks_is_made_again_to_the_new_table(shared: Running) -> None:
    ada, table = over(shared)
    with ada.at(table) as seat:
        seat.again(begin=True)
        following = seat.table["id"]
        play_on(seat, moves=3)
        assert seat._socket is not None
        seat._socket.close()
        play_on(seat)
        assert (seat.over, seat.table["id"]) == (True, following)


def test_nobody_opens_any_number_of_tables_so(tmp_path: Path) -> None:
    limits = replace(NO_LIMITS, tables=Rate(burst=2, a_second=0.01))
    with running(str(tmp_path / "tables.db"), limits=limits) as up:
        ada, table = over(up)
        with ada.at(table) as seat:
            seat.again(begin=True)
            play_on(seat)
            with pytest.raises(Refused) as told:
                seat.again()
            assert told.value.reason == "too_often"
            assert seat.ask("ping")["type"] == "done"  # and he is still there


def test_who_has_a_new_name_opens_the_new_table_by_it(shared: Running) -> None:
    ada, table = over(shared)
    with ada.at(table) as seat:
        next(seat.news())
        ada.call("PUT", "/api/me", {"name": "Augusta"})
        seat.again()
        assert seat.table["host_name"] == "Augusta"
