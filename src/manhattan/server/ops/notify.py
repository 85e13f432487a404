"""Telling the service manager (systemd, ``Type=notify``) that the server is ready or stops."""

from __future__ import annotations

import os
import socket
from contextlib import suppress
from typing import Final

VARIABLE: Final = "NOTIFY_SOCKET"
READY: Final = "READY=1"
STOPPING: Final = "STOPPING=1"


def notify_service_manager(state: str) -> None:
    """Send a state to the service manager that started this process, if there is one."""
    address = os.environ.get(VARIABLE, "")
    if not address.startswith(("/", "@")):
        return
    if address.startswith("@"):  # the abstract namespace of Linux
        address = f"\0{address[1:]}"
    # A server that can't report its state still serves.
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
        sender.sendto(state.encode(), address)
