"""The help of every command, in words of whoever types: typer's are those of Python's types."""

from __future__ import annotations

from typing import Any, Final

from typer.core import TyperArgument, TyperCommand, TyperGroup

_WORDS: Final = {
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

    def get_params(self, ctx: Any) -> Any:
        return _in_plain_words(super().get_params(ctx), ctx)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        return _bare(super().collect_usage_pieces(ctx))


class Group(TyperGroup):
    """Several commands under a name."""

    def get_params(self, ctx: Any) -> Any:
        return _in_plain_words(super().get_params(ctx), ctx)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        return _bare(super().collect_usage_pieces(ctx))


def _in_plain_words(params: Any, ctx: Any) -> Any:
    for param in params:
        if isinstance(param, TyperArgument):
            param.metavar = param.metavar or str(param.name).upper()
            # Its name says all; typer asks a method for more, and has no other way to leave it out.
            vars(param)["display_type_rich"] = lambda **_: ""
        elif param.metavar is None:
            told = param.display_type(ctx).strip("<>")
            param.metavar = _WORDS.get(told, told)
    return params


def _bare(pieces: list[str]) -> list[str]:
    """Arguments without the braces that typer writes around them."""
    return [piece.strip("{}") for piece in pieces]
