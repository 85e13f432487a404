"""``manhattan serve``: tables on the network."""

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
from typing import TYPE_CHECKING, Annotated, Final

import platformdirs
import typer
from rich.text import Text

from manhattan.cli.terminal import console
from manhattan.rules import ManhattanError

if TYPE_CHECKING:
    import uvicorn

USUAL_PORT: Final = 8000
EVERYWHERE: Final = "0.0.0.0"  # noqa: S104 - so that phones in the same room can come


class ServeError(ManhattanError):
    """A server that can't be started."""


def usual_database() -> Path:
    """Where this user's tables are kept."""
    return platformdirs.user_data_path("manhattan", appauthor=False) / "tables.db"


Database = Annotated[
    str | None,
    typer.Option(
        "--database",
        "-d",
        help="Where tables are kept: a file for SQLite, or postgresql://…",
        show_default="a file in your data folder",
    ),
]


def serve(
    host: Annotated[
        str, typer.Option(help="Who may come: 127.0.0.1 is this computer alone.")
    ] = EVERYWHERE,
    port: Annotated[
        int | None,
        typer.Option(
            help="Where.", min=0, max=65535, show_default=f"{USUAL_PORT}, or another if it is taken"
        ),
    ] = None,
    database: Database = None,
    redis: Annotated[
        str | None,
        typer.Option(help="redis://… carries the news where several processes share tables."),
    ] = None,
    thinkers: Annotated[
        int, typer.Option(help="Processes in which bots think.", min=1, max=64)
    ] = 1,
    warm: Annotated[
        bool, typer.Option(help="Compile at once what Hard and Expert bots need, if it is not.")
    ] = True,
    proxy: Annotated[
        str | None,
        typer.Option(help="Addresses of proxies whose word for a visitor's address is taken."),
    ] = None,
    public_metrics: Annotated[
        bool,
        typer.Option(
            "--public-metrics", help="Show /metrics to everybody, not to this computer alone."
        ),
    ] = False,
    browser: Annotated[bool, typer.Option(help="Open a browser, where there is a screen.")] = True,
    log: Annotated[
        bool | None,
        typer.Option(help="Tell every request.", show_default="unless this is a terminal"),
    ] = None,
) -> None:
    """Serve tables: play in the browser, alone, with friends, or around one screen."""
    import asyncio  # these take a second to load

    from manhattan.server.app import Settings
    from manhattan.server.logs import write_logs
    from manhattan.server.running import server

    _check_cluster(database, redis)
    screen = console()
    detailed = not screen.is_terminal if log is None else log
    write_logs(logging.INFO if detailed else logging.WARNING)
    door = _door(host, port)
    found = door.getsockname()[1]
    kept = database or str(usual_database())
    asyncio.run(_check(kept))
    settings = Settings(kept, redis, thinkers, warm, public_metrics=public_metrics)
    with _claimed(kept):
        up = server(settings, host, found, trusted_proxies=proxy)
        addresses = _addresses(host, found)
        threading.Thread(target=_welcome, args=(up, addresses, browser), daemon=True).start()
        with suppress(KeyboardInterrupt):
            up.run(sockets=[door])
    if not up.started:
        sys.exit(1)
    if screen.is_terminal:
        where = "." if "://" in kept else f" in {kept}."
        screen.print(Text(f"Goodbye. Every table is kept{where}"), soft_wrap=True)


async def _check(database: str) -> None:
    """What is wrong with a database is told before anybody comes."""
    from manhattan.server.store import open_store

    store = await open_store(database)
    await store.close()


def _claimed(database: str) -> AbstractContextManager[None]:
    """Nobody else serves these tables, or he shares them by PostgreSQL."""
    from manhattan.server.store.claiming import claimed

    return nullcontext() if "://" in database else claimed(Path(database))


def _check_cluster(database: str | None, redis: str | None) -> None:
    postgres = database is not None and database.startswith(("postgresql://", "postgres://"))
    if redis is not None and not postgres:
        raise ServeError(
            "Redis carries news between processes that share a PostgreSQL: say --database "
            "postgresql://…, too, or leave --redis out."
        )


def _door(host: str, port: int | None) -> socket.socket:
    """A socket that listens: where it was asked for, or where it is usual or free."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for wanted in (USUAL_PORT, 0) if port is None else (port,):
        door = socket.socket(family, socket.SOCK_STREAM)
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            door.bind((host, wanted))
            door.listen(2048)
        except OSError as error:
            door.close()
            if error.errno == errno.EADDRINUSE and port is None:
                continue
            told = "is taken by another program" if error.errno == errno.EADDRINUSE else ""
            raise ServeError(
                f"Nobody can come to {host}, port {wanted}: it {told}. Choose another with --port."
                if told
                else f"Nobody can come to {host}, port {wanted}: {error.strerror or error}."
            ) from error
        door.setblocking(False)
        return door
    raise ServeError("There is no free port on this machine.")


def _addresses(host: str, port: int) -> tuple[str, str | None]:
    """How to come from this computer, and from others in the same room."""
    here = "127.0.0.1" if host in (EVERYWHERE, "::", "localhost") else host
    named = f"[{here}]" if ":" in here else here
    others = _own_address() if host in (EVERYWHERE, "::") else None
    return f"http://{named}:{port}", others and f"http://{others}:{port}"


def _own_address() -> str | None:
    """What others in the same network call this computer."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked, suppress(OSError):
        asked.connect(("192.0.2.1", 9))  # sends nothing: it only chooses a way
        found = str(asked.getsockname()[0])
        return None if found.startswith("127.") else found
    return None


def _welcome(up: uvicorn.Server, addresses: tuple[str, str | None], browser: bool) -> None:
    """Tell people where to go, once somebody is there to answer."""
    while not up.started:
        if up.should_exit:
            return
        time.sleep(0.02)
    here, others = addresses
    screen = console()
    screen.print(Text.assemble("Manhattan is open: ", (here, "bold")), soft_wrap=True)
    if others is not None:
        screen.print(Text.assemble("In the same room:  ", (others, "bold")), soft_wrap=True)
        if screen.is_terminal:
            import segno

            segno.make(others, micro=False).terminal(compact=True, border=2)
    if screen.is_terminal:
        screen.print("Ctrl-C closes it.")
    if browser and _has_screen():
        webbrowser.open(here)


def _has_screen() -> bool:
    if not sys.stdout.isatty() or os.environ.get("SSH_CONNECTION"):
        return False
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
