"""Compiling that goes on in a process of its own while somebody plays.

What compiles takes a second to load: whoever starts it from here need not load it himself.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import dataclass

_NICE = 10


@dataclass(slots=True)
class Rehearsal:
    """Compiling that goes on elsewhere."""

    process: subprocess.Popen[bytes] | None

    @property
    def over(self) -> bool:
        """Has it ended? If it failed, compiling happens, and is told, where it is needed."""
        return self.process is None or self.process.poll() is not None

    def wait(self) -> None:
        if self.process is not None:
            self.process.wait()

    def stop(self) -> None:
        """Nobody needs it any more."""
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            self.process.wait()


NOTHING = Rehearsal(None)


def start_rehearsal(module: str, players: int, colours: int, *parts: str) -> Rehearsal:
    """Have a module compile for tables of a size: it is run with that, and with what it is told."""
    # -P: a file in the user's folder must not stand in for a module of the same name.
    command = [sys.executable, "-P", "-m", module, str(players), str(colours), *parts]
    quiet = subprocess.DEVNULL
    return Rehearsal(
        subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet)  # noqa: S603 - ourselves
    )


def give_way() -> None:
    """Said in that process: somebody may be playing meanwhile. His Ctrl-C reaches all that his
    terminal runs, but may be about something else; who started this ends it when he ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "nice"):
        os.nice(_NICE)
