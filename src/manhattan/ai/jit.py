"""The compiler of this package: the kernel's, with a cache keyed by the sources of both."""

from __future__ import annotations

from pathlib import Path

from manhattan.kernel.jit import Compiler, inlined, never_inlined

_FOLDER = Path(__file__).parent

compiled = Compiler("ai", _FOLDER, _FOLDER / "training")

__all__ = ["compiled", "inlined", "never_inlined"]
