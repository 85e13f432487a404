"""``manhattan backup``: a consistent copy of the database, while the server runs."""

from __future__ import annotations

from contextlib import aclosing
from pathlib import Path
from typing import Annotated

import typer

from manhattan import record
from manhattan.cli.ui.output_files import check_new
from manhattan.cli.ui.server_flags import ConfigFile, Database, chosen_options
from manhattan.cli.ui.terminal import console
from manhattan.rules import ManhattanError
from manhattan.server.options import has_password


class BackupError(ManhattanError):
    """There is nothing to back up."""


def backup(
    to: Annotated[
        str,
        typer.Argument(
            help="New file, which a server can use as its database; or postgresql://… of an "
            "empty database."
        ),
    ],
    database: Database = None,
    config: ConfigFile = None,
    games: Annotated[
        bool,
        typer.Option(
            "--games", help="Export the finished games instead, as records, one per line."
        ),
    ] = False,
) -> None:
    """Back up all tables, while the server runs or not."""
    import asyncio  # takes time to load

    if has_password(to):
        raise BackupError(
            "The address of the copy contains a password, and every user of this computer can "
            "read it in the list of processes. Leave it out, and set it as PGPASSWORD or in the "
            "file ~/.pgpass."
        )
    source = chosen_options(database, config).database
    if "://" not in source and not Path(source).exists():
        raise BackupError(
            f"There is no database at {source}. Name one with --database or --config."
        )
    if games or "://" not in to:
        check_new(Path(to))
    report = _export_games(source, to) if games else asyncio.run(_copy(source, to))
    console(stderr=True).print(report, soft_wrap=True)


async def _copy(source: str, to: str) -> str:
    from manhattan.server.storage.backup import back_up

    counts: dict[str, int] = {}
    with console(stderr=True).status("Copying…") as status:
        async with aclosing(back_up(source, to)) as copying:
            async for part, done in copying:
                counts[part] = done
                status.update(f"Copying {part}: {done:,}…")
    tables, events = (counts.get(name, 0) for name in ("tables", "events"))
    return f"Copied {_counted(tables, 'table')} with {_counted(events, 'event')}."


def _export_games(source: str, to: str) -> str:
    import asyncio

    from manhattan.server.storage.export import export_finished_games

    count = record.write(to, asyncio.run(export_finished_games(source)))
    return f"Wrote {_counted(count, 'finished game')} to {to}."


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
