"""What a player can't see drawn anew: he could not tell, and it is as likely as it should be."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import product
from math import comb, prod
from random import Random
from typing import Any

import numpy as np
import pytest

from manhattan.envs.engine.layout import CARD_KINDS, DECIDED, DREW, SHOWED, SHUFFLE, SHUFFLED
from manhattan.kernel.actions import BUILDS
from manhattan.kernel.jit import COMPILED
from spiel import anything, drawn, load, played
from watching import ONE_OF_EACH, fields

FOUR = pytest.mark.xdist_group("envs-4")
THREE = pytest.mark.xdist_group("envs-3")
TWO = pytest.mark.xdist_group("envs-2")


@pytest.mark.parametrize(("players", "edition"), ONE_OF_EACH)
def test_another_game_that_nobody_could_tell_from_this_one(players: int, edition: str) -> None:
    """Along whole games, for every player: the same knowledge, mostly other cards."""
    game, dice = load(players, edition=edition), Random(players)
    state = game.new_initial_state()
    others = Counter[bool]()
    ply = 0
    while not state.is_terminal():
        ply += 1
        if ply % (5 if COMPILED else 50) == 0:
            for player in range(players):
                other = state.resample_from_infostate(player, dice.random)
                assert_same_to(player, state, other)
                others[str(other) != str(state)] += 1
        state.apply_action(anything(state, dice))
    assert others[True] > 5 * others[False]


@FOUR
def test_a_hand_that_was_shown_is_known_to_all() -> None:
    """It rarely happens: in this game once."""
    dice = Random(1401)
    state = load(4).new_initial_state()
    while (state.deck.told >= SHOWED).sum() == 0:
        state.apply_action(anything(state, dice))
    for _ in range(12):
        state.apply_action(anything(state, dice))
        for player in range(4 if COMPILED else 1):
            assert_same_to(player, state, state.resample_from_infostate(player, dice.random))


def assert_same_to(player: int, state: Any, other: Any) -> None:
    assert other.information_state_string(player) == state.information_state_string(player)
    assert other.observation_string(player) == state.observation_string(player)
    for kind in ("information_state_tensor", "observation_tensor"):
        mine, theirs = getattr(state, kind)(player), getattr(other, kind)(player)
        assert np.array_equal(mine, theirs)
    assert other.current_player() == state.current_player()
    if state.current_player() == player:
        assert other.legal_actions() == state.legal_actions()
    assert len(other.history()) == len(state.history())


@TWO
def test_who_counts_knows_the_other_hand_when_the_pile_runs_out() -> None:
    """With two players the cards that can't be seen are then all in one hand."""
    game, dice = load(2), Random(1)
    state = game.new_initial_state()
    while not (state.is_chance_node() and state.chance_outcomes() == [(SHUFFLE, 1.0)]):
        state.apply_action(anything(state, dice))
    drawer = int(state.deck.drawing["drawer"])
    tries = 20 if COMPILED else 2
    assert len({str(state.resample_from_infostate(drawer, dice.random)) for _ in range(tries)}) == 1
    # Three cards are left in the hand that draws: nobody else is in doubt about them either.
    other = 1 - drawer
    assert len({str(state.resample_from_infostate(other, dice.random)) for _ in range(tries)}) == 1


@FOUR
@pytest.mark.parametrize("decisions", [0, 24])
def test_cards_that_are_drawn_anew_fall_as_they_might(decisions: int) -> None:
    """Every card that can't be seen is as likely in a hand as its share: after the deal, and as
    long as all came from one pile (whoever played one may have played any of his)."""
    dice = Random(4)
    state = played(load(4), dice, decisions)
    assert state.deck.game["shuffles"] == 1
    assert_dealt_from(unseen_by(state, 0), state, (0, 2), dice)


@FOUR
def test_cards_that_were_held_at_a_shuffle_are_none_of_the_new_pile() -> None:
    """They are those that nobody had seen by then, whatever has been shuffled since."""
    dice = Random(4)
    state = load(4).new_initial_state()
    while not (state.is_chance_node() and state.chance_outcomes() == [(SHUFFLE, 1.0)]):
        state.apply_action(anything(state, dice))
    drawer = int(state.deck.drawing["drawer"])
    viewer, holder = (drawer + 1) % 4, (drawer + 3) % 4
    held = unseen_by(state, viewer)
    assert sum(held) == 11
    state.apply_action(SHUFFLE)
    state.apply_action(drawn(state, dice))
    assert sum(unseen_by(state, viewer)) > 30
    assert_dealt_from(held, state, (viewer, holder), dice)


@pytest.mark.parametrize(
    ("players", "decisions"),
    [pytest.param(2, 70, marks=TWO), pytest.param(3, 54, marks=THREE)],
)
def test_after_a_shuffle_hands_are_as_likely_as_reckoning_says(
    players: int, decisions: int
) -> None:
    """Cards of two piles are in each hand then, and what was played tells which they may be."""
    dice = Random(3)
    state = played(load(players), dice, decisions)
    assert state.deck.game["shuffles"] == 2
    exact = likely_hands(state)
    samples = 3000 if COMPILED else 3
    seen = np.zeros((players - 1, CARD_KINDS))
    for _ in range(samples):
        other = state.resample_from_infostate(0, dice.random)
        for player in range(1, players):
            names = other.deck.game["names"][player].tolist()
            for position, count in hand_of(other, player):
                seen[player - 1, names.index(position)] += count
    mean = sum(odds * np.array(hands) for hands, odds in exact.items())
    spread = sum(odds * (np.array(hands) - mean) ** 2 for hands, odds in exact.items())
    assert (np.abs(seen / samples - mean) <= 5 * np.sqrt(spread / samples) + 1e-9).all()


