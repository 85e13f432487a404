"""Bots of one's own: named by where they are, ``module:function``."""

from __future__ import annotations

import pkgutil
import sys
from importlib.util import find_spec
from pathlib import Path
from traceback import extract_tb
from typing import cast

from manhattan.bots import Bot, NoSuchBot, bot


def player(name: str) -> Bot:
    """The bot of this name, ours or somebody's own.

    Naming a module runs it: names come from whoever runs the arena, never from elsewhere.
    """
    if ":" not in name:
        return bot(name)
    _look_here_too()
    try:
        found = pkgutil.resolve_name(name)
    except Exception as error:  # whatever a module of somebody's own does when it is loaded
        if _line(name, error):
            raise NoSuchBot(f"{name!r} can't be loaded: {what_failed(name, error)}.") from error
        raise NoSuchBot(f"There is no bot {name!r}: {error}.") from error
    if not callable(found):
        raise NoSuchBot(f"{name!r} is no bot: it can't be called.")
    return cast("Bot", found)


def source(name: str) -> bytes:
    """What a bot of one's own is written as; nothing for one of ours."""
    path = _file(name)
    return path.read_bytes() if path else b""


def what_failed(name: str, error: Exception) -> str:
    """An error in a bot's code, and the line of it."""
    told = ": ".join(filter(None, (type(error).__name__, str(error))))
    return " ".join(filter(None, (told, _line(name, error))))


def _line(name: str, error: Exception) -> str:
    """The last line that it passed through beside the bot: what that called is others' work."""
    path = _file(name)
    frames = extract_tb(error.__traceback__)
    own = [frame for frame in frames if path and Path(frame.filename).parent == path.parent]
    return f"({own[-1].filename}, line {own[-1].lineno}, in {own[-1].name})" if own else ""


def _file(name: str) -> Path | None:
    """Where a bot of one's own is written."""
    if ":" not in name:
        return None
    _look_here_too()
    try:
        spec = find_spec(name.partition(":")[0])
    except Exception:  # a package that can't be loaded holds no module
        return None
    return Path(spec.origin) if spec and spec.origin and spec.has_location else None


def _look_here_too() -> None:
    """A module in the folder one is in is found, however the program was started."""
    here = str(Path.cwd())
    if here not in sys.path and "" not in sys.path:
        sys.path.append(here)
