"""Untrained models with random weights, and games that are short enough to train on in a test."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from manhattan.ai import model, opponent_model, policy_network, search
from manhattan.ai.features import FEATURE_COUNT
from manhattan.ai.jit import compiled
from manhattan.ai.model import Kind, Model
from manhattan.ai.networks import Networks
from manhattan.ai.policy_network import PolicyNetwork
from manhattan.ai.search import Searcher
from manhattan.ai.selection_plans import parse_plan
from manhattan.ai.training import expert_iteration, search_games, trainer, training_data
from manhattan.ai.training.fitting import encode_batch, init_network, loss_and_gradients
from manhattan.ai.training.policy_fitting import init_policy_network
from manhattan.ai.value_network import (
    OUTPUTS,
    SHAPES,
    WIN,
    ValueNetwork,
    encode,
    forward,
    new_buffers,
)
from manhattan.kernel import Position
from manhattan.kernel.layout import table_shape
from manhattan.rules import State, set_up
from manhattan.rules.editions import Schedule
from support.positions import position


def random_weights(kind: Kind, policies: int = 1, seed: int = 0) -> npt.NDArray[np.float32]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(policies, kind.weight_sets, FEATURE_COUNT)).astype(np.float32)


def random_network(rounds: int, seed: int = 0) -> ValueNetwork:
    """Return a network with different parameters for each round."""
    rng = np.random.default_rng(seed)
    networks = [init_network(rng) for _ in range(rounds)]
    network = {name: np.stack([parameters[name] for parameters in networks]) for name in SHAPES}
    for name in ("site_bias", "city_bias", "table_bias", "output_bias"):  # initially 0
        network[name] += rng.uniform(-0.3, 0.3, network[name].shape).astype(np.float32)
    return ValueNetwork(**network)


def random_policy_network(seed: int = 0) -> PolicyNetwork:
    rng = np.random.default_rng(seed)
    parameters = init_policy_network(rng)
    for name in ("site_bias", "city_bias", "table_bias", "placement_bias"):  # initially 0
        parameters[name] += rng.uniform(-0.3, 0.3, policy_network.SHAPES[name]).astype(np.float32)
    return PolicyNetwork(**parameters)


def random_networks(kind: Kind, seed: int = 0) -> Networks:
    value = random_network(kind.schedule.rounds, seed)
    return Networks(
        kind, random_policy_network(seed), random_policy_network(seed + 1), value, {"seed": seed}
    )


def random_model(kind: Kind, policies: int = 1, seed: int = 0) -> Model:
    network = random_network(kind.schedule.rounds, seed)
    return Model(kind, random_weights(kind, policies, seed), policies - 1, network, {"seed": seed})


def lengths(position: Position) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return players and colours as the kernel takes them: tuples of which only the length
    counts."""
    return table_shape(len(position.setup.players), position.setup.schedule.colours)


def searcher_at(start: State | Position, seed: int = 1, policies: int = 1) -> Searcher:
    """Return a searcher with a random model."""
    root = Position.from_state(start) if isinstance(start, State) else start
    return Searcher(random_model(Kind.of(root.setup), policies), root, seed)


@compiled
def predict_many(
    states: Any, viewers: Any, players: Any, colours: Any, buffers: Any, net: Any, outputs: Any
) -> None:
    """Write the network's outputs for many positions, each from one player's viewpoint."""
    for i in range(len(states)):
        encode(states[i], players, colours, viewers[i], buffers[0])
        forward(buffers[0], len(players) * len(colours), states[i].round_number, net)
        outputs[i] = buffers[0].outputs


def predict(position: Position, player: int, net: ValueNetwork) -> Any:
    """Return the network's outputs, as the search computes them."""
    outputs = np.zeros((1, OUTPUTS), np.float32)
    predict_many(position.data, np.array([player]), *lengths(position), new_buffers(), net, outputs)
    return outputs[0]


def training_outputs(position: Position, player: int, net: ValueNetwork) -> Any:
    """Return the network's outputs, as training computes them.

    With targets of 0 the gradients of the output bias follow from the outputs alone.
    """
    players, colours = lengths(position)
    inputs = encode_batch(position.data, np.array([player]), len(players), len(colours))
    sites, tower_counts, table = (_double(array) for array in inputs)
    number = int(position.data[0].round_number)
    parameters = {name: _double(array[number]) for name, array in net._asdict().items()}
    targets = _double(np.zeros((1, OUTPUTS)))
    gradients, _ = loss_and_gradients(parameters, (sites, tower_counts, table), targets)
    outputs = gradients["output_bias"] / 2  # the gradient of a square
    probability = gradients["output_bias"][WIN]
    outputs[WIN] = np.log(probability / (1 - probability))
    return outputs


def _double(array: npt.NDArray[Any]) -> Any:
    """Return double precision: probabilities close to 1 would lose their digits."""
    return array.astype(np.float64)


def ending(**options: Any) -> State:
    """Return a position near the end of a game of three: each player has one block to build and
    orange is to move."""
    blocks = {"orange": [2], "blue": [1], "yellow": [3]}
    hands = {0: [1, 5, 5, 9]}
    return position(
        "A1:b1 A2:y2 B5:o1 C9:b2y1", players=3, tableaus=blocks, hands=hands, round=6, **options
    )


SHORT = Kind(3, Schedule(blocks=4, rounds=2, colours=1))
"""Three players and two rounds: no rulebook has it."""


@contextmanager
def short_games() -> Iterator[None]:
    """Make it possible to train on SHORT games, with shards of one game and little search."""
    new_game = training_data.new_game

    def new_short_game(kind: Kind) -> Any:
        data = new_game(kind)
        data[0].rounds = kind.schedule.rounds
        return data

    plans = {SHORT.schedule: (parse_plan("0013/0130"), parse_plan("1111/2200"))}
    with pytest.MonkeyPatch.context() as patch:
        for module in (training_data, search_games, trainer, expert_iteration):
            patch.setattr(module, "setup_for_kind", lambda _: set_up(3))
        for module in (training_data, search_games):
            patch.setattr(module, "new_game", new_short_game)
        patch.setattr(model, "PLANS", plans)
        patch.setattr(search, "MAX_CANDIDATES", 2)
        patch.setattr(search, "LAST_PLACEMENTS", 0)  # which are all searched
        patch.setattr(opponent_model, "HAND_SAMPLES", 1)
        patch.setattr(trainer, "_SHARD_GAMES", 1)
        patch.setattr(trainer, "_SEARCH_SHARD_GAMES", 1)
        yield
