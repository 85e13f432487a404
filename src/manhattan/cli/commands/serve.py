"""``manhattan serve``: the game server, for browsers and programs."""

from __future__ import annotations

import errno
import logging
import os
import re
import socket
import sys
import threading
import time
import webbrowser
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

import typer
from rich.text import Text

from manhattan.cli.ui.options import Database, default_database
from manhattan.cli.ui.terminal import console
from manhattan.rules import ManhattanError

if TYPE_CHECKING:
    from manhattan.server.runner import Server

DEFAULT_PORT: Final = 8000
DEFAULT_PUSH_CONTACT: Final = "mailto:operator@localhost"
_PUSH_CONTACT: Final = re.compile(r"mailto:[^@\s]+@[^@\s]+|https://[^\s]+")
ALL_INTERFACES: Final = "0.0.0.0"  # noqa: S104 - so that phones on the same network can connect
_NETWORK, _BOTS, _OUTPUT = "Network", "Bots", "Browser and log"  # headings in the help


class ServeError(ManhattanError):
    """The server can't start."""


def serve(
    host: Annotated[
        str,
        typer.Option(
            help="Address to listen on. 127.0.0.1 accepts only this computer.",
            rich_help_panel=_NETWORK,
        ),
    ] = ALL_INTERFACES,
    port: Annotated[
        int | None,
        typer.Option(
            help="Port to listen on.",
            min=0,
            max=65535,
            show_default=f"{DEFAULT_PORT}, or any free port if that is in use",
            rich_help_panel=_NETWORK,
        ),
    ] = None,
    trusted_proxy: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESSES",
            help="Trust forwarded client addresses from this proxy. Several addresses or networks "
            "are separated by commas.",
            rich_help_panel=_NETWORK,
        ),
    ] = None,
    push_contact: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="How the push services of browsers reach you: mailto:you@example.org, or a web "
            "address. Some of them reject notifications without it.",
            rich_help_panel=_NETWORK,
        ),
    ] = DEFAULT_PUSH_CONTACT,
    public_metrics: Annotated[
        bool,
        typer.Option(
            "--public-metrics",
            help="Serve /metrics to everyone.",
            rich_help_panel=_NETWORK,
        ),
    ] = False,
    metrics_token: Annotated[
        str | None,
        typer.Option(
            metavar="TOKEN",
            help="Serve /metrics to clients that send this token.",
            rich_help_panel=_NETWORK,
        ),
    ] = None,
    allowed_host: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Host name of this server on the internet; may be repeated. Addresses and names "
            "of the local network are always allowed.",
            rich_help_panel=_NETWORK,
        ),
    ] = None,
    database: Database = None,
    redis: Annotated[
        str | None,
        typer.Option(
            help="Redis server (redis://…) that connects several processes on one PostgreSQL."
        ),
    ] = None,
    keep_games: Annotated[
        int | None,
        typer.Option(
            metavar="DAYS",
            min=1,
            help="Delete finished games and closed tables after this time.",
            show_default="never",
        ),
    ] = None,
    keep_people: Annotated[
        int | None,
        typer.Option(
            metavar="DAYS",
            min=1,
            help="Delete people without a game who have not been here for this time.",
            show_default="never",
        ),
    ] = None,
    bot_workers: Annotated[
        int,
        typer.Option(
            help="Number of processes that run bots and hints.",
            min=1,
            max=64,
            rich_help_panel=_BOTS,
        ),
    ] = 1,
    warm_up: Annotated[
        bool,
        typer.Option(
            help="Compile the code of Hard and Expert bots at startup.", rich_help_panel=_BOTS
        ),
    ] = True,
    browser: Annotated[
        bool,
        typer.Option(
            help="Open the game in a browser, if there is a display.", rich_help_panel=_OUTPUT
        ),
    ] = True,
    access_log: Annotated[
        bool | None,
        typer.Option(
            help="Log every request to stderr, as JSON lines.",
            show_default="only without a terminal",
            rich_help_panel=_OUTPUT,
        ),
    ] = None,
) -> None:
    """Start the game server: play in the browser, alone, with friends, or on one screen."""
    if not _PUSH_CONTACT.fullmatch(push_contact):
        raise typer.BadParameter(
            "Write it like mailto:you@example.org or https://example.org.",
            param_hint="--push-contact",
        )
    import asyncio  # these modules take a second to load

    from manhattan.server.config import ServerConfig
    from manhattan.server.ops.logging import configure_logging
    from manhattan.server.runner import Server
    from manhattan.server.transport.client_address import TrustedProxies

    _check_redis(database, redis)
    TrustedProxies(trusted_proxy)  # raises for a name that is too broad
    screen = console()
    if access_log is None:
        access_log = not screen.is_terminal
    configure_logging(logging.INFO if access_log else logging.WARNING)
    listener = _bind(host, port)
    bound_port = listener.getsockname()[1]
    database = database or str(default_database())
    asyncio.run(_check_database(database))
    config = ServerConfig(
        database,
        redis,
        bot_workers,
        warm_up,
        push_contact=push_contact,
        public_metrics=public_metrics,
        metrics_token=metrics_token,
        allowed_hosts=tuple(allowed_host or ()),
        keep_games_days=keep_games,
        keep_people_days=keep_people,
        trusted_proxies=trusted_proxy,
    )
    with _locked(database):
        server = Server(config)
        urls = _urls(host, bound_port)
        threading.Thread(target=_announce, args=(server, urls, browser), daemon=True).start()
        with suppress(KeyboardInterrupt):
            server.run(listener)
    if not server.started:
        sys.exit(1)
    if screen.is_terminal:
        where = "" if "://" in database else f" in {database}"
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


def _check_redis(database: str | None, redis: str | None) -> None:
    is_postgres = database is not None and database.startswith(("postgresql://", "postgres://"))
    if redis is not None and not is_postgres:
        raise ServeError(
            "--redis connects processes that share a PostgreSQL database. Add --database "
            "postgresql://…, or remove --redis."
        )


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


def _urls(host: str, port: int) -> _Urls:
    local = "127.0.0.1" if host in (ALL_INTERFACES, "::", "localhost") else host
    address = f"[{local}]" if ":" in local else local
    lan_address = _lan_address() if host in (ALL_INTERFACES, "::") else None
    return _Urls(f"http://{address}:{port}", lan_address and f"http://{lan_address}:{port}")


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
    if urls.network is not None:
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
