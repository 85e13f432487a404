"""``manhattan replay``: walk through a saved game, or verify it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from manhattan import record
from manhattan.cli.ui.replay_viewer import ReplayPages, browse
from manhattan.cli.ui.terminal import console, exit_interrupted
from manhattan.record import Record, RecordError
from manhattan.replay import ReplayTrace, trace_record
from manhattan.rules import SetupError, Side


def replay(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="Saved game, or a file with one game per line; - reads stdin."
        ),
    ],
    verify: Annotated[
        bool,
        typer.Option(
            "--verify", help="Check the rules, shuffles and scores of every game; show nothing."
        ),
    ] = False,
    game: Annotated[
        int | None,
        typer.Option("--game", min=1, help="Number of the game in the file.", show_default="1"),
    ] = None,
    at: Annotated[
        int | None,
        typer.Option("--at", help="Show the position after this many moves, then exit."),
    ] = None,
    side: Annotated[
        Side, typer.Option("--side", help="Side from which to show the board.")
    ] = Side.SOUTH,
) -> None:
    """Walk through a saved game on the terminal, or verify it with --verify.

    Without a terminal, print a log of every move."""
    if verify:
        if game is not None or at is not None:
            raise SetupError("--verify checks every game of the file. Remove --game and --at.")
        _verify(file)
        return
    recorded = next(islice(_read_records(file), (game or 1) - 1, None), None)
    if recorded is None:
        raise RecordError(f"There is no game {game} in this file.", _display_name(file))
    pages = ReplayPages(_trace(recorded, _display_name(file)), side)
    screen = console()
    if at is not None:
        for part in pages.page(at, screen):
            screen.print(part)
    elif sys.stdin.isatty() and sys.stdout.isatty():
        browse(screen, pages)
    else:
        pages.print_log(screen)


def _verify(file: Path) -> None:
    screen, name = console(stderr=True), _display_name(file)
    games = redacted = unfinished = seedless = alone = joint = nonces = 0
    completed = False
    with suppress(KeyboardInterrupt), screen.status("Verifying…") as status:
        for recorded in _read_records(file):
            _trace(recorded, f"{name}, game {games + 1}")
            games += 1
            unfinished += recorded.result is None
            redacted += recorded.deck is None
            seedless += recorded.deck is not None and recorded.seed is None
            if recorded.server_seed is not None:
                joint += 1
                nonces += sum(nonce is not None for nonce in recorded.nonces or ())
            elif recorded.seed is not None:
                alone += 1
            status.update(f"Verifying… {_count(games)} so far")
        completed = True
    if not completed:
        exit_interrupted(screen, f"after {_count(games)}, without errors so far")
    notes = [
        f"{number} {what}"
        for number, what in (
            (unfinished, "unfinished"),
            (redacted, "without the hidden cards"),
            (seedless, "without a seed, so the shuffles can't be checked"),
        )
        if number
    ]
    note = f" ({'; '.join(notes)})" if notes else ""
    typer.echo(f"{name}: {_count(games)} verified: rules, shuffles and scores{note}.")
    if joint:
        typer.echo(
            f"{_count(joint)} dealt jointly: the server's part of the seed matches its commitment, "
            f"and the seed follows from it and {_count(nonces, 'nonce')} of the players' clients. "
            "No party alone could choose the cards."
        )
    if joint and alone:
        typer.echo(
            f"{_count(alone)} dealt by one party alone: the seed matches its commitment, and was "
            "not changed after the deal. That party could choose it before."
        )


def _count(number: int, what: str = "game") -> str:
    return f"1 {what}" if number == 1 else f"{number} {what}s"


def _read_records(file: Path) -> Iterator[Record]:
    """The records of a file or of standard input."""
    if str(file) != "-":
        yield from record.read(file)
        return
    # Not sys.stdin, which replaces bytes that are not UTF-8 instead of raising.
    with open(0, encoding="utf-8", closefd=False) as stdin:
        yield from record.read_open(stdin, _display_name(file))


def _display_name(file: Path) -> str:
    return "stdin" if str(file) == "-" else str(file)


def _trace(recorded: Record, where: str) -> ReplayTrace:
    try:
        return trace_record(recorded)
    except RecordError as error:
        raise error.inside(where) from None
