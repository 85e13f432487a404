"""``manhattan config``: the configuration of a server, checked and explained."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Annotated

import typer
from rich.text import Text

from manhattan.cli.ui.help_format import Command, Group
from manhattan.cli.ui.server_flags import ConfigFile
from manhattan.cli.ui.terminal import console
from manhattan.rules import ManhattanError
from manhattan.server.option_documents import example_toml, reference_markdown
from manhattan.server.option_sources import Configuration, configure
from manhattan.server.options import OPTIONS, ServerOptions

config = typer.Typer(
    cls=Group, help="Check or explain the configuration of a server.", no_args_is_help=True
)


@config.callback()
def _describe() -> None:
    """Check or explain the configuration of a server."""


@config.command(cls=Command)
def check(config: ConfigFile = None) -> None:
    """Show every option with its origin, and try the database and Redis. Nothing is changed."""
    configuration = configure({}, os.environ, config)
    screen = console()
    for line in _lines(configuration):
        screen.print(Text(line), soft_wrap=True)
    for warning in configuration.warnings:
        screen.print(Text.assemble(("Warning: ", "bold yellow"), warning), soft_wrap=True)
    problems = [*configuration.problems, *_unreachable(configuration)]
    for problem in problems:
        screen.print(Text.assemble(("Error: ", "bold red"), problem), soft_wrap=True)
    if problems:
        raise typer.Exit(1)
    screen.print("A server can start with this configuration.")


@config.command(cls=Command)
def example(
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the reference page instead, as Markdown.")
    ] = False,
) -> None:
    """Print a configuration file with every option, as comments."""
    typer.echo(reference_markdown() if markdown else example_toml(), nl=False)


def _lines(configuration: Configuration) -> Iterator[str]:
    """Return the options in columns; no terminal's width folds them."""
    rows = [("option", "value", "from")]
    for name, setting in configuration.settings.items():
        rows.append((name, OPTIONS[name].shown(setting.value), setting.origin))
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    for name, value, origin in rows:
        yield f"{name:{widths[0]}}  {value:{widths[1]}}  {origin}"


def _unreachable(configuration: Configuration) -> Iterator[str]:
    """Yield what doesn't answer; print what does."""
    if configuration.problems:
        return
    import asyncio  # these modules take time to load

    from manhattan.server.storage.probe import probe

    options = configuration.build(ServerOptions)
    try:
        found = asyncio.run(probe(options.database))
        shown = OPTIONS["database"].shown(options.database)
        console().print(Text(f"database {shown}: {found}"), soft_wrap=True)
    except ManhattanError as error:
        yield str(error)
    if options.redis is None:
        return
    try:
        from manhattan.server.pubsub.redis import ping

        asyncio.run(ping(options.redis))
        console().print("redis: reachable")
    except ImportError:
        yield "Redis needs more packages: install manhattan-game with its extra cluster."
    except ManhattanError as error:
        yield str(error)
