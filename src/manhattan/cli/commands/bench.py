"""``manhattan bench``: benchmarks on this computer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table as Grid

from manhattan.bench.measurement import Measurement
from manhattan.cli.ui.bot_options import parse_bot_names
from manhattan.cli.ui.help_format import Command, Group
from manhattan.cli.ui.options import JsonFile, Workers
from manhattan.cli.ui.output_files import STDOUT, check_writable, write_json
from manhattan.cli.ui.progress import progress_bar
from manhattan.cli.ui.terminal import console, exit_interrupted
from manhattan.rules import ManhattanError
from manhattan.rules.setup import check_player_count

PlayerCounts = Annotated[
    list[int] | None,
    typer.Option(
        "--players",
        "-p",
        help="Number of players to measure (repeat for more).",
        show_default="4, 3 and 2",
    ),
]


_NOT_INSTALLED = "{} is not installed. Run: pip install '.[rl]' in the project's folder."


class BenchError(ManhattanError):
    """A benchmark that can't run here."""


bench = typer.Typer(
    cls=Group, help="Measure the speed of this program on this computer.", no_args_is_help=True
)


@bench.callback()
def _describe() -> None:
    """Measure the speed of this program on this computer."""


@bench.command(cls=Command)
def rules(
    players: PlayerCounts = None,
    games: Annotated[
        int, typer.Option("--games", "-g", min=1, help="Number of games per run.")
    ] = 100,
    json_file: JsonFile = None,
) -> None:
    """Measure the readable rules: random games per second, beside a fixed piece of Python."""
    from manhattan.bench.rules import measure

    _report(measure(_checked(players), games), json_file)


@bench.command(cls=Command)
def kernel(
    players: PlayerCounts = None,
    games: Annotated[
        int, typer.Option("--games", "-g", min=100, help="Number of games per run.")
    ] = 50_000,
    json_file: JsonFile = None,
    yardstick: Annotated[
        Path | None,
        typer.Option(
            "--yardstick",
            help="Program to compare with, called with PLAYERS GAMES SEED RUNS. It prints "
            "games_per_s=….",
        ),
    ] = None,
) -> None:
    """Measure the compiled kernel: games per second on one core, the best of several runs."""
    from manhattan.bench.kernel import measure  # loading the compiler takes a second

    _report(measure(_checked(players), games, yardstick), json_file)


@bench.command(cls=Command)
def bots(
    players: PlayerCounts = None,
    rollouts: Annotated[
        int, typer.Option("--rollouts", "-n", min=1, help="Number of rollouts per position.")
    ] = 3000,
    games: Annotated[
        int,
        typer.Option(
            "--games", "-g", min=1, help="Number of games that each level plays against itself."
        ),
    ] = 1,
    json_file: JsonFile = None,
) -> None:
    """Measure the bots: rollouts per second in a search, and the time per move of each level."""
    from manhattan.bench.bots import measure  # loading the compiler takes a second

    _report(measure(_checked(players), rollouts, games), json_file)


@bench.command(cls=Command)
def calibration(
    bots: Annotated[
        str,
        typer.Option("--bots", "-b", help="The bots of a table, separated by commas."),
    ] = "champion,champion,champion,champion",
    games: Annotated[int, typer.Option("--games", "-g", min=1, help="Number of games.")] = 300,
    positions: Annotated[
        int, typer.Option("--positions", min=1, max=20, help="Evaluations in each game.")
    ] = 8,
    rollouts: Annotated[
        int,
        typer.Option(
            "--rollouts", "-n", min=1, help="Rollouts of each evaluation and of each bot's move."
        ),
    ] = 300,
    workers: Workers = None,
    json_file: JsonFile = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", help="Draw the calibration as a PNG file.")
    ] = None,
) -> None:
    """Measure whether the win probabilities of evaluations come true in games between bots."""
    from manhattan.bench.calibration import collect, draw, summarize
    from manhattan.bots import bot

    names = parse_bot_names(bots)
    check_player_count(len(names))
    for name in names:
        bot(name)
    if plot:
        check_writable(plot)
    samples = []
    with progress_bar(console(stderr=True)) as progress:
        task = progress.add_task("Games", total=games)
        for part in collect(names, games, positions, rollouts, workers):
            samples += part
            progress.advance(task)
    _report(summarize(len(names), samples), json_file)
    if plot:
        draw(samples, f"{', '.join(names)}: {len(samples)} positions", plot)


