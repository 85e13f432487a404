"""Games between players who go by values, and the trials of a search, uncompiled."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

from manhattan.judgement.features import FEATURES, ROOM, contexts
from manhattan.judgement.search import search_placement
from manhattan.judgement.selfplay import CHANCE, GREED, play_many
from manhattan.kernel import Position
from manhattan.kernel.layout import MULTISETS
from manhattan.kernel.speed import start_of
from manhattan.rules import set_up
from positions import crowded

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered")


def room() -> Any:
    return np.zeros(1, ROOM).view(np.recarray)


@pytest.mark.parametrize("players", [2, 4])
def test_a_learner_s_positions_are_noted_with_what_came_of_them(players: int) -> None:
    setup = set_up(players)
    plan, moments = setup.schedule, contexts(setup)
    weights = np.random.default_rng(1).normal(size=(1, moments, FEATURES)).astype(np.float32)
    seats = np.array([[0, GREED, CHANCE, CHANCE][:players]] * 2, np.int64)
    first = MULTISETS[plan.blocks].index((plan.blocks, 0, 0, 0))
    plans = np.full((2, players, plan.rounds), -1, np.int64)
    plans[:, 0, 0] = first
    notes = np.zeros((200, FEATURES), np.uint8)
    heads, gains = np.zeros((200, 3), np.int64), np.zeros((200, 2), np.float32)
    scores, won = np.zeros((2, players), np.int32), np.zeros(2, np.uint8)
    noted = play_many(
        start_of(setup).data,
        (0,) * players,
        (0,) * plan.colours,
        seats,
        plans,
        weights,
        100,
        0,
        np.uint64(1),
        0,
        room(),
        notes,
        heads,
        gains,
        scores,
        won,
    )
    turns = plan.blocks * plan.colours
    assert noted == 2 * plan.rounds * (turns + 2)
    assert set(heads[:noted, 0]) == {0}
    assert set(heads[:noted, 1]) == set(range(moments))
    lead = scores[:, 0] - scores[:, 1:].mean(axis=1)
    begin = noted // 2
    assert gains[[0, begin], 0] == pytest.approx(lead)
    shares = [(bits & 1) / int(bits).bit_count() for bits in won.tolist()]
    assert gains[[0, begin], 1] == pytest.approx(shares)


@pytest.mark.parametrize("last_round", [False, True])
def test_a_search_ends_with_a_legal_placement(last_round: bool) -> None:
    setup = set_up(4)
    position = Position.of_state(crowded(setup, Random(3), low=True))
    g = position.data[0]
    if last_round:
        g.round_number = g.rounds - 1
    weights = np.zeros((1, contexts(setup), FEATURES), np.float32)
    number = search_placement(
        position.data.copy(),
        position.data.copy(),
        (0,) * 4,
        (0,),
        weights,
        0,
        np.array([GREED, 0]),
        np.uint64(1),
        12,
        4,
        room(),
        np.zeros(FEATURES),
        20.0,
    )
    assert int(g.legal[number // 54]) >> int(number % 54) & 1
