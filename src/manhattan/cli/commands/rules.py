"""``manhattan rules``: the rules of an edition, and how the editions differ."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from manhattan import rulebook
from manhattan.cli.ui.terminal import console, render_markdown
from manhattan.rules import DEFAULT_EDITION, EDITIONS

_MAX_WIDTH: Final = 100
"""Columns: longer lines are hard to read."""


def rules(
    edition: Annotated[
        str | None,
        typer.Option("--edition", "-e", help=f"Edition to show: {', '.join(EDITIONS)}."),
    ] = None,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the Markdown source.")
    ] = False,
) -> None:
    """Show the rules; without --edition, also how the editions differ."""
    parts = [rulebook.rulebook(edition or DEFAULT_EDITION)]
    if edition is None:
        parts += [rulebook.differences(), rulebook.house_rules()]
    text = "\n\n".join(parts)
    if markdown:
        typer.echo(text)
        return
    screen = console()
    screen.width = min(screen.width, _MAX_WIDTH)
    screen.print(render_markdown(text))
