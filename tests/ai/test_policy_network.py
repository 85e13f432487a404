"""The policy network: scores of placements, as the search and as training compute them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from manhattan.ai.playout_policy import NETWORK_POLICY, Policies, new_policy_memory
from manhattan.ai.policy_inputs import SITE_INPUTS
from manhattan.ai.policy_network import (
    PLACEMENT_UNITS,
    PolicyNetwork,
    new_policy_buffers,
    packed,
    score_actions,
)
from manhattan.ai.training.policy_fitting import (
    Decisions,
    encode_decisions,
    policy_loss_and_gradients,
    search_policy,
)
from manhattan.ai.training.self_play import play_turn
from manhattan.ai.value_network import MAX_COLOURS
from manhattan.kernel import Position
from manhattan.kernel.actions import BUILDS
from manhattan.rules import SITES, State
from manhattan.rules.board import CARDS, COPIES, card_for
from support.positions import position
from support.random_models import ending, lengths, random_policy_network

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered")


NET = random_policy_network()
TWO_COLOURS = position(
    "A1:b1 A2:y2o1 B5:o1 C9:b2y1 F3:p4",
    players=2,
    tableaus={"orange": [1, 3], "blue": [2], "yellow": [1, 4], "purple": [2]},
    hands={0: [1, 2, 5, 9]},
    round=2,
)
FOUR = position(
    "A1:b1 A2:y2 B5:o1 B6:p3 C9:b2y1 D1:o2b1",
    tableaus={"orange": [1, 2, 4], "blue": [1], "yellow": [3], "purple": [2, 2]},
    hands={0: [1, 5, 5, 9]},
    round=2,
)
STATES = pytest.mark.parametrize("state", [ending(), FOUR, TWO_COLOURS])


def scores_of(at: Position, net: PolicyNetwork = NET) -> dict[str, float]:
    """The scores of all legal placements, as the search computes them."""
    scores = np.full(BUILDS * len(lengths(at)[1]), -np.inf, np.float32)
    score_actions(at.data, *lengths(at), packed(net), new_policy_buffers(), scores)
    return {str(at.decode(int(n))): float(scores[n]) for n in np.flatnonzero(scores > -np.inf)}


def probabilities_in_training(at: Position, net: PolicyNetwork = NET) -> Any:
    """``[site, output]``, from the gradient: a probability less the target, which is 0 here."""
    players, colours = (len(each) for each in lengths(at))
    inputs = encode_decisions(at.data, players, colours)
    parameters: Any = {name: array.astype(np.float64) for name, array in net._asdict().items()}
    result = np.zeros((54, 8))
    legal = inputs[2][0]
    for output in range(8):
        for site in np.flatnonzero(legal[:, output]):
            target = np.zeros((1, 54, 8), np.float32)
            target[0, site, output] = 1
            _, cross_entropy = policy_loss_and_gradients(parameters, inputs, target)
            result[site, output] = np.exp(-cross_entropy)
    return result


@STATES
def test_every_legal_placement_has_a_score_and_no_other(state: State) -> None:
    at = Position.from_state(state)
    legal = {str(at.decode(action)) for action in at.legal_actions()}
    scores = scores_of(at)
    assert scores.keys() == legal
    assert len(set(scores.values())) > 1


@STATES
def test_training_and_search_compute_the_same(state: State) -> None:
    at = Position.from_state(state)
    probabilities = probabilities_in_training(at)
    scores = scores_of(at)
    odds = {move: np.exp(score) for move, score in scores.items()}
    total = sum(odds.values())
    assert probabilities.sum() == pytest.approx(1, rel=1e-4)
    for action in at.legal_actions():
        own, site, size = action // BUILDS, action % BUILDS // 4, action % 4
        expected = odds[str(at.decode(action))] / total
        assert probabilities[site, 4 * own + size] == pytest.approx(expected, rel=1e-3)


def test_other_hands_do_not_matter() -> None:
    """A player's policy knows their own cards only."""
    at = Position.from_state(ending())
    before = scores_of(at)
    for player in range(1, 3):
        at.data[0].hand_mask[player] = np.uint64(0b1)
        at.data[0].copies[player] = np.uint64(4)
    assert scores_of(at) == before


def card_inputs(state: State) -> Any:
    """``[site, colour]``: the inputs about the cards, the last ones of each site."""
    players = len(state.public.setup.players)
    colours = len(state.public.setup.colours) // players
    sites, _, _ = encode_decisions(Position.from_state(state).data, players, colours)
    return sites[0, :, SITE_INPUTS - MAX_COLOURS :]


