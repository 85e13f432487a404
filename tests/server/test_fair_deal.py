"""Fair deals over the network: clients that take part, a stranger who checks, servers that die."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from manhattan.client import Client, RequestRejected
from manhattan.fair_deal import UnfairDeal
from manhattan.record import parse, to_line
from manhattan.replay import replay
from manhattan.rules import draw_start_player
from manhattan.server.domain.commands import Actor, StartGame
from manhattan.server.domain.decide import decide
from manhattan.server.domain.events import decode_event
from manhattan.server.domain.evolve import evolve, replay_events
from support.crash_test_players import unexpected_errors
from support.server_fixtures import (
    AGAINST_EASY,
    Process,
    RunningServer,
    play_on,
    running_server,
)
from support.stranger_verifier import Seen, Unfair, verify_deal

pytestmark = pytest.mark.process

Json = dict[str, Any]
SHORT = {"two_players": "6x4-one-colour"}
OLD_TABLES = json.loads((Path(__file__).parent / "storage" / "schema_1.json").read_text("utf-8"))


def sha256(text: str) -> str:
    return hashlib.sha256(bytes.fromhex(text)).hexdigest()


class Stranger:
    """A player whose program knows only the protocol and RECORD."""

    def __init__(self, address: str, number: int) -> None:
        self.client = Client(address, f"Stranger {number}", takes_part=False)
        self.nonces = [bytes([number, n] * 16).hex() for n in range(4)]
        self.hashes = list(map(sha256, self.nonces))

    def open_table(self, seats: list[Json], **options: Any) -> str:
        """Open a table with hashes for the first seats."""
        own = [seat for seat in seats if seat["occupant"] in ("me", "here")]
        hashed = [seat | {"nonce_hash": self.hashes[n]} for n, seat in enumerate(own)]
        options |= {"seats": [*hashed, *seats[len(own) :]], "bot_delay_ms": 0}
        table: str = self.client.open_table(**options)
        self.commitment: str = self.show(table)["commitment"]
        return table

    def take_seat(self, table: str) -> None:
        body = {"nonce_hashes": self.hashes[:1]}
        self.commitment = self.client.request("POST", f"/api/tables/{table}/seats", body)[
            "commitment"
        ]

    def show(self, table: str) -> Json:
        shown: Json = self.client.request("GET", f"/api/tables/{table}")["table"]
        return shown

    def reveal(self, table: str, count: int = 1) -> Json:
        """Note what is published before the deal, and reveal nonces; return the table then."""
        shown = self.show(table)
        assert shown["reveal_until"] is not None
        own = [n for n, seat in enumerate(shown["seats"]) if seat["you"]][:count]
        self.seen = Seen(
            self.commitment,
            [seat["nonce_hash"] for seat in shown["seats"]],
            dict(zip(own, self.nonces, strict=False)),
            by_lot=shown["first"] == "random",
        )
        body = {"nonces": self.nonces[:count]}
        return self.client.request("POST", f"/api/tables/{table}/nonces", body)

    def check(self, table: str) -> Json:
        record = self.client.record(table)
        verify_deal(record, self.seen)
        return record


def play_together(table: str, *clients: Client) -> None:
    """Play to the end, each client in a thread of its own."""

    def play(client: Client) -> None:
        with client.connect(table) as seat:
            play_on(seat)

    threads = [Thread(target=play, args=(client,)) for client in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()


# Fair games.


def test_a_client_takes_part_by_itself(shared_server: RunningServer) -> None:
    ada = shared_server.client("Ada", takes_part=True)
    table = ada.open_table(seats=AGAINST_EASY, house_rules=SHORT, bot_delay_ms=0, start=True)
    with ada.connect(table) as seat:
        play_on(seat)
    assert ada.check_deal(table) == "joint"
    record = ada.record(table)
    assert [nonce is None for nonce in record["nonces"]] == [False, True]
    assert replay(parse(to_line(record))).joint is not None
    assert shared_server.client("Olga").check_deal(table) == "watched"


def test_a_client_takes_part_for_everyone_at_its_screen(shared_server: RunningServer) -> None:
    ada = shared_server.client("Ada", takes_part=True)
    seats = [{"occupant": "me"}, {"occupant": "here", "name": "Bea"}, *AGAINST_EASY[1:]]
    table = ada.open_table(seats=seats, bot_delay_ms=0, start=True)
    with ada.connect(table) as screen:
        play_on(screen)
    assert ada.check_deal(table) == "joint"
    assert [nonce is None for nonce in ada.record(table)["nonces"]] == [False, False, True]


def test_people_who_join_and_play_again_take_part(shared_server: RunningServer) -> None:
    ada, bob = (shared_server.client(name, takes_part=True) for name in ("Ada", "Bob"))
    table = ada.open_table(
        seats=[{"occupant": "me"}, {"occupant": "open"}], house_rules=SHORT, bot_delay_ms=0
    )
    bob.take_seat(table)
    with bob.connect(table) as second:
        next(second.messages())
        thread = Thread(target=play_on, args=(second,))
        thread.start()
        ada.start_game(table)
        with ada.connect(table) as first:
            play_on(first)
            thread.join(60)
            assert (ada.check_deal(table), bob.check_deal(table)) == ("joint", "joint")
            assert None not in ada.record(table)["nonces"]
            first.rematch(start=True)
            following = first.table["id"]
            second.rematch(start=True)
            thread = Thread(target=play_on, args=(second,))
            thread.start()
            play_on(first)
            thread.join(60)
    assert (ada.check_deal(following), bob.check_deal(following)) == ("joint", "joint")
    assert ada.record(following)["nonces"] != ada.record(table)["nonces"]


@pytest.mark.parametrize("first", ["random", 1])
def test_a_stranger_accepts_fair_games(shared_server: RunningServer, first: str | int) -> None:
    """Two strangers, one with a shared screen, and a bot."""
    ada, bob = Stranger(shared_server.address, 1), Stranger(shared_server.address, 2)
    seats: list[Json] = [
        {"occupant": "me"},
        {"occupant": "here", "name": "Bea"},
        {"occupant": "open"},
        {"occupant": "bot", "level": "easy"},
    ]
    table = ada.open_table(seats, first=first)
    bob.take_seat(table)
    ada.client.start_game(table)
    assert ada.reveal(table, 2)["stage"] == "lobby"
    assert bob.reveal(table)["stage"] == "playing"
    play_together(table, ada.client, bob.client)
    record = ada.check(table)
    bob.check(table)
    assert record["nonces"] == [*ada.nonces[:2], bob.nonces[0], None]
    seed = bytes.fromhex(record["seed"])
    assert first == 1 or record["first"] == draw_start_player(seed, 4)
    with pytest.raises(Unfair):
        verify_deal(record | {"server_seed": "00" * 32}, ada.seen)


def test_a_client_that_is_away_holds_the_deal_up_for_a_short_time(tmp_path: Path) -> None:
    with running_server(str(tmp_path / "tables.db"), reveal_ms=300) as server:
        ada, bob = (server.client(name, takes_part=True) for name in ("Ada", "Bob"))
        table = ada.open_table(
            seats=[{"occupant": "me"}, {"occupant": "open"}], house_rules=SHORT, bot_delay_ms=0
        )
        bob.take_seat(table)
        started = time.monotonic()
        ada.start_game(table)
        with ada.connect(table) as seat:
            while not seat.position:
                next(seat.messages())
            assert 0.25 < time.monotonic() - started < 3
        play_together(table, ada, bob)
        assert (ada.check_deal(table), bob.check_deal(table)) == ("joint", "missing")


def test_without_nonces_a_game_starts_at_once(shared_server: RunningServer) -> None:
    ada = shared_server.client("Ada")
    table = ada.open_table(seats=AGAINST_EASY, start=True)
    view = ada.request("GET", f"/api/tables/{table}")
    assert view["table"]["stage"] == "playing"
    assert view["table"]["commitment"] is not None
    assert "nonces" not in ada.record(table)


def test_a_client_notices_a_server_that_cheats(
    shared_server: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server drops the nonce that it has accepted."""
    ada = shared_server.client("Ada", takes_part=True)
    table = ada.open_table(seats=AGAINST_EASY, house_rules=SHORT, bot_delay_ms=0, start=True)
    with ada.connect(table) as seat:
        play_on(seat)
    true = ada.record(table)
    other = shared_server.client("Bob")
    alone = other.open_table(seats=AGAINST_EASY, house_rules=SHORT, bot_delay_ms=0, start=True)
    with other.connect(alone) as seat:
        play_on(seat)
    monkeypatch.setattr(ada, "record", lambda _: other.record(alone))
    with pytest.raises(UnfairDeal, match="commitment is not the one"):
        ada.check_deal(table)
    monkeypatch.setattr(ada, "record", lambda _: true | {"deck": true["deck"][::-1]})
    with pytest.raises(UnfairDeal, match="The record is wrong: deck"):
        ada.check_deal(table)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"nonces": []}, "bad_request"),
        ({"nonces": ["x" * 64]}, "bad_request"),
        ({"nonces": ["A" * 64]}, "bad_request"),
        ({"nonces": ["a" * 63]}, "bad_request"),
        ({"nonces": ["a" * 64] * 5}, "bad_request"),
        ({}, "bad_request"),
        ({"nonces": ["a" * 64]}, "nonce_mismatch"),
    ],
)
def test_malformed_and_wrong_nonces_get_a_named_error(
    shared_server: RunningServer, body: Json, status: str
) -> None:
    stranger = Stranger(shared_server.address, 3)
    table = stranger.open_table(AGAINST_EASY)
    stranger.client.start_game(table)
    with pytest.raises(RequestRejected) as rejected:
        stranger.client.request("POST", f"/api/tables/{table}/nonces", body)
    assert rejected.value.reason == status
    assert stranger.reveal(table)["stage"] == "playing"


