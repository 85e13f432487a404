"""A measurement, as every benchmark reports it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Measurement:
    """One figure of a benchmark."""

    name: str
    players: int
    """The number of players it was measured with; 0 if that does not matter."""
    value: float
    unit: str
