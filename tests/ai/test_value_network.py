"""The value network: its inputs, worked out by hand, and its outputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from manhattan.ai.training.fitting import encode_batch
from manhattan.ai.value_network import (
    OUTPUTS,
    SITE_INPUTS,
    TABLE_INPUTS,
    WIN,
    new_buffers,
)
from manhattan.kernel import Position
from manhattan.rules import Phase, Site
from support.positions import position
from support.random_models import lengths, predict, predict_many, random_network, training_outputs

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered")

Numbers = list[float]


def between_rounds(
    board: str, scores: Sequence[int], *, players: int, start: int, hands: dict[int, list[int]]
) -> Position:
    """Return a position after the first round, before the next selection."""
    boundary = Position.from_state(
        position(
            board,
            players=players,
            round=2,
            mover=start,
            start_player=start,
            phase=Phase.SELECT,
            hands=hands,
        )
    )
    boundary.data[0].scores[:players] = scores
    return boundary


def inputs_of(position: Position, player: int) -> tuple[dict[str, Numbers], Any, Numbers]:
    """Return the inputs from a player's viewpoint: each site by name, the towers of each owner in
    each city, and the table."""
    players, colours = lengths(position)
    sites, tower_counts, table = encode_batch(
        position.data, np.array([player]), len(players), len(colours)
    )
    by_name = {str(Site(n)): [float(x) for x in sites[0, n]] for n in range(54)}
    return by_name, tower_counts[0], [float(x) for x in table[0]]


def one_hot(n: int, count: int) -> Numbers:
    return [float(i == n) for i in range(count)]


def site(
    owner: int,
    floors: Sequence[int],
    sizes: Sequence[int],
    blocks: Sequence[int],
    named: bool = False,
) -> Numbers:
    """Return the inputs of a site from readable values: the owner (0: none), and for each colour,
    from the player's own on, its floors, the smallest block that it needs to take the tower and
    how many such blocks it has."""
    missing = 4 - len(floors)
    required = [one_hot(size - 1, 5) for size in sizes] + [[0.0] * 5] * missing
    inputs = [
        *one_hot(owner, 5),
        *[f / 5 for f in floors],
        *[0.0] * missing,
        sum(floors) / 8,
        *[x for encoded in required for x in encoded],
        *[count / 6 for count in blocks],
        *[0.0] * missing,
        float(named),
    ]
    assert len(inputs) == SITE_INPUTS
    return inputs


def table(supplies: Sequence[Sequence[int]], ahead: Sequence[int], order: int) -> Numbers:
    """Return the inputs about the table: the blocks in each supply, the points by which each rival
    is ahead, and the number of players whose turn comes earlier."""
    inputs = [blocks / 6 for supply in supplies for blocks in supply]
    inputs += [0.0] * (16 - len(inputs))
    inputs += [points / 10 for points in ahead] + [0.0] * (3 - len(ahead)) + one_hot(order, 4)
    assert len(inputs) == TABLE_INPUTS
    return inputs


FOUR = between_rounds(
    "A1:o4 A2:b1y2 C5:y1b3 F9:p4p3",
    (10, 7, 12, 3),
    players=4,
    start=3,
    hands={0: [1, 2, 2, 5], 1: [1, 1, 9, 9]},
)


def test_inputs_are_relative_to_the_player() -> None:
    """Orange sits in the south, where card 1 names A1. After orange come blue, yellow, purple."""
    sites, tower_counts, table_inputs = inputs_of(FOUR, 0)
    # Orange has used a 4, blue a 1 and a 3, yellow a 1 and a 2, purple a 3 and a 4.
    orange, blue, yellow, purple = (11, 6, 4, 2), (10, 6, 3, 3), (10, 5, 4, 3), (11, 6, 3, 2)
    assert sites["A1"] == pytest.approx(
        site(1, [4, 0, 0, 0], [1, 4, 4, 4], [23, 3, 3, 2], named=True)
    )
    # Yellow has 2 floors there and blue 1: so blue needs only a 1, orange and purple a 2.
    assert sites["A2"] == pytest.approx(
        site(3, [0, 1, 2, 0], [2, 1, 1, 2], [12, 22, 22, 11], named=True)
    )
    assert sites["C5"] == pytest.approx(
        site(2, [0, 3, 1, 0], [3, 1, 2, 3], [6, 22, 12, 5], named=True)
    )
    # No other colour can take seven floors.
    assert sites["F9"] == pytest.approx(site(4, [0, 0, 0, 7], [5, 5, 5, 1], [0, 0, 0, 22]))
    empty = site(0, [0, 0, 0, 0], [1, 1, 1, 1], [23, 22, 22, 22])
    assert sites["B9"] == pytest.approx(empty)
    assert sites["B5"] == pytest.approx([*empty[:-1], 1.0])
    assert tower_counts.tolist() == [
        [7, 1, 0, 1, 0],
        [9, 0, 0, 0, 0],
        [8, 0, 1, 0, 0],
        [9, 0, 0, 0, 0],
        [9, 0, 0, 0, 0],
        [8, 0, 0, 0, 1],
    ]
    # The player in the east starts, so the one in the south is second.
    expected = table([orange, blue, yellow, purple], [7 - 10, 12 - 10, 3 - 10], order=1)
    assert table_inputs == pytest.approx(expected)


def test_another_player_has_other_inputs_for_the_same_board() -> None:
    """Blue sits in the west, where card 1 names A3 and card 9 names A7. After blue come yellow,
    purple, orange."""
    sites, tower_counts, table_inputs = inputs_of(FOUR, 1)
    assert sites["A1"] == pytest.approx(site(4, [0, 0, 0, 4], [4, 4, 4, 1], [3, 3, 2, 23]))
    assert sites["A2"] == pytest.approx(site(2, [1, 2, 0, 0], [1, 1, 2, 2], [22, 22, 11, 12]))
    assert sites["C5"] == pytest.approx(site(1, [3, 1, 0, 0], [1, 2, 3, 3], [22, 12, 5, 6]))
    assert sites["F9"] == pytest.approx(site(3, [0, 0, 7, 0], [5, 5, 1, 5], [0, 0, 22, 0]))
    assert {name for name, inputs in sites.items() if inputs[-1]} == {
        f"{city}{n}" for city in "ABCDEF" for n in (3, 7)
    }
    assert tower_counts[0].tolist() == [7, 0, 1, 0, 1]
    supplies = [(10, 6, 3, 3), (10, 5, 4, 3), (11, 6, 3, 2), (11, 6, 4, 2)]
    assert table_inputs == pytest.approx(table(supplies, [12 - 7, 3 - 7, 10 - 7], order=2))


def test_inputs_of_a_missing_fourth_colour_are_zero() -> None:
    three = between_rounds("B2:b4y4", (5, 6, 7), players=3, start=2, hands={2: [2, 5, 5, 5]})
    sites, tower_counts, table_inputs = inputs_of(three, 2)
    # Yellow sits in the north, where card 2 names B8. After yellow come orange, blue.
    assert sites["B2"] == pytest.approx(site(1, [4, 0, 4], [1, 4, 1], [23, 3, 23]))
    assert sites["C8"] == pytest.approx(site(0, [0, 0, 0], [1, 1, 1], [23, 24, 23], named=True))
    assert tower_counts[1].tolist() == [8, 1, 0, 0, 0]
    supplies = [(11, 6, 4, 2), (11, 6, 4, 3), (11, 6, 4, 2)]
    assert table_inputs == pytest.approx(table(supplies, [5 - 7, 6 - 7], order=0))


def test_two_players_have_two_own_colours_each() -> None:
    """The first player has orange and blue, the second yellow and purple."""
    two = between_rounds(
        "D1:o1b2 D2:p3 E5:y2o2", (4, 9), players=2, start=0, hands={0: [1, 1, 1, 1]}
    )
    sites, tower_counts, table_inputs = inputs_of(two, 0)
    assert sites["D1"] == pytest.approx(
        site(2, [1, 2, 0, 0], [1, 1, 2, 2], [22, 23, 12, 12], named=True)
    )
    assert sites["E5"] == pytest.approx(site(1, [2, 0, 2, 0], [1, 2, 1, 2], [22, 12, 23, 12]))
    assert tower_counts[3].tolist() == [7, 0, 1, 0, 1]
    orange, blue, yellow, purple = (10, 5, 4, 3), (11, 5, 4, 3), (11, 5, 4, 3), (11, 6, 3, 3)
    assert table_inputs == pytest.approx(table([orange, blue, yellow, purple], [5], order=0))
    sites, tower_counts, table_inputs = inputs_of(two, 1)
    assert sites["D1"][:-1] == pytest.approx(
        site(4, [0, 0, 1, 2], [2, 2, 1, 1], [12, 12, 22, 23])[:-1]
    )
    assert sites["D2"][:-1] == pytest.approx(
        site(2, [0, 3, 0, 0], [3, 1, 3, 3], [7, 23, 7, 7])[:-1]
    )
    assert tower_counts[3].tolist() == [7, 0, 1, 0, 1]
    assert table_inputs == pytest.approx(table([yellow, purple, orange, blue], [-5], order=1))


# --- outputs ----------------------------------------------------------------------------------


POSITIONS = [
    FOUR,
    between_rounds("B2:b4y4", (5, 6, 7), players=3, start=2, hands={2: [2, 5, 5, 5]}),
    between_rounds("D1:o1b2 D2:p3", (4, 9), players=2, start=0, hands={0: [1, 1, 1, 1]}),
]


@pytest.mark.parametrize("position", POSITIONS, ids=["four", "three", "two"])
def test_search_and_training_compute_the_same_outputs(position: Position) -> None:
    for seed in range(2):
        net = random_network(position.setup.schedule.rounds, seed)
        for player in range(len(position.setup.players)):
            outputs = predict(position, player, net)
            assert np.abs(outputs).max() > 0.01
            assert outputs == pytest.approx(
                training_outputs(position, player, net), rel=1e-4, abs=1e-4
            )


def test_each_round_has_its_own_network() -> None:
    net, later = random_network(4), FOUR.copy()
    later.data[0].round_number = 3
    assert predict(later, 0, net) == pytest.approx(training_outputs(later, 0, net), rel=1e-4)
    assert np.abs(predict(later, 0, net) - predict(FOUR, 0, net)).max() > 0.01


def test_many_positions_have_the_outputs_of_single_ones() -> None:
    other = FOUR.copy()
    other.data[0].scores[:4] = 0
    states = np.concatenate([FOUR.data, other.data, FOUR.data]).view(np.recarray)
    net, outputs = random_network(4), np.zeros((3, OUTPUTS), np.float32)
    predict_many(states, np.array([2, 2, 0]), *lengths(FOUR), new_buffers(), net, outputs)
    single = [predict(FOUR, 2, net), predict(other, 2, net), predict(FOUR, 0, net)]
    assert (outputs == np.stack(single)).all()
    assert len(np.unique(outputs[:, WIN])) == 3


def test_hidden_cards_do_not_change_the_outputs() -> None:
    net = random_network(4)
    for player in range(4):
        dealt = FOUR.copy()
        dealt.data[0].random = np.uint64(player)
        dealt.determinize(player)
        assert dealt.state().hands != FOUR.state().hands
        assert (predict(dealt, player, net) == predict(FOUR, player, net)).all()
