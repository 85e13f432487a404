"""The command line as a person has it: text is typed, text is shown, and a code comes back."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

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


def manhattan(*arguments: str | Path, typed: str | Callable[[str], str] = "") -> Outcome:
    """Run the command in this process. ``typed`` is all that is typed, or how to answer."""
    out, err = io.StringIO(), io.StringIO()
    stdin = io.StringIO(typed) if isinstance(typed, str) else Typist(out, typed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["manhattan", *map(str, arguments)])
        patch.setattr(sys, "stdin", stdin)
        patch.setattr(sys, "stdout", out)
        patch.setattr(sys, "stderr", err)
        patch.setenv("COLUMNS", "100")
        with pytest.raises(SystemExit) as stop:
            main()
    code = stop.value.code
    assert code is None or isinstance(code, int)
    return Outcome(code or 0, out.getvalue(), err.getvalue())


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
