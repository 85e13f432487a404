"""The write path: an event is written once and reaches everyone, whatever goes wrong."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest

from manhattan.server.domain.commands import Actor, PlayMove, SendChat
from manhattan.server.domain.errors import AlreadyProcessed, CommandRejected, ErrorCode
from manhattan.server.domain.events import ChatSent
from manhattan.server.domain.options import TableOptions
from manhattan.server.ops import metrics
from manhattan.server.protocol.updates import TableUpdate
from manhattan.server.pubsub.base import LocalBus
from manhattan.server.service.bot_pool import BotPool
from manhattan.server.service.scheduler import TableScheduler
from manhattan.server.service.table_service import TableService
from manhattan.server.service.table_session import TableSession, Viewer
from manhattan.server.storage import Append, Store, StoreUnavailable
from support.crash_test_players import stored_events
from support.databases import async_test, store_at, wait_until
from support.recording_client import captured_logs, run_on_server, state_of
from support.server_fixtures import AGAINST_EASY, RunningServer, first, running_server

ADA = Actor("ada", "Ada")
SEATS = [{"occupant": "me"}, {"occupant": "here", "name": "Bea"}]
OPTIONS = msgspec.convert({"seats": SEATS}, TableOptions)


class RecordingBus(LocalBus):
    """A bus that records what other processes would receive."""

    assumes_single_process = False

    def __init__(self) -> None:
        self.updates: list[tuple[str, int]] = []

    def publish_update(self, table: str, number: int) -> None:
        self.updates.append((table, number))


@async_test
async def test_two_services_write_one_event_for_each_number(tmp_path: Path) -> None:
    """Optimistic concurrency: the second writer reads the first one's event and decides again."""
    async with store_at(str(tmp_path / "tables.db")) as store:
        here = TableService(store, RecordingBus(), BotPool(1))
        there = TableService(store, RecordingBus(), BotPool(1))
        table = (await here.open_table(ADA, OPTIONS)).id
        await there.session(table)
        commands = [SendChat(id=f"{n}", text=f"{n}") for n in range(6)]
        await asyncio.gather(
            *((here, there)[n % 2].execute(table, one, ADA) for n, one in enumerate(commands))
        )
        for service in (here, there):
            session = await service.session(table)
            await service.sync_from_store(session)
            numbers = [message.number for message in session.state.chat]
            assert numbers == list(range(1, 7))
            assert {message.text for message in session.state.chat} == {str(n) for n in range(6)}


@async_test
async def test_an_event_is_counted_by_the_process_that_wrote_it(tmp_path: Path) -> None:
    counter = metrics.EVENTS.labels("chat_sent")
    async with store_at(str(tmp_path / "tables.db")) as store:
        here = TableService(store, RecordingBus(), BotPool(1))
        there = TableService(store, RecordingBus(), BotPool(1))
        table = (await here.open_table(ADA, OPTIONS)).id
        other = await there.session(table)
        before = counter._value.get()
        await here.execute(table, SendChat(id="1", text="Hi"), ADA)
        await there.sync_from_store(other)
        assert other.state.chat
        assert counter._value.get() == before + 1


@async_test
async def test_a_table_that_cannot_be_loaded_is_rejected_and_the_failure_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object) -> list[str]:
        raise StoreUnavailable("The connection broke.")

    async with store_at(str(tmp_path / "tables.db")) as store:
        table = (await TableService(store, LocalBus(), BotPool(1)).open_table(ADA, OPTIONS)).id
        service = TableService(store, LocalBus(), BotPool(1))
        with monkeypatch.context() as patch:
            patch.setattr(Store, "events", fail)
            with captured_logs(), pytest.raises(CommandRejected) as rejected:
                await service.session(table)
        assert rejected.value.reason is ErrorCode.STORAGE_UNAVAILABLE
        assert service.storage_error == "The connection broke."
        assert (await service.session(table)).id == table


