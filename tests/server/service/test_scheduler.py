"""Scheduler and housekeeping: due tables are served and updates delivered after failures."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
from websockets.sync.client import ClientConnection, connect

from manhattan.client import Client, RequestRejected
from manhattan.server.domain.events import (
    ChatSent,
    GameStarted,
    MovePlayed,
    TableEvent,
    TableOpened,
    encode_event,
)
from manhattan.server.domain.evolve import replay_events
from manhattan.server.domain.options import TableOptions
from manhattan.server.service.bot_pool import BotPool
from manhattan.server.service.housekeeping import Housekeeping
from manhattan.server.service.table_session import TableSession
from manhattan.server.storage import Append, Store, Summary
from support.crash_test_players import stored_events
from support.databases import CuttableProxy, store_at, wait_until, write_locked
from support.moved_clock import MovedClock
from support.projections import holders
from support.recording_client import captured_logs
from support.server_fixtures import AGAINST_EASY, RunningServer, loads, process, running_server


def write(database: str, *events: Append) -> None:
    """Write events as another process that publishes nothing."""

    async def go() -> None:
        async with store_at(database) as store:
            assert all(await store.append(events))

    asyncio.run(go())


def receive(socket: ClientConnection, type: str) -> dict[str, Any]:
    """Return the next message of a type."""
    while True:
        message: dict[str, Any] = loads(socket.recv(timeout=10))
        if message["type"] == type:
            return message


def overdue_bot_game(table: str) -> list[Append]:
    """Return the events of a game in which a bot should have moved long ago."""
    then = 1000 * int(time.time() - 60)
    options = msgspec.convert({"seats": AGAINST_EASY, "first": 1, "bot_delay_ms": 0}, TableOptions)
    events: list[TableEvent] = [
        TableOpened(at=then, by="ada", options=options, name="Ada"),
        GameStarted(at=then, by="ada", seed="ab" * 32),
    ]
    summary = Summary("playing", False, then, then, {})
    return [
        Append(table, number, encode_event(event), then, summary)
        for number, event in enumerate(events)
    ]


def _bot_has_moved(database: str, table: str) -> bool:
    return isinstance(stored_events(database, table)[-1], MovePlayed)


def test_an_unreadable_table_does_not_block_other_overdue_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("manhattan.server.service.housekeeping.TAKEOVER_DELAY", 100)
    database = str(tmp_path / "tables.db")
    with running_server(database):
        broken = Summary("playing", False, 1, 1, {})  # due before all others
        write(database, Append("b" * 14, 0, '{"type": "of a newer version"}', 1, broken))
        for table in ("c" * 14, "d" * 14):
            write(database, *overdue_bot_game(table))
            wait_until(partial(_bot_has_moved, database, table), "the bot moves", every=0.2)


def test_an_unreadable_table_is_logged_once_and_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("manhattan.server.service.housekeeping._SWEEP_S", 0.05)
    database, table = str(tmp_path / "tables.db"), "b" * 14
    with running_server(database) as server, captured_logs() as log:
        ada = server.client("Ada")
        fine = ada.open_table(seats=AGAINST_EASY)
        [me] = server.services.tables.registry._sessions[fine].state.people()
        late = Summary("playing", False, 1, 1, {})
        broken = '{"type": "of a newer version"}'
        queries = record_queries(server)
        write(database, Append(table, 0, broken, 1, late, holders(me)))
        wait_until(lambda: table in server.services.tables.registry.unreadable, "it is noticed")
        time.sleep(0.5)  # ten sweeps
        assert [line["message"] for line in log.errors] == ["a table can't be read"]
        assert sum(f"'{table}'" in query for query in queries) == 1
        assert "newer version saved it" in rejection(lambda: ada.record(table), "unreadable")
        mine = ada.request("GET", "/api/me/games")["games"]
        assert [game["id"] for game in mine] == [fine]
        server.services.tables.registry.unreadable[table] = 0  # a minute later
        assert rejection(lambda: ada.record(table), "unreadable")
        assert len(log.errors) == 1


def test_an_unreadable_new_event_does_not_affect_other_requests(tmp_path: Path) -> None:
    """Another process of a newer version writes at a table that is in memory."""
    database = str(tmp_path / "tables.db")
    with running_server(database) as server, captured_logs() as log:
        ada = server.client("Ada")
        table = ada.open_table(seats=AGAINST_EASY)
        write(database, Append(table, 1, '{"type": "of a newer version"}', 1))
        for _ in range(3):
            assert rejection(lambda: ada.start_game(table), "unreadable")
        assert [line["message"] for line in log.errors] == ["a table can't be read"]
        assert ada.request("GET", f"/api/tables/{table}")["table"]["stage"] == "lobby"


def test_a_rejection_does_not_read_the_database(tmp_path: Path) -> None:
    """With a single process there are no events that it doesn't know."""
    with running_server(str(tmp_path / "tables.db")) as server:
        ada, bob = server.client("Ada"), server.client("Bob")
        table = ada.open_table(seats=AGAINST_EASY, first=0, start=True)
        with connect(server.websocket(table), additional_headers={"Cookie": bob.cookie}) as bobs:
            receive(bobs, "view")
            queries = record_queries(server)
            for number in range(20):
                bobs.send(f'{{"type": "resign", "id": "{number}"}}')
                assert receive(bobs, "error")["reason"] == "not_at_the_table"
        assert not any(table in query for query in queries)


