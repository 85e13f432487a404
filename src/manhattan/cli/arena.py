"""``manhattan arena``: bots against each other, measured."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Column
from rich.table import Table as Grid

from manhattan.arena import Match, Outcome, Standing, standings
from manhattan.arena.picture import draw, library
from manhattan.arena.playing import load
from manhattan.arena.spreading import Journal, code, play_all, play_all_with_ray
from manhattan.bots import BOTS
from manhattan.cli.files import check_place
from manhattan.cli.opponents import bot_names
from manhattan.cli.options import EditionId, HouseRules, house_rules
from manhattan.cli.terminal import broken_off, console
from manhattan.rules import DEFAULT_EDITION


def arena(
    bots: Annotated[
        str,
        typer.Option(
            "--bots",
            "-b",
            help=f"Names, with commas between: {', '.join(BOTS)}; or your own, module:function.",
        ),
    ],
    games: Annotated[int, typer.Option("--games", "-g", min=1, help="How many games.")] = 400,
    players: Annotated[
        int | None,
        typer.Option("--players", "-p", help="How many at a table; as many as bots if not told."),
    ] = None,
    edition: EditionId = DEFAULT_EDITION,
    house_rule: HouseRules = None,
    seed: Annotated[int, typer.Option("--seed", "-s", help="Same seed, same games.")] = 0,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write the figures here.")
    ] = None,
    plot: Annotated[Path | None, typer.Option("--plot", help="Draw them here, as a PNG.")] = None,
    journal: Annotated[
        Path | None,
        typer.Option("--journal", help="Keep every game here, and go on from what is there."),
    ] = None,
    workers: Annotated[
        int | None, typer.Option("--workers", "-w", min=1, help="Processes; one for each core.")
    ] = None,
    ray: Annotated[
        str | None, typer.Option("--ray", help="Spread over a Ray cluster: its address, or local.")
    ] = None,
) -> None:
    """Let bots play each other, every deal from every seat, and tell how strong they are."""
    names = tuple(bot_names(bots))
    seats = min(4, len(names)) if players is None else players
    match = Match(names, games, seats, edition, house_rules(house_rule), seed)
    for path in filter(None, (json_file, plot)):
        check_place(path)
    if plot:
        library()  # hours later is no time to learn that it is not there
    kept = Journal(journal, match) if journal else None
    outcomes, whole = _play(match, kept, workers, ray)
    _tell(match, outcomes, json_file, plot)
    if not whole:
        go_on = (
            "The same command goes on from here" if kept else "With --journal FILE it could go on"
        )
        broken_off(console(stderr=True), f"after {len(outcomes)} games. {go_on}")


def _play(
    match: Match, kept: Journal | None, workers: int | None, ray: str | None
) -> tuple[list[Outcome], bool]:
    """What the games came to that were kept or are played now; and were they all played?"""
    played = kept.read() if kept else []
    todo = range(len(played), match.deals)
    outcomes = [outcome for deal in played[: match.deals] for outcome in deal]
    try:
        if todo and not ray:
            load(match)  # what has to be compiled is compiled once, before all cores need it
        deals = play_all_with_ray(match, todo, ray) if ray else play_all(match, todo, workers)
        for deal in _watched(match, outcomes, deals):
            if kept:
                kept.add(deal)
    except KeyboardInterrupt:
        return outcomes, False
    return outcomes, True


def _tell(match: Match, outcomes: list[Outcome], json_file: Path | None, plot: Path | None) -> None:
    """The figures, on the screen and where else they are wanted."""
    if not outcomes:
        return
    found = standings(match, outcomes)
    console().print(_grid(match, found))
    if json_file:
        told = {**asdict(match), "games": len(outcomes), "code": code(match)}
        told["bots"] = [_told(s) for s in found]
        json_file.write_text(json.dumps(told, indent=2) + "\n", "utf-8")
    if plot:
        draw(match, len(outcomes), found, plot)


def _watched(
    match: Match, outcomes: list[Outcome], deals: Iterator[list[Outcome]]
) -> Iterator[list[Outcome]]:
    """Gather the outcomes, under a bar and a table that grow with them."""
    progress = Progress(
        TextColumn("Playing"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    )
    task = progress.add_task("games", total=match.deals * match.players, completed=len(outcomes))
    again = 0.0
    with Live(progress, console=console(stderr=True), transient=True) as screen:
        for deal in deals:
            outcomes += deal
            progress.advance(task, len(deal))
            begin = time.monotonic()
            if begin >= again:
                screen.update(Group(_grid(match, standings(match, outcomes)), progress))
                # Long matches have long tables to reckon: never more than a tenth of the time.
                again = begin + max(1.0, 10 * (time.monotonic() - begin))
            yield deal


def _grid(match: Match, found: list[Standing]) -> Grid:
    grid = Grid(Column("bot", overflow="fold"))
    for heading in ("wins", "95 %", "points", "rating", "ms a move", "games"):
        grid.add_column(heading, no_wrap=True)
    for s in found:
        if not s.games:
            grid.add_row(s.name, *"-----", "0")
            continue
        interval = f"{100 * s.low:.1f} to {100 * s.high:.1f}"
        figures = [f"{100 * s.win_share:.1f} %", interval, f"{s.mean_score:.1f}"]
        figures += [f"{s.rating:.1f}", f"{s.ms_per_move:.2f}", str(s.games)]
        grid.add_row(s.name, *figures)
    grid.caption = f"{match.players} players: {100 / match.players:.0f} % would be a fair share"
    return grid


def _told(standing: Standing) -> dict[str, object]:
    return {key: round(v, 6) if isinstance(v, float) else v for key, v in asdict(standing).items()}
