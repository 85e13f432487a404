"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from manhattan.rules import EDITIONS, HOUSE_RULES

_HOUSE_RULES: Final = "; ".join(
    f"{rule}: {', '.join(values)}" for rule, values in HOUSE_RULES.items()
)

Players = Annotated[int, typer.Option("--players", "-p", help="Number of players: 2, 3 or 4.")]
EditionId = Annotated[
    str, typer.Option("--edition", "-e", help=f"Edition of the rules: {', '.join(EDITIONS)}.")
]
HouseRules = Annotated[
    list[str] | None,
    typer.Option(
        "--house-rule",
        "-r",
        metavar="RULE=VALUE",
        help=f"Change a rule of the edition (repeat for more). {_HOUSE_RULES}.",
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        "--workers",
        "-w",
        min=1,
        help="Number of parallel workers.",
        show_default="one per core",
    ),
]
Ray = Annotated[
    str | None,
    typer.Option(
        "--ray",
        metavar="ADDRESS",
        help="Spread the work over the Ray cluster at this address; local starts one here.",
    ),
]
JsonFile = Annotated[
    Path | None,
    typer.Option("--json", help="Write the figures to this file as JSON; - writes to stdout."),
]
