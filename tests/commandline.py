"""The command line as a person has it: text is typed, text is shown, and a code comes back."""

from __future__ import annotations

import io
import os
import pty
import re
import select
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

import pytest

from manhattan.cli import main

SCRIPT = Path(sys.executable).with_name("manhattan")
"""The command as it was installed."""


class Outcome(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def sentence(self) -> str:
        """What went wrong, without the frame that is drawn around some of it."""
        return " ".join(self.err.replace("│", " ").split())


class Typist(io.TextIOBase):
    """Somebody at the keyboard who reads the screen before typing the next line."""

    def __init__(self, screen: io.StringIO, type_next: Callable[[str], str]) -> None:
        self._screen = screen
        self._type_next = type_next
        self._lines = 0

    def readline(self, _limit: int | None = -1, /) -> str:  # type: ignore[override]
        self._lines += 1
        assert self._lines < 500, f"this goes on for ever: {self._screen.getvalue()[-500:]}"
        return self._type_next(self._screen.getvalue())


def typing(*lines: str | Path) -> str:
    """These lines, typed one after the other."""
    return "".join(f"{line}\n" for line in lines)


def people(*names: str) -> list[str]:
    """The options that seat these people."""
    return [word for name in names for word in ("--name", name)]


class Screen(io.StringIO):
    """An output that passes for a terminal."""

    def isatty(self) -> bool:
        return True


def manhattan(
    *arguments: str | Path,
    typed: str | Callable[[str], str] = "",
    terminal: bool = False,
    size: tuple[int, int] = (100, 50),
) -> Outcome:
    """Run the command in this process. ``typed`` is all that is typed, or how to answer; ``size``
    are the columns and lines of the screen."""
    out, err = Screen() if terminal else io.StringIO(), io.StringIO()
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


def readable(written: str) -> str:
    """All that can still be read on a terminal, by scrolling back too."""
    scrollback = screen = ""
    for part in re.split(r"(\x1b\[[23]J)", written):
        match part:
            case "\x1b[2J":  # the worse kind of terminal, which scrolls off what is cleared
                scrollback, screen = scrollback + screen, ""
            case "\x1b[3J":
                scrollback = ""
            case _:
                screen += part
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", scrollback + screen)


def process(
    *arguments: str | Path, typed: bytes = b"", env: Mapping[str, str] | None = None
) -> Outcome:
    """Run the installed command in a process of its own."""
    done = subprocess.run(
        [SCRIPT, *arguments],
        input=typed,
        capture_output=True,
        timeout=60,
        env={**os.environ, "COLUMNS": "100", **(env or {})},
        check=False,
    )
    out, err = done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
    return Outcome(done.returncode, out, err)


def shell(line: str, **env: str) -> Outcome:
    """Run a line of a shell in which ``$manhattan`` is the installed command."""
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", line],
        capture_output=True,
        timeout=60,
        env={**os.environ, "manhattan": str(SCRIPT), **env},
        check=False,
        text=True,
    )
    return Outcome(done.returncode, done.stdout, done.stderr)


# Only the process itself can make a terminal its own, so that Ctrl-C reaches it.
_ON_ITS_TERMINAL = "import os, sys; os.login_tty(0); os.execv(sys.argv[1], sys.argv[1:])"


class Terminal:
    """A process on a terminal of its own, where keys are pressed and Ctrl-C works. It runs in a
    folder where it may leave files."""

    def __init__(self, *command: str | Path, folder: Path) -> None:
        self._keys, theirs = pty.openpty()
        self._process = subprocess.Popen(
            [sys.executable, "-c", _ON_ITS_TERMINAL, *command],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=folder,
            env={**os.environ, "TERM": "xterm", "COLUMNS": "100", "LINES": "50"},
        )
        os.close(theirs)
        self.written = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._keys)

    def press(self, keys: str) -> None:
        os.write(self._keys, keys.encode())

    def wait_for(self, text: str) -> None:
        """Read until the text was written, once more than when it was last waited for."""
        seen = len(self.written)
        while text not in self.written[seen:]:
            assert self._read(), f"{text!r} never came: {self.written[-500:]}"

    def wait(self) -> int:
        """Read to the end; the code that comes back."""
        while self._read():
            pass
        return self._process.wait(timeout=60)

    def _read(self) -> bool:
        """Read some more; false at the end."""
        end = time.monotonic() + 60
        while time.monotonic() < end:
            if select.select([self._keys], [], [], 1)[0]:
                try:
                    self.written += os.read(self._keys, 65536).decode(errors="replace")
                except OSError:  # how a terminal says that nobody is there any more
                    return False
                return True
        raise AssertionError(f"nothing more came: {self.written[-500:]}")
