"""``manhattan simulate``: many games of random players, saved as records."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Annotated

import typer
from rich.table import Table as Grid

from manhattan import record
from manhattan.cli.ui.options import EditionId, HouseRules, Players
from manhattan.cli.ui.output_files import STDOUT, check_new
from manhattan.cli.ui.progress import progress_bar
from manhattan.cli.ui.terminal import console, defer_interrupt, exit_interrupted
from manhattan.game import Game
from manhattan.rules import DEFAULT_EDITION, Redrew, Removed, Setup, draw_start_player, set_up
from manhattan.rules.editions import parse_house_rules


def simulate(
    players: Players = 4,
    edition: EditionId = DEFAULT_EDITION,
    games: Annotated[int, typer.Option("--games", "-g", min=1, help="Number of games.")] = 100,
    seed: Annotated[
        int, typer.Option("--seed", "-s", help="Random seed: the same seed gives the same games.")
    ] = 0,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Write the records here, one per line; - is stdout."),
    ] = None,
    house_rule: HouseRules = None,
) -> None:
    """Simulate games between random players, and save them as records."""
    setup = set_up(players, edition=edition, house_rules=parse_house_rules(house_rule or []))
    if out is not None:
        check_new(out)
    summary = _Summary(setup)
    screen = console(stderr=True)
    with defer_interrupt() as is_interrupted, progress_bar(screen, transient=True) as progress:
        task = progress.add_task("Playing", total=games)

        def records() -> Iterator[record.Json]:
            """All records; after Ctrl-C, those up to the current game."""
            for number in range(games):
                game = random_game(setup, game_seed(seed, number))
                summary.add(game)
                progress.advance(task)
                yield record.to_json(game)
                if is_interrupted():
                    return

        _write(records(), out)
    screen.print(summary.as_grid())
    if out is not None and out != STDOUT:
        count = "1 record" if summary.games == 1 else f"{summary.games} records"
        screen.print(f"Wrote {count} to {out}.", soft_wrap=True)
    if summary.games < games:
        exit_interrupted(screen, f"after {summary.games} of {games} games")


def _write(records: Iterator[record.Json], out: Path | None) -> None:
    if out is not None and out != STDOUT:
        record.write(out, records)
        return
    for recorded in records:  # without a file, the games are only summed up
        if out is not None:
            sys.stdout.write(record.to_line(recorded) + "\n")


def game_seed(seed: int, number: int) -> bytes:
    """The seed of one game, which depends only on the run's seed and the game's number."""
    return hashlib.sha256(f"manhattan simulate {seed} {number}".encode()).digest()


def random_game(setup: Setup, seed: bytes) -> Game:
    """Play a whole game with random moves and a random start player."""
    players = setup.players
    drawn_setup = Setup(
        players, setup.edition, setup.house_rules, first=draw_start_player(seed, len(players))
    )
    game = Game.from_seed(drawn_setup, seed)
    rng = Random(seed)  # noqa: S311 - the choice of moves is no secret
    while moves := game.legal_moves():
        game.play(rng.choice(moves))
    return game


class _Summary:
    """Sums over all games."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.games = self.redraws = self.removals = self.shared_wins = 0
        self.points = [0] * len(setup.players)
        self.wins = [0.0] * len(setup.players)

    def add(self, game: Game) -> None:
        result = game.result
        assert result is not None
        self.games += 1
        self.shared_wins += len(result.winners) > 1
        for player, points in enumerate(result.scores):
            self.points[player] += points
        for player in result.winners:
            self.wins[player] += 1 / len(result.winners)
        for event in game.events:
            self.redraws += isinstance(event, Redrew)
            self.removals += isinstance(event, Removed)

    def as_grid(self) -> Grid:
        grid = Grid(
            title=f"{self.games} game{'s' * (self.games > 1)}, {self.setup.rules_name}",
            caption=f"{self.shared_wins} shared wins, {self.redraws} redraws, "
            f"{self.removals} removed blocks",
        )
        for heading in ("player", "side", "colours", "wins", "mean points"):
            numeric = heading in ("wins", "mean points")
            grid.add_column(heading, justify="right" if numeric else "left")
        for number, player in enumerate(self.setup.players):
            grid.add_row(
                player.name,
                player.side,
                ", ".join(player.colours),
                f"{self.wins[number] / self.games:.1%}",
                f"{self.points[number] / self.games:.1f}",
            )
        return grid
