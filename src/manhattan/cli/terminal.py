"""The terminal that we write on."""

from __future__ import annotations

import sys
from io import TextIOWrapper

from rich.console import Console


def console(*, stderr: bool = False) -> Console:
    """A console that writes what it is given: a player called [bold] or :smile: is called so."""
    return Console(stderr=stderr, markup=False, emoji=False, highlight=False)


def forgive_encodings() -> None:
    """What a terminal can't show, or what it sends that is no text, becomes a question mark
    instead of an end with a traceback."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
