"""The terminal that we write on."""

from __future__ import annotations

import sys
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path

from rich.console import Console, RenderableType

with suppress(ImportError):  # where there is one, prompts have line editing and a history
    import readline  # noqa: F401 - being there is all that it does


def console(*, stderr: bool = False) -> Console:
    """A console that writes what it is given: a player called [bold] or :smile: is called so."""
    return Console(stderr=stderr, markup=False, emoji=False, highlight=False)


def laid_out(markdown: str) -> RenderableType:
    """A text of several paragraphs, as one reads it."""
    from rich.markdown import Markdown  # as long to load as a quarter of all the rest

    return Markdown(markdown)


def wipe(screen: Console) -> None:
    """Clear the screen and all that was scrolled off it, so that nobody can scroll back."""
    if screen.is_dumb_terminal:  # it can't clear anything: at least nothing stays in sight
        screen.print("\n" * screen.height)
        return
    screen.clear()
    # In this order: there are terminals that scroll off what is cleared.
    screen.file.write("\x1b[3J")
    screen.file.flush()


def forget_typing() -> None:
    """Drop what was typed ahead, and what the arrow keys would bring back."""
    with suppress(ImportError):
        import readline

        readline.clear_history()
    with suppress(ImportError):
        import termios

        if sys.stdin.isatty():
            termios.tcflush(sys.stdin, termios.TCIFLUSH)


def program() -> str:
    """How this program was called, so that it can be called again."""
    called = Path(sys.argv[0])
    if called.name != "manhattan":
        return "manhattan"
    return str(called.relative_to(Path.cwd())) if called.is_relative_to(Path.cwd()) else str(called)


def forgive_encodings() -> None:
    """What a terminal can't show, or what it sends that is no text, becomes a question mark
    instead of an end with a traceback."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
