"""Real servers to test against: in a thread of this process, or in a process of their own."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

from manhattan.client import Client, TableConnection, Turn
from manhattan.server.config import ServerConfig
from manhattan.server.runner import Server
from manhattan.server.transport.ratelimit import NO_LIMITS
from manhattan.server.transport.request_context import Services
from support.databases import free_port

AGAINST_EASY = [{"occupant": "me"}, {"occupant": "bot", "level": "easy"}]


class RunningServer:
    """A server in a thread of this process, so that its coverage is measured."""

    def __init__(self, config: ServerConfig) -> None:
        self.server = Server(config)
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        while not self.server.started:
            assert self._thread.is_alive(), "the server did not start"
            time.sleep(0.005)
        self.port = self.server.port
        self.address = f"http://127.0.0.1:{self.port}"

    def _run(self) -> None:
        asyncio.run(self.server.serve())

    @property
    def services(self) -> Services:
        return self.server.services

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        return self.server.loop

    def stop(self) -> None:
        self.server.request_stop()
        self._thread.join()

    def client(self, name: str, *, takes_part: bool = False) -> Client:
        """A client. By default it sends no nonces: for those of several clients in one thread, the
        deal would wait."""
        return Client(self.address, name, timeout=30, takes_part=takes_part)

    def websocket(self, table: str, since: int | None = None) -> str:
        tail = "" if since is None else f"?since={since}"
        return f"ws://127.0.0.1:{self.port}/api/tables/{table}/socket{tail}"


@contextmanager
def running_server(database: str, **settings: Any) -> Iterator[RunningServer]:
    chosen: dict[str, Any] = {"warm_up": False, "limits": NO_LIMITS} | settings
    server = RunningServer(ServerConfig(database, **chosen))
    try:
        yield server
    finally:
        server.stop()


class Process:
    """A server in a process of its own, which can be killed and started again at its place."""

    def __init__(
        self,
        database: str,
        redis: str | None = None,
        log: Path | None = None,
        *,
        limited: bool = False,
        reveal_ms: int = 5000,
    ) -> None:
        self._reveal_ms = reveal_ms
        self._command = [sys.executable, "-P", "-m", "manhattan.bench.server.target", database]
        self._command += [redis] if redis else []
        self._command += ["--limited"] if limited else []
        self._log = log
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    def start(self) -> None:
        """On the same port as before."""
        with open(self._log or os.devnull, "a") as log:
            self._process = subprocess.Popen(
                self._command,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env=os.environ
                | {"MANHATTAN_PORT": str(self.port), "MANHATTAN_REVEAL_MS": str(self._reveal_ms)},
            )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line == f"{self.port}\n", "the server did not start"

    def kill(self) -> None:
        """As if the power went."""
        self._process.kill()
        self._ended()

    def stop(self) -> None:
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
        self._ended()

    def _ended(self) -> None:
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()


@contextmanager
def process(database: str, redis: str | None = None, log: Path | None = None) -> Iterator[Process]:
    started = Process(database, redis, log)
    try:
        yield started
    finally:
        started.stop()


def get(server: RunningServer | Process, path: str) -> tuple[int, str]:
    """Return the status and the body of a response, with or without success."""
    try:
        with urlopen(server.address + path) as answer:
            return answer.status, answer.read().decode()
    except HTTPError as error:
        with error:
            return error.code, error.read().decode()


def play_on(seat: TableConnection, moves: int = 10**6) -> list[str]:
    """Make the first legal move again and again, to the end or up to a number; return the moves."""
    made: list[str] = []
    for turn in seat.turns():
        made.append(seat.play(turn.moves[0])["event"]["move"])
        if len(made) == moves:
            break
    return made


def first(turn: Turn) -> str:
    return turn.moves[0]


def loads(text: str | bytes) -> Any:
    return json.loads(text)
