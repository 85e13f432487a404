"""``manhattan rules``: the rules in our words, and how the editions differ."""

from __future__ import annotations

from typing import Annotated

import typer

from manhattan import rulebook
from manhattan.cli.terminal import console, laid_out
from manhattan.rules import DEFAULT_EDITION, EDITIONS

_WIDEST = 100  # longer lines are hard to read


def rules(
    edition: Annotated[
        str | None,
        typer.Option("--edition", "-e", help=f"The rulebook: {', '.join(EDITIONS)}."),
    ] = None,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="As Markdown source, not laid out.")
    ] = False,
) -> None:
    """The rules, and how the editions differ."""
    parts = [rulebook.rulebook(edition or DEFAULT_EDITION)]
    if edition is None:
        parts += [rulebook.differences(), rulebook.house_rules()]
    text = "\n\n".join(parts)
    if markdown:
        typer.echo(text)
        return
    screen = console()
    screen.width = min(screen.width, _WIDEST)
    screen.print(laid_out(text))