def record_queries(server: RunningServer) -> list[str]:
    """Record the queries of SQLite from now on."""
    queries: list[str] = []
    database: Any = server.services.tables.store._database
    database._reader.set_trace_callback(queries.append)
    return queries


def rejection(attempt: Callable[[], object], reason: str) -> str:
    """Return the sentence with which a call is rejected."""
    with pytest.raises(RequestRejected) as rejected:
        attempt()
    assert rejected.value.reason == reason
    return str(rejected.value)


def test_a_bot_that_fails_tries_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    choose = BotPool.choose_move
    failed: list[str] = []

    async def fail_once(self: BotPool, *about: Any) -> Any:
        if not failed:
            failed.append("once")
            raise ArithmeticError
        return await choose(self, *about)

    monkeypatch.setattr(BotPool, "choose_move", fail_once)
    monkeypatch.setattr("manhattan.server.service.housekeeping.TAKEOVER_DELAY", 100)
    database = str(tmp_path / "tables.db")
    with running_server(database) as server:
        ada = server.client("Ada")
        table = ada.open_table(seats=AGAINST_EASY, first=1, bot_delay_ms=0, start=True)
        wait_until(partial(_bot_has_moved, database, table), "the bot moves", every=0.2)
    assert failed


def test_a_bot_moves_after_the_system_time_was_set_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = MovedClock(monkeypatch)
    with running_server(str(tmp_path / "tables.db")) as server:
        ada = server.client("Ada")
        table = ada.open_table(seats=AGAINST_EASY, first=0, bot_delay_ms=100, start=True)
        with ada.connect(table) as seat:
            turns = seat.turns()
            seat.play(next(turns).moves[0])
            clock.step(seconds=-3600)
            assert next(turns).ply >= 2