def test_an_account_that_is_deleted_during_the_start_leaves_afterwards(tmp_path: Path) -> None:
    with running_server(str(tmp_path / "tables.db"), reveal_ms=500) as server:
        ada, bob = Stranger(server.address, 1), Stranger(server.address, 2)
        seats: list[Json] = [{"occupant": "me"}, {"occupant": "open"}]
        table = ada.open_table(seats)
        bob.take_seat(table)
        ada.client.start_game(table)
        bob.client.request("DELETE", "/api/me")
        shown = ada.show(table)
        assert shown["stage"] == "playing"
        assert shown["seats"][1]["resigned"]


# Servers that die between the start and the deal.


@contextmanager
def killed_during_the_start(
    database: str, log: Path, reveal_ms: int
) -> Iterator[tuple[Stranger, Client, str]]:
    """A server that is killed when it has asked for nonces, and started again. Its table has a
    stranger and a client that takes part by itself, and that wasn't connected."""
    server = Process(database, None, log, reveal_ms=reveal_ms)
    try:
        ada, bob = Stranger(server.address, 1), Client(server.address, "Bob")
        seats: list[Json] = [{"occupant": "me"}, {"occupant": "open"}]
        table = ada.open_table(seats, house_rules=SHORT)
        bob.take_seat(table)
        ada.client.start_game(table)
        server.kill()
        server.start()
        yield ada, bob, table
    finally:
        server.stop()
    assert unexpected_errors(log) == []


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_start_continues_after_the_server_was_killed(
    request: pytest.FixtureRequest, tmp_path: Path, kind: str
) -> None:
    database = str(tmp_path / "tables.db")
    if kind == "postgres":
        database = request.getfixturevalue("postgres")
    with killed_during_the_start(database, tmp_path / "log", 120_000) as (ada, bob, table):
        assert ada.reveal(table)["stage"] == "lobby"
        play_together(table, ada.client, bob)  # who reveals as soon as it is connected
        ada.check(table)
        assert bob.check_deal(table) == "joint"


