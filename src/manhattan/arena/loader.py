"""The loader of bots: the package's by name, your own as ``module:function``."""

from __future__ import annotations

import pkgutil
import sys
from importlib.util import find_spec
from pathlib import Path
from traceback import extract_tb
from typing import cast

from manhattan.bots import Bot, NoSuchBot, bot


def load_bot(name: str) -> Bot:
    """Load the bot of this name.

    Loading a module runs its code: take names only from the person who runs the arena.
    """
    if ":" not in name:
        return bot(name)
    _add_working_folder_to_path()
    try:
        loaded = pkgutil.resolve_name(name)
    except Exception as error:  # a module can raise anything when it is loaded
        if _location(name, error):
            raise NoSuchBot(f"{name!r} can't be loaded: {describe_error(name, error)}.") from error
        raise NoSuchBot(f"There is no bot {name!r}: {error}.") from error
    if not callable(loaded):
        raise NoSuchBot(f"{name!r} is not a bot: it can't be called.")
    return cast("Bot", loaded)


def bot_source(name: str) -> bytes:
    """Return the source of a bot that does not belong to the package, else nothing."""
    path = _module_file(name)
    return path.read_bytes() if path else b""


def describe_error(name: str, error: Exception) -> str:
    """Describe an error in a bot's code, with its location."""
    description = ": ".join(filter(None, (type(error).__name__, str(error))))
    return " ".join(filter(None, (description, _location(name, error))))


def _location(name: str, error: Exception) -> str:
    """Return the last line of the traceback in the bot's folder: the lines below it belong to
    libraries that the bot called."""
    path = _module_file(name)
    frames = extract_tb(error.__traceback__)
    own = [frame for frame in frames if path and Path(frame.filename).parent == path.parent]
    return f"({own[-1].filename}, line {own[-1].lineno}, in {own[-1].name})" if own else ""


def _module_file(name: str) -> Path | None:
    if ":" not in name:
        return None
    _add_working_folder_to_path()
    try:
        spec = find_spec(name.partition(":")[0])
    except Exception:  # the module's package can't be loaded
        return None
    return Path(spec.origin) if spec and spec.origin and spec.has_location else None


def _add_working_folder_to_path() -> None:
    """Make modules in the working folder importable, however the program was started."""
    folder = str(Path.cwd())
    if folder not in sys.path and "" not in sys.path:
        sys.path.append(folder)
