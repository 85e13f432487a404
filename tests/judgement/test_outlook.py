"""The outlook between two rounds: what it looks at, reckoned by hand, and what it makes of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from manhattan.judgement.learning import sights
from manhattan.judgement.outlook import (
    ANSWERS,
    SITE_INPUTS,
    TABLE_INPUTS,
    WIN,
    ask_outlook,
)
from manhattan.kernel import Position
from manhattan.rules import Phase, Site
from minds import ask, learned_from, lengths, sight, some_outlook
from positions import position

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered")

Numbers = list[float]


def between_rounds(
    board: str, scores: Sequence[int], *, players: int, start: int, hands: dict[int, list[int]]
) -> Position:
    """After the first round: nobody has chosen his blocks yet."""
    made = Position.of_state(
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
    made.data[0].scores[:players] = scores
    return made


def seen(position: Position, player: int) -> tuple[dict[str, Numbers], Any, Numbers]:
    """What a player looks at: each site by name, how many towers each owns in each city, and
    the table."""
    players, colours = lengths(position)
    sites, standing, table = sights(position.data, np.array([player]), len(players), len(colours))
    by_name = {str(Site(n)): [float(x) for x in sites[0, n]] for n in range(54)}
    return by_name, standing[0], [float(x) for x in table[0]]


def one_of(n: int, count: int) -> Numbers:
    return [float(i == n) for i in range(count)]


def site(
    owner: int,
    floors: Sequence[int],
    needs: Sequence[int],
    able: Sequence[int],
    named: bool = False,
) -> Numbers:
    """The inputs of a site, written down as a person would: whose it is (0: nobody's), and for
    each colour, from the player's own on, its floors, the smallest block that it needs and how
    many such blocks it has."""
    missing = 4 - len(floors)
    needed = [one_of(need - 1, 5) for need in needs] + [[0.0] * 5] * missing
    made = [
        *one_of(owner, 5),
        *[f / 5 for f in floors],
        *[0.0] * missing,
        sum(floors) / 8,
        *[x for each in needed for x in each],
        *[blocks / 6 for blocks in able],
        *[0.0] * missing,
        float(named),
    ]
    assert len(made) == SITE_INPUTS
    return made


def table(supplies: Sequence[Sequence[int]], ahead: Sequence[int], order: int) -> Numbers:
    """Blocks in each supply, by how many points the others are ahead, and how many have their
    turn before the player."""
    made = [blocks / 6 for supply in supplies for blocks in supply]
    made += [0.0] * (16 - len(made))
    made += [points / 10 for points in ahead] + [0.0] * (3 - len(ahead)) + one_of(order, 4)
    assert len(made) == TABLE_INPUTS
    return made


FOUR = between_rounds(
    "A1:o4 A2:b1y2 C5:y1b3 F9:p4p3",
    (10, 7, 12, 3),
    players=4,
    start=3,
    hands={0: [1, 2, 2, 5], 1: [1, 1, 9, 9]},
)


def test_one_of_four_players_sees_the_board_as_his_own() -> None:
    """Orange sits in the south, where card 1 names A1. After orange come blue, yellow, purple."""
    sites, standing, at_table = seen(FOUR, 0)
    # Orange took one 4 away, blue a 1 and a 3, yellow a 1 and a 2, purple a 3 and a 4.
    orange, blue, yellow, purple = (11, 6, 4, 2), (10, 6, 3, 3), (10, 5, 4, 3), (11, 6, 3, 2)
    assert sites["A1"] == pytest.approx(
        site(1, [4, 0, 0, 0], [1, 4, 4, 4], [23, 3, 3, 2], named=True)
    )
    # Yellow has 2 there and blue 1: so blue needs a 1 only, orange and purple a 2.
    assert sites["A2"] == pytest.approx(
        site(3, [0, 1, 2, 0], [2, 1, 1, 2], [12, 22, 22, 11], named=True)
    )
    assert sites["C5"] == pytest.approx(
        site(2, [0, 3, 1, 0], [3, 1, 2, 3], [6, 22, 12, 5], named=True)
    )
    # Seven floors are too many for anybody else.
    assert sites["F9"] == pytest.approx(site(4, [0, 0, 0, 7], [5, 5, 5, 1], [0, 0, 0, 22]))
    empty = site(0, [0, 0, 0, 0], [1, 1, 1, 1], [23, 22, 22, 22])
    assert sites["B9"] == pytest.approx(empty)
    assert sites["B5"] == pytest.approx([*empty[:-1], 1.0])
    assert standing.tolist() == [
        [7, 1, 0, 1, 0],
        [9, 0, 0, 0, 0],
        [8, 0, 1, 0, 0],
        [9, 0, 0, 0, 0],
        [9, 0, 0, 0, 0],
        [8, 0, 0, 0, 1],
    ]
    # The east begins, so the south is second.
    expected = table([orange, blue, yellow, purple], [7 - 10, 12 - 10, 3 - 10], order=1)
    assert at_table == pytest.approx(expected)


def test_another_one_sees_the_same_board_from_his_side() -> None:
    """Blue sits in the west, where card 1 names A3 and card 9 names A7. After blue come yellow,
    purple, orange."""
    sites, standing, at_table = seen(FOUR, 1)
    assert sites["A1"] == pytest.approx(site(4, [0, 0, 0, 4], [4, 4, 4, 1], [3, 3, 2, 23]))
    assert sites["A2"] == pytest.approx(site(2, [1, 2, 0, 0], [1, 1, 2, 2], [22, 22, 11, 12]))
    assert sites["C5"] == pytest.approx(site(1, [3, 1, 0, 0], [1, 2, 3, 3], [22, 12, 5, 6]))
    assert sites["F9"] == pytest.approx(site(3, [0, 0, 7, 0], [5, 5, 1, 5], [0, 0, 22, 0]))
    assert {name for name, inputs in sites.items() if inputs[-1]} == {
        f"{city}{n}" for city in "ABCDEF" for n in (3, 7)
    }
    assert standing[0].tolist() == [7, 0, 1, 0, 1]
    supplies = [(10, 6, 3, 3), (10, 5, 4, 3), (11, 6, 3, 2), (11, 6, 4, 2)]
    assert at_table == pytest.approx(table(supplies, [12 - 7, 3 - 7, 10 - 7], order=2))


def test_at_a_table_of_three_there_is_no_fourth_colour() -> None:
    three = between_rounds("B2:b4y4", (5, 6, 7), players=3, start=2, hands={2: [2, 5, 5, 5]})
    sites, standing, at_table = seen(three, 2)
    # Yellow sits in the north, where card 2 names B8. After yellow come orange, blue.
    assert sites["B2"] == pytest.approx(site(1, [4, 0, 4], [1, 4, 1], [23, 3, 23]))
    assert sites["C8"] == pytest.approx(site(0, [0, 0, 0], [1, 1, 1], [23, 24, 23], named=True))
    assert standing[1].tolist() == [8, 1, 0, 0, 0]
    supplies = [(11, 6, 4, 2), (11, 6, 4, 3), (11, 6, 4, 2)]
    assert at_table == pytest.approx(table(supplies, [5 - 7, 6 - 7], order=0))


def test_one_of_two_players_has_two_colours_of_his_own() -> None:
    """The one has orange and blue, the other yellow and purple."""
    two = between_rounds(
        "D1:o1b2 D2:p3 E5:y2o2", (4, 9), players=2, start=0, hands={0: [1, 1, 1, 1]}
    )
    sites, standing, at_table = seen(two, 0)
    assert sites["D1"] == pytest.approx(
        site(2, [1, 2, 0, 0], [1, 1, 2, 2], [22, 23, 12, 12], named=True)
    )
    assert sites["E5"] == pytest.approx(site(1, [2, 0, 2, 0], [1, 2, 1, 2], [22, 12, 23, 12]))
    assert standing[3].tolist() == [7, 0, 1, 0, 1]
    orange, blue, yellow, purple = (10, 5, 4, 3), (11, 5, 4, 3), (11, 5, 4, 3), (11, 6, 3, 3)
    assert at_table == pytest.approx(table([orange, blue, yellow, purple], [5], order=0))
    sites, standing, at_table = seen(two, 1)
    assert sites["D1"][:-1] == pytest.approx(
        site(4, [0, 0, 1, 2], [2, 2, 1, 1], [12, 12, 22, 23])[:-1]
    )
    assert sites["D2"][:-1] == pytest.approx(
        site(2, [0, 3, 0, 0], [3, 1, 3, 3], [7, 23, 7, 7])[:-1]
    )
    assert standing[3].tolist() == [7, 0, 1, 0, 1]
    assert at_table == pytest.approx(table([yellow, purple, orange, blue], [-5], order=1))


# --- the answers ------------------------------------------------------------------------------


POSITIONS = [
    FOUR,
    between_rounds("B2:b4y4", (5, 6, 7), players=3, start=2, hands={2: [2, 5, 5, 5]}),
    between_rounds("D1:o1b2 D2:p3", (4, 9), players=2, start=0, hands={0: [1, 1, 1, 1]}),
]


@pytest.mark.parametrize("position", POSITIONS, ids=["four", "three", "two"])
def test_playing_and_learning_come_to_the_same_answers(position: Position) -> None:
    for seed in range(2):
        net = some_outlook(position.setup.schedule.rounds, seed)
        for player in range(len(position.setup.players)):
            answers = ask(position, player, net)
            assert np.abs(answers).max() > 0.01
            assert answers == pytest.approx(learned_from(position, player, net), rel=1e-4, abs=1e-4)


def test_each_round_has_a_network_of_its_own() -> None:
    net, later = some_outlook(4), FOUR.copy()
    later.data[0].round_number = 3
    assert ask(later, 0, net) == pytest.approx(learned_from(later, 0, net), rel=1e-4)
    assert np.abs(ask(later, 0, net) - ask(FOUR, 0, net)).max() > 0.01


def test_many_positions_are_answered_one_by_one() -> None:
    other = FOUR.copy()
    other.data[0].scores[:4] = 0
    boards = np.concatenate([FOUR.data, other.data, FOUR.data]).view(np.recarray)
    net, answers = some_outlook(4), np.zeros((3, ANSWERS), np.float32)
    ask_outlook(boards, np.array([2, 2, 0]), *lengths(FOUR), sight(), net, answers)
    alone = [ask(FOUR, 2, net), ask(other, 2, net), ask(FOUR, 0, net)]
    assert (answers == np.stack(alone)).all()
    assert len(np.unique(answers[:, WIN])) == 3


def test_the_outlook_does_not_see_hidden_cards() -> None:
    net = some_outlook(4)
    for player in range(4):
        dealt = FOUR.copy()
        dealt.data[0].random = np.uint64(player)
        dealt.deal_unseen(player)
        assert dealt.state().hands != FOUR.state().hands
        assert (ask(dealt, player, net) == ask(FOUR, player, net)).all()
