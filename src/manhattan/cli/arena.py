"""``manhattan arena``: bots against each other, measured."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table as Grid

from manhattan.arena import Match, Outcome, Standing, standings
from manhattan.arena.spreading import Journal, play_all, play_all_with_ray
from manhattan.bots import BOTS
from manhattan.cli.opponents import bot_names
from manhattan.cli.options import EditionId, HouseRules, house_rules
from manhattan.cli.terminal import console
from manhattan.rules import DEFAULT_EDITION


def arena(
    bots: Annotated[
        str,
        typer.Option("--bots", "-b", help=f"Names, with commas between: {', '.join(BOTS)}."),
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
    match = Match(
        names, games, players or min(4, len(names)), edition, house_rules(house_rule), seed
    )
    kept = Journal(journal, match) if journal else None
    played = kept.read()[: match.deals] if kept else []
    if kept:
        kept.begin(played)
    todo = range(len(played), match.deals)
    deals = play_all_with_ray(match, todo, ray) if ray else play_all(match, todo, workers)
    outcomes = [outcome for deal in played for outcome in deal]
    for deal in _watched(match, outcomes, deals):
        if kept:
            kept.add(deal)
    found = standings(match, outcomes)
    console().print(_grid(match, found))
    if json_file:
        told = {**asdict(match), "games": len(outcomes), "bots": [_told(s) for s in found]}
        json_file.write_text(json.dumps(told, indent=2) + "\n", "utf-8")
    if plot:
        from manhattan.arena.picture import draw  # its library takes a second to load

        draw(match, found, plot)


def _watched(
    match: Match, outcomes: list[Outcome], deals: Iterator[list[Outcome]]
) -> Iterator[list[Outcome]]:
    """Gather the outcomes, under a bar and a table that grow with them."""
    progress = Progress(
        TextColumn("Playing"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    )
    task = progress.add_task("games", total=match.deals * match.players, completed=len(outcomes))
    with Live(progress, console=console(stderr=True), transient=True) as screen:
        for deal in deals:
            outcomes += deal
            progress.advance(task, len(deal))
            if len(outcomes) // match.players % 10 == 0:
                screen.update(Group(_grid(match, standings(match, outcomes)), progress))
            yield deal


def _grid(match: Match, found: list[Standing]) -> Grid:
    grid = Grid("bot", "wins", "95 %", "points", "rating", "ms a move", "games")
    for s in found:
        interval = f"{100 * s.low:.1f} to {100 * s.high:.1f}"
        figures = [f"{100 * s.win_share:.1f} %", interval, f"{s.mean_score:.1f}"]
        figures += [f"{s.rating:.1f}", f"{s.ms_per_move:.2f}", str(s.games)]
        grid.add_row(s.name, *figures)
    grid.caption = f"{match.players} players: {100 / match.players:.0f} % would be a fair share"
    return grid


def _told(standing: Standing) -> dict[str, object]:
    return {key: round(v, 6) if isinstance(v, float) else v for key, v in asdict(standing).items()}
