"""Compiling this package: as the kernel is compiled, cached under a key of both."""

from __future__ import annotations

from pathlib import Path

from manhattan.kernel.jit import Compiler, inlined, never_inlined

compiled = Compiler("envs", Path(__file__).parent)

__all__ = ["compiled", "inlined", "never_inlined"]
