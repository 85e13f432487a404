"""``manhattan bench``: measurements on this machine."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table as Grid

from manhattan.cli.files import check_place
from manhattan.cli.helping import Command, Group
from manhattan.cli.terminal import broken_off, console
from manhattan.figure import Figure
from manhattan.rules import ManhattanError
from manhattan.rules.setup import check_count

Counts = Annotated[
    list[int] | None, typer.Option("--players", "-p", help="Only for so many players.")
]
JsonFile = Annotated[Path | None, typer.Option("--json", help="Write the figures here, too.")]


class BenchError(ManhattanError):
    """Something can't be measured here."""


bench = typer.Typer(cls=Group, help="Measure the speed on this machine.", no_args_is_help=True)


@bench.callback()
def explain() -> None:
    """Measure the speed on this machine."""


@bench.command(cls=Command)
def kernel(
    players: Counts = None,
    games: Annotated[int, typer.Option("--games", "-g", min=100, help="Games a run.")] = 50_000,
    json_file: JsonFile = None,
    yardstick: Annotated[
        Path | None,
        typer.Option("--yardstick", help="A program to compare with: PLAYERS GAMES SEED RUNS."),
    ] = None,
    batched_yardstick: Annotated[
        Path | None,
        typer.Option("--batched-yardstick", help="One that plays many games at once."),
    ] = None,
) -> None:
    """How fast the compiled kernel plays: best of several runs, on one core."""
    from manhattan.kernel.speed import measure  # loading the compiler takes a second

    _show(measure(_counts(players), games, yardstick, batched_yardstick), json_file)


@bench.command(cls=Command)
def bots(
    players: Counts = None,
    trials: Annotated[
        int, typer.Option("--trials", "-t", min=1, help="Trials at each position.")
    ] = 3000,
    games: Annotated[
        int, typer.Option("--games", "-g", min=1, help="Games of each level with itself.")
    ] = 1,
    json_file: JsonFile = None,
) -> None:
    """How many trials a second a bot has while it thinks, and how long each level takes."""
    from manhattan.bots.speed import measure  # loading the compiler takes a second

    _show(measure(_counts(players), trials, games), json_file)


@bench.command(cls=Command)
def server(
    seconds: Annotated[
        float, typer.Option("--seconds", "-s", min=1, help="How long each run is measured.")
    ] = 20,
    tables: Annotated[int, typer.Option("--tables", "-t", min=1, help="Tables of two.")] = 50,
    peer: Annotated[
        bool,
        typer.Option("--peer", help="Measure boardgame.io beside it (needs node and npm)."),
    ] = False,
    idle: Annotated[
        bool, typer.Option("--idle", help="Only 500 tables and 2,000 websockets that do nothing.")
    ] = False,
    soak: Annotated[
        bool, typer.Option("--soak", help="Only whether memory stays flat, for five minutes.")
    ] = False,
    database: Annotated[
        str | None, typer.Option("--database", "-d", help="Another one than SQLite in a file.")
    ] = None,
    json_file: JsonFile = None,
) -> None:
    """How many moves a second the server carries: on one core, its players on another."""
    from manhattan.server.load import bench as load

    if idle:
        figures = load.idle()
    elif soak:
        figures = load.soak(database)
    else:
        figures = load.busy(tables, seconds, database, compared=peer)
    _show(figures, json_file)


@bench.command(cls=Command)
def envs(
    decisions: Annotated[
        int, typer.Option("--decisions", "-d", min=100, help="Decisions a run.")
    ] = 50_000,
    batch: Annotated[
        int, typer.Option("--batch", "-b", min=1, help="Games at once in the vectorised one.")
    ] = 1024,
    json_file: JsonFile = None,
) -> None:
    """How fast the environments for researchers are on one core, beside games of others."""
    try:
        from manhattan.envs import speed
        from manhattan.envs import vector as _  # noqa: F401 - is Gymnasium there?
    except ImportError as missing:
        raise BenchError(
            f"{missing.name} is not installed: pip install '.[rl]' in the folder of this project."
        ) from missing
    _show(speed.measure(decisions, batch), json_file)


def _counts(players: list[int] | None) -> list[int]:
    return [check_count(count) for count in players or [4, 3, 2]]


def _show(measured: Iterable[Figure], json_file: Path | None) -> None:
    """A table of figures, and how far they are while they are measured."""
    if json_file is not None:
        check_place(json_file)
    figures: dict[str, dict[str, float]] = {}
    grid = Grid("what", "players", "figure", "")
    whole = False
    screen = console(stderr=True)
    with suppress(KeyboardInterrupt), screen.status("Measuring ...") as status:
        for figure in measured:
            status.update(f"Measuring ... {figure.name} is done")
            figures.setdefault(figure.name, {})[str(figure.players or "all")] = figure.value
            value = f"{figure.value:,.0f}" if figure.value >= 100 else f"{figure.value:.2f}"
            grid.add_row(figure.name, str(figure.players or ""), value, figure.unit)
        whole = True
    if grid.row_count:
        console().print(grid)
    if json_file is not None:
        json_file.write_text(json.dumps(figures, indent=2) + "\n", "utf-8")
    if not whole:
        many = "1 figure" if grid.row_count == 1 else f"{grid.row_count} figures"
        broken_off(screen, f"after {many}")
