"""A client at another address: on Linux all of 127.0.0.0/8 belong to this computer."""

from __future__ import annotations

import json
import selectors
import socket
import threading
import time
from contextlib import suppress
from http.client import HTTPConnection, HTTPResponse
from types import TracebackType
from typing import Any, Self

from support.attacker import HANDSHAKE
from support.server_fixtures import Process, RunningServer


class Stranger:
    """A person at an address, with websockets that read and forget."""

    def __init__(
        self, server: RunningServer | Process, address: str, name: str | None = None
    ) -> None:
        self._port = server.port
        self._address = address
        self._http = HTTPConnection(
            "127.0.0.1", server.port, timeout=60, source_address=(address, 0)
        )
        self._sockets: list[socket.socket] = []
        self.cookie = ""
        if name is not None:
            response = self.send("PUT", "/api/me", {"name": name})
            response.read()
            assert response.status == 200, response.status
            self.cookie = (response.getheader("Set-Cookie") or "").partition(";")[0]

    def send(self, method: str, path: str, body: object = None) -> HTTPResponse:
        headers = {"Cookie": self.cookie, "Content-Type": "application/json"}
        content = None if body is None else json.dumps(body)
        self._http.request(method, path, content, headers)
        return self._http.getresponse()

    def call(self, method: str, path: str, body: object = None) -> tuple[int, Any]:
        """Return the status and the content of a response."""
        response = self.send(method, path, body)
        content = response.read()
        return response.status, json.loads(content) if content[:1] in (b"{", b"[") else content

    def time_request(self, path: str = "/api/me") -> float:
        """Return how long a request takes, in seconds."""
        started = time.perf_counter()
        self.send("GET", path).read()
        return time.perf_counter() - started

    def watch(self, table: str) -> socket.socket:
        """Open a websocket; what it receives is forgotten."""
        opened = socket.create_connection(
            ("127.0.0.1", self._port), timeout=60, source_address=(self._address, 0)
        )
        request = HANDSHAKE.format(table=table).replace(
            "\r\n\r\n", f"\r\nCookie: {self.cookie}\r\n\r\n"
        )
        opened.sendall(request.encode())
        self._sockets.append(opened)
        return opened

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._http.close()
        for opened in self._sockets:
            opened.close()


class Drain:
    """Reads from sockets and forgets what they receive."""

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()
        self._is_stopped = False
        self._thread = threading.Thread(target=self._run)

    def add(self, opened: socket.socket) -> None:
        self._selector.register(opened, selectors.EVENT_READ)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._is_stopped = True
        self._thread.join()
        self._selector.close()

    def _run(self) -> None:
        while not self._is_stopped:
            for key, _ in self._selector.select(0.05):
                assert isinstance(key.fileobj, socket.socket)
                with suppress(OSError):
                    if key.fileobj.recv(65536):
                        continue
                self._selector.unregister(key.fileobj)
