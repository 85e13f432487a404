"""The documentation of the options: an example of the configuration file, and a reference page."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import groupby
from textwrap import wrap
from typing import Final

from manhattan.server.options import CONFIG_VARIABLE, OPTIONS, OTHER_VARIABLES, Option

_WIDTH: Final = 96


def example_toml() -> str:
    """Return a configuration file with every option at its default, as a comment."""
    lines = [
        "# Configuration of a Manhattan server: manhattan serve --config FILE",
        "# Every line is a default or an example. Remove the # to change a value, then run:",
        "# manhattan config check --config FILE",
    ]
    for section, options in _by_section():
        lines += ["", f"# --- {section} ---"]
        for option in options:
            text = f"{option.help} Default: {option.default_in_words}."
            lines += ["", *(f"# {line}" for line in wrap(text, _WIDTH))]
            lines.append(f"#{option.name} = {_toml_value(option)}")
    return "\n".join(lines) + "\n"


def reference_markdown() -> str:
    """Return the reference page of the configuration."""
    return "\n".join(_reference_lines()) + "\n"


def _reference_lines() -> Iterator[str]:
    yield "# Configuration of a server"
    yield ""
    yield (
        "Every option of `manhattan serve` can be a flag, an environment variable, or a key of a "
        f"TOML file, which `--config FILE` or `{CONFIG_VARIABLE}` names. A flag precedes the "
        "environment, the environment the file, and the file the default."
    )
    yield ""
    yield "| command | what it does |"
    yield "|---|---|"
    yield "| `manhattan config example` | prints a file with every option, as comments |"
    yield (
        "| `manhattan config check --config FILE` | prints every value and where it comes from; "
        "tries the database and Redis; exit code 1 if a server couldn't start |"
    )
    for section, options in _by_section():
        yield from ("", f"## {section}", "")
        yield "| flag | environment variable | key | default | meaning |"
        yield "|---|---|---|---|---|"
        for option in options:
            yield (
                f"| {_flags(option)} | `{option.variable}` | `{option.name}` | "
                f"{option.default_in_words} | {option.help} |"
            )
    yield from ("", "## Secrets", "")
    names = " and ".join(f"`{option.name}`" for option in OPTIONS.values() if option.is_secret)
    files = " and ".join(
        f"`{option.file_variable}`" for option in OPTIONS.values() if option.is_secret
    )
    yield (
        f"The addresses in {names} may contain a password. A flag with a password is refused, "
        "because every user of a computer can see the flags of all processes. Use the "
        f"environment, the file (readable only by the server), or {files}: they name a file "
        "that holds nothing but the address, as Docker secrets and systemd credentials do. "
        "`manhattan backup` reads the same variables and the same file. "
        "`manhattan config check` shows `***` instead of passwords, and no log contains them."
    )
    yield from ("", "## Other environment variables", "")
    yield "| environment variable | meaning |"
    yield "|---|---|"
    for name, meaning in OTHER_VARIABLES.items():
        yield f"| `{name}` | {meaning} |"


def _by_section() -> Iterator[tuple[str, list[Option]]]:
    sections = list(dict.fromkeys(option.section for option in OPTIONS.values()))
    ordered = sorted(OPTIONS.values(), key=lambda option: sections.index(option.section))
    for section, options in groupby(ordered, key=lambda option: option.section):
        yield section, list(options)


def _flags(option: Option) -> str:
    if option.is_flag_only:
        return f"`{option.flag}`, `--no-{option.flag.removeprefix('--')}`"
    return f"`{option.flag}`"


def _toml_value(option: Option) -> str:
    if option.example is not None:
        return (
            option.example
            if option.example.isdecimal() or option.is_flag_only
            else (json.dumps(option.example))
        )
    return json.dumps(option.default)  # the same in TOML for texts, numbers and booleans
