"""Who does too much of anything is told so, and is served again when he has waited."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from databases import Postgres, database_at
from manhattan.server import api
from manhattan.server import socket as sockets
from manhattan.server.denials import Denied
from manhattan.server.limits import _REMEMBERED, Buckets, Rate, neighbourhood
from serving import AGAINST_EASY, NO_LIMITS, Running, running
from witness import PATIENCE, Witness, closed, logs, nothing_is_left, sitting_at, wait_until

FEW = Rate(burst=3, a_second=3)
"""Three at once, and one more in a third of a second: slow enough for slow machines."""
SHARED_SCREEN = [{"who": "me"}, {"who": "here", "name": "Bea"}]


@pytest.fixture
def up(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Running]:
    """A server that allows a few of something, and of all else as many as one likes."""
    few: dict[str, Any] = {request.param: 3 if "sockets" in request.param else FEW}
    limits = replace(NO_LIMITS, **few)
    with logs() as written, running(str(tmp_path / "tables.db"), limits=limits) as up:
        yield up
        nothing_is_left(up)
    assert not written.troubles


def few(what: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("up", [what], indirect=True)


def flooded(ask: Callable[[], httpx.Response]) -> None:
    """Ask until it is too often, wait as long as one is told to, and ask again."""
    first = ask().status_code
    assert first < 300
    answers = [ask() for _ in range(2)]
    assert [answer.status_code for answer in answers] == [first] * 2
    while (refused := ask()).status_code == first:
        assert len(answers) < 30, "nothing is too often"
        answers.append(refused)
    told = refused.json()
    assert (refused.status_code, told["reason"]) == (429, "too_often")
    assert refused.headers["retry-after"] == str(told["figures"]["seconds"]) == "1"
    assert "Wait 1 s" in told["text"]
    time.sleep(0.4)
    assert ask().status_code == first


@few("requests")
def test_too_many_requests(up: Running) -> None:
    with Witness(up) as eve:
        flooded(lambda: eve.asked("GET", "/api/box"))
        for _ in range(6):  # whoever watches over the server is always answered
            assert eve.asked("GET", "/healthz").status_code == 200


@few("newcomers")
def test_too_many_newcomers(up: Running) -> None:
    flooded(lambda: introduced(up))
    time.sleep(0.4)
    with Witness(up, "Ada") as ada:  # who has a name may change it
        for name in ("Adam", "Ada") * 5:
            assert ada.asked("PUT", "/api/me", {"name": name}).status_code == 200


def introduced(up: Running) -> httpx.Response:
    with Witness(up) as somebody:
        return somebody.asked("PUT", "/api/me", {"name": "Eve"})


@few("tables")
def test_too_many_tables(up: Running) -> None:
    with Witness(up, "Ada") as ada, Witness(up, "Bob") as bob:
        chairs = {"chairs": AGAINST_EASY}
        flooded(lambda: ada.asked("POST", "/api/tables", chairs))
        assert bob.asked("POST", "/api/tables", chairs).status_code == 201  # it was not he
        opened = [one for who in (ada, bob) for one in who.heard if b'"gathering"' in one.raw]
        assert len(up.state.house._tables) == len(opened)


@few("thinking")
def test_too_many_hints(up: Running) -> None:
    with Witness(up, "Ada") as ada:
        table = ada.ask("POST", "/api/tables?begin=true", {"chairs": SHARED_SCREEN})["id"]
        flooded(lambda: ada.asked("POST", f"/api/tables/{table}/hint"))


@few("talk")
def test_too_much_talk(up: Running) -> None:
    """He may play on meanwhile."""
    with Witness(up, "Ada") as ada:
        table = ada.ask("POST", "/api/tables?begin=true", {"chairs": SHARED_SCREEN})["id"]
        ada.look(table)
        told = [ada.do("say", text="Hello!") for _ in range(6)]
        assert [each["type"] for each in told[:3]] == ["news"] * 3
        assert (told[-1]["type"], told[-1]["reason"]) == ("refused", "too_often")
        assert ada.do("play", ply=0, move="[1111|1111]")["type"] == "news"
        time.sleep(0.4)
        assert ada.do("say", text="Sorry.")["type"] == "news"


@few("commands")
def test_too_many_commands(up: Running) -> None:
    """The connection is closed; he may come again. Moves don't count: a bot may play as quickly
    as it can."""
    with Witness(up, "Ada") as ada:
        table = ada.ask("POST", "/api/tables?begin=true", {"chairs": SHARED_SCREEN})["id"]
        ada.look(table)
        for ply in range(20):
            game = sitting_at(up, table).game
            assert game is not None
            told = ada.do("play", ply=ply, move=str(game.legal_moves()[0]))
            assert told["type"] == "news"
        with suppress(ConnectionClosed):  # perhaps before all of it is said
            for _ in range(6):
                ada.throw("hello")
        assert closed(ada.next) == 4429
        assert ada.heard[-1].told["reason"] == "too_often"
        ada.forget_the_connection()
        assert ada.look(table)["type"] == "view"


@few("sockets_of_person")
def test_too_many_websockets_of_one_person(up: Running) -> None:
    with Witness(up, "Ada") as ada, Witness(up, "Bob") as bob, ExitStack() as stack:
        table = ada.ask("POST", "/api/tables", {"chairs": SHARED_SCREEN})["id"]
        for _ in range(3):
            stack.enter_context(Witness(up, cookie=ada.cookie)).look(table)
        refused_websocket(up, table, ada)
        assert bob.look(table)["type"] == "view"
        stack.close()
        wait_until(lambda: sum(up.state.gates._sockets.values()) == 2)  # Bob's, twice
        assert ada.look(table)["type"] == "view"


@few("sockets_of_address")
def test_too_many_websockets_of_one_address(up: Running) -> None:
    with Witness(up, "Ada") as ada, Witness(up, "Bob") as bob, ExitStack() as stack:
        table = ada.ask("POST", "/api/tables", {"chairs": SHARED_SCREEN})["id"]
        for _ in range(3):
            stack.enter_context(Witness(up)).look(table)
        for one in (ada, bob):
            refused_websocket(up, table, one)
        stack.close()
        wait_until(lambda: not up.state.gates._sockets)
        assert ada.look(table)["type"] == "view"


def refused_websocket(up: Running, table: str, one: Witness) -> None:
    cookie = {"Cookie": f"manhattan={one.cookie}"}
    with connect(up.websocket(table), additional_headers=cookie) as websocket:
        told = json.loads(websocket.recv())
        assert (told["type"], told["reason"]) == ("refused", "too_many")
        assert closed(websocket.recv) == 4429
    assert len(up.state.house._tables[table].viewers) <= 3


def test_who_does_not_listen_is_dropped(served: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """Or what he is told would pile up here for ever."""
    monkeypatch.setattr(sockets, "MOST_UNSENT", 50_000)
    [door] = served._uvicorn.servers[0].sockets
    door.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)  # or the system keeps megabytes
    with Witness(served, "Ada") as ada, closing(socket.socket()) as wire:
        table = ada.ask("POST", "/api/tables", {"chairs": SHARED_SCREEN})["id"]
        wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        wire.connect(("127.0.0.1", served.port))
        address = served.websocket(table)
        with connect(address, sock=wire, max_queue=1, compression=None) as deaf:
            wait_until(lambda: bool(served.state.house._tables[table].viewers))
            [viewer] = served.state.house._tables[table].viewers
            ada.look(table)
            while viewer._closing is None:
                assert ada.do("say", text="x" * 500)["type"] == "news"  # others are served
            assert viewer._closing == 4408
            assert not viewer._outbox
            assert closed(lambda: deaf.recv(PATIENCE)) == 4408
    nothing_is_left(served)


def test_tables_that_are_not_there_leave_nothing_behind(served: Running) -> None:
    with Witness(served, "Ada") as ada:
        for number in range(30):
            table = f"{number:014}"
            assert ada.asked("GET", f"/api/tables/{table}").status_code == 404
            assert ada.asked("POST", f"/api/tables/{table}/sit", {}).status_code == 404
            with connect(served.websocket(table)) as websocket:
                assert closed(websocket.recv) == 4404
    assert not served.state.house._tables
    nothing_is_left(served)


def test_tables_that_can_not_be_looked_for_leave_nothing_behind(
    own_postgres: Postgres, redis: str
) -> None:
    """Nobody listens for news of a table for which he has only been asked."""
    with database_at(own_postgres.address) as database, running(database, redis=redis) as up:
        house, bus = up.state.house, up.state.house.bus
        table = up.client("Ada").open(chairs=AGAINST_EASY)
        wait_until(lambda: bus.trouble is None)
        with Witness(up) as stranger:
            own_postgres.stop()
            try:
                for number in range(50):
                    path = f"/api/tables/{number:014}"
                    assert stranger.asked("GET", path).json()["reason"] == "storage_away"
            finally:
                own_postgres.start()
            assert stranger.asked("GET", f"/api/tables/{0:014}").status_code in (404, 503)
        wait_until(lambda: not house._loading)
        assert bus._followed == {table}
        wait_until(
            lambda: set(bus._ears.channels) == {b"manhattan:", f"manhattan:{table}".encode()}
        )


def test_who_is_counted_is_forgotten_at_some_time() -> None:
    """However many come, there is an end to what is kept of them; and who was counted just now is
    kept longest."""
    buckets = Buckets(Rate(1, 0.001))
    for number in range(_REMEMBERED + 10):
        buckets.take(number)
    assert len(buckets._buckets) == _REMEMBERED
    with pytest.raises(Denied):
        buckets.take(_REMEMBERED + 9)
    buckets.take(0)


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        ("2001:db8:1:2::9", "2001:db8:1:2::"),
        ("2001:db8:1:3::9", "2001:db8:1:3::"),
        ("fe80::1%eth0", "fe80::"),
        ("::1", "::"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("unix:", "unix:"),
        ("", ""),
    ],
)
def test_who_has_an_address_of_ipv6_has_its_neighbours_too(address: str, counted: str) -> None:
    assert neighbourhood(address) == counted


def test_newcomers_from_one_corner_of_ipv6_are_counted_together(tmp_path: Path) -> None:
    addresses = [f"2001:db8:{corner}::{number}" for corner in (1, 2) for number in range(4)]
    limits = replace(NO_LIMITS, newcomers=Rate(burst=3, a_second=0.001))
    with running(str(tmp_path / "tables.db"), limits=limits) as up:
        guard: Any = up._uvicorn.config.loaded_app
        coming = iter(addresses)

        async def from_there(scope: Any, receive: Any, send: Any) -> None:
            await guard(scope | {"client": (next(coming), 1)}, receive, send)

        up._uvicorn.config.loaded_app = from_there
        statuses = [introduced(up).status_code for _ in addresses]
        up._uvicorn.config.loaded_app = guard
    assert statuses == [200, 200, 200, 429] * 2


def test_who_opens_many_tables_hides_nobody_else_s(
    served: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And who waits at his table is in the list, however long it takes."""
    waiting = {"chairs": [{"who": "me"}, {"who": "open"}], "public": True}
    with Witness(served, "Ada") as ada, Witness(served, "Eve") as eve:
        table = ada.ask("POST", "/api/tables", waiting)["id"]
        flood = [eve.ask("POST", "/api/tables", waiting)["id"] for _ in range(60)]

        def listed() -> list[str]:
            return [one["id"] for one in eve.ask("GET", "/api/tables")["tables"]]

        assert sorted(listed()) == sorted([table, *flood[-2:]])
        monkeypatch.setattr(api, "_WAITS", -1)  # twelve hours later
        assert listed() == []
        ada.look(table)
        assert listed() == [table]
    wait_until(lambda: not served.state.gates._sockets)
