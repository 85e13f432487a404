"""The websocket of a person: it says which of their games have changed, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from manhattan.client import Client
from manhattan.server.transport.ratelimit import Limits
from support.databases import wait_until
from support.recording_client import close_code
from support.server_fixtures import (
    AGAINST_EASY,
    Process,
    RunningServer,
    loads,
    play_on,
    running_server,
)

TWO_SEATS = [{"occupant": "me"}, {"occupant": "open"}]
TIMEOUT_S = 10.0


class Listener:
    """The websocket of a person."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket

    def next(self) -> dict[str, Any]:
        message: dict[str, Any] = loads(self.socket.recv(timeout=TIMEOUT_S))
        return message

    def wait_for(self, table: str | None) -> None:
        while self.next() != {"type": "game_changed", "table": table}:
            pass

    def assert_silent(self) -> None:
        """Nothing has come before the answer to a ping."""
        self.socket.send('{"type": "ping", "id": "p"}')
        assert self.next() == {"type": "done", "reply_to": "p", "number": None}


@contextmanager
def listening(server: RunningServer | Process, client: Client | None) -> Iterator[Listener]:
    headers = {"Cookie": client.cookie} if client else {}
    address = f"ws://127.0.0.1:{server.port}/api/me/socket"
    with connect(address, additional_headers=headers) as socket:
        yield Listener(socket)


def start(ada: Client, bob: Client) -> str:
    table = ada.open_table(seats=TWO_SEATS, first=0)
    bob.take_seat(table)
    ada.start_game(table)
    return table


def test_people_hear_of_every_change_of_their_games(server: RunningServer) -> None:
    ada, bob, eve = (server.client(name) for name in ("Ada", "Bob", "Eve"))
    table = start(ada, bob)
    with listening(server, bob) as bobs, listening(server, eve) as eves:
        assert [bobs.next(), eves.next()] == [{"type": "subscribed"}] * 2
        with ada.connect(table) as seat:
            play_on(seat, moves=1)
            bobs.wait_for(table)
            seat.chat("Hello")  # this changes no list
            bobs.assert_silent()
            seat.resign()
            bobs.wait_for(table)
        eves.assert_silent()
        # A table that becomes theirs.
        other = ada.open_table(seats=TWO_SEATS)
        eves.assert_silent()
        eve.take_seat(other)
        eves.wait_for(other)
        ada.start_game(other)
        eves.wait_for(other)
        # A seat that is taken away.
        third = ada.open_table(seats=TWO_SEATS)
        bob.take_seat(third, 1)
        bobs.wait_for(third)
        ada.request("DELETE", f"/api/tables/{third}/seats/1")
        bobs.wait_for(third)
        assert third not in [game["id"] for game in bob.request("GET", "/api/me/games")["games"]]


def test_all_windows_of_a_person_hear_of_it(server: RunningServer) -> None:
    ada = server.client("Ada")
    with listening(server, ada) as one:
        one.next()
        with listening(server, ada) as other:
            other.next()
            table = ada.open_table(seats=AGAINST_EASY, bot_delay_ms=0)
            one.wait_for(table)
            other.wait_for(table)
        ada.start_game(table)
        one.wait_for(table)
    live_lists = server.services.tables.live_lists
    wait_until(lambda: not (live_lists._subscribers or live_lists._watchers), "nobody listens")
    assert not live_lists._watched


def test_a_stranger_and_a_revoked_person_are_disconnected(server: RunningServer) -> None:
    with listening(server, None) as stranger:
        assert stranger.next()["reason"] == "no_identity"
        assert close_code(stranger.next) == 4401
    ada = server.client("Ada")
    with listening(server, ada) as adas:
        adas.next()
        ada.request("DELETE", "/api/me")
        assert close_code(adas.next) == 4401


@pytest.mark.parametrize(
    "text", ['{"type": "play", "id": "1", "ply": 0, "move": "A1+1"}', "nonsense", "{}"]
)
def test_only_pings_are_accepted(shared_server: RunningServer, text: str) -> None:
    ada = shared_server.client("Ada")
    with listening(shared_server, ada) as adas:
        adas.next()
        adas.socket.send(text)
        assert adas.next()["reason"] == "bad_request"
        adas.assert_silent()


def test_a_person_has_a_limited_number_of_websockets(tmp_path: Path) -> None:
    limits = Limits(sockets_per_person=2)
    with running_server(str(tmp_path / "tables.db"), limits=limits) as server:
        ada = server.client("Ada")
        with listening(server, ada) as one, listening(server, ada) as other:
            assert [one.next(), other.next()] == [{"type": "subscribed"}] * 2
            with listening(server, ada) as third:
                assert third.next()["reason"] == "too_many"
                assert close_code(third.next) == 4429
            with suppress(ConnectionClosed):  # the server may close it before the last one
                for _ in range(200):  # frames are limited as well
                    one.socket.send('{"type": "ping", "id": "p"}')
            assert close_code(lambda: [one.next() for _ in range(300)]) == 4429
