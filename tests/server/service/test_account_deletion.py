"""Deleting an account and revoking a device take effect at once, whatever happens at the same
moment."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from aiohttp import WSMessage, WSMsgType
from websockets.sync.client import connect

from manhattan.client import Client
from manhattan.server.service.accounts import Accounts
from manhattan.server.service.clock_and_secrets import now_ms
from manhattan.server.service.table_service import TableService
from manhattan.server.service.table_session import TableSession, Viewer
from manhattan.server.storage import Identity
from manhattan.server.transport.ws.connection import Connection
from support.databases import store_at, write_locked
from support.recording_client import close_code, run_on_server, wait_until
from support.server_fixtures import RunningServer, running_server

REVOKED = 4401
TWO = [{"occupant": "me"}, {"occupant": "open"}]


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "tables.db")
    return str(request.getfixturevalue("postgres"))


@pytest.fixture
def server(database: str) -> Iterator[RunningServer]:
    with running_server(database) as server:
        yield server


def test_renaming_does_not_restore_revoked_cookies(server: RunningServer, database: str) -> None:
    """A person is renamed on one device and revoked on another; both requests are authenticated
    before anything is written."""
    for _ in range(5):  # a database that has several writers may let either be first
        ada = server.client("Ada")
        cookie, here, there = ada.cookie, ada, Client(server.address, "Ada", cookie=ada.cookie)
        with ThreadPoolExecutor() as pool:
            with write_locked(database, "people"):
                revoked = pool.submit(there.request, "DELETE", "/api/me")
                time.sleep(0.1)
                renamed = pool.submit(here.request, "PUT", "/api/me", {"name": "Lady Ada"})
                time.sleep(0.1)
            assert revoked.result() == {"name": None}
            assert renamed.result() == {"name": "Lady Ada"}
        there.cookie = cookie
        assert there.request("GET", "/api/me") == {"name": None}
        # A revoked cookie makes a new person; or the renaming was first, and the person is revoked.
        name = here.request("GET", "/api/me")["name"]
        assert name == (None if here.cookie == cookie else "Lady Ada")


def identity_of(server: RunningServer, client: Client) -> Identity:
    accounts: Accounts = server.services.accounts
    cookie = client.cookie.partition("=")[2]
    identity = run_on_server(server, accounts.authenticate(cookie, "", now_ms()))
    assert identity is not None
    return identity


def test_a_websocket_that_is_being_opened_is_closed_after_a_revocation(
    server: RunningServer,
) -> None:
    """It waits for the table's lock, which a command holds."""
    ada = server.client("Ada")
    table = ada.open_table(seats=TWO)
    device = identity_of(server, ada).device.id
    session: TableSession = server.services.tables.registry._sessions[table]
    run_on_server(server, session.lock.acquire())
    with connect(server.websocket(table), additional_headers={"Cookie": ada.cookie}) as adas:
        wait_until(lambda: bool(session.lock._waiters))
        ada.request("DELETE", f"/api/me/devices/{device}")
        run_on_server(server, _release(session))
        received: list[Any] = []
        assert close_code(lambda: received.append(adas.recv(timeout=10))) == REVOKED
    assert received == []  # above all not the hand
    wait_until(lambda: not session.viewers)


async def _release(session: TableSession) -> None:
    session.lock.release()


def test_a_revocation_between_authentication_and_subscription_is_noticed(
    server: RunningServer, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = server.client("Ada")
    table, identity = ada.open_table(seats=TWO), identity_of(server, ada)
    subscribe = TableService.subscribe

    async def revoke_first(
        self: TableService, table: str, viewer: Viewer, since: int | None
    ) -> TableSession:
        # SQLite allows one writing process: this one.
        elsewhere = store_at(database) if "://" in database else nullcontext(self.store)
        async with elsewhere as store:
            assert await store.delete_person(identity.person.id, [])
        return await subscribe(self, table, viewer, since)

    monkeypatch.setattr(TableService, "subscribe", revoke_first)
    with connect(server.websocket(table), additional_headers={"Cookie": ada.cookie}) as adas:
        received: list[Any] = []
        assert close_code(lambda: received.append(adas.recv(timeout=10))) == REVOKED
    assert received == []


class StalledWebSocket:
    """A websocket whose client sends, but doesn't read the close frame until it is released."""

    def __init__(self) -> None:
        self.frames: asyncio.Queue[WSMessage] = asyncio.Queue()
        self.released = asyncio.Event()
        self.close_code: int | None = None

    def send_chat(self, text: str) -> None:
        command = f'{{"type": "chat", "id": "{text}", "text": "{text}"}}'
        self.frames.put_nowait(WSMessage(WSMsgType.TEXT, command, None))

    async def receive(self) -> WSMessage:
        return await self.frames.get()

    async def send_frame(self, message: bytes, opcode: WSMsgType) -> None:
        pass

    async def close(self, *, code: int) -> bool:
        await self.released.wait()
        self.close_code = code
        return True


def test_a_revoked_device_executes_no_more_commands(server: RunningServer) -> None:
    """Even while its websocket can't be closed, because the client doesn't read."""
    ada = server.client("Ada")
    table, identity = ada.open_table(seats=TWO), identity_of(server, ada)
    session = server.services.tables.registry._sessions[table]

    async def go() -> None:
        websocket: Any = StalledWebSocket()
        transport = Mock(get_write_buffer_size=lambda: 0)
        connection = Connection(
            server.services, identity, websocket, transport, "here", table=table, since=None
        )
        serving = asyncio.create_task(connection.serve())
        websocket.send_chat("Hello")
        await asyncio.to_thread(wait_until, lambda: bool(session.state.chat))
        await asyncio.to_thread(ada.request, "DELETE", f"/api/me/devices/{identity.device.id}")
        websocket.send_chat("Me again")
        await asyncio.sleep(0.2)
        websocket.released.set()
        await serving
        assert websocket.close_code == REVOKED

    run_on_server(server, go())
    assert [line.text for line in session.state.chat] == ["Hello"]
