"""``manhattan backup``: everything that is kept, in a file, while people play."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from manhattan import record
from manhattan.cli.files import check_new
from manhattan.cli.serve import Database, ServeError, usual_database
from manhattan.cli.terminal import console

if TYPE_CHECKING:
    from manhattan.server.store.keeping import Kept


def backup(
    to: Annotated[
        str,
        typer.Argument(
            help="A new file, with which a server can be started; or an empty postgresql://…"
        ),
    ],
    database: Database = None,
    games: Annotated[
        bool, typer.Option("--games", help="Only the finished games, as records, one a line.")
    ] = False,
) -> None:
    """Copy all tables into a file, also while the server runs."""
    import asyncio  # other commands need not wait for it

    source = database or str(usual_database())
    if "://" not in source and not Path(source).exists():
        raise ServeError(f"There are no tables at {source}.")
    if games or "://" not in to:
        check_new(Path(to))
    told = _write_games(source, to) if games else asyncio.run(_copied(source, to))
    console(stderr=True).print(told, soft_wrap=True)


async def _copied(source: str, to: str) -> str:
    from manhattan.server.store.backup import back_up

    counts: dict[str, int] = {}
    with console(stderr=True).status("Copying ...") as status:
        async with aclosing(back_up(source, to)) as copying:
            async for part, done in copying:
                counts[part] = done
                status.update(f"Copying {part}: {done:,} ...")
    return f"{counts.get('tables', 0):,} tables with {counts.get('entries', 0):,} entries copied."


def _write_games(source: str, to: str) -> str:
    import asyncio

    found = asyncio.run(_records(source))
    count = record.write(to, found)
    return f"{count:,} finished games written to {to}."


async def _records(source: str) -> list[dict[str, Any]]:
    from manhattan.server.store import open_store

    store = await open_store(source)
    try:
        async with store.snapshot() as kept:
            return [told async for told in _finished(kept)]
    finally:
        await store.close()


async def _finished(kept: Kept) -> AsyncIterator[dict[str, Any]]:
    from manhattan.server.entries import from_text
    from manhattan.server.folding import folded

    rows = await kept.read("SELECT id FROM tables WHERE stage = 'over' ORDER BY opened_at")
    for (table,) in rows:
        sitting = folded(table, map(from_text, await kept.entries(table)))
        if sitting is not None and sitting.game is not None:
            yield record.to_json(sitting.game)
