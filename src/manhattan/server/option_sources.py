"""Where the values of the options come from: flags, then the environment, then a TOML file."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

import msgspec
from msgspec.inspect import IntType, UnionType, type_info

from manhattan.rules import ManhattanError
from manhattan.server.options import (
    CONFIG_VARIABLE,
    OPTIONS,
    OTHER_VARIABLES,
    PREFIX,
    Option,
    Secret,
    ServerOptions,
    conflicts,
)

T = TypeVar("T", bound=ServerOptions)
_SIMILARITY: Final = 0.6


class ConfigError(ManhattanError):
    """The configuration can't be used."""


class Setting(NamedTuple):
    """The value of an option, and where it comes from."""

    value: object
    origin: str


@dataclass(frozen=True, slots=True)
class Configuration:
    """The effective value of every option."""

    settings: Mapping[str, Setting]
    problems: tuple[str, ...]
    """What prevents a start."""
    warnings: tuple[str, ...]

    def build(self, kind: type[T]) -> T:
        """Return the options as an object; raises ``ConfigError`` if there are problems."""
        if self.problems:
            raise ConfigError("\n".join(self.problems))
        return kind(**{name: setting.value for name, setting in self.settings.items()})  # type: ignore[arg-type]  # validated


class _Invalid(Exception):
    """A value that an option can't have; the text says why."""


def configure(
    flags: Mapping[str, object], environ: Mapping[str, str], file: Path | None = None
) -> Configuration:
    """Find the value of every option. ``flags`` has None for those that are not given; ``file`` is
    the file of ``--config``, which precedes that of ``MANHATTAN_CONFIG``."""
    problems: list[str] = []
    warnings = [*_unknown_variables(environ)]
    path, values = _read_config(file, environ, problems)
    settings = {}
    for name, option in OPTIONS.items():
        try:
            settings[name] = (
                _from_flag(option, flags.get(name))
                or _from_environment(option, environ)
                or _from_file(option, values, path)
                or Setting(getattr(ServerOptions(), name), "default")
            )
        except _Invalid as error:
            problems.append(str(error))
    if not problems:
        found = {name: setting.value for name, setting in settings.items()}
        problems += conflicts(ServerOptions(**found))  # type: ignore[arg-type]  # validated
    if path is not None and any(
        OPTIONS[name].reveals(value) for name, value in values.items() if name in OPTIONS
    ):
        warnings += _readable_by_others(path)
    return Configuration(settings, tuple(problems), tuple(warnings))


def _from_flag(option: Option, value: object) -> Setting | None:
    if value is None:
        return None
    if option.reveals(value):
        what = "a password" if option.secret is Secret.PASSWORD else "a secret"
        raise _Invalid(
            f"{option.flag} contains {what}, and every user of this computer can read it in the "
            "list of processes. Write the value into a file that only the server can read, and "
            f"name that file in the environment variable {option.file_variable}; or use the "
            f"variable {option.variable}, or the key {option.name} of a --config file."
        )
    return Setting(_parse(option, value, option.flag), option.flag)


def _from_environment(option: Option, environ: Mapping[str, str]) -> Setting | None:
    value = environ.get(option.variable) or None  # Compose sets variables to nothing
    file = environ.get(option.file_variable or "") or None
    if file is None:
        if value is None:
            return None
        return Setting(_parse(option, value, option.variable), option.variable)
    if value is not None:
        raise _Invalid(f"{option.variable} and {option.file_variable} are both set. Remove one.")
    assert option.file_variable is not None
    try:
        text = Path(file).read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not text"
        raise _Invalid(
            f"{option.file_variable} names {file}, which can't be read: {why}."
        ) from None
    if not text:
        raise _Invalid(f"{option.file_variable} names {file}, which is empty.")
    origin = f"{option.file_variable} ({file})"
    return Setting(_parse(option, text, option.file_variable), origin)


def _from_file(option: Option, values: Mapping[str, object], path: Path | None) -> Setting | None:
    if option.name not in values:
        return None
    return Setting(_parse(option, values[option.name], f"{option.name} in {path}"), str(path))


def _read_config(
    file: Path | None, environ: Mapping[str, str], problems: list[str]
) -> tuple[Path | None, Mapping[str, object]]:
    """Read the TOML file, if there is one."""
    named = environ.get(CONFIG_VARIABLE)
    path = file or (Path(named) if named else None)
    if path is None:
        return None, {}
    try:
        values = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        problems.append(f"The configuration file {path} can't be read: {error.strerror}.")
        return path, {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        problems.append(f"The configuration file {path} is not valid TOML: {error}.")
        return path, {}
    problems += [
        f"{path} has the unknown key {key}.{_suggestion(key, list(OPTIONS))}"
        for key in values
        if key not in OPTIONS
    ]
    return path, values


def _unknown_variables(environ: Mapping[str, str]) -> Iterator[str]:
    known = {option.variable for option in OPTIONS.values()}
    known |= {option.file_variable for option in OPTIONS.values() if option.file_variable}
    known |= {CONFIG_VARIABLE, *OTHER_VARIABLES}
    for name in sorted(environ):
        if name.startswith(PREFIX) and name not in known:
            yield f"The environment variable {name} has no effect.{_suggestion(name, list(known))}"


def _suggestion(name: str, known: list[str]) -> str:
    wanted = name.lower().replace("-", "_")
    by_name = {other.lower(): other for other in known}
    close = difflib.get_close_matches(wanted, by_name, n=1, cutoff=_SIMILARITY)
    return f" Did you mean {by_name[close[0]]}?" if close else ""


def _readable_by_others(path: Path) -> Iterator[str]:
    if path.stat().st_mode & 0o004:
        yield (
            f"{path} contains a secret, and every user of this computer can read it. Let only its "
            "owner and the group of the server's user read it, for example: "
            f"chgrp manhattan {path} && chmod 640 {path}"
        )


def _parse(option: Option, value: object, source: str) -> object:
    if option.is_list and isinstance(value, str):
        value = [part.strip() for part in value.split(",") if part.strip()]
    try:
        return msgspec.convert(value, option.type, strict=False)
    except msgspec.ValidationError:
        shown = "that" if option.is_secret else repr(value)
        raise _Invalid(f"{source} must be {_expected(option)}, not {shown}.") from None


def _expected(option: Option) -> str:
    """Say what a value of an option looks like."""
    if option.expected is not None:
        return option.expected
    kind = type_info(option.type)
    kinds = kind.types if isinstance(kind, UnionType) else (kind,)
    for part in kinds:
        if isinstance(part, IntType):
            if part.ge is None and part.le is None:
                return "a whole number"
            low, high = part.ge, part.le
            return f"a whole number from {low} to {high}" if high else f"a number from {low} on"
    if option.is_list:
        return "a list of texts"
    return "true or false" if option.is_flag_only else "a text"
