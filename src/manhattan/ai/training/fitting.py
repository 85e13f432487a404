"""Fitting: ridge regression of value functions, gradient descent for the value network."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from manhattan.ai.features import FEATURE_COUNT
from manhattan.ai.value_network import (
    CITY_UNITS,
    LEAD,
    OWNER_CLASSES,
    SHAPES,
    SITE_INPUTS,
    SITE_UNITS,
    TABLE_INPUTS,
    WIN,
    encode_many,
    new_buffers,
)
from manhattan.kernel.layout import table_shape

Floats = npt.NDArray[np.float32]
Indices = npt.NDArray[np.int64]
Parameters = dict[str, Floats]
Inputs = tuple[Floats, Floats, Floats]
"""Sites, towers of each owner class in each city, table."""

RIDGE = 30.0
"""The weight of the prior in the regression, in positions."""


@dataclass(frozen=True)
class NormalEquations:
    """The normal equations of a least-squares fit, for each set of weights.

    They add up: each shard of the data contributes its own.
    """

    gram: npt.NDArray[np.float64]
    """``[weight set, feature, feature]``: the sum of the products of features."""
    moments: npt.NDArray[np.float64]
    """``[weight set, feature]``: the sum of the products of features and targets."""

    @classmethod
    def zeros(cls, weight_sets: int) -> NormalEquations:
        return cls(
            np.zeros((weight_sets, FEATURE_COUNT, FEATURE_COUNT)),
            np.zeros((weight_sets, FEATURE_COUNT)),
        )

    def add(self, other: NormalEquations) -> None:
        np.add(self.gram, other.gram, out=self.gram)
        np.add(self.moments, other.moments, out=self.moments)

    def solve(self, ridge: float, prior: Floats | None = None) -> Floats:
        """Return the weights of each feature in each set, drawn towards the prior (or 0)."""
        centre = np.zeros_like(self.moments) if prior is None else prior.astype(np.float64)
        regularized = self.gram + ridge * np.eye(FEATURE_COUNT)
        right_side = (self.moments + ridge * centre)[..., None]
        return np.linalg.solve(regularized, right_side)[..., 0].astype(np.float32)


def equations_from_outcomes(
    weight_sets: int, indices: Indices, features: npt.NDArray[np.uint8], targets: Any
) -> NormalEquations:
    """Sum up positions of whole games and what came of them; ``indices`` holds the
    weight set of each."""
    equations = NormalEquations.zeros(weight_sets)
    for index in np.unique(indices):
        rows = indices == index
        x = features[rows].astype(np.float32)
        equations.gram[index] = x.T @ x
        equations.moments[index] = x.T @ targets[rows]
    return equations


def equations_from_search(
    weight_sets: int,
    indices: Indices,
    decision: Indices,
    rollouts: Indices,
    features: npt.NDArray[np.uint8],
    values: npt.NDArray[np.float64],
) -> NormalEquations:
    """Sum up searched moves. Only differences between the moves of one decision count, weighted by
    their rollouts. The rows of a decision follow each other."""
    equations = NormalEquations.zeros(weight_sets)
    for index in np.unique(indices):
        rows = indices == index
        x, weight = features[rows].astype(np.float64), rollouts[rows].astype(np.float64)
        group = decision[rows]
        begin = np.flatnonzero(np.r_[True, group[1:] != group[:-1]])
        sizes = np.diff(np.r_[begin, len(group)])
        total = np.add.reduceat(weight, begin)
        mean = np.add.reduceat(x * weight[:, None], begin) / total[:, None]
        mean_value = np.add.reduceat(values[rows] * weight, begin) / total
        x -= np.repeat(mean, sizes, axis=0)
        advantage = values[rows] - np.repeat(mean_value, sizes)
        equations.gram[index] = (x * weight[:, None]).T @ x
        equations.moments[index] = (x * weight[:, None]).T @ advantage
    return equations


BATCH_SIZE = 512
LEARNING_RATE = 4e-3
_BETA_1, _BETA_2, _ADAM_EPSILON = 0.9, 0.999, 1e-8
_WEIGHT_DECAY = 1e-3
_POINTS_WEIGHT = 0.3
"""The weight of the other outputs where the win probabilities of all players are fitted."""


def init_network(rng: np.random.Generator) -> Parameters:
    """Return random initial parameters."""
    parameters: Parameters = {}
    for name, shape in SHAPES.items():
        bound = shape[0] ** -0.5 if len(shape) == 2 else 0.0
        parameters[name] = rng.uniform(-bound, bound, shape).astype(np.float32)
    return parameters


def encode_batch(states: Any, viewers: Indices, players: int, colours: int) -> Inputs:
    """Return the network's inputs for some positions, each from one player's viewpoint."""
    n = len(states)
    sites = np.empty((n, 54, SITE_INPUTS), np.float32)
    table = np.empty((n, TABLE_INPUTS), np.float32)
    encode_many(states, viewers, *table_shape(players, colours), new_buffers(), sites, table)
    tower_counts = sites[:, :, :OWNER_CLASSES].reshape(n, 6, 9, OWNER_CLASSES).sum(2)
    return sites, tower_counts, table


def loss_and_gradients(
    parameters: Parameters, inputs: Inputs, targets: Floats, players: int | None = None
) -> tuple[Parameters, Floats]:
    """Return the gradients for one batch by backpropagation; and the losses: the log-loss of the
    wins, and the squared errors of the other outputs.

    With a number of players, the batch has all viewpoints of each position in a row, and their
    log-odds make a softmax."""
    sites, tower_counts, table = inputs
    n = len(sites)
    flat = sites.reshape(-1, SITE_INPUTS)
    site_units = np.maximum(flat @ parameters["site"] + parameters["site_bias"], 0)
    city_sums = site_units.reshape(n, 6, 9, SITE_UNITS).sum(2)
    city_inputs = np.concatenate([city_sums, tower_counts], 2)
    city_inputs = city_inputs.reshape(-1, SITE_UNITS + OWNER_CLASSES)
    city_units = np.maximum(city_inputs @ parameters["city"] + parameters["city_bias"], 0)
    all_cities = city_units.reshape(n, 6, CITY_UNITS).sum(1)
    table_inputs = np.concatenate([all_cities, city_sums.sum(1), table], 1)
    table_units = np.maximum(table_inputs @ parameters["table"] + parameters["table_bias"], 0)
    outputs = table_units @ parameters["output"] + parameters["output_bias"]

    error = outputs - targets
    squared_errors = np.mean(error[:, LEAD:] ** 2, axis=0)
    if players is None:
        error[:, LEAD:] *= 2
        error[:, WIN], log_loss = _logistic_error(outputs[:, WIN], targets[:, WIN])
    else:
        error[:, LEAD:] *= 2 * _POINTS_WEIGHT
        error[:, WIN], log_loss = _softmax_error(outputs[:, WIN], targets[:, WIN], players)
    error /= n

    gradients: Parameters = {"output": table_units.T @ error, "output_bias": error.sum(0)}
    back = (error @ parameters["output"].T) * (table_units > 0)
    gradients["table"], gradients["table_bias"] = table_inputs.T @ back, back.sum(0)
    to_table = back @ parameters["table"].T
    to_city = np.repeat(to_table[:, None, :CITY_UNITS], 6, 1).reshape(-1, CITY_UNITS)
    back = to_city * (city_units > 0)
    gradients["city"], gradients["city_bias"] = city_inputs.T @ back, back.sum(0)
    to_site = (back @ parameters["city"].T)[:, :SITE_UNITS].reshape(n, 6, SITE_UNITS)
    to_site = to_site + to_table[:, None, CITY_UNITS : CITY_UNITS + SITE_UNITS]
    back = np.repeat(to_site[:, :, None], 9, 2).reshape(-1, SITE_UNITS) * (site_units > 0)
    gradients["site"], gradients["site_bias"] = flat.T @ back, back.sum(0)
    return gradients, np.r_[log_loss, squared_errors]


def _logistic_error(log_odds: Floats, won: Floats) -> tuple[Floats, float]:
    """Return the gradient of each player's log-loss, and its mean."""
    log_loss = float(np.mean(np.logaddexp(0, log_odds) - won * log_odds))
    probabilities: Floats = np.reciprocal(1 + np.exp(-log_odds))
    return probabilities - won, log_loss


