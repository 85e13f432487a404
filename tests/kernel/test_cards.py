"""With the kernel's own chance, there are always the same 45 cards."""

from __future__ import annotations

import numpy as np
import pytest

from manhattan.kernel.jit import COMPILED
from manhattan.rules import set_up
from support.kernel_games import dealt_games, step_randomly


@pytest.mark.parametrize(
    "players",
    [
        pytest.param(4, marks=pytest.mark.xdist_group("4-1")),
        pytest.param(3, marks=pytest.mark.xdist_group("3-1")),
        pytest.param(2, marks=pytest.mark.xdist_group("2-2")),
    ],
)
def test_no_card_is_lost_or_duplicated(players: int) -> None:
    """Five of each kind in hands, pile and played cards, through every reshuffle."""
    setup = set_up(players)
    games = dealt_games(setup, 16 if COMPILED else 2, seed=3)
    for _ in range(110 if COMPILED else 60):
        step_randomly(setup, games)
        for g in games:
            cards = np.concatenate([g.cards[: g.pile], g.cards[len(g.cards) - g.played :]])
            count = np.bincount(cards, minlength=9)
            for player in range(players):
                shifts = 4 * g.card_to_position[player].astype(np.uint64)
                count += ((g.copies[player] >> shifts) & np.uint64(15)).astype(int)
            assert count.tolist() == [5] * 9
    assert games["shuffles"].max() > 1
