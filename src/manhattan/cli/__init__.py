"""The command line: ``manhattan play | serve | config | backup | simulate | replay | …``."""

from __future__ import annotations

import sys
from contextlib import suppress
from errno import EPIPE
from typing import Final, NoReturn

import typer
from rich.text import Text

from manhattan import __version__
from manhattan.cli.commands.admin import admin
from manhattan.cli.commands.arena import arena
from manhattan.cli.commands.backup import backup
from manhattan.cli.commands.bench import bench
from manhattan.cli.commands.config import config
from manhattan.cli.commands.play import play
from manhattan.cli.commands.replay import replay
from manhattan.cli.commands.rules import rules
from manhattan.cli.commands.serve import serve
from manhattan.cli.commands.simulate import simulate
from manhattan.cli.commands.train import train
from manhattan.cli.ui.bot_options import BOTS_HELP
from manhattan.cli.ui.help_format import Command, Group
from manhattan.cli.ui.server_flags import OPTIONS_HELP
from manhattan.cli.ui.terminal import OUTPUT_ERRNOS, console, discard_output, prepare_streams
from manhattan.rules import ManhattanError
from manhattan.rules.errors import printable

_EPILOG: Final = """\
Environment variables: MANHATTAN_CACHE is the folder for compiled code (default: your user cache
folder). MANHATTAN_MODELS is a folder with models for the bots, made by manhattan train.

An unofficial implementation: the game's name and art belong to their owners."""

app = typer.Typer(
    name="manhattan",
    cls=Group,
    help="The board game Manhattan: play it, serve it, simulate it, replay it.",
    epilog=_EPILOG,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command(cls=Command, epilog=BOTS_HELP)(play)
app.command(cls=Command, epilog=OPTIONS_HELP)(serve)
for command in (backup, simulate, replay, rules, arena, train):
    app.command(cls=Command)(command)
app.add_typer(bench, name="bench")
app.add_typer(config, name="config")
app.add_typer(admin, name="admin")


def _show_version(requested: bool) -> None:
    if requested:
        typer.echo(f"manhattan {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
    ),
) -> None:
    """The board game Manhattan: play it, serve it, simulate it, replay it."""


def main() -> None:
    """Run the command line. Expected errors end in a sentence, never in a traceback."""
    prepare_streams()
    try:
        try:
            app()
        finally:
            sys.stdout.flush()  # may fail like any other write
    except ManhattanError as error:
        _exit_with_error(str(error))
    except OSError as error:
        if error.filename is not None:
            _exit_with_error(f"Can't use {error.filename}: {error.strerror}.")
        if error.errno not in OUTPUT_ERRNOS:
            raise
        discard_output()
        if error.errno == EPIPE:  # the reader has closed the pipe, as head does
            sys.exit(1)
        _exit_with_error(f"Can't write the output: {error.strerror}.")


def _exit_with_error(message: str) -> NoReturn:
    text = Text.assemble(("Error: ", "bold red"), printable(message))
    with suppress(OSError):  # stderr may be closed, too
        console(stderr=True).print(text, soft_wrap=True)
    sys.exit(1)
