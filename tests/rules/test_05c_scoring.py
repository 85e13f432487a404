"""RULES 5c: the scoring at the end of every round."""

from __future__ import annotations

import pytest

from manhattan.rules import (
    Built,
    ColourScore,
    Phase,
    Scored,
    Sheet,
    apply,
    board_text,
    parse_board,
    parse_move,
    set_up,
)
from manhattan.rules.scoring import majorities, score_round
from support.positions import CHANCE, position


def score(board: str, players: int = 4, edition: str = "hig-2017") -> Sheet:
    setup = set_up(players, edition=edition)
    return score_round(parse_board(board), setup, 1, (0,) * players)


@pytest.mark.parametrize(
    ("board", "owner"),
    [
        ("A1:o2 B1:b1 C1:y1 D1:p1", 0),
        ("A1:o2 B1:b3 C1:y1 D1:p1", 1),
        ("A1:o2 B1:b3 C1:y3y1 D1:p1", 2),
        ("A1:o4 B1:b3 C1:y1y1y1y1 D1:y4p4", 3),
    ],
)
def test_the_tallest_tower_scores_three_points_for_its_owner(board: str, owner: int) -> None:
    """RULES 5c: one tower on the whole board; its owner is the topmost colour."""
    tallest = [colour.tallest_points for colour in score(board).colours]
    assert tallest == [3 if n == owner else 0 for n in range(4)]


def test_all_floors_of_a_tower_count_for_its_height() -> None:
    """RULES 1, 5c: the floors of all colours count, not only those of the owner."""
    sheet = score("A1:b3o3 B1:b4b1")
    assert (sheet.height, [str(site) for site in sheet.tallest_sites]) == (6, ["A1"])
    assert [colour.tallest_points for colour in sheet.colours] == [3, 0, 0, 0]


@pytest.mark.parametrize("board", ["A1:o4 F9:b4", "A1:o4 A2:b2b2 C3:y1", "A1:o1 A2:b1 A3:y1 A4:p1"])
def test_nobody_scores_when_several_towers_are_tallest(board: str) -> None:
    """RULES 5c: two or more towers of several owners have the greatest height."""
    sheet = score(board)
    assert len(sheet.tallest_sites) > 1
    assert [colour.tallest_points for colour in sheet.colours] == [0, 0, 0, 0]


def test_the_sheet_names_every_tallest_tower() -> None:
    """RULES 5c: with their sites and their height, so that a tie is visible."""
    sheet = score("A1:o4 B5:b2 E9:y1b3")
    assert ([str(site) for site in sheet.tallest_sites], sheet.height) == (["A1", "E9"], 4)


@pytest.mark.parametrize(
    ("owners", "holder"),
    [
        ("o", "orange"),
        ("oo", "orange"),
        ("ob", None),
        ("oob", "orange"),
        ("oobb", None),
        ("oobbp", None),
        ("oobp", "orange"),
        ("ooobbyyp", "orange"),
        ("pobpbopp", "purple"),
        ("obyp", None),
        ("", None),
    ],
)
def test_a_majority_is_strictly_more_than_every_other_single_colour(
    owners: str, holder: str | None
) -> None:
    """RULES 5c: nobody scores in a tie; one tower is enough if no other colour owns one."""
    board = " ".join(f"D{n}:{letter}1" for n, letter in enumerate(owners, start=1))
    assert majorities(parse_board(board)).get("D") == holder


def test_a_majority_counts_towers_not_heights() -> None:
    """RULES 5c: two low towers beat a high one."""
    assert majorities(parse_board("D1:o1 D2:o1 D3:b4b4b4")) == {"D": "orange"}


def test_the_topmost_block_counts_for_a_majority() -> None:
    """RULES 1, 5c: a tower counts only for its owner."""
    assert majorities(parse_board("D1:b1o1 D2:b1o1 D3:b1")) == {"D": "orange"}


def test_each_city_is_counted_separately() -> None:
    """RULES 5c: the last sites of a city don't count for the next city."""
    held = majorities(parse_board("A9:o1 B1:b1 B9:y1 C1:y1 C2:o1 C3:o1 F9:p1"))
    assert held == {"A": "orange", "C": "orange", "F": "purple"}