@pytest.mark.parametrize("state", [FOUR, TWO_COLOURS])
def test_the_inputs_say_which_cards_rivals_may_hold(state: State) -> None:
    """A rival holds a card as often as in random deals of the cards that the player can't see."""
    setup, hand = state.public.setup, state.hands[0]
    hidden = [card for card in CARDS for _ in range(COPIES)]
    for card in (*hand, *state.public.played):
        hidden.remove(card)
    rng, deals = np.random.default_rng(1), 4000
    held = dict.fromkeys(CARDS, 0)
    for _ in range(deals):
        for card in set(rng.choice(hidden, 4, replace=False)):
            held[card] += 1
    inputs = card_inputs(state)
    per_player = len(setup.colours) // len(setup.players)
    for colour in range(len(setup.colours)):
        player = colour // per_player
        for number, site in enumerate(SITES):
            card = card_for(setup.players[player].side, site)
            expected = hand.count(card) / 2 if player == 0 else held[card] / deals
            assert inputs[number, colour] == pytest.approx(expected, abs=0.03), (colour, site)


def test_a_card_that_has_been_played_can_not_come() -> None:
    state = FOUR._replace(public=FOUR.public._replace(played=(2, 2, 2, 2, 2, 3)))
    blue = state.public.setup.players[1].side
    inputs = card_inputs(state)
    chances = {card_for(blue, site): inputs[n, 1] for n, site in enumerate(SITES)}
    assert chances[2] == 0
    assert 0 < chances[3] < chances[4]


def test_temperature_0_makes_the_most_likely_placement() -> None:
    at = Position.from_state(ending())
    scores = scores_of(at)
    best = max(at.legal_actions(), key=lambda action: scores[str(at.decode(action))])
    after, expected = at.copy(), at.copy()
    policies = Policies(np.zeros((1, 1, 1), np.float32), packed(NET))
    play_turn(after.data, *lengths(at), NETWORK_POLICY, policies, 0, new_policy_memory())
    expected.apply(best)
    assert after.state().public.board == expected.state().public.board


def test_placements_are_drawn_by_their_probabilities() -> None:
    at = Position.from_state(ending())
    scores = scores_of(at)
    odds = {move: np.exp(score) for move, score in scores.items()}
    total = sum(odds.values())
    policies = Policies(np.zeros((1, 1, 1), np.float32), packed(NET), np.float32(1))
    memory, drawn = new_policy_memory(), dict.fromkeys(scores, 0)
    by_log = {
        16 * (action % BUILDS // 4) + action % 4: str(at.decode(action))
        for action in at.legal_actions()
    }
    for n in range(400):
        after = at.copy()
        after.data[0].random = np.uint64(n * 7919 + 1)
        play_turn(after.data, *lengths(at), NETWORK_POLICY, policies, 0, memory)
        drawn[by_log[int(after.data[0].log[after.data[0].built - 1]) & ~0b1100]] += 1
    for move, times in drawn.items():
        share = odds[move] / total
        assert times / 400 == pytest.approx(share, abs=4 * np.sqrt(share / 400) + 0.01), move


def test_the_gradients_are_those_of_the_cross_entropy() -> None:
    """Compared with finite differences in some parameters of every layer."""
    at = Position.from_state(FOUR)
    players, colours = (len(each) for each in lengths(at))
    sites, table, legal = encode_decisions(at.data, players, colours)
    inputs: Any = (sites.astype(np.float64), table.astype(np.float64), legal)
    parameters: Any = {name: array.astype(np.float64) for name, array in NET._asdict().items()}
    target = np.where(legal, np.random.default_rng(2).random(legal.shape), 0)
    target /= target.sum()
    gradients, _ = policy_loss_and_gradients(parameters, inputs, target)
    assert gradients.keys() == parameters.keys()
    step = 1e-6
    for name, gradient in gradients.items():
        assert gradient.shape == parameters[name].shape
        for n in np.argsort(-np.abs(gradient).ravel())[:4]:
            index = np.unravel_index(n, gradient.shape)
            losses = []
            for delta in (step, -step):
                moved = {**parameters, name: parameters[name].copy()}
                moved[name][index] += delta
                losses.append(policy_loss_and_gradients(moved, inputs, target)[1])
            numerical = (losses[0] - losses[1]) / (2 * step)
            assert gradient[index] == pytest.approx(numerical, rel=1e-3, abs=1e-7), (name, index)


def test_targets_prefer_moves_with_greater_values_and_more_rollouts() -> None:
    at = Position.from_state(ending())
    actions = np.array([[5, 9, BUILDS + 13, -1]], np.int16)
    rollouts = np.array([[100, 100, 25, 0]], np.int32)
    values = np.array([[0.5, 0.48, 0.5, 0.0]], np.float32)
    [policy] = search_policy(Decisions(at.data, actions, rollouts, values))
    best, worse, uncertain = policy[1, 1], policy[2, 1], policy[3, 4 + 1]
    assert policy.sum() == pytest.approx(1)
    assert worse == pytest.approx(best / np.e, rel=1e-4)
    assert uncertain == pytest.approx(best / 2, rel=1e-4)
    assert PLACEMENT_UNITS == 32
