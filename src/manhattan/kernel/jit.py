"""Compilation: once per machine, cached under a hash of everything the code is made from.

The functions of this package call each other across files, but numba's own cache only looks at the
file of a function: it would serve stale code when a helper in another file changes. So the cache
folder is named after a hash of all sources, of the versions of the compiler, and of the processor.
A change of any of these is another folder.
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
"""False if numba is disabled: then everything runs as plain Python, slowly."""

CHECKED = os.environ.get("MANHATTAN_CHECKED", "") not in ("", "0")
"""True to check every move and every index inside the compiled code: for changes to the kernel."""

TARGET: tuple[str, str, str] = cpu_target.target_context.codegen().magic_tuple()
"""What numba compiles for: the architecture, the processor and its features, as ``+bmi2,-sha``.
That need not be this machine's processor: ``NUMBA_CPU_NAME`` can name another."""


def has_feature(target: tuple[str, str, str], architecture: str, feature: str) -> bool:
    """Return whether code for a target can rely on a processor feature; False in doubt."""
    triple, _, listed = target
    features = listed.split(",")
    is_listed = f"+{feature}" in features and f"-{feature}" not in features
    return triple.split("-")[0] == architecture and is_listed


def _cache_home() -> Path:
    """Return the user's cache folder; if it isn't writable, as for users without a home, a
    temporary folder."""
    try:
        home = _user_cache_home()
        home.mkdir(parents=True, exist_ok=True)
        if os.access(home, os.W_OK):
            return home
    except (OSError, RuntimeError):  # there is no home
        pass
    return _temporary_home()


def _user_cache_home() -> Path:
    if named := os.environ.get("MANHATTAN_CACHE"):
        return Path(named)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "manhattan" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "manhattan"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "manhattan"


def _temporary_home() -> Path:
    """Return a temporary folder, the same for all processes of a user. Code is loaded from it, so
    no other user may write to it."""
    if sys.platform != "win32":
        user = os.getuid()
        shared = Path(tempfile.gettempdir()) / f"manhattan-{user}"
        with suppress(OSError):
            shared.mkdir(mode=0o700, exist_ok=True)
            status = shared.lstat()
            is_private = status.st_uid == user and not status.st_mode & 0o077
            if stat.S_ISDIR(status.st_mode) and is_private:
                return shared
    return Path(tempfile.mkdtemp(prefix="manhattan-"))


def ignore_overflow(function: F) -> F:
    """Let integers overflow silently, as in compiled code, where NumPy would warn."""
    return np.errstate(over="ignore")(function)


class Compiler:
    """A decorator for compiled functions that Python calls; they release the GIL.

    The compiled code is cached in a folder for the sources of the kernel and of the given folders,
    the compiler and the processor.
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
            return ignore_overflow(function)
        # numba reads the folder when the decorator runs; other users of numba keep theirs.
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
    """Compile a function that is rarely called, or large, apart from its callers."""
    return cast("F", numba.njit(inline="never")(function)) if COMPILED else function