def test_a_majority_is_worth_two_points() -> None:
    """RULES 5c: two cities of one low tower each: 2 x 2 points, and 1 for each tower."""
    blue = score("A1:o4 B1:b1 C1:b1").colours[1]
    assert (blue.majorities, blue.points) == (("B", "C"), 6)


def test_each_tower_scores_one_point_for_its_owner() -> None:
    """RULES 5c: of five towers with an orange block, orange owns three."""
    sheet = score("A1:o1 A2:b1o1 A3:y2p1o2 A4:o1b1 A5:o2p3")
    assert [colour.towers for colour in sheet.colours] == [3, 1, 0, 1]


def test_the_points_are_the_sum_of_the_three_parts() -> None:
    """RULES 5c: tallest 3 + two majorities 4 + five towers 5."""
    assert ColourScore(tallest_points=3, majorities=("A", "D"), towers=5).points == 12


def test_an_empty_board_scores_nothing() -> None:
    """RULES 5c: without towers there is no tallest one."""
    sheet = score("")
    assert (sheet.tallest_sites, sheet.height, sheet.scores) == ((), 0, (0, 0, 0, 0))
    assert set(sheet.colours) == {ColourScore(tallest_points=0, majorities=(), towers=0)}


def test_the_scoring_follows_the_last_build_of_a_round() -> None:
    """RULES 5c: at the end of every round, right after the last block."""
    state = position("A1:o1", hands={3: [5, 1, 1, 1]}, tableaus={"purple": [2]}, mover=3, round=2)
    after, events = apply(state, parse_move("B5+2"), CHANCE)
    assert [type(event) for event in events] == [Built, Scored]
    assert after.public.sheets == (
        Sheet(
            round=2,
            tallest_sites=(parse_move("B5+1").site,),  # type: ignore[union-attr]  # a build
            height=2,
            colours=(
                ColourScore(0, ("A",), 1),
                ColourScore(0, (), 0),
                ColourScore(0, (), 0),
                ColourScore(3, ("B",), 1),
            ),
            scores=(3, 0, 0, 6),
        ),
    )


def test_totals_add_up_from_round_to_round() -> None:
    """RULES 5c: earlier points are kept."""
    setup = set_up()
    before = (5, 7, 1, 0)
    assert score_round(parse_board("A1:o1"), setup, 2, before).scores == (11, 7, 1, 0)


def test_a_second_scoring_keeps_the_first_sheet() -> None:
    """RULES 5c: the totals are those of the latest sheet."""
    first = Sheet(1, (), 0, (ColourScore(0, (), 0),) * 4, (5, 7, 1, 0))
    state = position(hands={3: [5, 1, 1, 1]}, tableaus={"purple": [2]}, mover=3, round=2)
    state = state._replace(public=state.public._replace(sheets=(first,)))
    public = apply(state, parse_move("B5+2"), CHANCE)[0].public
    assert public.sheets[0] == first
    assert public.scores == (5, 7, 1, 6)


@pytest.mark.parametrize(("start", "following"), [(0, 1), (1, 2), (3, 0)])
def test_the_left_neighbour_becomes_the_start_player(start: int, following: int) -> None:
    """RULES 5c: they choose first in the next round."""
    last = (start + 3) % 4
    colour = ("orange", "blue", "yellow", "purple")[last]
    state = position(
        hands={last: [5, 1, 1, 1]}, tableaus={colour: [2]}, mover=last, start_player=start
    )
    public = apply(state, parse_move("B5+2"), CHANCE)[0].public
    assert (public.start_player, public.mover) == (following, following)
    assert (public.phase, public.round) == (Phase.SELECT, 2)


def test_towers_stay_after_the_scoring() -> None:
    """RULES 5b: for the whole game."""
    state = position("A1:o1 F9:y1b2", hands={3: [5, 1, 1, 1]}, tableaus={"purple": [2]}, mover=3)
    board = apply(state, parse_move("B5+2"), CHANCE)[0].public.board
    assert board_text(board) == "A1:o1 B5:p2 F9:y1b2"