def _softmax_error(log_odds: Floats, won: Floats, players: int) -> tuple[Floats, float]:
    """Return the gradient of the log-loss of each position, scaled like that of its players, and
    its mean."""
    scores = log_odds.reshape(-1, players)
    scores = scores - scores.max(axis=1, keepdims=True)
    log_probabilities = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
    shares = won.reshape(-1, players)
    log_loss = float(-np.mean((shares * log_probabilities).sum(axis=1)))
    error: Floats = players * (np.exp(log_probabilities) - shares).reshape(-1)
    return error, log_loss


def sgd(
    parameters: Parameters,
    sample_count: int,
    gradients_of: Callable[[Indices], tuple[Parameters, Floats]],
    epochs: int,
    rng: np.random.Generator,
    *,
    learning_rate: float = LEARNING_RATE,
    batch_size: int = BATCH_SIZE,
) -> Iterator[tuple[int, Floats]]:
    """Fit the parameters in place by stochastic gradient descent; yield the mean losses of each
    epoch. ``gradients_of`` returns the gradients and the losses of a batch of samples.

    Adam with decoupled weight decay; the learning rate warms up linearly and decays as a cosine.
    """
    first = {name: np.zeros_like(v) for name, v in parameters.items()}
    second = {name: np.zeros_like(v) for name, v in parameters.items()}
    steps, step = epochs * -(-sample_count // batch_size), 0
    for epoch in range(epochs):
        order = rng.permutation(sample_count)
        losses = []
        for begin in range(0, sample_count, batch_size):
            gradients, loss = gradients_of(order[begin : begin + batch_size])
            losses.append(loss)
            step += 1
            cosine = 0.5 + 0.5 * np.cos(np.pi * step / steps)
            rate = learning_rate * min(step / (0.2 * steps), cosine)
            for name, gradient in gradients.items():
                first[name] += (1 - _BETA_1) * (gradient - first[name])
                second[name] += (1 - _BETA_2) * (gradient * gradient - second[name])
                scale = np.sqrt(second[name] / (1 - _BETA_2**step)) + _ADAM_EPSILON
                adam = first[name] / (1 - _BETA_1**step) / scale
                parameters[name] -= rate * (adam + _WEIGHT_DECAY * parameters[name])
        yield epoch, np.mean(losses, axis=0)
