"""CLI runner: run the command line in this process, in a process of its own, or on a terminal."""

from __future__ import annotations

import io
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

import pytest

from manhattan.cli import main

SCRIPT = Path(sys.executable).with_name("manhattan")
"""The installed command."""
TIMEOUT_S = 60.0
"""Seconds, on a busy machine: tests wait only for output that comes."""


class Outcome(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def error(self) -> str:
        """The error message in one line, without the frame that typer draws."""
        return " ".join(self.err.replace("│", " ").split())


class Typist(io.TextIOBase):
    """Standard input of a person who reads the screen before typing the next line."""

    def __init__(self, screen: io.StringIO, type_next: Callable[[str], str]) -> None:
        self._screen = screen
        self._type_next = type_next
        self._lines = 0

    def readline(self, _limit: int | None = -1, /) -> str:  # type: ignore[override]
        self._lines += 1
        assert self._lines < 500, f"endless: {self._screen.getvalue()[-500:]}"
        return self._type_next(self._screen.getvalue())


def typed_lines(*lines: str | Path) -> str:
    """The input of these lines."""
    return "".join(f"{line}\n" for line in lines)


def name_options(*names: str) -> list[str]:
    """The options for people with these names."""
    return [word for name in names for word in ("--name", name)]


class FakeTerminal(io.StringIO):
    """An output that claims to be a terminal."""

    def isatty(self) -> bool:
        return True


def run_cli(
    *arguments: str | Path,
    typed: str | Callable[[str], str] = "",
    terminal: bool = False,
    size: tuple[int, int] = (100, 50),
) -> Outcome:
    """Run the command in this process. ``typed`` is the whole input, or a function from the screen
    to the next line; ``size`` is the screen's columns and lines."""
    out, err = FakeTerminal() if terminal else io.StringIO(), io.StringIO()
    stdin = io.StringIO(typed) if isinstance(typed, str) else Typist(out, typed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["manhattan", *map(str, arguments)])
        patch.setattr(sys, "stdin", stdin)
        patch.setattr(sys, "stdout", out)
        patch.setattr(sys, "stderr", err)
        patch.setenv("COLUMNS", str(size[0]))
        patch.setenv("LINES", str(size[1]))
        patch.setenv("TERM", "xterm")
        with pytest.raises(SystemExit) as stop:
            main()
    code = stop.value.code
    assert code is None or isinstance(code, int)
    return Outcome(code or 0, out.getvalue(), err.getvalue())


def strip_escapes(output: str) -> str:
    """The text of a terminal's output, without escape sequences."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", output)


def visible_text(output: str) -> str:
    """All text that is still readable on a terminal, in the scrollback as well."""
    scrollback = screen = ""
    for part in re.split(r"(\x1b\[[23]J)", output):
        match part:
            case "\x1b[2J":  # the worse kind of terminal, which scrolls what it clears
                scrollback, screen = scrollback + screen, ""
            case "\x1b[3J":
                scrollback = ""
            case _:
                screen += part
    return strip_escapes(scrollback + screen)


def run_process(
    *arguments: str | Path, typed: bytes = b"", env: Mapping[str, str] | None = None
) -> Outcome:
    """Run the installed command in a process of its own."""
    done = subprocess.run(
        [SCRIPT, *arguments],
        input=typed,
        capture_output=True,
        timeout=TIMEOUT_S,
        env={**os.environ, "COLUMNS": "100", **(env or {})},
        check=False,
    )
    out, err = done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
    return Outcome(done.returncode, out, err)


def run_shell(line: str, **env: str) -> Outcome:
    """Run a shell command in which ``$manhattan`` is the installed command."""
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", line],
        capture_output=True,
        timeout=TIMEOUT_S,
        env={**os.environ, "manhattan": str(SCRIPT), **env},
        check=False,
        text=True,
    )
    return Outcome(done.returncode, done.stdout, done.stderr)


# Only the process itself can make a terminal its controlling terminal, so that Ctrl-C reaches it.
_LOGIN_TTY = "import os, sys; os.login_tty(0); os.execv(sys.argv[1], sys.argv[1:])"


class Terminal:
    """A process on a terminal of its own, where keys are pressed and Ctrl-C works. It runs in a
    folder where it may leave files."""

    def __init__(self, *command: str | Path, folder: Path, **env: str) -> None:
        self._keyboard, tty = pty.openpty()
        self._process = subprocess.Popen(
            [sys.executable, "-c", _LOGIN_TTY, *command],
            stdin=tty,
            stdout=tty,
            stderr=tty,
            cwd=folder,
            env={**os.environ, "TERM": "xterm", "COLUMNS": "100", "LINES": "50", **env},
        )
        os.close(tty)
        self.output = ""
        self._awaited = 0
        """The end of the text that was last waited for."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)  # with its child processes
            self._process.wait()
        os.close(self._keyboard)

    @property
    def pid(self) -> int:
        return self._process.pid

    def press(self, keys: str) -> None:
        os.write(self._keyboard, keys.encode())

    def press_key(self, key: str) -> None:
        """Press a key as soon as the program reads single keys: what comes before is dropped."""
        deadline = time.monotonic() + TIMEOUT_S
        while termios.tcgetattr(self._keyboard)[3] & termios.ICANON:
            assert time.monotonic() < deadline, "the program reads no single keys"
            time.sleep(0.005)
        self.press(key)

    def wait_for(self, text: str) -> None:
        """Read until the text appears, after the text that was last waited for."""
        while (found := self.output.find(text, self._awaited)) < 0:
            assert self._read(), f"{text!r} never came: {self.output[-500:]}"
        self._awaited = found + len(text)

    def wait(self) -> int:
        """Read to the end, and return the exit code."""
        while self._read():
            pass
        return self._process.wait(timeout=TIMEOUT_S)

    def _read(self) -> bool:
        """Read more output; false at the end."""
        deadline = time.monotonic() + TIMEOUT_S
        while time.monotonic() < deadline:
            if select.select([self._keyboard], [], [], 1)[0]:
                try:
                    self.output += os.read(self._keyboard, 65536).decode(errors="replace")
                except OSError:  # the process has closed its terminal
                    return False
                return True
        raise AssertionError(f"no more output: {self.output[-500:]}")
