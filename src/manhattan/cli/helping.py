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


class _InPlainWords:
    """What both kinds of commands do alike."""

    def get_params(self, ctx: Any) -> Any:
        params = super().get_params(ctx)  # type: ignore[misc]
        for param in params:
            if isinstance(param, TyperArgument):
                param.metavar = param.metavar or str(param.name).upper()
                setattr(param, "display_type_rich", _nothing)  # noqa: B010 - it says all already
            elif param.metavar is None:
                told = param.display_type(ctx).strip("<>")
                param.metavar = _WORDS.get(told, told)
        return params

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        pieces = super().collect_usage_pieces(ctx)  # type: ignore[misc]
        return [piece.strip("{}") for piece in pieces]


class Command(_InPlainWords, TyperCommand):
    """A command."""


class Group(_InPlainWords, TyperGroup):
    """Several commands under a name."""


def _nothing(ctx: Any) -> str:  # noqa: ARG001 - typer names it
    return ""