@bench.command(cls=Command)
def endgame(
    bot: Annotated[str, typer.Option("--bot", "-b", help="The bot.")] = "champion",
    players: PlayerCounts = None,
    games: Annotated[int, typer.Option("--games", "-g", min=1, help="Number of games.")] = 100,
    rollouts: Annotated[
        int, typer.Option("--rollouts", "-n", min=1, help="Rollouts of each move.")
    ] = 3000,
    workers: Workers = None,
    json_file: JsonFile = None,
) -> None:
    """Measure what a bot's last four placements of a game lose against near-exact play."""
    from manhattan.bench.endgame import Loss, collect, summarize

    (name,) = parse_bot_names(bot)
    counts = _checked(players)
    figures: list[Measurement] = []
    with progress_bar(console(stderr=True)) as progress:
        task = progress.add_task("Games", total=games * len(counts))
        for count in counts:
            losses: list[Loss] = []
            for part in collect(name, count, games, rollouts, workers):
                losses += part
                progress.advance(task)
            figures += summarize(count, losses)
    _report(figures, json_file)


@bench.command(cls=Command)
def ismcts(
    players: PlayerCounts = None,
    games: Annotated[int, typer.Option("--games", "-g", min=1, help="Number of games.")] = 400,
    seconds: Annotated[
        float, typer.Option("--seconds", "-s", min=0.001, help="Time for each move.")
    ] = 0.04,
    workers: Workers = None,
    json_file: JsonFile = None,
) -> None:
    """Measure Champion's search against OpenSpiel's information-set Monte Carlo tree search."""
    try:
        from manhattan.bench.ismcts import measure, summarize
    except ImportError as missing:
        raise BenchError(_NOT_INSTALLED.format(missing.name)) from missing
    counts = _checked(players)
    figures: list[Measurement] = []
    with progress_bar(console(stderr=True)) as progress:
        task = progress.add_task("Games", total=games * len(counts))
        for count in counts:
            shares = []
            for share in measure(count, games, seconds, workers):
                shares.append(share)
                progress.advance(task)
            figures += summarize(count, shares)
    _report(figures, json_file)


@bench.command(cls=Command)
def server(
    seconds: Annotated[
        float, typer.Option("--seconds", "-s", min=1, help="Duration of each run.")
    ] = 20,
    tables: Annotated[
        int, typer.Option("--tables", "-t", min=1, help="Number of tables, with two players each.")
    ] = 50,
    peer: Annotated[
        bool,
        typer.Option(
            "--peer", help="Measure boardgame.io in the same run (needs node, npm and a checkout)."
        ),
    ] = False,
    idle: Annotated[
        bool,
        typer.Option("--idle", help="Measure only 500 idle tables with 2,000 websockets."),
    ] = False,
    soak: Annotated[
        bool,
        typer.Option("--soak", help="Measure only the memory, during five minutes of play."),
    ] = False,
    database: Annotated[
        str | None,
        typer.Option(
            "--database", "-d", help="Database to use.", show_default="a temporary SQLite file"
        ),
    ] = None,
    json_file: JsonFile = None,
) -> None:
    """Measure the server: durable moves per second on one core, with the clients on another."""
    from manhattan.bench.server import report as load

    if idle:
        measurements = load.idle()
    elif soak:
        measurements = load.soak(database)
    else:
        measurements = load.busy(tables, seconds, database, with_peer=peer)
    _report(measurements, json_file)


@bench.command(cls=Command)
def scale(
    database: Annotated[
        str, typer.Option("--database", "-d", help="Empty database: a file, or postgresql://….")
    ],
    redis: Annotated[
        str | None, typer.Option("--redis", help="Message bus; needed for several processes.")
    ] = None,
    tables: Annotated[
        int, typer.Option("--tables", "-t", min=1, help="Number of tables.")
    ] = 10_000,
    playing: Annotated[
        int, typer.Option("--playing", min=1, help="Number of tables at which two people play.")
    ] = 1000,
    spectators: Annotated[
        int, typer.Option("--spectators", min=0, help="Number of spectators in all.")
    ] = 1000,
    processes: Annotated[
        int, typer.Option("--processes", "-p", min=1, help="Number of server processes.")
    ] = 3,
    seconds: Annotated[float, typer.Option("--seconds", "-s", min=1, help="Duration.")] = 60,
    json_file: JsonFile = None,
) -> None:
    """Measure many tables over several processes that share a database and a message bus.

    People take 5 to 15 seconds for a move. The players run on this computer, too."""
    from manhattan.bench.server.scale import Load, measure_scale

    if processes > 1 and redis is None:
        raise BenchError("Several processes need a message bus: add --redis redis://…")
    load = Load(max(tables, playing), playing, spectators, processes, seconds)
    _report(measure_scale(load, database, redis), json_file)


