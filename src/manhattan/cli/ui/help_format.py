"""Help texts in the user's words: typer shows the types of Python instead."""

from __future__ import annotations

import re
from inspect import cleandoc
from typing import Any, Final

from typer.core import TyperArgument, TyperCommand, TyperGroup

_METAVARS: Final = {
    "bool": "",
    "int": "NUMBER",
    "int range": "NUMBER",
    "float": "NUMBER",
    "float range": "NUMBER",
    "list[int]": "NUMBER",
    "list[str]": "TEXT",
    "path": "FILE",
    "str": "TEXT",
}


class Command(TyperCommand):
    """A command."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.help = _rewrap(self.help)

    def get_params(self, ctx: Any) -> Any:
        return _with_plain_metavars(super().get_params(ctx), ctx)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        return _without_braces(super().collect_usage_pieces(ctx))


class Group(TyperGroup):
    """A command with subcommands."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.epilog = _rewrap(self.epilog)

    def get_params(self, ctx: Any) -> Any:
        return _with_plain_metavars(super().get_params(ctx), ctx)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        return _without_braces(super().collect_usage_pieces(ctx))


def _with_plain_metavars(params: Any, ctx: Any) -> Any:
    for param in params:
        if isinstance(param, TyperArgument):
            param.metavar = param.metavar or str(param.name).upper()
            # The name says enough; typer has no option that hides the type.
            vars(param)["display_type_rich"] = lambda **_: ""
        elif param.metavar is None:
            type_name = param.display_type(ctx).strip("<>")
            param.metavar = _METAVARS.get(type_name, type_name)
    return params


def _rewrap(text: str | None) -> str | None:
    """Join the lines of each paragraph: typer would keep the line breaks of the source."""
    return text and re.sub(r"(?<!\n)\n(?!\n)", " ", cleandoc(text))


def _without_braces(pieces: list[str]) -> list[str]:
    """The arguments without the braces that typer puts around them."""
    return [piece.strip("{}") for piece in pieces]
