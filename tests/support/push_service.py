"""A push service and a browser that subscribes to it: real encryption over a real connection."""

from __future__ import annotations

import base64
import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Empty, Queue
from typing import Any

import http_ece
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from py_vapid import Vapid02


def _base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


class SubscribedBrowser:
    """A browser's keys, as `PushManager.subscribe` makes them."""

    def __init__(self) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._auth = os.urandom(16)

    @property
    def keys(self) -> dict[str, str]:
        point = self._key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        return {"p256dh": _base64(point), "auth": _base64(self._auth)}

    def decrypt(self, body: bytes) -> dict[str, Any]:
        text = http_ece.decrypt(
            body, private_key=self._key, auth_secret=self._auth, version="aes128gcm"
        )
        message: dict[str, Any] = json.loads(text)
        return message


@dataclass
class PushService:
    """What a push service has received."""

    address: str
    requests: Queue[tuple[str, dict[str, str], bytes]] = field(default_factory=Queue)
    statuses: list[int] = field(default_factory=list)
    """The answers to the next requests; then 201."""

    def next_message(self, browser: SubscribedBrowser, timeout: float = 10) -> dict[str, Any]:
        """Wait for a message, check that the server has signed it, and decrypt it."""
        _, headers, body = self.requests.get(timeout=timeout)
        assert Vapid02.verify(headers["Authorization"])
        assert headers["Content-Encoding"] == "aes128gcm"
        assert int(headers["TTL"]) > 0
        return browser.decrypt(body)

    def is_silent(self, seconds: float = 0.3) -> bool:
        try:
            self.requests.get(timeout=seconds)
        except Empty:
            return True
        return False


@contextmanager
def push_service() -> Iterator[PushService]:
    """Run a push service on this machine."""
    received: list[PushService] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            service = received[0]
            body = self.rfile.read(int(self.headers["Content-Length"]))
            service.requests.put((self.path, dict(self.headers.items()), body))
            self.send_response(service.statuses.pop(0) if service.statuses else 201)
            self.send_header("Location", "http://127.0.0.1:9/elsewhere")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    received.append(PushService(f"http://127.0.0.1:{server.server_port}"))
    try:
        yield received[0]
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