@bench.command(cls=Command)
def capacity(
    tables: Annotated[
        int, typer.Option("--tables", "-t", min=1, help="Tables in play at the busiest time.")
    ] = 10_000,
    move_every: Annotated[
        float, typer.Option("--move-every", min=0.1, help="Seconds between moves at a table.")
    ] = 10,
    spectators: Annotated[
        float, typer.Option("--spectators", min=0, help="Spectators of each table.")
    ] = 1,
    commits: Annotated[
        int,
        typer.Option("--commits", min=1, help="Commits that the database works on at a time."),
    ] = 4,
    seconds: Annotated[
        float, typer.Option("--seconds", "-s", min=1, help="Duration of each measurement.")
    ] = 10,
    database: Annotated[
        str | None,
        typer.Option(
            "--database",
            "-d",
            help="Database whose commits are measured.",
            show_default="a temporary SQLite file",
        ),
    ] = None,
    json_file: JsonFile = None,
) -> None:
    """Measure what a table, a spectator, a move and a game cost, and simulate larger installations.

    Every process of the simulation has a core of its own."""
    from manhattan.bench.server.capacity import Demand, plan
    from manhattan.bench.server.costs import costs_of, measure_costs

    def figures() -> Iterator[Measurement]:
        measured = []
        for figure in measure_costs(seconds, database):
            measured.append(figure)
            yield figure
        yield from plan(costs_of(measured), Demand(tables, move_every, spectators), commits)

    _report(figures(), json_file)


@bench.command(cls=Command)
def envs(
    decisions: Annotated[
        int, typer.Option("--decisions", "-d", min=100, help="Number of decisions per run.")
    ] = 50_000,
    batch: Annotated[
        int, typer.Option("--batch", "-b", min=1, help="Batch size of the vector environment.")
    ] = 1024,
    json_file: JsonFile = None,
) -> None:
    """Measure the research environments: decisions per second on one core, beside other games."""
    try:
        from manhattan.bench import envs as speed
        from manhattan.envs import vector_env as _  # noqa: F401 - is Gymnasium installed?
    except ImportError as missing:
        raise BenchError(_NOT_INSTALLED.format(missing.name)) from missing
    _report(speed.measure(decisions, batch), json_file)


@bench.command(cls=Command)
def page(
    reports: Annotated[
        Path | None,
        typer.Option(
            "--reports", metavar="FOLDER", help="Keep Lighthouse's reports in this folder."
        ),
    ] = None,
    json_file: JsonFile = None,
) -> None:
    """Measure the page with Lighthouse: home page and table, on a phone and a desktop.

    Needs Chromium and npm, and the network once."""
    from manhattan.bench.page import measure

    _report(measure(reports), json_file)


def _checked(players: list[int] | None) -> list[int]:
    return [check_player_count(count) for count in players or [4, 3, 2]]


def _report(measurements: Iterable[Measurement], json_file: Path | None) -> None:
    """Print the figures as a table, with a status line while they are measured."""
    if json_file is not None:
        check_writable(json_file)
    figures: dict[str, dict[str, float]] = {}
    grid = Grid("benchmark", "players", "value", "unit")
    completed = False
    screen = console(stderr=True)
    with suppress(KeyboardInterrupt), screen.status("Measuring…") as status:
        for figure in measurements:
            status.update(f"Measuring… {figure.name} is done")
            figures.setdefault(figure.name, {})[str(figure.players or "all")] = figure.value
            digits = 0 if figure.value >= 100 else 2 if abs(figure.value) >= 1 else 4
            value = f"{figure.value:,.{digits}f}"
            grid.add_row(figure.name, str(figure.players or ""), value, figure.unit)
        completed = True
    if grid.row_count:
        console(stderr=json_file == STDOUT).print(grid)
    if json_file is not None:
        write_json(json_file, figures)
    if not completed:
        count = "1 measurement" if grid.row_count == 1 else f"{grid.row_count} measurements"
        exit_interrupted(screen, f"after {count}")