Cards = tuple[int, ...]
"""How many of each kind."""


def likely_hands(state: Any) -> dict[tuple[Cards, ...], float]:
    """How likely the hands of all others are to player 0, after the first shuffle: reckoned for
    all that they can be, from card to card, if whoever builds puts down any of his cards."""
    told = state.deck.told.tolist()
    shuffle = told.index(SHUFFLED)
    pile, held = after(state, told[:shuffle])
    # Who held which of these cards at the shuffle: all of one pile, so any of them.
    cards = tuple(map(sum, zip(*held[1:], strict=True)))
    sizes = [sum(hand) for hand in held[1:]]
    worlds: Worlds = {(hands, pile): odds for hands, odds in deals(cards, sizes).items()}
    for event in told[shuffle + 1 :]:
        player, kind = actor_and_card(state, event)
        if event >= DREW:
            worlds = drawing(worlds, player, kind)
        elif player != 0 and kind is not None:
            worlds = building(worlds, player, kind)
    found: dict[tuple[Cards, ...], float] = defaultdict(float)
    for (hands, _), odds in worlds.items():
        found[hands] += odds / sum(worlds.values())
    return dict(found)


Worlds = dict[tuple[tuple[Cards, ...], Cards], float]
"""The hands of all others and the pile, and how likely they are."""


def building(worlds: Worlds, player: int, kind: int) -> Worlds:
    """Somebody put down a card of this kind."""
    found = {}
    for (hands, pile), odds in worlds.items():
        hand = hands[player - 1]
        if hand[kind]:
            now = changed(hands, player - 1, kind, -1)
            found[now, pile] = odds * hand[kind] / sum(hand)
    return found


def drawing(worlds: Worlds, player: int, kind: int | None) -> Worlds:
    """Somebody drew a card: of this kind if it was player 0, else of any."""
    found: Worlds = defaultdict(float)
    for (hands, pile), odds in worlds.items():
        for drawn_kind in range(CARD_KINDS):
            if pile[drawn_kind] and (player != 0 or drawn_kind == kind):
                (rest,) = changed((pile,), 0, drawn_kind, -1)
                now = hands if player == 0 else changed(hands, player - 1, drawn_kind, 1)
                found[now, rest] += odds * pile[drawn_kind] / sum(pile)
    return dict(found)


def after(state: Any, told: list[int]) -> tuple[Cards, list[list[int]]]:
    """The cards that were put down, and those in each hand, after some events."""
    put_down = [0] * CARD_KINDS
    held = [[0] * CARD_KINDS for _ in state.deck.seats.players]
    for event in told:
        player, kind = actor_and_card(state, event)
        if kind is not None:
            held[player][kind] += 1 if event >= DREW else -1
            put_down[kind] += 0 if event >= DREW else 1
    return tuple(put_down), held


def actor_and_card(state: Any, event: int) -> tuple[int, int | None]:
    """Who drew or built, and the kind of his card; no card if he chose blocks."""
    assert event < SHUFFLED
    if event >= DREW:
        return event // 16 % 4, event % 16
    player, action = divmod(event, DECIDED)
    if action >= BUILDS * len(state.deck.seats.colours):
        return player, None
    return player, int(state.deck.game["card_for"][player][action % BUILDS // 4 % 9])


def changed(hands: tuple[Cards, ...], who: int, kind: int, by: int) -> tuple[Cards, ...]:
    hand = tuple(count + (by if k == kind else 0) for k, count in enumerate(hands[who]))
    return (*hands[:who], hand, *hands[who + 1 :])


def deals(cards: Cards, sizes: list[int]) -> dict[tuple[Cards, ...], float]:
    """Every way to deal these cards to hands of these sizes, and how likely it is."""
    if len(sizes) == 1:
        return {(cards,): 1.0}
    found = {}
    for hand in product(*(range(count + 1) for count in cards)):
        if sum(hand) == sizes[0]:
            ways = prod(comb(count, took) for count, took in zip(cards, hand, strict=True))
            rest = tuple(count - took for count, took in zip(cards, hand, strict=True))
            for others, odds in deals(rest, sizes[1:]).items():
                found[hand, *others] = odds * ways / comb(sum(cards), sizes[0])
    return found


def assert_dealt_from(cards: list[int], state: Any, pair: tuple[int, int], dice: Random) -> None:
    """One of two who sit opposite each other takes the other's hand for any four of these cards,
    which are told by the positions that they name for the first."""
    viewer, holder = pair
    seen = Counter[int]()
    samples = 1000 if COMPILED else 10
    for _ in range(samples):
        for position, count in hand_of(state.resample_from_infostate(viewer, dice.random), holder):
            seen[8 - position] += count  # opposite: the mirrored one
    for position, count in enumerate(cards):
        expected = samples * 4 * count / sum(cards)
        assert abs(seen[position] - expected) <= 5 * expected**0.5


def unseen_by(state: Any, player: int) -> list[int]:
    unseen: list[int] = fields(state.deck.seen_by(player))["unseen"]
    return unseen


def hand_of(state: Any, player: int) -> list[tuple[int, int]]:
    """A hand by the positions that its cards name, and how many name each."""
    packed = int(state.deck.game["copies"][player])
    return [(k, packed >> 4 * k & 15) for k in range(9) if packed >> 4 * k & 15]
