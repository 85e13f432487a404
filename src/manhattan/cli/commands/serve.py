"""``manhattan serve``: the game server, for browsers and programs."""

from __future__ import annotations

import errno
import logging
import os
import socket
import sys
import threading
import time
import webbrowser
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rich.text import Text

from manhattan.cli.ui.server_flags import ConfigFile, with_server_flags
from manhattan.cli.ui.terminal import console
from manhattan.rules import ManhattanError
from manhattan.server.option_sources import configure
from manhattan.server.options import ALL_INTERFACES, DEFAULT_PORT, ServerOptions

if TYPE_CHECKING:
    from manhattan.server.runner import Server


class ServeError(ManhattanError):
    """The server can't start."""


@with_server_flags
def serve(config: ConfigFile = None, **flags: object) -> None:
    """Start the game server: play in the browser, alone, with friends, or on one screen."""
    configuration = configure(flags, os.environ, config)
    options = configuration.build(ServerOptions)
    for warning in configuration.warnings:
        console(stderr=True).print(f"Warning: {warning}", soft_wrap=True, markup=False)
    import asyncio  # these modules take a second to load

    from manhattan.server.config import ServerConfig
    from manhattan.server.ops.logging import configure_logging
    from manhattan.server.runner import Server
    from manhattan.server.transport.client_address import TrustedProxies

    TrustedProxies(options.trusted_proxy)  # raises for a name that is too broad
    screen = console()
    has_access_log = not screen.is_terminal if options.access_log is None else options.access_log
    configure_logging(logging.INFO if has_access_log else logging.WARNING)
    host = ALL_INTERFACES if options.lan else options.host
    listener = _bind(host, options.port)
    urls = _urls(host, listener.getsockname()[1])
    asyncio.run(_check_database(options.database))
    with _locked(options.database):
        server = Server(configuration.build(ServerConfig))
        threading.Thread(
            target=_announce, args=(server, urls, options.browser), daemon=True
        ).start()
        with suppress(KeyboardInterrupt):
            server.run(listener)
    if not server.started:
        sys.exit(1)
    if screen.is_terminal:
        where = "" if "://" in options.database else f" in {options.database}"
        screen.print(Text(f"Stopped. All tables are saved{where}."), soft_wrap=True)


async def _check_database(database: str) -> None:
    """Open the database once, so that its errors are reported before clients connect."""
    from manhattan.server.storage import open_store

    store = await open_store(database)
    await store.close()


def _locked(database: str) -> AbstractContextManager[None]:
    """Lock an SQLite file against other servers. PostgreSQL may be shared."""
    from manhattan.server.storage.file_lock import exclusive_lock

    return nullcontext() if "://" in database else exclusive_lock(Path(database))


def _bind(host: str, port: int | None) -> socket.socket:
    """A socket bound to this port; without one, to the default port or any free one."""
    from manhattan.server.runner import bind

    for candidate in (DEFAULT_PORT, 0) if port is None else (port,):
        try:
            return bind(host, candidate)
        except OSError as error:
            in_use = error.errno == errno.EADDRINUSE
            if in_use and port is None:
                continue
            address = f"{host}:{candidate}"
            raise ServeError(
                f"Can't listen on {address}: the port is in use. Choose another with --port."
                if in_use
                else f"Can't listen on {address}: {error.strerror or error}."
            ) from error
    raise ServeError("There is no free port on this computer.")


class _Urls(NamedTuple):
    local: str
    network: str | None
    """For other devices on the same network, if they can connect."""
    is_loopback: bool


def _urls(host: str, port: int) -> _Urls:
    local = "127.0.0.1" if host in (ALL_INTERFACES, "::", "localhost") else host
    address = f"[{local}]" if ":" in local else local
    lan_address = _lan_address() if host in (ALL_INTERFACES, "::") else None
    network = lan_address and f"http://{lan_address}:{port}"
    is_loopback = host in ("::1", "localhost") or host.startswith("127.")
    return _Urls(f"http://{address}:{port}", network, is_loopback)


def _lan_address() -> str | None:
    """This computer's address on the local network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, suppress(OSError):
        probe.connect(("192.0.2.1", 9))  # sends nothing: it only chooses the interface
        address = str(probe.getsockname()[0])
        return None if address.startswith("127.") else address
    return None


def _announce(server: Server, urls: _Urls, browser: bool) -> None:
    """Print the URLs and open a browser, as soon as the server answers."""
    while not server.started:
        if server.stopped:
            return
        time.sleep(0.02)
    screen = console()
    screen.print(Text.assemble("Manhattan is running at ", (urls.local, "bold")), soft_wrap=True)
    if urls.network is None:
        if screen.is_terminal and urls.is_loopback:
            screen.print(
                "Only this computer can connect. For others in the room, start it with --lan:\n"
                "manhattan serve --lan, or make play ARGS=--lan",
                soft_wrap=True,
            )
    else:
        screen.print(
            Text.assemble("On the same network:    ", (urls.network, "bold")), soft_wrap=True
        )
        if screen.is_terminal:
            import segno

            segno.make(urls.network, micro=False).terminal(compact=True, border=2)
    if screen.is_terminal:
        screen.print("Press Ctrl-C to stop.")
    if browser and _has_display():
        webbrowser.open(urls.local)


def _has_display() -> bool:
    if not sys.stdout.isatty() or os.environ.get("SSH_CONNECTION"):
        return False
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
