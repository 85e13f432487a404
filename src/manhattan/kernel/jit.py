"""Compiling the kernel: once per machine, cached under what it was made from.

The functions of this package call each other across files, and numba's own cache looks only at
the file that a function stands in: it would go on serving stale code when a helper changes. So
the cache lies in a folder named after a hash of all the sources, the versions that compile them
and the processor that they are made for. A change of any of these is another folder.
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar, cast

import llvmlite
import numba
import numpy as np
from numba.core.registry import cpu_target

config: Any = numba.config
F = TypeVar("F", bound=Callable[..., Any])

COMPILED = not config.DISABLE_JIT
"""False if numba was told not to compile: then everything runs as plain Python, slowly."""

CHECKED = os.environ.get("MANHATTAN_CHECKED", "") not in ("", "0")
"""True to check every move inside the compiled code, and every index: for whoever changes it."""

TARGET: tuple[str, str, str] = cpu_target.target_context.codegen().magic_tuple()
"""What numba compiles for: the machine's kind, the processor and its features, as ``+bmi2,-sha``.
That is not always the processor at hand: ``NUMBA_CPU_NAME`` may name another."""


def has_feature(target: tuple[str, str, str], machine: str, feature: str) -> bool:
    """May code for this target rely on a feature of that kind of machine? In doubt it may not."""
    kind, _, features = target
    told = features.split(",")
    return kind.split("-")[0] == machine and f"+{feature}" in told and f"-{feature}" not in told


def _cache_home() -> Path:
    """Where programs keep what they can make again; if nothing can be written there, as for users
    who have no home, a folder of one's own among those for a while."""
    try:
        wanted = _usual_cache_home()
        wanted.mkdir(parents=True, exist_ok=True)
        if os.access(wanted, os.W_OK):
            return wanted
    except (OSError, RuntimeError):  # there is no home
        pass
    return _temporary_home()


def _usual_cache_home() -> Path:
    if named := os.environ.get("MANHATTAN_CACHE"):
        return Path(named)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "manhattan" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "manhattan"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "manhattan"


def _temporary_home() -> Path:
    """The same for all processes of a user, who alone may write there: code is read from it."""
    if sys.platform != "win32":
        me = os.getuid()
        shared = Path(tempfile.gettempdir()) / f"manhattan-{me}"
        with suppress(OSError):
            shared.mkdir(mode=0o700, exist_ok=True)
            found = shared.lstat()
            if stat.S_ISDIR(found.st_mode) and found.st_uid == me and not found.st_mode & 0o077:
                return shared
    return Path(tempfile.mkdtemp(prefix="manhattan-"))


def wrapping(function: F) -> F:
    """Let numbers run over in silence, as they do in compiled code: NumPy would warn."""
    return np.errstate(over="ignore")(function)


class Compiler:
    """Compiles functions that are called from Python: they let other threads run meanwhile.

    The code is kept in a folder of its own for all that it is made from: the sources of the
    kernel and of the package that stands on it, the compiler, the processor.
    """

    def __init__(self, name: str, *folders: Path) -> None:
        parts = [numba.__version__, llvmlite.__version__, np.__version__, sys.version, *TARGET]
        digest = hashlib.sha256("\n".join([*parts, str(CHECKED)]).encode())
        for folder in (Path(__file__).parent, *folders):
            for source in sorted(folder.glob("*.py")):
                digest.update(source.name.encode() + b"\0" + source.read_bytes())
        self.cache = _cache_home() / f"{name}-{digest.hexdigest()[:16]}"

    def __call__(self, function: F) -> F:
        if not COMPILED:
            return wrapping(function)
        # Read as the decorator runs, so that other users of numba keep their own.
        before, config.CACHE_DIR = config.CACHE_DIR, str(self.cache)
        try:
            made = numba.njit(cache=True, nogil=True, boundscheck=CHECKED)(function)
            return cast("F", made)
        finally:
            config.CACHE_DIR = before


compiled = Compiler("kernel")
CACHE = compiled.cache


def inlined(function: F) -> F:
    """Compile a small function into each of its callers."""
    return (
        cast("F", numba.njit(inline="always", boundscheck=CHECKED)(function))
        if COMPILED
        else function
    )


def never_inlined(function: F) -> F:
    """Compile a function that is rarely called, out of the way of those that often are."""
    return cast("F", numba.njit(inline="never")(function)) if COMPILED else function
