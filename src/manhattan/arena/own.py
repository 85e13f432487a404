"""Bots of one's own: named by where they are, ``module:function``."""

from __future__ import annotations

import pkgutil
import sys
from importlib.util import find_spec
from pathlib import Path
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
        raise NoSuchBot(f"There is no bot {name!r}: {error}.") from error
    if not callable(found):
        raise NoSuchBot(f"{name!r} is no bot: it can't be called.")
    return cast("Bot", found)


def source(name: str) -> bytes:
    """The file that a bot of one's own is written in; nothing for one of ours."""
    if ":" not in name:
        return b""
    _look_here_too()
    spec = find_spec(name.partition(":")[0])
    return Path(spec.origin).read_bytes() if spec and spec.origin and spec.has_location else b""


def _look_here_too() -> None:
    """A module in the folder one is in is found, however the program was started."""
    here = str(Path.cwd())
    if here not in sys.path and "" not in sys.path:
        sys.path.append(here)
