"""The command line: ``manhattan play | serve | backup | simulate | replay | rules | arena | …``."""

from __future__ import annotations

import sys
from contextlib import suppress
from errno import EPIPE
from typing import NoReturn

import typer
from rich.text import Text

from manhattan import __version__
from manhattan.cli.arena import arena
from manhattan.cli.backup import backup
from manhattan.cli.bench import bench
from manhattan.cli.helping import Command, Group
from manhattan.cli.opponents import WHO_PLAYS
from manhattan.cli.play import play
from manhattan.cli.replay import replay
from manhattan.cli.rules import rules
from manhattan.cli.serve import serve
from manhattan.cli.simulate import simulate
from manhattan.cli.terminal import UNWRITABLE, console, give_up_output, prepare_streams
from manhattan.cli.train import train
from manhattan.rules import ManhattanError
from manhattan.rules.errors import printable

app = typer.Typer(
    name="manhattan",
    cls=Group,
    help="The board game Manhattan: play it, simulate it, replay it.",
    epilog="An unofficial implementation; name and art belong to their owners.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command(cls=Command, epilog=WHO_PLAYS)(play)
for command in (serve, backup, simulate, replay, rules, arena, train):
    app.command(cls=Command)(command)
app.add_typer(bench, name="bench")


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"manhattan {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: bool = typer.Option(
        False, "--version", callback=_show_version, is_eager=True, help="Show the version."
    ),
) -> None:
    """The board game Manhattan: play it, simulate it, replay it."""


def main() -> None:
    """Run the command line; what goes wrong is told in a sentence, never as a traceback."""
    prepare_streams()
    try:
        try:
            app()
        finally:
            sys.stdout.flush()  # the last words, too, may find no place
    except ManhattanError as error:
        _complain(str(error))
    except OSError as error:
        if error.filename is not None:
            _complain(f"{error.filename}: The file can't be used: {error.strerror}.")
        if error.errno not in UNWRITABLE:
            raise
        give_up_output()
        if error.errno == EPIPE:  # whoever reads has read enough
            sys.exit(1)
        _complain(f"What comes out can't be written: {error.strerror}.")


def _complain(told: str) -> NoReturn:
    text = Text.assemble(("Error: ", "bold red"), printable(told))
    with suppress(OSError):  # there may be nobody to hear it
        console(stderr=True).print(text, soft_wrap=True)
    sys.exit(1)
