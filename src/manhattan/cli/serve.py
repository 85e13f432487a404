"""``manhattan serve``: tables on the network."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import platformdirs
import typer

from manhattan.rules import ManhattanError


class ServeError(ManhattanError):
    """A server that can't be started."""


def data_folder() -> Path:
    """Where this user's tables are kept."""
    return platformdirs.user_data_path("manhattan", appauthor=False)


def serve(
    host: Annotated[
        str, typer.Option(help="Who may come: 0.0.0.0 is the whole network.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Where.", min=0, max=65535)] = 8000,
    database: Annotated[
        str | None,
        typer.Option(
            help="Where tables are kept: a file for SQLite, or postgresql://…",
            show_default="a file in your data folder",
        ),
    ] = None,
    redis: Annotated[
        str | None,
        typer.Option(help="redis://… carries the news where several processes share tables."),
    ] = None,
    thinkers: Annotated[
        int, typer.Option(help="Processes in which bots think.", min=1, max=64)
    ] = 1,
    proxy: Annotated[
        str | None,
        typer.Option(help="Addresses of proxies whose word for a visitor's address is taken."),
    ] = None,
) -> None:
    """Serve tables: play in the browser, alone, with friends, or around one screen."""
    from manhattan.server.app import Settings  # these take a second to load
    from manhattan.server.logs import write_logs
    from manhattan.server.running import server

    write_logs()
    kept = database or str(data_folder() / "tables.db")
    server(Settings(kept, redis, thinkers), host, port, trusted_proxies=proxy).run()
