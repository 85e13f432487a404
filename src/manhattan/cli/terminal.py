"""The terminal that we write on."""

from __future__ import annotations

import codecs
import os
import re
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from errno import EBADF, EDQUOT, EFBIG, EIO, ENOSPC, EPIPE
from io import TextIOWrapper
from pathlib import Path
from typing import Final, NoReturn

import typer
from rich.console import Console, RenderableType
from rich.text import Text

with suppress(ImportError):  # where there is one, prompts have line editing and a history
    import readline  # noqa: F401 - being there is all that it does


_BROKEN_OFF: Final = 130
"""What shells say of a program that was ended by Ctrl-C."""


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


_HOW_TO_PAGE: Final = "-Psspace goes on, b back, q to the game"


def tell_at_length(screen: Console, *parts: RenderableType) -> None:
    """Tell something that may have no room on the screen: then one turns its pages."""
    lines = sum(len(screen.render_lines(part, pad=False)) for part in parts)
    paged = screen.is_terminal and sys.stdin.isatty() and lines >= screen.height
    if paged:
        os.environ.setdefault("LESS", _HOW_TO_PAGE)  # for whoever does not know that pager
    with screen.pager() if paged else nullcontext():
        for part in parts:
            screen.print(part)


def ask(screen: Console, question: str) -> str:
    """What somebody types behind a question."""
    prompt = Text(f"{question}: ", "bold")
    if "readline" not in sys.modules or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return screen.input(prompt)
    # To readline a line is empty whose beginning others wrote, and after an empty line it does
    # not begin a new one. What takes no room it has to be told.
    with screen.capture() as captured:
        screen.print(prompt, end="")
    return input(re.sub(r"(\x1b\[[0-9;]*m)", "\001\\1\002", captured.get()))


def forget_typing() -> None:
    """Drop what was typed ahead, and what the arrow keys would bring back."""
    with suppress(ImportError):
        import readline

        readline.clear_history()
    with suppress(ImportError):
        import termios

        if sys.stdin.isatty():
            termios.tcflush(sys.stdin, termios.TCIFLUSH)


@contextmanager
def until_ctrl_c() -> Iterator[Callable[[], bool]]:
    """For work in steps that Ctrl-C ends after one of them, not within it: was it pressed? Whoever
    presses it once more waits for nothing."""
    pressed = False

    def press(*_: object) -> None:
        nonlocal pressed
        if pressed:
            raise KeyboardInterrupt
        pressed = True

    before = signal.signal(signal.SIGINT, press)
    try:
        yield lambda: pressed
    finally:
        signal.signal(signal.SIGINT, before)


def broken_off(screen: Console, where: str) -> NoReturn:
    """Somebody has pressed Ctrl-C: he is told how far it was."""
    screen.print(f"Broken off {where}.", soft_wrap=True)
    raise typer.Exit(_BROKEN_OFF)


def program() -> str:
    """How this program was called, so that it can be called again."""
    called = Path(sys.argv[0])
    if called.name != "manhattan":
        return "manhattan"
    return str(called.relative_to(Path.cwd())) if called.is_relative_to(Path.cwd()) else str(called)


def prepare_streams() -> None:
    """What a terminal can't show becomes what looks like it, and what it sends that is no text a
    question mark, instead of an end with a traceback. A stream that is closed has nothing in it."""
    codecs.register_error(_LIKENESS, _likeness)
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - to the end
        elif isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors=_LIKENESS)


UNWRITABLE: Final = frozenset({EPIPE, ENOSPC, EDQUOT, EFBIG, EIO, EBADF})
"""How a system says that nothing can be written any more, without a word about where."""


def give_up_output() -> None:
    """What could not be written never will be: Python would try at the end, and complain."""
    try:
        sys.stdout.flush()
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


_LIKENESS: Final = "manhattan-likeness"
_LIKE: Final = str.maketrans("·■▶→←…•│─", ".#>><.*|-") | dict.fromkeys(range(0x2010, 0x2016), "-")
_SPINNER: Final = range(0x2800, 0x2900)
"""Braille, of which Rich makes its spinner."""


def _likeness(error: UnicodeError) -> tuple[str | bytes, int]:
    """For each character that can't be written one that can, so that everything keeps its place."""
    if not isinstance(error, UnicodeEncodeError):
        return codecs.replace_errors(error)
    import unicodedata  # only where something can't be written

    like = ""
    for character in error.object[error.start : error.end]:
        letter = unicodedata.normalize("NFKD", character.translate(_LIKE))[0]
        like += letter if letter.isascii() else "*" if ord(character) in _SPINNER else "?"
    return like, error.end
