"""A server that systemd starts with ``Type=notify`` reports when it listens and when it stops."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from manhattan.server.ops.notify import notify_service_manager
from support.databases import free_port

ABSTRACT = "@manhattan-tests-{pid}"


@pytest.fixture(params=["/{folder}/notify", ABSTRACT], ids=["path", "abstract"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    text: str = request.param
    return text.format(folder=str(tmp_path)[1:], pid=os.getpid())


@pytest.mark.process
def test_a_server_reports_when_it_listens_and_when_it_stops(address: str, tmp_path: Path) -> None:
    port = free_port()
    command = [sys.executable, "-m", "manhattan", "serve", "--port", str(port), "--no-warm-up"]
    command += ["--database", str(tmp_path / "tables.db")]
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(re.sub("^@", "\0", address))
        manager.settimeout(60)
        environ = {**os.environ, "NOTIFY_SOCKET": address}
        with subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environ
        ) as server:
            assert manager.recv(100) == b"READY=1"
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            server.send_signal(signal.SIGTERM)
            assert manager.recv(100) == b"STOPPING=1"
            assert server.wait(20) == 0


@pytest.mark.parametrize("address", [None, "", "/none/such", "vsock:2:1234"])
def test_without_a_service_manager_nothing_happens(
    address: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if address is None:
        monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    else:
        monkeypatch.setenv("NOTIFY_SOCKET", address)
    notify_service_manager("READY=1")