def test_the_limit_is_kept_after_the_server_was_killed(tmp_path: Path) -> None:
    with killed_during_the_start(str(tmp_path / "tables.db"), tmp_path / "log", 500) as started:
        ada, _, table = started
        wait_until(partial(is_dealt, ada, table))
        with pytest.raises(RequestRejected) as rejected:
            ada.client.request("POST", f"/api/tables/{table}/nonces", {"nonces": ada.nonces[:1]})
        assert rejected.value.reason == "already_started"
        assert "nonces" not in ada.client.record(table)


def test_two_processes_deal_together(postgres: str, redis: str, tmp_path: Path) -> None:
    """Players of different processes; then the one that started a game dies, and the other deals
    when the time is over."""
    one, other = (Process(postgres, redis, tmp_path / "log") for _ in range(2))
    try:
        ada, bob = Stranger(one.address, 1), Stranger(other.address, 2)
        seats: list[Json] = [{"occupant": "me"}, {"occupant": "open"}]
        for is_killed in (False, True):
            table = ada.open_table(seats, house_rules=SHORT)
            bob.take_seat(table)
            ada.client.start_game(table)
            wait_until(partial(is_asked_for_nonces, bob, table))
            assert bob.reveal(table)["stage"] == "lobby"
            if is_killed:
                one.kill()
                wait_until(partial(is_dealt, bob, table))
                shown = bob.show(table)["seats"]
                assert [seat["nonce"] for seat in shown] == [None, bob.nonces[0]]
                continue
            assert ada.reveal(table)["stage"] == "playing"
            play_together(table, ada.client, bob.client)
            assert ada.check(table) == bob.check(table)
            assert ada.check(table)["nonces"] == [ada.nonces[0], bob.nonces[0]]
    finally:
        one.stop()
        other.stop()
    assert unexpected_errors(tmp_path / "log") == []


