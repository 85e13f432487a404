"""A measurement, as benches tell it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """One measurement."""

    name: str
    players: int
    """For tables of so many; 0 if that does not matter."""
    value: float
    unit: str
