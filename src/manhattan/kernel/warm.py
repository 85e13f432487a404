"""Compiling takes seconds, once: nobody waits for it without being told.

What has been compiled for this processor is noted in the cache's folder, beside the code.
"""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import RLock

from manhattan.kernel.jit import CACHE, COMPILED
from manhattan.rules import Setup

_MONTH = 30 * 24 * 3600
_compiled: set[Path] = set()
_one_at_a_time = RLock()
"""Several threads may need the same: one compiles it, and the others are told nothing."""


def tell(line: str) -> None:
    """Tell a person, on a line of the standard error output."""
    print(line, file=sys.stderr, flush=True)


def _mark(setup: Setup, what: str, cache: Path) -> Path:
    """The file that is there once something was compiled for tables of this size."""
    return cache / f"{what}-{len(setup.players)}-{setup.schedule.colours}.compiled"


def is_compiled(setup: Setup, what: str, cache: Path | None = None) -> bool:
    """Has this been compiled for such a table, now or before?"""
    mark = _mark(setup, what, cache or CACHE)
    return mark in _compiled or mark.exists()


@contextmanager
def announced(setup: Setup, what: str, cache: Path | None = None) -> Iterator[None]:
    """Tell before, and after, if what follows has to be compiled first. What was compiled lies
    in the kernel's cache if no other is named."""
    mark = _mark(setup, what, cache or CACHE)
    if mark in _compiled or not COMPILED:
        yield
        return
    with _one_at_a_time:
        yield from _announced(setup, what, mark)


def _announced(setup: Setup, what: str, mark: Path) -> Iterator[None]:
    if mark in _compiled:  # by whom we waited for
        yield
        return
    if not mark.exists():
        tell(
            f"Compiling the simulator for {len(setup.players)} players ({what}): "
            "up to half a minute, this once ..."
        )
        start = time.monotonic()
        yield
        tell(f"Compiled in {time.monotonic() - start:.0f} s.")
        with suppress(OSError):  # a folder that can't be written to: compiled, and told, again
            mark.parent.mkdir(parents=True, exist_ok=True)
            mark.touch()
            _forget_old_ones(mark.parent)
    else:
        yield
    _compiled.add(mark)


def _forget_old_ones(cache: Path) -> None:
    """Every change of the sources has a folder of its own: those not used for a month go."""
    for folder in cache.parent.glob(f"{cache.name.rpartition('-')[0]}-*"):
        if folder != cache and time.time() - folder.stat().st_mtime > _MONTH:
            shutil.rmtree(folder, ignore_errors=True)
