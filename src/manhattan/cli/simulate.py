"""``manhattan simulate``: many games of random players, as records."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table as Grid

from manhattan import record
from manhattan.cli.files import check_new
from manhattan.cli.options import EditionId, HouseRules, Players, house_rules
from manhattan.cli.terminal import broken_off, console, until_ctrl_c
from manhattan.game import Game
from manhattan.rules import DEFAULT_EDITION, Redrew, Removed, Setup, lot, set_up


def simulate(
    players: Players = 4,
    edition: EditionId = DEFAULT_EDITION,
    games: Annotated[int, typer.Option("--games", "-g", min=1, help="How many games.")] = 100,
    seed: Annotated[int, typer.Option("--seed", "-s", help="Same seed, same games.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Write the records here, one a line; - is the output."),
    ] = None,
    house_rule: HouseRules = None,
) -> None:
    """Play games between random players, and save them."""
    setup = set_up(players, edition=edition, house_rules=house_rules(house_rule))
    if out is not None and str(out) != "-":
        check_new(out)
    tally = _Tally(setup)
    screen = console(stderr=True)
    with (
        until_ctrl_c() as pressed,
        Progress(
            TextColumn("Playing"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=screen,
            transient=True,
        ) as progress,
    ):
        task = progress.add_task("games", total=games)

        def records() -> Iterator[record.Json]:
            """All of them, or those up to Ctrl-C: what was played is kept."""
            for number in range(games):
                game = random_game(setup, game_seed(seed, number))
                tally.add(game)
                progress.advance(task)
                yield record.to_json(game)
                if pressed():
                    return

        _keep(records(), out)
    screen.print(tally.as_grid())
    if out is not None and str(out) != "-":
        many = "1 record is" if tally.games == 1 else f"{tally.games} records are"
        screen.print(f"{many} in {out}.", soft_wrap=True)
    if tally.games < games:
        broken_off(screen, f"after {tally.games} of {games} games")


def _keep(records: Iterator[record.Json], out: Path | None) -> None:
    """Write them where they are wanted."""
    if out is not None and str(out) != "-":
        record.write(out, records)
        return
    for told in records:
        if out is not None:
            sys.stdout.write(record.to_line(told) + "\n")


def game_seed(seed: int, number: int) -> bytes:
    """The seed of one of many games: nothing but the run's seed and the game's number tell it."""
    return hashlib.sha256(f"manhattan simulate {seed} {number}".encode()).digest()


def random_game(setup: Setup, seed: bytes) -> Game:
    """A whole game of random players; the start player is drawn by lot."""
    players = setup.players
    table = Setup(players, setup.edition, setup.house_rules, first=lot(seed, len(players)))
    game = Game.from_seed(table, seed)
    rng = Random(seed)  # noqa: S311 - a pastime of the computer's, not the cards
    while moves := game.legal_moves():
        game.play(rng.choice(moves))
    return game


class _Tally:
    """What came out, in sums."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.games = self.redraws = self.removals = self.shared = 0
        self.points = [0] * len(setup.players)
        self.wins = [0.0] * len(setup.players)

    def add(self, game: Game) -> None:
        result = game.result
        assert result is not None
        self.games += 1
        self.shared += len(result.winners) > 1
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
            caption=f"{self.shared} shared wins, {self.redraws} redraws, "
            f"{self.removals} blocks taken out",
        )
        for heading in ("player", "seat", "colours", "wins", "mean points"):
            numeric = heading in ("wins", "mean points")
            grid.add_column(heading, justify="right" if numeric else "left")
        for number, player in enumerate(self.setup.players):
            grid.add_row(
                player.name,
                player.seat,
                ", ".join(player.colours),
                f"{self.wins[number] / self.games:.1%}",
                f"{self.points[number] / self.games:.1f}",
            )
        return grid