def is_asked_for_nonces(stranger: Stranger, table: str) -> bool:
    return stranger.show(table)["reveal_until"] is not None


def is_dealt(stranger: Stranger, table: str) -> bool:
    return bool(stranger.show(table)["stage"] == "playing")


def wait_until(condition: Callable[[], bool], seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "timed out"
        time.sleep(0.1)


# Databases of older versions.


def test_a_database_of_the_version_before_continues(tmp_path: Path) -> None:
    """A lobby and a running game whose events know nothing of nonces."""
    path = tmp_path / "tables.db"
    seats: list[Json] = [{"occupant": "me"}, {"occupant": "open"}]
    with running_server(str(path)) as server:
        ada, bob = server.client("Ada"), server.client("Bob")
        lobby = ada.open_table(seats=seats, house_rules=SHORT, bot_delay_ms=0)
        running = ada.open_table(seats=AGAINST_EASY, house_rules=SHORT, bot_delay_ms=0, start=True)
        with ada.connect(running) as seat:
            play_on(seat, 3)
        cookies = ada.cookie, bob.cookie
    seed = make_events_old(path)[running]
    with running_server(str(path)) as server:
        ada, bob = (
            Client(server.address, name, cookie=cookie)
            for name, cookie in zip(("Ada", "Bob"), cookies, strict=True)
        )
        with ada.connect(running) as seat:
            play_on(seat)
        record = ada.record(running)
        assert record["seed"] == seed
        assert record["commitment"] == sha256(seed)
        assert "nonces" not in record
        assert replay(parse(to_line(record))).is_over
        assert bob.take_seat(lobby)["commitment"] is None
        ada.start_game(lobby)
        play_together(lobby, ada, bob)
        # The client had sent a hash, but the server of the table was bound to nothing.
        assert (ada.check_deal(lobby), bob.check_deal(lobby)) == ("watched", "missing")


def make_events_old(path: Path) -> dict[str, str]:
    """Rewrite the events as the version before wrote them; return the seeds."""
    seeds: dict[str, str] = {}
    with closing(sqlite3.connect(path)) as file, file:
        rows = file.execute("SELECT table_id, number, event FROM events ORDER BY number")
        for table, number, text in rows.fetchall():
            event = json.loads(text)
            if event["type"] == "table_opened":
                seeds[table] = event.pop("server_seed")
            elif event["type"] == "game_started":
                event["seed"] = seeds[table]
            else:
                continue
            file.execute(
                "UPDATE events SET event = ? WHERE table_id = ? AND number = ?",
                [json.dumps(event), table, number],
            )
    return seeds


def test_the_events_of_the_first_version_keep_their_meaning() -> None:
    events = OLD_TABLES["rows"]["events"]
    at = {name: events["columns"].index(name) for name in ("table_id", "number", "event")}
    for kind, table in OLD_TABLES["tables_by_kind"].items():
        rows = sorted(
            (row for row in events["rows"] if row[at["table_id"]] == table),
            key=lambda row: row[at["number"]],
        )
        state = replay_events(table, (decode_event(row[at["event"]]) for row in rows))
        assert state is not None
        assert state.server_seed is None
        assert kind in ("lobby", "closed") or state.game is not None
        if kind == "lobby" and not any(seat.is_open for seat in state.seats):
            started = decide(state, StartGame("00" * 32), Actor(state.host, "Ada"), 1)
            game = evolve(state, started).game
            assert game is not None
            assert game.seed == bytes(32)
