"""Options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

from manhattan.rules import EDITIONS, ROWS
from manhattan.rules.editions import house_rules_in

_ROWS = "; ".join(f"{row}: {', '.join(values)}" for row, values in ROWS.items())

Players = Annotated[int, typer.Option("--players", "-p", help="How many play: 2, 3 or 4.")]
EditionId = Annotated[
    str, typer.Option("--edition", "-e", help=f"The rulebook: {', '.join(EDITIONS)}.")
]
HouseRules = Annotated[
    list[str] | None,
    typer.Option(
        "--house-rule", "-r", metavar="ROW=VALUE", help=f"Change a row of the rulebook. {_ROWS}."
    ),
]


def house_rules(texts: list[str] | None) -> dict[str, str]:
    """The house rules that were given as ``row=value``."""
    return house_rules_in(texts or [])