def test_a_long_table_is_replayed_in_chunks_and_loaded_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Players at other tables don't wait for it."""
    database, table = str(tmp_path / "tables.db"), "t" * 14
    message = ChatSent(at=2, by="ada", name="Ada", text="Hello")
    options = msgspec.convert({"seats": AGAINST_EASY}, TableOptions)
    events: list[TableEvent] = [
        TableOpened(at=1, by="ada", options=options, name="Ada"),
        *[message] * 1500,
    ]
    summary = Summary("lobby", False, 1, None, {})
    write(
        database,
        *(Append(table, n, encode_event(event), 2, summary) for n, event in enumerate(events)),
    )
    turns: list[str] = []

    def replay_and_note(*args: Any) -> Any:
        turns.append("replay")
        return replay_events(*args)

    async def others(loading: asyncio.Future[Any]) -> None:
        while not loading.done():
            turns.append("others")
            await asyncio.sleep(0)

    async def load(server: RunningServer) -> None:
        service = server.services.tables
        loading = asyncio.ensure_future(service.session(table))
        await others(loading)
        assert service.registry.add(loading.result().state) is loading.result()

    with running_server(database) as server:
        monkeypatch.setattr(
            "manhattan.server.service.table_registry.replay_events", replay_and_note
        )
        asyncio.run_coroutine_threadsafe(load(server), server.loop).result(20)
    replays = [number for number, what in enumerate(turns) if what == "replay"]
    assert len(replays) == 16
    assert all(turns[number + 1] == "others" for number in replays[:-1])


def failing(patch: pytest.MonkeyPatch, owner: type, name: str) -> list[str]:
    """Let a method fail unexpectedly while the returned list is empty."""
    method: Callable[..., Any] = getattr(owner, name)
    recovered: list[str] = []

    def fail(*args: Any) -> Any:
        if not recovered:
            raise ArithmeticError(name)
        return method(*args)

    patch.setattr(owner, name, fail)
    return recovered


