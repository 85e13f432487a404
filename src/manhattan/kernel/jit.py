"""Compiling the kernel: once per machine, cached under what it was made from.

The functions of this package call each other across files, and numba's own cache looks only at
the file that a function stands in: it would go on serving stale code when a helper changes. So
the cache lies in a folder named after a hash of all the sources, the versions that compile them
and the processor that runs them. A change of any of these is another folder.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import llvmlite
import llvmlite.binding
import numba
import numpy as np

config: Any = numba.config
F = TypeVar("F", bound=Callable[..., Any])

COMPILED = not config.DISABLE_JIT
"""False if numba was told not to compile: then everything runs as plain Python, slowly."""


def _fingerprint() -> str:
    parts = [numba.__version__, llvmlite.__version__, np.__version__, sys.version]
    parts.append(llvmlite.binding.get_host_cpu_name())
    parts.append(llvmlite.binding.get_host_cpu_features().flatten())
    digest = hashlib.sha256("\n".join(parts).encode())
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.name.encode() + b"\0" + source.read_bytes())
    return digest.hexdigest()[:16]


def _cache_home() -> Path:
    """Where programs keep what they can make again."""
    if named := os.environ.get("MANHATTAN_CACHE"):
        return Path(named)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "manhattan" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "manhattan"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "manhattan"


CACHE = _cache_home() / f"kernel-{_fingerprint()}"


def compiled(function: F) -> F:
    """Compile a function that is called from Python. It lets other threads run meanwhile."""
    if not COMPILED:
        return function
    # Read as the decorator runs, so that other users of numba keep their own.
    before, config.CACHE_DIR = config.CACHE_DIR, str(CACHE)
    try:
        return cast("F", numba.njit(cache=True, nogil=True)(function))
    finally:
        config.CACHE_DIR = before


def inlined(function: F) -> F:
    """Compile a small function into each of its callers."""
    return cast("F", numba.njit(inline="always")(function)) if COMPILED else function


def never_inlined(function: F) -> F:
    """Compile a function that is rarely called, out of the way of those that often are."""
    return cast("F", numba.njit(inline="never")(function)) if COMPILED else function
