"""Fitting: least squares and gradient descent on problems with a known solution."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from manhattan.ai.features import FEATURE_COUNT
from manhattan.ai.training.fitting import (
    Floats,
    Indices,
    NormalEquations,
    Parameters,
    equations_from_outcomes,
    equations_from_search,
    init_network,
    loss_and_gradients,
    sgd,
)
from manhattan.ai.value_network import OUTPUTS, OWNER_CLASSES, SITE_INPUTS, TABLE_INPUTS, WIN

WEIGHT_SETS = 3
NO_RIDGE = 1e-6


# --- value functions from the outcomes of games -----------------------------------------------


def random_features(count: int, seed: int = 0) -> npt.NDArray[np.uint8]:
    return np.random.default_rng(seed).integers(0, 4, (count, FEATURE_COUNT)).astype(np.uint8)


def true_weights(seed: int = 0) -> npt.NDArray[np.float64]:
    """Return random weights of each feature in each weight set."""
    return np.random.default_rng([seed, 1]).normal(size=(WEIGHT_SETS, FEATURE_COUNT))


def assert_equal(left: NormalEquations, right: NormalEquations) -> None:
    assert np.abs(left.moments).max() > 1
    np.testing.assert_allclose(left.gram, right.gram, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(left.moments, right.moments, rtol=1e-5, atol=1e-6)


def test_the_weights_are_found_from_outcomes() -> None:
    """Two weight sets differ; there is no data about the third."""
    features, truth = random_features(2 * 500), true_weights()
    indices = np.arange(len(features)) % 2
    targets = np.einsum("nf,nf->n", features, truth[indices])
    weights = equations_from_outcomes(WEIGHT_SETS, indices, features, targets).solve(NO_RIDGE)
    assert weights.dtype == np.float32
    assert weights[:2] == pytest.approx(truth[:2], abs=1e-3)
    assert (weights[2] == 0).all()


def test_weight_sets_without_data_keep_the_prior() -> None:
    prior = true_weights(5).astype(np.float32)
    features, truth = random_features(500), true_weights()
    indices = np.zeros(len(features), np.int64)
    equations = equations_from_outcomes(WEIGHT_SETS, indices, features, features @ truth[0])
    weights = equations.solve(NO_RIDGE, prior)
    assert weights[0] == pytest.approx(truth[0], abs=1e-3)
    assert weights[1:] == pytest.approx(prior[1:], abs=1e-6)
    assert NormalEquations.zeros(WEIGHT_SETS).solve(30, prior) == pytest.approx(prior, abs=1e-6)
    # With an extreme ridge the data count for nothing.
    assert equations.solve(1e12, prior) == pytest.approx(prior, abs=1e-4)


def test_equations_of_shards_add_up() -> None:
    features, truth = random_features(60), true_weights()
    indices = np.arange(60) % WEIGHT_SETS
    targets = features @ truth[0]
    total = NormalEquations.zeros(WEIGHT_SETS)
    for rows in (slice(0, 25), slice(25, 60)):
        total.add(
            equations_from_outcomes(WEIGHT_SETS, indices[rows], features[rows], targets[rows])
        )
    assert_equal(total, equations_from_outcomes(WEIGHT_SETS, indices, features, targets))


# --- value functions from search targets ------------------------------------------------------


def random_search(decisions: int, moves: int, seed: int = 0) -> dict[str, Any]:
    """Return some decisions with a number of moves each, with up to nine rollouts per move."""
    rng = np.random.default_rng(seed)
    decision = np.repeat(np.arange(decisions), moves)
    return {
        "indices": decision % 2,
        "decision": decision,
        "rollouts": rng.integers(1, 10, len(decision)),
        "features": random_features(len(decision), seed),
        "values": rng.normal(size=len(decision)),
    }


def test_only_differences_within_a_decision_count() -> None:
    data = random_search(20, 4)
    offsets = np.random.default_rng(9).normal(size=20)
    shifted = {**data, "values": data["values"] + 10 * offsets[data["decision"]]}
    original = equations_from_search(WEIGHT_SETS, **data)
    equations = equations_from_search(WEIGHT_SETS, **shifted)
    assert np.abs(original.moments).max() > 1
    assert equations.moments == pytest.approx(original.moments, abs=1e-6)
    assert (equations.gram == original.gram).all()


def test_a_decision_with_one_move_says_nothing() -> None:
    equations = equations_from_search(WEIGHT_SETS, **random_search(20, 1))
    assert not equations.gram.any()
    assert not equations.moments.any()


def test_a_feature_that_all_moves_share_says_nothing() -> None:
    data = random_search(20, 4)
    data["features"][:, 7] = 3
    equations = equations_from_search(WEIGHT_SETS, **data)
    assert equations.gram[:, 7] == pytest.approx(0, abs=1e-9)


def test_moves_count_by_their_rollouts() -> None:
    """A move with three rollouts counts like three moves with one rollout."""
    data = random_search(10, 3)
    repeated = {name: np.repeat(array, data["rollouts"], axis=0) for name, array in data.items()}
    repeated["rollouts"] = np.ones(len(repeated["indices"]), np.int64)
    assert_equal(
        equations_from_search(WEIGHT_SETS, **data), equations_from_search(WEIGHT_SETS, **repeated)
    )


def test_the_weights_are_found_from_search_targets() -> None:
    truth = true_weights()
    data = random_search(2 * 250, 3)
    data["values"] = np.einsum("nf,nf->n", data["features"], truth[data["indices"]])
    data["values"] += 100 * data["decision"]
    weights = equations_from_search(WEIGHT_SETS, **data).solve(NO_RIDGE)
    assert weights[:2] == pytest.approx(truth[:2], abs=1e-2)


def test_equations_of_search_shards_add_up() -> None:
    data = random_search(20, 4)
    total = NormalEquations.zeros(WEIGHT_SETS)
    for rows in (slice(0, 24), slice(24, 80)):  # whole decisions
        total.add(
            equations_from_search(WEIGHT_SETS, **{k: array[rows] for k, array in data.items()})
        )
    assert_equal(total, equations_from_search(WEIGHT_SETS, **data))


# --- the value network ------------------------------------------------------------------------


def random_inputs(count: int, seed: int = 0) -> Any:
    """Return inputs of made-up positions, with a valid owner for each site."""
    rng = np.random.default_rng([seed, 2])
    sites = rng.random((count, 54, SITE_INPUTS))
    owners = rng.integers(OWNER_CLASSES, size=(count, 54))
    sites[:, :, :OWNER_CLASSES] = np.eye(OWNER_CLASSES)[owners]
    tower_counts = sites[:, :, :OWNER_CLASSES].reshape(count, 6, 9, OWNER_CLASSES).sum(2)
    return sites, tower_counts, rng.random((count, TABLE_INPUTS))


def double_precision_network(seed: int = 0) -> dict[str, Any]:
    """Return a network with double precision and moderate outputs."""
    rng = np.random.default_rng(seed)
    parameters = {name: array.astype(np.float64) for name, array in init_network(rng).items()}
    for name in parameters:
        if name.endswith("_bias"):
            parameters[name] += rng.normal(0, 0.1, parameters[name].shape)
    parameters["output"] /= 20
    return parameters


def random_targets(count: int, seed: int = 0) -> Any:
    rng = np.random.default_rng([seed, 3])
    targets = rng.normal(size=(count, OUTPUTS))
    targets[:, WIN] = rng.integers(0, 2, count)
    return targets


def total_loss(parameters: Any, inputs: Any, targets: Any) -> float:
    _, losses = loss_and_gradients(parameters, inputs, targets)
    return float(losses.sum())


def test_the_gradients_are_those_of_the_loss() -> None:
    """Compared with finite differences in some parameters of every layer."""
    parameters, inputs, targets = double_precision_network(), random_inputs(4), random_targets(4)
    gradients, _ = loss_and_gradients(parameters, inputs, targets)
    assert gradients.keys() == parameters.keys()
    rng, step = np.random.default_rng(1), 1e-6
    for name, gradient in gradients.items():
        assert gradient.shape == parameters[name].shape
        steepest = np.argsort(-np.abs(gradient).ravel())[:3]
        for n in {*steepest.tolist(), *rng.integers(gradient.size, size=3).tolist()}:
            index = np.unravel_index(n, gradient.shape)
            losses = []
            for delta in (step, -step):
                moved = {**parameters, name: parameters[name].copy()}
                moved[name][index] += delta
                losses.append(total_loss(moved, inputs, targets))
            numerical = (losses[0] - losses[1]) / (2 * step)
            assert gradient[index] == pytest.approx(numerical, rel=1e-4, abs=1e-7), (name, index)


def test_the_log_odds_of_all_players_make_a_softmax() -> None:
    """With a number of players, the gradient of the log-loss of a position is the probability less
    the share of the win, for each of its players."""
    parameters, inputs = double_precision_network(), random_inputs(6)
    targets = random_targets(6)
    targets[:, WIN] = [1, 0, 0, 0, 0.5, 0.5]
    _, losses = loss_and_gradients(parameters, inputs, targets, players=3)
    outputs = np.array([_output(parameters, inputs, row) for row in range(6)])
    odds = np.exp(outputs.reshape(2, 3))
    probabilities = odds / odds.sum(axis=1, keepdims=True)
    shares = targets[:, WIN].reshape(2, 3)
    assert losses[0] == pytest.approx(-(shares * np.log(probabilities)).sum(axis=1).mean())
    gradients, _ = loss_and_gradients(parameters, inputs, targets, players=3)
    # The odds don't change if all players' log-odds grow alike.
    assert gradients["output_bias"][WIN] == pytest.approx(0, abs=1e-12)


def _output(parameters: Any, inputs: Any, row: int) -> float:
    """The log-odds of a sample, by the gradient of its own log-loss."""
    one: Any = tuple(array[row : row + 1] for array in inputs)
    zeros: Any = np.zeros((1, OUTPUTS))
    gradients, _ = loss_and_gradients(parameters, one, zeros)
    probability = gradients["output_bias"][WIN]
    return float(np.log(probability / (1 - probability)))


def test_each_output_has_its_loss() -> None:
    """A network of zeros predicts even odds, no lead and no points."""
    zeros: Any = {name: np.zeros_like(a) for name, a in double_precision_network().items()}
    targets = random_targets(8)
    _, losses = loss_and_gradients(zeros, random_inputs(8), targets)
    assert losses[0] == pytest.approx(np.log(2))
    assert losses[1:] == pytest.approx((targets[:, 1:] ** 2).mean(axis=0))


def test_initial_networks_depend_on_the_seed_and_have_no_bias() -> None:
    network, other = (init_network(np.random.default_rng(seed)) for seed in (1, 2))
    same = init_network(np.random.default_rng(1))
    for name, array in network.items():
        assert (array == same[name]).all()
        if name.endswith("_bias"):
            assert not array.any()
        else:
            assert (array != other[name]).any()
            assert np.abs(array).max() <= array.shape[0] ** -0.5


def test_gradient_descent_lowers_the_loss() -> None:
    """The player with the most towers wins: an easy pattern."""
    sites, tower_counts, table = (array.astype(np.float32) for array in random_inputs(48))
    own = tower_counts.sum(1)[:, 1]
    targets = np.stack([own > np.median(own), own / 10 - 1, own / 10], axis=1).astype(np.float32)
    used: list[int] = []

    parameters = init_network(np.random.default_rng(0))

    def gradients_of(rows: Indices) -> tuple[Parameters, Floats]:
        used.extend(rows.tolist())
        inputs = sites[rows], tower_counts[rows], table[rows]
        return loss_and_gradients(parameters, inputs, targets[rows])

    before = total_loss(parameters, (sites, tower_counts, table), targets)
    rng = np.random.default_rng(0)
    epochs = list(sgd(parameters, 48, gradients_of, 12, rng, batch_size=16))
    assert [epoch for epoch, _ in epochs] == list(range(12))
    assert sorted(used) == sorted(list(range(48)) * 12)  # all samples, once an epoch
    assert used[:48] != used[48:96]
    assert (epochs[-1][1] < epochs[0][1]).all()
    assert total_loss(parameters, (sites, tower_counts, table), targets) < before / 2
    assert {array.dtype for array in parameters.values()} == {np.dtype(np.float32)}


def test_gradient_descent_is_reproducible() -> None:
    inputs, targets = random_inputs(8), random_targets(8)

    def fit(seed: int) -> Parameters:
        parameters = init_network(np.random.default_rng(0))

        def gradients_of(rows: Indices) -> tuple[Parameters, Floats]:
            batch: Any = tuple(array[rows].astype(np.float32) for array in inputs)
            return loss_and_gradients(parameters, batch, targets[rows].astype(np.float32))

        for _ in sgd(parameters, 8, gradients_of, 2, np.random.default_rng(seed)):
            pass
        return parameters

    first, second = fit(1), fit(1)
    assert all((first[name] == second[name]).all() for name in first)
