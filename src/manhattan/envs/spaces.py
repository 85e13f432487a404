"""What is seen and what may be done, as spaces: the same for Gymnasium and PettingZoo."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from gymnasium import spaces

from manhattan.envs.engine.layout import HIGHS
from manhattan.envs.utility import EnvError

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
            mask = self._legal()
        return super().sample(mask=mask, probability=probability)


class ManyLegalActions(spaces.MultiDiscrete):
    """The same for many games at once. Their masks may be given as they are told, in one array:
    Gymnasium's own space takes nothing but a tuple of them, row by row."""

    def __init__(self, size: int, count: int, legal: Callable[[], Mask]) -> None:
        super().__init__(np.full(count, size, np.int64))
        self._shape_of_masks = count, size
        self._legal = legal

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        if mask is None and probability is None:
            mask = self._legal()
        if not isinstance(mask, np.ndarray) or probability is not None:
            return super().sample(mask=mask, probability=probability)
        if mask.shape != self._shape_of_masks:
            told = f"{self._shape_of_masks}, not {mask.shape}"
            raise EnvError(f"The masks of these games are an array of shape {told}.")
        return _nth_legal(mask, self.np_random.random(len(mask)))


def _nth_legal(legal: Mask, dice: np.typing.NDArray[np.float64]) -> np.typing.NDArray[np.int64]:
    """One of each row's legal actions, all alike; 0 where there is none."""
    upto: Any = legal.cumsum(axis=1, dtype=np.int64)
    nth = (dice * upto[:, -1]).astype(np.int64)
    picked: np.typing.NDArray[np.int64] = (upto <= nth[:, None]).sum(axis=1) % legal.shape[1]
    return picked
