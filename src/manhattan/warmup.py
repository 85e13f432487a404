"""Warm-up: compile code in a separate process, while people already play.

Importing the compiler takes a second, which a program that uses this module saves.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import dataclass

_NICENESS = 10


@dataclass(slots=True)
class CompileJob:
    """A compilation in another process."""

    process: subprocess.Popen[bytes] | None

    @property
    def finished(self) -> bool:
        """Whether the process has ended. After a failure, the code is compiled where it is used."""
        return self.process is None or self.process.poll() is not None

    def wait(self) -> None:
        if self.process is not None:
            self.process.wait()

    def stop(self) -> None:
        """End the process, because its result is no longer needed."""
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            self.process.wait()


NO_JOB = CompileJob(None)


def start_compile_job(module: str, players: int, colours: int, *parts: str) -> CompileJob:
    """Run a module that compiles code for tables with these numbers of players and colours."""
    # -P: a file in the current folder must not replace a module of the same name.
    command = [sys.executable, "-P", "-m", module, str(players), str(colours), *parts]
    quiet = subprocess.DEVNULL
    return CompileJob(
        subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet)  # noqa: S603 - own module
    )


def lower_priority() -> None:
    """Give way to the program that started this process.

    Ctrl-C reaches all processes of a terminal, so this one ignores it; its parent stops it.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
