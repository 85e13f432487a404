"""Samples for the value network: positions at a round boundary, and how their games ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from manhattan.ai.model import Kind
from manhattan.ai.training.fitting import (
    Floats,
    Indices,
    Parameters,
    encode_batch,
    loss_and_gradients,
)
from manhattan.ai.training.self_play import Results
from manhattan.ai.training.training_data import win_shares
from manhattan.ai.value_network import POINTS_PER_UNIT


@dataclass(frozen=True)
class BoundarySamples:
    """The positions after one round of many games; each has a sample for every player."""

    kind: Kind
    states: Any
    targets: Floats
    """``[position, player, output]``"""

    @classmethod
    def of(cls, kind: Kind, results: Sequence[Results], number: int) -> BoundarySamples:
        """Return the samples after a round."""
        players = kind.players
        boundaries = np.concatenate([result.boundaries[:, number - 1] for result in results])
        states = boundaries.view(np.recarray)
        scores = np.concatenate([result.scores for result in results]).astype(np.float32)
        shares = np.concatenate([win_shares(result) for result in results])
        points = scores - states.scores[:, :players]
        leads = points - (points.sum(axis=1, keepdims=True) - points) / (players - 1)
        in_units = (leads / POINTS_PER_UNIT, points / POINTS_PER_UNIT)
        return cls(kind, states, np.stack([shares, *in_units], axis=2).astype(np.float32))

    def __len__(self) -> int:
        return len(self.states) * self.kind.players

    def gradients(self, parameters: Parameters, indices: Indices) -> tuple[Parameters, Floats]:
        """Return the gradients and losses of a batch of samples, each by itself."""
        return self._fit(parameters, indices // self.kind.players, indices % self.kind.players)

    def position_gradients(
        self, parameters: Parameters, positions: Indices
    ) -> tuple[Parameters, Floats]:
        """Return the gradients and losses of a batch of positions, each with all its players: their
        win probabilities add up to 1."""
        players = self.kind.players
        viewers = np.tile(np.arange(players), len(positions))
        return self._fit(parameters, np.repeat(positions, players), viewers, players)

    def _fit(
        self, parameters: Parameters, rows: Indices, viewers: Indices, players: int | None = None
    ) -> tuple[Parameters, Floats]:
        shape = self.kind.players, self.kind.schedule.colours
        inputs = encode_batch(self.states[rows], viewers, *shape)
        return loss_and_gradients(parameters, inputs, self.targets[rows, viewers], players)
