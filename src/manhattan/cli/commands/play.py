"""``manhattan play``: a game on the terminal, against bots or with several people."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from manhattan.bots import LEVELS
from manhattan.cli.ui.autosave import load_game
from manhattan.cli.ui.options import EditionId, HouseRules, Players
from manhattan.cli.ui.seats import DEFAULT_BOT, DEFAULT_NAME, seat_new_game, seat_saved_game
from manhattan.cli.ui.terminal_game import TerminalGame
from manhattan.game import Game
from manhattan.rules import DEFAULT_EDITION, SetupError
from manhattan.rules.editions import parse_house_rules


def play(
    context: typer.Context,
    players: Players = 4,
    edition: EditionId = DEFAULT_EDITION,
    bots: Annotated[
        str | None,
        typer.Option(
            "--bots",
            "-b",
            help=f"Opponents: {', '.join(LEVELS)}, or another bot (see below). Give one for all "
            "other seats, or one for each seat in turn order, separated by commas.",
            show_default=DEFAULT_BOT,
        ),
    ] = None,
    name: Annotated[
        list[str] | None,
        typer.Option(
            "--name",
            "-n",
            help="Name of a person at the keyboard (repeat for more). With --load: the players "
            "of the saved game who are people.",
            show_default=DEFAULT_NAME,
        ),
    ] = None,
    seed: Annotated[
        str | None,
        typer.Option(
            "--seed", "-s", help="Seed of the shuffles, 64 hex digits: deal the same cards."
        ),
    ] = None,
    load: Annotated[
        Path | None, typer.Option("--load", "-l", help="Continue the saved game in this file.")
    ] = None,
    house_rule: HouseRules = None,
) -> None:
    """Play on the terminal: against bots, or with several people at one keyboard.

    A game that you leave is saved as manhattan-unfinished.json in the current folder. Long texts
    open in your PAGER."""
    if load is not None:
        _reject_options(context, "players", "edition", "seed", "house_rule")
        game = load_game(load)
        seats = seat_saved_game([player.name for player in game.setup.players], name, bots)
    else:
        names, seats = seat_new_game(name or [DEFAULT_NAME], players, bots)
        game = Game.new(
            names,
            edition=edition,
            house_rules=parse_house_rules(house_rule or []),
            first="random",
            seed=_parse_seed(seed),
        )
    TerminalGame(game, seats).run()


def _reject_options(context: typer.Context, *names: str) -> None:
    """Raise for options that a saved game would silently ignore."""
    for name in names:
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            option = name.replace("_", "-")
            raise SetupError(f"--{option} can't be combined with --load. Remove one of them.")


def _parse_seed(text: str | None) -> bytes | None:
    if text is None:
        return None
    if re.fullmatch(r"[0-9a-fA-F]{64}", text) is None:
        raise SetupError(f"{text[:80]!r} is not a seed. A seed has 64 hex digits.")
    return bytes.fromhex(text)
