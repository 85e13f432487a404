"""The compiler of this package: the kernel's, with a cache key of both packages' sources."""

from __future__ import annotations

from pathlib import Path

from manhattan.kernel.jit import Compiler, inlined, never_inlined

compiled = Compiler("envs", Path(__file__).parent)

__all__ = ["compiled", "inlined", "never_inlined"]
