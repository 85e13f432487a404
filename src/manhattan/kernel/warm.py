"""Compiling takes seconds, once: nobody waits for it without being told.

What has been compiled for this processor is noted in the cache's folder, beside the code.
"""

from __future__ import annotations

import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from manhattan.kernel.jit import CACHE, COMPILED
from manhattan.rules import Setup

_MONTH = 30 * 24 * 3600
_compiled: set[str] = set()
_local = threading.local()


def tell(line: str) -> None:
    """How a person is told by default: on a line of the standard error output."""
    print(line, file=sys.stderr, flush=True)


@contextmanager
def announced(setup: Setup, what: str) -> Iterator[None]:
    """Tell before, and after, if what follows has to be compiled first."""
    key = f"{what}-{len(setup.players)}-{setup.schedule.colours}"
    if key in _compiled or not COMPILED:
        yield
        return
    note = CACHE / f"{key}.compiled"
    if not note.exists():
        say: Callable[[str], None] = getattr(_local, "say", tell)
        say(
            f"Compiling the simulator for {len(setup.players)} players ({what}): "
            "up to half a minute, this once ..."
        )
        start = time.monotonic()
        yield
        say(f"Compiled in {time.monotonic() - start:.0f} s.")
        with suppress(OSError):  # a folder that can't be written to: compiled, and told, again
            CACHE.mkdir(parents=True, exist_ok=True)
            note.touch()
            _forget_old_ones()
    else:
        yield
    _compiled.add(key)


@contextmanager
def quietly() -> Iterator[None]:
    """Compile without a word in this thread, as in the background."""
    _local.say = lambda _line: None
    try:
        yield
    finally:
        del _local.say


def _forget_old_ones() -> None:
    """Every change of the kernel has a folder of its own: those not used for a month go."""
    for folder in CACHE.parent.glob("kernel-*"):
        if folder != CACHE and time.time() - folder.stat().st_mtime > _MONTH:
            shutil.rmtree(folder, ignore_errors=True)
