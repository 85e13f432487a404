"""Compiling takes seconds, once: nobody waits for it without being told.

What has been compiled for this processor is noted in the cache's folder, beside the code.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from manhattan.kernel.jit import CACHE, COMPILED
from manhattan.rules import Setup

_told_by = threading.local()


def tell(line: str) -> None:
    """How a person is told by default: on a line of the standard error output."""
    print(line, file=sys.stderr, flush=True)


@contextmanager
def announced(setup: Setup, what: str, say: Callable[[str], None] | None = None) -> Iterator[None]:
    """Tell before, and after, if what follows has to be compiled first."""
    note = CACHE / f"{what}-{len(setup.players)}-{setup.schedule.colours}.compiled"
    if not COMPILED or note.exists():
        yield
        return
    say_it: Callable[[str], None] = say or getattr(_told_by, "say", None) or tell
    say_it(
        f"Compiling the simulator for {len(setup.players)} players ({what}): "
        "up to half a minute, this once ..."
    )
    start = time.monotonic()
    yield
    say_it(f"Compiled in {time.monotonic() - start:.0f} s.")
    try:
        note.parent.mkdir(parents=True, exist_ok=True)
        note.touch()
    except OSError:
        pass  # a folder that can't be written to: compiled again next time, and told again


@contextmanager
def quietly() -> Iterator[None]:
    """Compile without a word, as in the background."""
    _told_by.say = lambda _line: None
    try:
        yield
    finally:
        del _told_by.say
