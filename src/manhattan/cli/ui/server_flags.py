"""The options of the server as flags of a command."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar

import typer

from manhattan.server.option_sources import configure
from manhattan.server.options import (
    CONFIG_VARIABLE,
    NETWORK,
    OPTIONS,
    STORAGE,
    Option,
    Secret,
    ServerOptions,
)

F = TypeVar("F", bound=Callable[..., None])

OPTIONS_HELP: Final = (
    "Every option can also be an environment variable (--bot-workers is MANHATTAN_BOT_WORKERS) or "
    "a key of a TOML file. manhattan config example prints such a file, manhattan config check "
    "tries it."
)


def _config_flag(*names: str) -> Any:
    described = typer.Option(
        *names,
        help="TOML file with options; flags and environment variables precede it.",
        show_default=f"the file that {CONFIG_VARIABLE} names",
    )
    return Annotated[Path | None, described]


ConfigFile = _config_flag("--config", "-c")
LongConfigFile = _config_flag("--config")
"""Without the short flag, which could be a part of an id that begins with a hyphen."""


def _flag(option: Option) -> Any:
    """Return the type of a flag's parameter. It is a text: all sources are parsed alike."""
    flags = [option.flag, *filter(None, [option.short_flag])]
    if option.is_flag_only:
        flags = [f"{option.flag}/--no-{option.flag.removeprefix('--')}"]
    described = typer.Option(
        *flags,
        help=option.help,
        show_default=option.default_in_words,
        metavar=None if option.is_flag_only else _metavar(option),
        rich_help_panel=None if option.section == STORAGE else option.section,
    )
    kind = bool if option.is_flag_only else list[str] if option.is_list else str
    return Annotated[kind | None, described]


def _metavar(option: Option) -> str:
    return (
        "NUMBER"
        if "int" in str(option.type)
        else "TOKEN"
        if option.secret is Secret.WHOLE
        else "ADDRESS"
        if option.section == NETWORK
        else "TEXT"
    )


Database = _flag(OPTIONS["database"])


def chosen_options(database: str | None, config: Path | None = None) -> ServerOptions:
    """Return the options that a server with the same flags and environment would have."""
    return configure({"database": database}, os.environ, config).build(ServerOptions)


def with_server_flags(command: F) -> F:
    """Give a command all options of the server as flags, in place of its ``**flags``."""
    own = inspect.signature(command, eval_str=True).parameters.values()
    parameters = [one for one in own if one.kind is not inspect.Parameter.VAR_KEYWORD]
    parameters += [
        inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=_flag(option)
        )
        for name, option in OPTIONS.items()
    ]
    vars(command)["__signature__"] = inspect.Signature(parameters)
    return command
