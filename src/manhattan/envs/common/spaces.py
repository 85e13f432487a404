"""Observation and action spaces, the same for Gymnasium and PettingZoo."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from gymnasium import spaces

from manhattan.envs.common.rewards import EnvError
from manhattan.envs.engine.layout import HIGHS

Mask = np.typing.NDArray[Any]


def observation_space() -> Any:
    """Return the space of observations: a row of bytes, documented field by field."""
    return spaces.Box(np.zeros_like(HIGHS), HIGHS, dtype=np.uint8)


class LegalActions(spaces.Discrete):
    """All actions. A sample without a mask is legal at the moment.

    So a loop that doesn't know masks plays whole games, and so does Gymnasium's checker.
    """

    def __init__(self, size: int, current_mask: Callable[[], Mask]) -> None:
        super().__init__(size)
        self._current_mask = current_mask

    def sample(self, mask: Any = None, probability: Any = None) -> np.int64:
        if mask is None and probability is None:
            mask = self._current_mask()
        return super().sample(mask=mask, probability=probability)


class BatchedLegalActions(spaces.MultiDiscrete):
    """All actions of a batch of games. Unlike Gymnasium's own space, which takes a tuple of masks,
    this one also takes the array of masks that the environment returns."""

    def __init__(self, size: int, count: int, current_masks: Callable[[], Mask]) -> None:
        super().__init__(np.full(count, size, np.int64))
        self._mask_shape = count, size
        self._current_masks = current_masks

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        if mask is None and probability is None:
            mask = self._current_masks()
        if not isinstance(mask, np.ndarray) or probability is not None:
            return super().sample(mask=mask, probability=probability)
        if mask.shape != self._mask_shape:
            raise EnvError(
                f"The masks of these games are an array of shape {self._mask_shape}, "
                f"not {mask.shape}."
            )
        return _sample_rows(mask, self.np_random.random(len(mask)))


def _sample_rows(masks: Mask, random: np.typing.NDArray[np.float64]) -> np.typing.NDArray[np.int64]:
    """Return a random legal action of each row; 0 where there is none."""
    counts: Any = masks.cumsum(axis=1, dtype=np.int64)
    nth = (random * counts[:, -1]).astype(np.int64)
    actions: np.typing.NDArray[np.int64] = (counts <= nth[:, None]).sum(axis=1) % masks.shape[1]
    return actions
