"""Statistics for tests of random choices."""

from __future__ import annotations

from typing import Any

import numpy as np


def chi_square(counts: Any) -> float:
    """Return how far counts are from uniform, in standard deviations of the chi-square
    distribution."""
    counts = np.asarray(counts, float)
    expected = counts.sum() / len(counts)
    freedom = len(counts) - 1
    return float((((counts - expected) ** 2 / expected).sum() - freedom) / np.sqrt(2 * freedom))