def test_an_unexpected_error_does_not_end_the_housekeeping(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("manhattan.server.service.housekeeping.TAKEOVER_DELAY", 100)
    monkeypatch.setattr("manhattan.server.service.housekeeping._SWEEP_S", 0.05)
    monkeypatch.setattr("manhattan.server.service.housekeeping._OVER_IDLE", 0)
    overdue = failing(monkeypatch, Store, "overdue_tables")
    database, table = str(tmp_path / "tables.db"), "c" * 14
    with captured_logs() as log, running_server(database) as server:
        ada = server.client("Ada")
        idle = ada.open_table(seats=[{"occupant": "me"}, {"occupant": "open"}])
        ada.leave_table(idle)
        wait_until(
            lambda: idle not in server.services.tables.registry._sessions,
            "the other jobs still run",
        )
        write(database, *overdue_bot_game(table))
        time.sleep(0.5)  # ten sweeps
        [line] = log.errors
        assert (line["message"], line["error"][0]) == (
            "a housekeeping job failed",
            "ArithmeticError",
        )
        overdue.append("recovered")
        wait_until(partial(_bot_has_moved, database, table), "the bot moves", every=0.2)
        assert len(log.errors) == 1
        overdue.clear()
        wait_until(lambda: len(log.errors) == 2, "it is logged again")


def test_a_failing_table_does_not_keep_other_tables_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("manhattan.server.service.housekeeping._SWEEP_S", 0.05)
    monkeypatch.setattr("manhattan.server.service.housekeeping._IDLE", 200)
    unload_if_idle = Housekeeping._unload_if_idle
    failing_tables: list[str] = []

    def fail(self: Housekeeping, session: TableSession) -> None:
        if session.id in failing_tables:
            raise ArithmeticError
        unload_if_idle(self, session)

    monkeypatch.setattr(Housekeeping, "_unload_if_idle", fail)
    with running_server(str(tmp_path / "tables.db")) as server, captured_logs() as log:
        ada = server.client("Ada")
        failing_tables.append(ada.open_table(seats=[{"occupant": "me"}, {"occupant": "open"}]))
        others = [
            ada.open_table(seats=[{"occupant": "me"}, {"occupant": "open"}]) for _ in range(3)
        ]
        wait_until(
            lambda: not set(others) & set(server.services.tables.registry._sessions),
            "they are unloaded",
        )
        assert failing_tables[0] in server.services.tables.registry._sessions
        assert [line["message"] for line in log.errors] == ["a housekeeping job failed"]


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_move_is_broadcast_though_its_player_disconnected_before_it_was_written(
    request: pytest.FixtureRequest, tmp_path: Path, kind: str
) -> None:
    database = str(tmp_path / "tables.db")
    if kind == "postgres":
        database = request.getfixturevalue("postgres")
    with running_server(database) as server, ExitStack() as ended:
        ada, bob = server.client("Ada"), server.client("Bob")
        table = ada.open_table(seats=[{"occupant": "me"}, {"occupant": "open"}], first=0)
        bob.take_seat(table)
        ada.start_game(table)
        with ada.connect(table) as seat:
            move = next(seat.turns()).moves[0]
        adas, bobs, anonymous = (
            ended.enter_context(connect(server.websocket(table), additional_headers=headers))
            for headers in ({"Cookie": ada.cookie}, {"Cookie": bob.cookie}, {})
        )
        for socket in (adas, bobs, anonymous):
            receive(socket, "view")
        with write_locked(database):
            adas.send(f'{{"type": "play", "id": "1", "ply": 0, "move": "{move}"}}')
            time.sleep(0.2)
            adas.socket.close()
            anonymous.close()  # the presence message to Ada shows that she is gone
            time.sleep(0.3)
        assert receive(bobs, "update")["event"]["move"] == move
        assert sum(isinstance(event, MovePlayed) for event in stored_events(database, table)) == 1


def test_an_unknown_outcome_is_reported_as_such(
    postgres: str,
) -> None:
    """The reply doesn't claim that nothing happened, and the client may send the command again."""
    command = '{"type": "chat", "id": "mine", "text": "Hello"}'
    with closing(CuttableProxy(postgres)) as wire, running_server(wire.address) as server:
        table = server.client("Ada").open_table(seats=[{"occupant": "me"}, {"occupant": "open"}])
        ada = server.client("Ada")
        with connect(server.websocket(table), additional_headers={"Cookie": ada.cookie}) as adas:
            receive(adas, "view")
            wire.cut_at_commit = True
            adas.send(command)
            refused = receive(adas, "error")
            assert (refused["reason"], refused["reply_to"]) == ("storage_unavailable", "mine")
            assert "The command may have been executed: check the table again" in refused["text"]
            wait_until(
                lambda: stored_events(postgres, table)[-1].command == "mine", "the event is stored"
            )
            number = len(stored_events(postgres, table)) - 1
            adas.send(command)
            assert receive(adas, "done")["number"] == number
        assert sum(isinstance(event, ChatSent) for event in stored_events(postgres, table)) == 1


def test_the_last_event_of_a_dead_process_is_broadcast_by_the_other(
    postgres: str, redis: str
) -> None:
    """Within ten seconds, though the table is not due."""
    with running_server(postgres, redis=redis) as here:
        ada = here.client("Ada")
        table = ada.open_table(seats=[{"occupant": "me"}, {"occupant": "open"}])
        with connect(here.websocket(table)) as anonymous:
            receive(anonymous, "view")
            started = time.monotonic()
            last = ChatSent(at=1, name="Ada", text="The lights go out")
            write(postgres, Append(table, 1, encode_event(last), 1))
            assert receive(anonymous, "update")["event"]["text"] == "The lights go out"
            assert time.monotonic() - started < 10


def test_the_viewers_of_a_silent_process_expire(
    postgres: str, redis: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "manhattan.server.service.presence.REMOTE_PRESENCE_TTL", 500
    )  # not half a minute
    monkeypatch.setattr("manhattan.server.service.housekeeping._PRESENCE_INTERVAL", 300)
    with running_server(postgres, redis=redis) as here, process(postgres, redis) as there:
        ada = Client(there.address, "Ada")
        table = ada.open_table(seats=[{"occupant": "me"}, {"occupant": "open"}])
        with ada.connect(table) as seat, connect(here.websocket(table)) as anonymous:
            seat.chat("Hello")
            while receive(anonymous, "presence")["present"] != [True, False]:
                pass
            there.kill()
            while receive(anonymous, "presence")["present"] != [False, False]:
                pass
