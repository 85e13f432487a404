"""``manhattan arena``: a tournament between bots."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Group
from rich.live import Live
from rich.table import Column
from rich.table import Table as Grid

from manhattan.arena import Match, Outcome, Standing, standings
from manhattan.arena.chart import draw_chart, load_figure_class
from manhattan.arena.distributed import play_deals, play_deals_on_ray
from manhattan.arena.journal import Journal, code_digest
from manhattan.arena.runner import warm_up_bots
from manhattan.bots import BOTS
from manhattan.cli.ui.bot_options import parse_bot_names
from manhattan.cli.ui.options import (
    EditionId,
    HouseRules,
    JsonFile,
    Ray,
    Workers,
)
from manhattan.cli.ui.output_files import STDOUT, check_writable, write_json
from manhattan.cli.ui.progress import progress_bar
from manhattan.cli.ui.terminal import console, exit_interrupted
from manhattan.rules import DEFAULT_EDITION
from manhattan.rules.editions import parse_house_rules


def arena(
    bots: Annotated[
        str,
        typer.Option(
            "--bots",
            "-b",
            help=f"Bots, separated by commas: {', '.join(BOTS)}; or your own as module:function.",
        ),
    ],
    games: Annotated[int, typer.Option("--games", "-g", min=1, help="Number of games.")] = 400,
    players: Annotated[
        int | None,
        typer.Option(
            "--players",
            "-p",
            help="Players per table.",
            show_default="the number of bots, at most 4",
        ),
    ] = None,
    edition: EditionId = DEFAULT_EDITION,
    house_rule: HouseRules = None,
    seed: Annotated[
        int, typer.Option("--seed", "-s", help="Random seed: the same seed gives the same games.")
    ] = 0,
    seconds: Annotated[
        float | None,
        typer.Option(
            "--seconds",
            help="Time of every bot for each move, in place of its own budget of rollouts.",
            show_default=False,
        ),
    ] = None,
    json_file: JsonFile = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", help="Draw the results as a PNG file.")
    ] = None,
    journal: Annotated[
        Path | None,
        typer.Option(
            "--journal", help="Record every game in this file, and continue from what it holds."
        ),
    ] = None,
    workers: Workers = None,
    ray: Ray = None,
) -> None:
    """Let bots play each other, every deal from every seat, and rank them by strength."""
    names = tuple(parse_bot_names(bots))
    table_size = min(4, len(names)) if players is None else players
    match = Match(
        names, games, table_size, edition, parse_house_rules(house_rule or []), seed, seconds
    )
    for path in filter(None, (json_file, plot)):
        check_writable(path)
    if plot:
        load_figure_class()  # fail now, not after hours of play
    match_journal = Journal(journal, match) if journal else None
    outcomes, completed = _play(match, match_journal, workers, ray)
    _report(match, outcomes, json_file, plot)
    if not completed:
        advice = (
            "Run the same command to continue"
            if match_journal
            else "With --journal FILE, a match can be continued"
        )
        exit_interrupted(console(stderr=True), f"after {len(outcomes)} games. {advice}")


def _play(
    match: Match, journal: Journal | None, workers: int | None, ray: str | None
) -> tuple[list[Outcome], bool]:
    """The outcomes of all games, from the journal or played now; and whether all were played."""
    recorded = journal.read() if journal else []
    deals = range(len(recorded), match.deals)
    outcomes = [outcome for deal in recorded[: match.deals] for outcome in deal]
    try:
        if deals and not ray:
            warm_up_bots(match)  # compiles what is needed once, before all cores need it
        played = play_deals_on_ray(match, deals, ray) if ray else play_deals(match, deals, workers)
        for deal in _with_progress(match, outcomes, played):
            if journal:
                journal.add(deal)
    except KeyboardInterrupt:
        return outcomes, False
    return outcomes, True


def _report(
    match: Match, outcomes: list[Outcome], json_file: Path | None, plot: Path | None
) -> None:
    """Print the standings, and write them to the files."""
    if not outcomes:
        return
    ranking = standings(match, outcomes)
    console(stderr=json_file == STDOUT).print(_as_grid(match, ranking))
    if json_file:
        report = {**asdict(match), "games": len(outcomes), "code": code_digest(match)}
        report["bots"] = [_rounded(standing) for standing in ranking]
        write_json(json_file, report)
    if plot:
        draw_chart(match, len(outcomes), ranking, plot)


def _with_progress(
    match: Match, outcomes: list[Outcome], deals: Iterator[list[Outcome]]
) -> Iterator[list[Outcome]]:
    """Collect the outcomes, under a progress bar and a table of the standings so far."""
    progress = progress_bar()
    task = progress.add_task("Playing", total=match.deals * match.players, completed=len(outcomes))
    next_update = 0.0
    with Live(progress, console=console(stderr=True), transient=True) as screen:
        for deal in deals:
            outcomes += deal
            progress.advance(task, len(deal))
            now = time.monotonic()
            if now >= next_update:
                screen.update(Group(_as_grid(match, standings(match, outcomes)), progress))
                # The standings of a long match take time: spend at most a tenth of it on them.
                next_update = now + max(1.0, 10 * (time.monotonic() - now))
            yield deal


def _as_grid(match: Match, ranking: list[Standing]) -> Grid:
    grid = Grid(Column("bot", overflow="fold"))
    for heading in ("wins", "95 %", "points", "rating", "ms/move", "games"):
        grid.add_column(heading, no_wrap=True)
    for s in ranking:
        if not s.games:
            grid.add_row(s.name, *"-----", "0")
            continue
        interval = f"{100 * s.low:.1f} to {100 * s.high:.1f}"
        figures = [f"{100 * s.win_share:.1f} %", interval, f"{s.mean_score:.1f}"]
        figures += [f"{s.rating:.1f}", f"{s.ms_per_move:.2f}", str(s.games)]
        grid.add_row(s.name, *figures)
    grid.caption = f"{match.players} players: a fair share is {100 / match.players:.0f} %"
    return grid


def _rounded(standing: Standing) -> dict[str, object]:
    return {key: round(v, 6) if isinstance(v, float) else v for key, v in asdict(standing).items()}
