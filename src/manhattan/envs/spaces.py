"""What is seen and what may be done, as spaces: the same for Gymnasium and PettingZoo."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from gymnasium import spaces

from manhattan.envs.engine.layout import HIGHS

Mask = np.typing.NDArray[Any]


def observation_space() -> Any:
    """A row of bytes, field by field as in the documentation."""
    return spaces.Box(np.zeros_like(HIGHS), HIGHS, dtype=np.uint8)


class LegalActions(spaces.Discrete):
    """The numbers of all moves. A sample without a mask is one that is legal at the moment.

    So a loop that knows nothing of masks plays whole games, and so does a checker.
    """

    def __init__(self, size: int, legal: Callable[[], Mask]) -> None:
        super().__init__(size)
        self._legal = legal

    def sample(self, mask: Any = None, probability: Any = None) -> np.int64:
        if mask is None and probability is None:
            mask = self._legal().astype(np.int8)
        return super().sample(mask=mask, probability=probability)


class ManyLegalActions(spaces.MultiDiscrete):
    """The same for many games at once."""

    def __init__(self, size: int, count: int, legal: Callable[[], Mask]) -> None:
        super().__init__(np.full(count, size, np.int64))
        self._legal = legal

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        if mask is not None or probability is not None:
            return super().sample(mask=mask, probability=probability)
        legal = self._legal()
        dice = self.np_random.random(len(legal))
        return _nth_legal(legal, dice)


def _nth_legal(legal: Mask, dice: np.typing.NDArray[np.float64]) -> np.typing.NDArray[np.int64]:
    """One of each row's legal actions, all alike; 0 where there is none."""
    upto: Any = legal.cumsum(axis=1, dtype=np.int64)
    nth = (dice * upto[:, -1]).astype(np.int64)
    picked: np.typing.NDArray[np.int64] = (upto <= nth[:, None]).sum(axis=1) % legal.shape[1]
    return picked
