"""Compile notices: announce the first compilation of each part, and remember what is compiled.

Compiling takes seconds, once per machine. It is always announced, so that people know why they
wait. Compiled code depends only on the number of players and of colours per player. A marker file
in the cache folder, beside the code, records which part is compiled for which of these shapes.
"""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from threading import RLock

from manhattan.kernel.errors import KernelError
from manhattan.kernel.jit import CACHE, COMPILED
from manhattan.rules import Setup, set_up

_MAX_AGE_S = 30 * 24 * 3600
Key = tuple[str, int, int, Path]
"""A part, the number of players and of colours per player, and the cache folder."""
_compiled: set[Key] = set()
"""What this process has compiled or loaded."""
_lock = RLock()
"""When several threads need the same part, one compiles and announces it; the others wait."""


def setup_for_shape(players: int, colours: int) -> Setup:
    """Return any setup with this many players and colours per player."""
    setup = set_up(players)
    if setup.schedule.colours != colours and players == 2:
        setup = set_up(players, house_rules={"two_players": "6x4-one-colour"})
    if setup.schedule.colours != colours:
        raise KernelError(f"No table has {players} players with {colours} colours each.")
    return setup


def is_compiled(setup: Setup, part: str, cache: Path | None = None) -> bool:
    """Return whether a part is compiled for tables of this shape, by this process or another."""
    key = _key(setup, part, cache)
    return key in _compiled or _marker(key).exists()


def announce_compilation(
    setup: Setup, part: str, cache: Path | None = None
) -> AbstractContextManager[None]:
    """Print a notice before and after the block if it has to compile a part first.

    The default cache folder is the kernel's.
    """
    key = _key(setup, part, cache)
    return _NO_NOTICE if key in _compiled or not COMPILED else _announce(key)


_NO_NOTICE = nullcontext()


@contextmanager
def _announce(key: Key) -> Iterator[None]:
    with _lock:
        marker = _marker(key)
        if key in _compiled or marker.exists():
            yield
        else:
            part, players, _, _ = key
            _notify(
                f"Compiling the simulator for {players} players ({part}), "
                "first time only: up to half a minute ..."
            )
            start = time.monotonic()
            yield
            _notify(f"Compiled in {time.monotonic() - start:.0f} s.")
            with suppress(OSError):  # the folder isn't writable: the next process compiles again
                marker.parent.mkdir(parents=True, exist_ok=True)
                marker.touch()
                _delete_unused_caches(marker.parent)
        _compiled.add(key)


def _key(setup: Setup, part: str, cache: Path | None) -> Key:
    return part, len(setup.players), setup.schedule.colours, cache or CACHE


def _marker(key: Key) -> Path:
    part, players, colours, cache = key
    return cache / f"{part}-{players}-{colours}.compiled"


def _notify(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _delete_unused_caches(cache: Path) -> None:
    """Delete the folders of other versions of the sources that are a month old."""
    for folder in cache.parent.glob(f"{cache.name.rpartition('-')[0]}-*"):
        if folder != cache and time.time() - folder.stat().st_mtime > _MAX_AGE_S:
            shutil.rmtree(folder, ignore_errors=True)
