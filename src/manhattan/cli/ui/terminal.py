"""The terminal: consoles, prompts, paging, interrupts, and streams that can't show Unicode."""

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

with suppress(ImportError):  # where it exists, it gives prompts line editing and a history
    import readline  # noqa: F401 - importing it is enough


_INTERRUPTED: Final = 130
"""The exit code by which shells report a program that Ctrl-C ended."""


def console(*, stderr: bool = False) -> Console:
    """A console that prints text literally: a player may be called [bold] or :smile:."""
    return Console(stderr=stderr, markup=False, emoji=False, highlight=False)


def render_markdown(text: str) -> RenderableType:
    """Markdown, laid out for the terminal."""
    from rich.markdown import Markdown  # a quarter of the whole program's loading time

    return Markdown(text)


def clear_with_scrollback(screen: Console) -> None:
    """Clear the screen and the scrollback, so that scrolling up shows no other player's hand."""
    if screen.is_dumb_terminal:  # it can't clear: scroll everything out of sight instead
        screen.print("\n" * screen.height)
        return
    screen.clear()
    # In this order: some terminals move what is cleared into the scrollback.
    screen.file.write("\x1b[3J")
    screen.file.flush()


_LESS_PROMPT: Final = "-Psspace: next page, b: back, q: return to the game"


def print_paged(screen: Console, *parts: RenderableType) -> None:
    """Print text, through the user's pager if it is longer than the screen."""
    lines = sum(len(screen.render_lines(part, pad=False)) for part in parts)
    paged = screen.is_terminal and sys.stdin.isatty() and lines >= screen.height
    if paged:
        os.environ.setdefault("LESS", _LESS_PROMPT)  # for people who don't know that pager
    with screen.pager() if paged else nullcontext():
        for part in parts:
            screen.print(part)


def prompt(screen: Console, question: str) -> str:
    """Ask a question and return the line that is typed."""
    styled = Text(f"{question}: ", "bold")
    if "readline" not in sys.modules or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return screen.input(styled)
    # readline has to print the prompt itself: otherwise it takes the line for empty, and
    # after an empty line it does not start a new one. \001 and \002 enclose what has no width.
    with screen.capture() as captured:
        screen.print(styled, end="")
    return input(re.sub(r"(\x1b\[[0-9;]*m)", "\001\\1\002", captured.get()))


def discard_typed_input() -> None:
    """Drop the input that was typed ahead, and the history that the arrow keys would show."""
    with suppress(ImportError):
        import readline

        readline.clear_history()
    with suppress(ImportError):
        import termios

        if sys.stdin.isatty():
            termios.tcflush(sys.stdin, termios.TCIFLUSH)


@contextmanager
def defer_interrupt() -> Iterator[Callable[[], bool]]:
    """Let Ctrl-C end work between two steps, not within one. Yields a function that says whether
    it was pressed; pressed a second time, it interrupts at once."""
    pressed = False

    def handle(*_: object) -> None:
        nonlocal pressed
        if pressed:
            raise KeyboardInterrupt
        pressed = True

    previous = signal.signal(signal.SIGINT, handle)
    try:
        yield lambda: pressed
    finally:
        signal.signal(signal.SIGINT, previous)


def exit_interrupted(screen: Console, progress: str) -> NoReturn:
    """End the program after Ctrl-C, and report how far it came."""
    screen.print(f"Interrupted {progress}.", soft_wrap=True)
    raise typer.Exit(_INTERRUPTED)


def program_name() -> str:
    """The name by which this program was called, for commands that the user can copy."""
    path = Path(sys.argv[0])
    if path.name != "manhattan":
        return "manhattan"
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)


def prepare_streams() -> None:
    """Make the standard streams safe: characters that can't be written fall back to ASCII, bytes
    that can't be decoded become question marks, and a closed stream becomes an empty one."""
    codecs.register_error(_ASCII_FALLBACK, _ascii_fallback)
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - to the end
        elif isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors=_ASCII_FALLBACK)


OUTPUT_ERRNOS: Final = frozenset({EPIPE, ENOSPC, EDQUOT, EFBIG, EIO, EBADF})
"""The errors by which a system refuses output without naming a file."""


def discard_output() -> None:
    """Drop what could not be written: otherwise Python tries again at exit, and complains."""
    try:
        sys.stdout.flush()
    except OSError:
        devnull = os.open(os.devnull, os.O_WRONLY)
        os.dup2(devnull, sys.stdout.fileno())
        os.close(devnull)


_ASCII_FALLBACK: Final = "manhattan-ascii-fallback"
_LOOKALIKES: Final = str.maketrans("·■▶→←…•│─", ".#>><.*|-") | dict.fromkeys(
    range(0x2010, 0x2016), "-"
)
_SPINNER: Final = range(0x2800, 0x2900)
"""The Braille characters of Rich's spinner."""


def _ascii_fallback(error: UnicodeError) -> tuple[str | bytes, int]:
    """Replace each character by a single ASCII one, so that columns stay aligned."""
    if not isinstance(error, UnicodeEncodeError):
        return codecs.replace_errors(error)
    import unicodedata  # rarely needed

    replaced = ""
    for character in error.object[error.start : error.end]:
        letter = unicodedata.normalize("NFKD", character.translate(_LOOKALIKES))[0]
        replaced += letter if letter.isascii() else "*" if ord(character) in _SPINNER else "?"
    return replaced, error.end
