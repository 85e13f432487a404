"""Compiling takes seconds, once: nobody waits for it without being told.

What has been compiled for this processor is noted in the cache's folder, beside the code.
"""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from manhattan.kernel.jit import CACHE, COMPILED
from manhattan.rules import Setup

_MONTH = 30 * 24 * 3600
_compiled: set[str] = set()


def tell(line: str) -> None:
    """Tell a person, on a line of the standard error output."""
    print(line, file=sys.stderr, flush=True)


def _key(setup: Setup, what: str) -> str:
    return f"{what}-{len(setup.players)}-{setup.schedule.colours}"


def is_compiled(setup: Setup, what: str) -> bool:
    """Has this been compiled for such a table, now or before?"""
    key = _key(setup, what)
    return key in _compiled or (CACHE / f"{key}.compiled").exists()


@contextmanager
def announced(setup: Setup, what: str) -> Iterator[None]:
    """Tell before, and after, if what follows has to be compiled first."""
    key = _key(setup, what)
    if key in _compiled or not COMPILED:
        yield
        return
    if not is_compiled(setup, what):
        tell(
            f"Compiling the simulator for {len(setup.players)} players ({what}): "
            "up to half a minute, this once ..."
        )
        start = time.monotonic()
        yield
        tell(f"Compiled in {time.monotonic() - start:.0f} s.")
        with suppress(OSError):  # a folder that can't be written to: compiled, and told, again
            CACHE.mkdir(parents=True, exist_ok=True)
            (CACHE / f"{key}.compiled").touch()
            _forget_old_ones()
    else:
        yield
    _compiled.add(key)


def _forget_old_ones() -> None:
    """Every change of the kernel has a folder of its own: those not used for a month go."""
    for folder in CACHE.parent.glob("kernel-*"):
        if folder != CACHE and time.time() - folder.stat().st_mtime > _MONTH:
            shutil.rmtree(folder, ignore_errors=True)
