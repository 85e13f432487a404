"""Resampling from an information state: indistinguishable, and with the right probabilities."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import product
from math import comb, prod
from random import Random
from typing import Any

import numpy as np
import pytest

from manhattan.envs.engine.history import (
    ACTION_STRIDE,
    CARD_KINDS,
    DREW,
    REVEALED,
    SHUFFLE,
    SHUFFLED,
)
from manhattan.kernel.actions import BUILDS
from manhattan.kernel.jit import COMPILED
from support.env_helpers import DEFAULT_TABLES, fields
from support.openspiel_helpers import load, random_action, random_outcome, state_after

pytestmark = pytest.mark.uncompiled

FOUR = pytest.mark.xdist_group("envs-4")
THREE = pytest.mark.xdist_group("envs-3")
TWO = pytest.mark.xdist_group("envs-2")


@pytest.mark.parametrize(("players", "edition"), DEFAULT_TABLES)
def test_a_resampled_game_has_the_same_information_state(players: int, edition: str) -> None:
    """Along whole games, for every player: the same information, mostly other cards."""
    game, rng = load(players, edition=edition), Random(players)
    state = game.new_initial_state()
    is_different = Counter[bool]()
    ply = 0
    while not state.is_terminal():
        ply += 1
        if ply % (5 if COMPILED else 50) == 0:
            for player in range(players):
                other = state.resample_from_infostate(player, rng.random)
                assert_indistinguishable(player, state, other)
                is_different[str(other) != str(state)] += 1
        state.apply_action(random_action(state, rng))
    assert is_different[True] > 5 * is_different[False]


@FOUR
def test_a_revealed_hand_is_public() -> None:
    """Hands are rarely revealed: in this game, one is."""
    rng = Random(1401)
    state = load(4).new_initial_state()
    while (state.engine.history >= REVEALED).sum() == 0:
        state.apply_action(random_action(state, rng))
    for _ in range(12):
        state.apply_action(random_action(state, rng))
        for player in range(4 if COMPILED else 1):
            other = state.resample_from_infostate(player, rng.random)
            assert_indistinguishable(player, state, other)


def assert_indistinguishable(player: int, state: Any, other: Any) -> None:
    assert other.information_state_string(player) == state.information_state_string(player)
    assert other.observation_string(player) == state.observation_string(player)
    for kind in ("information_state_tensor", "observation_tensor"):
        assert np.array_equal(getattr(state, kind)(player), getattr(other, kind)(player))
    assert other.current_player() == state.current_player()
    if state.current_player() == player:
        assert other.legal_actions() == state.legal_actions()
    assert len(other.history()) == len(state.history())


def play_to_the_shuffle(state: Any, rng: Random) -> int:
    """Play until the pile is empty; return the player who is to draw."""
    while not (state.is_chance_node() and state.chance_outcomes() == [(SHUFFLE, 1.0)]):
        state.apply_action(random_action(state, rng))
    return int(state.engine.chance["drawer"][0])


@TWO
def test_with_two_players_the_other_hand_is_known_when_the_pile_runs_out() -> None:
    """All hidden cards are in one hand then."""
    rng = Random(1)
    state = load(2).new_initial_state()
    drawer = play_to_the_shuffle(state, rng)
    tries = 20 if COMPILED else 2
    for player in (drawer, 1 - drawer):
        samples = {str(state.resample_from_infostate(player, rng.random)) for _ in range(tries)}
        assert len(samples) == 1


@FOUR
@pytest.mark.parametrize("decisions", [0, 24])
def test_hidden_cards_of_one_pile_are_distributed_evenly(decisions: int) -> None:
    """Each hidden card is in a hand with the probability of its share: after the deal, and as long
    as all cards came from one pile."""
    rng = Random(4)
    state = state_after(load(4), rng, decisions)
    assert state.engine.game["shuffles"][0] == 1
    assert_dealt_from(hidden_cards(state, 0), state, (0, 2), rng)


@FOUR
def test_cards_held_at_a_shuffle_are_not_in_the_new_pile() -> None:
    """They are the cards that were hidden by then, whatever has been shuffled since."""
    rng = Random(4)
    state = load(4).new_initial_state()
    drawer = play_to_the_shuffle(state, rng)
    viewer, holder = (drawer + 1) % 4, (drawer + 3) % 4
    held = hidden_cards(state, viewer)
    assert sum(held) == 11
    state.apply_action(SHUFFLE)
    state.apply_action(random_outcome(state, rng))
    assert sum(hidden_cards(state, viewer)) > 30
    assert_dealt_from(held, state, (viewer, holder), rng)


@pytest.mark.parametrize(
    ("players", "decisions"),
    [pytest.param(2, 70, marks=TWO), pytest.param(3, 54, marks=THREE)],
)
def test_hands_after_a_shuffle_have_the_exact_probabilities(players: int, decisions: int) -> None:
    """Each hand has cards of two piles then, and the played cards restrict which they may be."""
    rng = Random(3)
    state = state_after(load(players), rng, decisions)
    assert state.engine.game["shuffles"][0] == 2
    exact = hand_probabilities(state)
    samples = 3000 if COMPILED else 3
    counts = np.zeros((players - 1, CARD_KINDS))
    for _ in range(samples):
        other = state.resample_from_infostate(0, rng.random)
        for player in range(1, players):
            positions = other.engine.game["card_to_position"][0][player].tolist()
            for position, count in hand_of(other, player):
                counts[player - 1, positions.index(position)] += count
    mean = sum(p * np.array(hands) for hands, p in exact.items())
    variance = sum(p * (np.array(hands) - mean) ** 2 for hands, p in exact.items())
    assert (np.abs(counts / samples - mean) <= 5 * np.sqrt(variance / samples) + 1e-9).all()


# Exact probabilities, by enumerating all possible hands

Cards = tuple[int, ...]
"""The number of cards of each kind."""
Worlds = dict[tuple[tuple[Cards, ...], Cards], float]
"""The probability of all other hands and the pile."""


def hand_probabilities(state: Any) -> dict[tuple[Cards, ...], float]:
    """The probabilities of the other hands to player 0, after the first shuffle, if a player builds
    with any card of the hand, each with equal probability."""
    events = state.engine.history.tolist()
    shuffle = events.index(SHUFFLED)
    pile, held = cards_after(state, events[:shuffle])
    # At the shuffle all held cards are of one pile, so they are distributed evenly.
    cards = tuple(map(sum, zip(*held[1:], strict=True)))
    sizes = [sum(hand) for hand in held[1:]]
    worlds: Worlds = {(hands, pile): p for hands, p in deals(cards, sizes).items()}
    for event in events[shuffle + 1 :]:
        player, kind = player_and_card(state, event)
        if event >= DREW:
            worlds = after_draw(worlds, player, kind)
        elif player != 0 and kind is not None:
            worlds = after_build(worlds, player, kind)
    probabilities: dict[tuple[Cards, ...], float] = defaultdict(float)
    for (hands, _), p in worlds.items():
        probabilities[hands] += p / sum(worlds.values())
    return dict(probabilities)


def after_build(worlds: Worlds, player: int, kind: int) -> Worlds:
    """The worlds after a player built with a card of this kind."""
    result = {}
    for (hands, pile), p in worlds.items():
        hand = hands[player - 1]
        if hand[kind]:
            result[with_card(hands, player - 1, kind, -1), pile] = p * hand[kind] / sum(hand)
    return result


def after_draw(worlds: Worlds, player: int, kind: int | None) -> Worlds:
    """The worlds after a draw: of this kind if player 0 drew, else of any kind."""
    result: Worlds = defaultdict(float)
    for (hands, pile), p in worlds.items():
        for drawn_kind in range(CARD_KINDS):
            if pile[drawn_kind] and (player != 0 or drawn_kind == kind):
                (rest,) = with_card((pile,), 0, drawn_kind, -1)
                new_hands = hands if player == 0 else with_card(hands, player - 1, drawn_kind, 1)
                result[new_hands, rest] += p * pile[drawn_kind] / sum(pile)
    return dict(result)


def cards_after(state: Any, events: list[int]) -> tuple[Cards, list[list[int]]]:
    """The played cards, and the cards in each hand, after some events."""
    played = [0] * CARD_KINDS
    held = [[0] * CARD_KINDS for _ in state.engine.spec.players]
    for event in events:
        player, kind = player_and_card(state, event)
        if kind is not None:
            held[player][kind] += 1 if event >= DREW else -1
            played[kind] += 0 if event >= DREW else 1
    return tuple(played), held


def player_and_card(state: Any, event: int) -> tuple[int, int | None]:
    """The player who drew or built, and the kind of the card; no card for a selection."""
    assert event < SHUFFLED
    if event >= DREW:
        return event // 16 % 4, event % 16
    player, action = divmod(event, ACTION_STRIDE)
    if action >= BUILDS * len(state.engine.spec.colours):
        return player, None
    cards = state.engine.game["position_to_card"][0][player]
    return player, int(cards[action % BUILDS // 4 % 9])


def with_card(hands: tuple[Cards, ...], index: int, kind: int, by: int) -> tuple[Cards, ...]:
    """The hands with one card more or less in one of them."""
    hand = tuple(count + (by if k == kind else 0) for k, count in enumerate(hands[index]))
    return (*hands[:index], hand, *hands[index + 1 :])


def deals(cards: Cards, sizes: list[int]) -> dict[tuple[Cards, ...], float]:
    """Every way to deal these cards to hands of these sizes, with its probability."""
    if len(sizes) == 1:
        return {(cards,): 1.0}
    result = {}
    for hand in product(*(range(count + 1) for count in cards)):
        if sum(hand) == sizes[0]:
            ways = prod(comb(count, taken) for count, taken in zip(cards, hand, strict=True))
            rest = tuple(count - taken for count, taken in zip(cards, hand, strict=True))
            for others, p in deals(rest, sizes[1:]).items():
                result[hand, *others] = p * ways / comb(sum(cards), sizes[0])
    return result


def assert_dealt_from(cards: list[int], state: Any, pair: tuple[int, int], rng: Random) -> None:
    """To the viewer, the hand of the player opposite is any four of these cards, which are given
    by the positions that they name for the viewer."""
    viewer, holder = pair
    counts = Counter[int]()
    samples = 1000 if COMPILED else 10
    for _ in range(samples):
        for position, count in hand_of(state.resample_from_infostate(viewer, rng.random), holder):
            counts[8 - position] += count  # opposite: the mirrored position
    for position, count in enumerate(cards):
        expected = samples * 4 * count / sum(cards)
        assert abs(counts[position] - expected) <= 5 * expected**0.5


def hidden_cards(state: Any, player: int) -> list[int]:
    unseen: list[int] = fields(state.engine.observe(player))["unseen"]
    return unseen


def hand_of(state: Any, player: int) -> list[tuple[int, int]]:
    """The positions that the cards of a hand name, with the number of cards for each."""
    packed = int(state.engine.game["copies"][0][player])
    return [(k, packed >> 4 * k & 15) for k in range(9) if packed >> 4 * k & 15]
