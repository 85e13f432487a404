"""The kernel's exception."""

from __future__ import annotations

from manhattan.rules import ManhattanError


class KernelError(ManhattanError, ValueError):
    """The kernel can't play with what it was given."""
