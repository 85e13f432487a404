"""Fitting of the policy network: gradients of its cross-entropy to the choices of searches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from manhattan.ai.policy_inputs import SITE_INPUTS, TABLE_INPUTS, encode_many_for_policy
from manhattan.ai.policy_network import (
    CITY_UNITS,
    OUTPUTS,
    PLACEMENT_UNITS,
    SHAPES,
    SITE_UNITS,
    TARGET_TEMPERATURE,
    new_policy_buffers,
)
from manhattan.ai.training.fitting import Floats, Indices, Parameters
from manhattan.ai.value_network import OWNER_CLASSES
from manhattan.kernel.actions import BUILDS
from manhattan.kernel.layout import GAME, table_shape

PolicyInputs = tuple[Floats, Floats, npt.NDArray[np.bool_]]
"""Sites, table, and the legal placements: ``[position, site, output]``."""


@dataclass(frozen=True)
class Decisions:
    """Positions whose placements were searched, and what the searches found."""

    states: Any
    actions: npt.NDArray[np.int16]
    """``[decision, candidate]``, the best first; -1 where there are fewer."""
    rollouts: npt.NDArray[np.int32]
    values: npt.NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.states)

    def at(self, indices: Indices) -> Decisions:
        """Return some of the decisions."""
        return Decisions(
            self.states[indices],
            self.actions[indices],
            self.rollouts[indices],
            self.values[indices],
        )


def init_policy_network(rng: np.random.Generator) -> Parameters:
    """Return random initial parameters."""
    parameters: Parameters = {}
    for name, shape in SHAPES.items():
        inputs = shape[1] if name == "output" else shape[0]
        bound = inputs**-0.5 if len(shape) == 2 else 0.0
        parameters[name] = rng.uniform(-bound, bound, shape).astype(np.float32)
    return parameters


def search_policy(decisions: Decisions) -> Floats:
    """Return ``[decision, site, output]``: how likely a strong player makes each placement. A
    candidate is the less likely the lower its value is, and the fewer rollouts support it."""
    actions, rollouts = decisions.actions, decisions.rollouts.astype(np.float32)
    loss = decisions.values[:, :1] - decisions.values
    weights = np.exp(-loss / TARGET_TEMPERATURE) * np.sqrt(rollouts / rollouts[:, :1])
    weights = np.where(actions >= 0, weights, 0)
    weights /= weights.sum(axis=1, keepdims=True)
    policy = np.zeros((len(actions), 54, OUTPUTS), np.float32)
    row, candidate = np.nonzero(actions >= 0)
    action = actions[row, candidate].astype(np.int64)
    own, site, size = action // BUILDS, action % BUILDS // 4, action % 4
    policy[row, site, 4 * own + size] = weights[row, candidate]
    return policy


def encode_decisions(states: Any, players: int, colours: int) -> PolicyInputs:
    """Return the network's inputs for some positions, from their movers' viewpoints."""
    n = len(states)
    sites = np.empty((n, 54, SITE_INPUTS), np.float32)
    table = np.empty((n, TABLE_INPUTS), np.float32)
    legal = np.zeros((n, 54, OUTPUTS), np.bool_)
    work = np.zeros(1, GAME).view(np.recarray)
    shape = table_shape(players, colours)
    encode_many_for_policy(states, *shape, work, new_policy_buffers(), (sites, table), legal)
    return sites, table, legal


def policy_loss_and_gradients(
    parameters: Parameters, inputs: PolicyInputs, policy: Floats
) -> tuple[Parameters, float]:
    """Return the gradients for one batch by backpropagation, and the cross-entropy."""
    sites, table, legal = inputs
    n = len(sites)
    flat = sites.reshape(-1, SITE_INPUTS)
    site_units = np.maximum(flat @ parameters["site"] + parameters["site_bias"], 0)
    city_sums = site_units.reshape(n, 6, 9, SITE_UNITS).sum(2)
    tower_counts = sites[:, :, :OWNER_CLASSES].reshape(n, 6, 9, OWNER_CLASSES).sum(2)
    city_inputs = np.concatenate([city_sums, tower_counts], 2)
    city_inputs = city_inputs.reshape(-1, SITE_UNITS + OWNER_CLASSES)
    city_units = np.maximum(city_inputs @ parameters["city"] + parameters["city_bias"], 0)
    all_cities = city_units.reshape(n, 6, CITY_UNITS).sum(1)
    table_inputs = np.concatenate([all_cities, city_sums.sum(1), table], 1)
    table_units = np.maximum(table_inputs @ parameters["table"] + parameters["table_bias"], 0)
    of_table = table_units @ parameters["placement_table"] + parameters["placement_bias"]
    of_city = (city_units @ parameters["placement_city"]).reshape(n, 6, PLACEMENT_UNITS)
    context = of_city + of_table[:, None]
    # Most sites have no legal placement.
    row, site = np.nonzero(legal.any(2))
    chosen = 54 * row + site
    of_site = site_units[chosen] @ parameters["placement_site"]
    units = np.maximum(of_site + context[row, site // 9], 0)
    probabilities = _softmax(
        np.where(legal[row, site], units @ parameters["output"].T, -1e9), row, n
    )
    target = policy[row, site]
    cross_entropy = float(-(target * np.log(probabilities + 1e-9)).sum() / n)

    error = (probabilities - target) / n
    gradients: Parameters = {"output": error.T @ units}
    to_units = (error @ parameters["output"]) * (units > 0)
    gradients["placement_site"] = site_units[chosen].T @ to_units
    to_context = np.zeros_like(context)
    np.add.at(to_context, (row, site // 9), to_units)
    to_table = to_context.sum(1)
    gradients["placement_bias"] = to_table.sum(0)
    gradients["placement_table"] = table_units.T @ to_table
    flat_context = to_context.reshape(-1, PLACEMENT_UNITS)
    gradients["placement_city"] = city_units.T @ flat_context
    back = (to_table @ parameters["placement_table"].T) * (table_units > 0)
    gradients["table"], gradients["table_bias"] = table_inputs.T @ back, back.sum(0)
    to_inputs = back @ parameters["table"].T
    to_city = np.repeat(to_inputs[:, None, :CITY_UNITS], 6, 1).reshape(-1, CITY_UNITS)
    back = (to_city + flat_context @ parameters["placement_city"].T) * (city_units > 0)
    gradients["city"], gradients["city_bias"] = city_inputs.T @ back, back.sum(0)
    to_sites = (back @ parameters["city"].T)[:, :SITE_UNITS].reshape(n, 6, SITE_UNITS)
    to_sites = to_sites + to_inputs[:, None, CITY_UNITS : CITY_UNITS + SITE_UNITS]
    back = np.repeat(to_sites[:, :, None], 9, 2).reshape(-1, SITE_UNITS)
    back[chosen] += to_units @ parameters["placement_site"].T
    back *= site_units > 0
    gradients["site"], gradients["site_bias"] = flat.T @ back, back.sum(0)
    return gradients, cross_entropy


def _softmax(scores: Floats, row: npt.NDArray[np.int64], count: int) -> Floats:
    """Return the softmax over all scores of the same row."""
    greatest = np.full(count, -1e9, scores.dtype)
    np.maximum.at(greatest, row, scores.max(axis=1))
    exponentials = np.exp(scores - greatest[row][:, None])
    totals = np.bincount(row, exponentials.sum(axis=1), count).astype(scores.dtype)
    probabilities: Floats = exponentials / totals[row][:, None]
    return probabilities
