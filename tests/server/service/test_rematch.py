"""A rematch over the websocket, which then belongs to the new table alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from manhattan.client import Client, RequestRejected, TableConnection
from manhattan.server.transport.ratelimit import NO_LIMITS, Rate
from support.server_fixtures import AGAINST_EASY, RunningServer, play_on, running_server

SHORT = {"two_players": "6x4-one-colour"}


def client_of(server: RunningServer, connection: TableConnection) -> Client:
    """Return a client with the identity of a connection."""
    return Client(server.address, "Anyone", cookie=connection._cookie)


def finish_game(server: RunningServer) -> tuple[Client, str]:
    """Return a client and a table at which they have finished a game with a bot."""
    ada = server.client("Ada")
    table = ada.open_table(seats=AGAINST_EASY, house_rules=SHORT, bot_delay_ms=0, start=True)
    with ada.connect(table) as seat:
        play_on(seat)
    return ada, table


@contextmanager
def after_a_game(server: RunningServer) -> Iterator[tuple[TableConnection, TableConnection]]:
    """Yield the connections of two people who have finished a game."""
    ada, bob = server.client("Ada"), server.client("Bob")
    table = ada.open_table(seats=[{"occupant": "me"}, {"occupant": "open"}], house_rules=SHORT)
    bob.take_seat(table)
    ada.start_game(table)
    with ExitStack() as opened:
        seats = [opened.enter_context(client.connect(table)) for client in (ada, bob)]
        threads = [Thread(target=play_on, args=(seat,)) for seat in seats]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
        yield seats[0], seats[1]


def test_several_games_use_one_websocket(shared_server: RunningServer) -> None:
    ada, table = finish_game(shared_server)
    with ada.connect(table) as seat:
        seat.rematch(start=True)
        socket, tables = seat._socket, [table]
        for _ in range(2):
            assert (seat.table["rematch_of"], seat.table["stage"]) == (tables[-1], "playing")
            tables.append(seat.table["id"])
            assert len(play_on(seat)) == 28
            assert seat.is_over
            seat.rematch(start=True)
        assert seat._socket is socket  # it was never replaced
        assert len({*tables, seat.table["id"]}) == 4
    assert ada.request("GET", f"/api/tables/{table}")["table"]["rematch"] == tables[1]


def test_both_players_get_the_same_table_and_the_last_who_accepts_starts_the_game(
    shared_server: RunningServer,
) -> None:
    with after_a_game(shared_server) as (ada, bob):
        bob.rematch(start=True)
        assert bob.table["stage"] == "lobby"
        assert bob.table["host"] is True
        assert [seat["occupant"] for seat in bob.table["seats"]] == ["offered", "person"]
        view = client_of(shared_server, ada).request("GET", f"/api/tables/{bob.table['id']}")
        assert view["table"]["offered_seats"] == [0]
        ada.rematch(start=True)
        assert ada.table["id"] == bob.table["id"]
        assert ada.table["stage"] == "playing"
        assert ada.table["host"] is False
        threads = [Thread(target=play_on, args=(seat,)) for seat in (ada, bob)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
        assert ada.is_over
        assert bob.is_over


def test_a_player_can_accept_without_starting_the_game(shared_server: RunningServer) -> None:
    with after_a_game(shared_server) as (ada, bob):
        ada.rematch(start=True)
        bob.rematch()
        assert bob.table["stage"] == "lobby"
        assert [seat["occupant"] for seat in bob.table["seats"]] == ["person", "person"]


def test_a_player_declines_a_rematch(shared_server: RunningServer) -> None:
    with after_a_game(shared_server) as (ada, bob):
        ada.rematch(start=True)
        following = ada.table["id"]
        client = client_of(shared_server, bob)
        client.request("POST", f"/api/tables/{following}/decline")
        [update] = [m for m in pending_messages(ada) if m["type"] == "update"]
        assert update["event"] == {"type": "offer_declined", "seats": [1]}
        assert [seat["occupant"] for seat in update["table"]["seats"]] == ["person", "open"]
        with pytest.raises(RequestRejected) as rejected:
            client.request("POST", f"/api/tables/{following}/decline")
        assert rejected.value.reason == "no_offer"


def test_after_a_rematch_that_was_closed_there_can_be_another(shared_server: RunningServer) -> None:
    with after_a_game(shared_server) as (ada, bob):
        ada.rematch()
        closed = ada.table["id"]
        client_of(shared_server, ada).request("POST", f"/api/tables/{closed}/close")
        bob.rematch()
        assert bob.table["id"] != closed
        assert bob.table["stage"] == "lobby"


def pending_messages(seat: TableConnection) -> list[dict[str, Any]]:
    """Return the messages that have arrived."""
    seat._transmit('{"type": "ping", "id": "enough"}')
    return list(takewhile(lambda message: message.get("reply_to") != "enough", seat.messages()))


def test_the_old_table_sends_no_more_messages(shared_server: RunningServer) -> None:
    with after_a_game(shared_server) as (ada, bob):
        ada.rematch(start=True)
        bob.chat("Where are you?")
        assert pending_messages(ada) == []
        ada.chat("Here.")
        view = Client(shared_server.address, "Bob", cookie=bob._cookie).request(
            "GET", f"/api/tables/{bob.table['id']}"
        )
        assert view["table"]["rematch"] == ada.table["id"]
        assert [line["text"] for line in view["chat"]] == ["Where are you?"]
        assert view["presence"]["present"] == [False, True]
        assert pending_messages(bob) == []


def test_a_rejected_rematch_leaves_the_connection_at_its_table(
    shared_server: RunningServer,
) -> None:
    ada, table = finish_game(shared_server)
    with shared_server.client("Cat").connect(table) as spectator, ada.connect(table) as seat:
        next(spectator.messages())
        with pytest.raises(RequestRejected) as rejected:
            spectator.rematch()
        assert rejected.value.reason == "not_at_the_table"
        seat.chat("Good game.")
        assert (
            next(n for n in spectator.messages() if n["type"] == "update")["event"]["type"]
            == "chat_sent"
        )
    running_game = ada.open_table(seats=AGAINST_EASY, start=True)
    with ada.connect(running_game) as seat, pytest.raises(RequestRejected) as rejected:
        seat.rematch()
    assert rejected.value.reason == "not_over"
    anonymous = TableConnection(shared_server.websocket("").partition("/api/")[0], table, "", 2)
    with anonymous, pytest.raises(RequestRejected) as rejected:
        anonymous.rematch()
    assert rejected.value.reason == "no_identity"


def test_a_rematch_is_repeated_after_a_lost_reply(shared_server: RunningServer) -> None:
    """The connection broke after the new table was opened, and before its view arrived."""
    with after_a_game(shared_server) as (ada, bob):
        old = ada.table["id"]
        ada.rematch(start=True)
        following = ada.table["id"]
        ada.close()
        ada._table_id, ada._next_number = old, None
        ada.rematch(start=True)
        assert ada.table["id"] == following
        bob.rematch()
        assert bob.table["id"] == following


def test_a_broken_connection_reconnects_to_the_new_table(
    shared_server: RunningServer,
) -> None:
    ada, table = finish_game(shared_server)
    with ada.connect(table) as seat:
        seat.rematch(start=True)
        following = seat.table["id"]
        play_on(seat, moves=3)
        assert seat._socket is not None
        seat._socket.close()
        play_on(seat)
        assert (seat.is_over, seat.table["id"]) == (True, following)


def test_rematches_count_against_the_rate_limit_of_tables(tmp_path: Path) -> None:
    limits = replace(NO_LIMITS, tables=Rate(burst=2, per_second=0.01))
    with running_server(str(tmp_path / "tables.db"), limits=limits) as server:
        ada, table = finish_game(server)
        with ada.connect(table) as seat:
            seat.rematch(start=True)
            play_on(seat)
            with pytest.raises(RequestRejected) as rejected:
                seat.rematch()
            assert rejected.value.reason == "too_often"
            assert seat.send("ping")["type"] == "done"  # the connection stays open


def test_a_rematch_uses_the_current_name_of_its_host(shared_server: RunningServer) -> None:
    ada, table = finish_game(shared_server)
    with ada.connect(table) as seat:
        next(seat.messages())
        ada.request("PUT", "/api/me", {"name": "Augusta"})
        seat.rematch()
        assert seat.table["host_name"] == "Augusta"