def test_viewers_reconnect_after_a_failed_broadcast(
    shared_server: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, bob = shared_server.client("Ada"), shared_server.client("Bob")
    table = ada.open_table(seats=[{"occupant": "me"}, {"occupant": "open"}], first=0)
    bob.take_seat(table)
    ada.start_game(table)
    encode_for_viewers = TableSession.encode_for_viewers
    failures = iter([True])

    def fail_once(
        self: TableSession,
        update: TableUpdate,
        sender: Viewer | None = None,
        command_id: str | None = None,
    ) -> list[tuple[Viewer, bytes]]:
        if self.id == table and next(failures, False):
            raise KeyError("a bug")
        return encode_for_viewers(self, update, sender, command_id)

    with captured_logs(), ada.connect(table) as adas, bob.connect(table) as bobs:
        next(bobs.messages())
        turn = next(adas.turns())
        monkeypatch.setattr(TableSession, "encode_for_viewers", fail_once)
        assert adas.play(first(turn))["type"] in ("update", "done")

        def bob_has_the_move() -> bool:
            bobs.send("ping")
            return bool(bobs.position["ply"] == 1)

        wait_until(bob_has_the_move, "Bob gets the move")
        assert adas.position["ply"] == 1
        assert state_of(shared_server, table).number == 4  # the move was made once


@async_test
async def test_a_cancelled_command_is_executed_and_published_if_it_was_being_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with store_at(str(tmp_path / "tables.db")) as store:
        bus = RecordingBus()
        service = TableService(store, bus, BotPool(1))
        session = await service.open_table(ADA, OPTIONS)
        scheduled: list[TableSession] = []
        monkeypatch.setattr(
            TableScheduler, "schedule", lambda _self, table, **_options: scheduled.append(table)
        )
        task = asyncio.create_task(service.execute(session.id, SendChat(id="1", text="Hi"), ADA))
        await asyncio.sleep(0)
        assert session.lock.locked()
        task.cancel()
        await asyncio.wait({task})
        assert task.cancelled()
        assert [message.text for message in session.state.chat] == ["Hi"]
        assert (bus.updates, scheduled) == ([(session.id, 2)], [session])
        assert not session.needs_sync


def test_a_bot_answers_the_move_of_a_cancelled_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append = Store.append

    async def append_slowly(self: Store, batch: list[Append]) -> list[bool]:
        await asyncio.sleep(0.1)
        return await append(self, batch)

    async def move_and_cancel(service: TableService, table: str) -> None:
        state = (await service.session(table)).state
        assert state.game is not None
        command = PlayMove(id="1", ply=0, move=str(state.game.legal_moves()[0]))
        task = asyncio.create_task(service.execute(table, command, Actor(state.host, "Ada")))
        await asyncio.sleep(0.05)
        task.cancel()
        await asyncio.wait({task})
        assert task.cancelled()

    with running_server(str(tmp_path / "tables.db")) as server:
        ada = server.client("Ada")
        table = ada.open_table(seats=AGAINST_EASY, first=0, bot_delay_ms=0, start=True)
        with ada.connect(table) as seat:
            next(seat.messages())
            with monkeypatch.context() as patch:
                patch.setattr(Store, "append", append_slowly)
                run_on_server(server, move_and_cancel(server.services.tables, table))
            players: list[Any] = []
            for message in seat.messages():
                players += [message["event"]["player"]] if message["type"] == "update" else []
                if len(players) == 2:
                    break
            assert players == [0, 1]
        wait_until(lambda: state_of(server, table).number == 4, "both moves are there")


@async_test
async def test_an_append_with_unknown_outcome_is_looked_up_before_the_next_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append = Store.append

    async def append_and_fail(self: Store, batch: list[Append]) -> list[bool]:
        await append(self, batch)
        raise StoreUnavailable("The connection broke.")

    path = str(tmp_path / "tables.db")
    async with store_at(path) as store:
        service = TableService(store, LocalBus(), BotPool(1))
        session = await service.open_table(ADA, OPTIONS)
        command = SendChat(id="1", text="Hi")
        with monkeypatch.context() as patch:
            patch.setattr(Store, "append", append_and_fail)
            with pytest.raises(CommandRejected) as rejected:
                await service.execute(session.id, command, ADA)
        assert rejected.value.reason is ErrorCode.STORAGE_UNAVAILABLE
        assert session.needs_sync
        with pytest.raises(AlreadyProcessed):
            await service.execute(session.id, command, ADA)
        stored = await asyncio.to_thread(stored_events, path, session.id)
        assert sum(isinstance(event, ChatSent) for event in stored) == 1
