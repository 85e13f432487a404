"""Are things as likely as they should be?"""

from __future__ import annotations

from typing import Any

import numpy as np


def chi_square(counts: Any) -> float:
    """How far counts are from all alike, in standard deviations of what chance would give."""
    counts = np.asarray(counts, float)
    expected = counts.sum() / len(counts)
    freedom = len(counts) - 1
    return float((((counts - expected) ** 2 / expected).sum() - freedom) / np.sqrt(2 * freedom))
