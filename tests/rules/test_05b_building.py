"""RULES 5b: a building turn: one card, one block, one site; and taking over towers."""

from __future__ import annotations

import pytest

from manhattan.rules import (
    Build,
    Built,
    Colour,
    IllegalMove,
    Phase,
    Reason,
    Site,
    apply,
    legal_moves,
    parse_move,
)
from positions import CHANCE, position

ALL = {1, 2, 3, 4}


def sizes_on(tower: str, tableau: tuple[int, ...] = (1, 2, 3, 4)) -> set[int]:
    """The blocks that orange, who sits south and holds the centre card, may put on this tower."""
    state = position(
        f"C5:{tower}" if tower else "", hands={0: [5, 5, 5, 5]}, tableaus={"orange": tableau}
    )
    return {m.size for m in legal_moves(state) if isinstance(m, Build) and str(m.site) == "C5"}


def test_an_empty_site_takes_any_block() -> None:
    """RULES 5b2: always allowed."""
    assert sizes_on("") == ALL


@pytest.mark.parametrize("tower", ["o1", "o4", "b1o1", "o1b4o3", "b3o3"])
def test_ones_own_tower_takes_any_block(tower: str) -> None:
    """RULES 5b2: a tower whose owner is the block's own colour is always allowed."""
    assert sizes_on(tower) == ALL


@pytest.mark.parametrize(
    ("tower", "allowed"),
    [
        ("b1", {1, 2, 3, 4}),
        ("b2", {2, 3, 4}),
        ("b3", {3, 4}),
        ("b4", {4}),
        ("b4b1", set()),
        ("b2b2", {4}),
    ],
)
def test_a_newcomer_needs_the_owners_floors(tower: str, allowed: set[int]) -> None:
    """RULES 5b2: at least as many floors as the owner has."""
    assert sizes_on(tower) == allowed


@pytest.mark.parametrize(
    ("tower", "allowed"),
    [
        ("o1b2", {1, 2, 3, 4}),
        ("o1b3", {2, 3, 4}),
        ("o1b4", {3, 4}),
        ("o4b4", {1, 2, 3, 4}),
        ("o2b2b4", {4}),
        ("o1b4b1", {4}),
        ("o1b4b2", set()),
    ],
)
def test_ones_own_floors_further_down_count(tower: str, allowed: set[int]) -> None:
    """RULES 5b2: the floors of the block's colour count wherever they are in the tower."""
    assert sizes_on(tower) == allowed


@pytest.mark.parametrize("tower", ["b2o1b1", "b1o1b2", "o1b3"])
def test_the_owners_floors_further_down_count_too(tower: str) -> None:
    """RULES 5b2: blue has 3 floors in each, so orange's one floor needs two more."""
    assert sizes_on(tower) == {2, 3, 4}


@pytest.mark.parametrize(
    ("tower", "allowed"), [("b1y4", {4}), ("y2b2", {2, 3, 4}), ("y3p3b3", {3, 4}), ("y1p1b1", ALL)]
)
def test_third_colours_do_not_matter(tower: str, allowed: set[int]) -> None:
    """RULES 5b2: only the block's colour and the present owner are compared."""
    assert sizes_on(tower) == allowed


def test_towers_grow_without_limit() -> None:
    """RULES 5b: one's own tower of 41 floors still takes a block."""
    assert sizes_on("o1o1o1o1o1o1o1o1o1o1o2o2o2o2o2o3o3o3o4o4", (1, 2, 3, 4)) == ALL


def test_only_blocks_of_the_tableau_are_placed() -> None:
    """RULES 5b2: sizes that were not chosen, or are used up, can't be built."""
    assert sizes_on("", (2, 2, 4)) == {2, 4}


def test_any_of_the_six_cities() -> None:
    """RULES 5b2: the card names one site in each city, and the player picks the city."""
    state = position(hands={0: [1, 1, 1, 1]}, tableaus={"orange": [3]})
    assert [str(move) for move in legal_moves(state)] == [f"{city}1+3" for city in "ABCDEF"]


def test_any_card_of_the_hand() -> None:
    """RULES 5b1: different cards, six sites each; a card held twice adds nothing."""
    state = position(hands={0: [1, 1, 2, 9]}, tableaus={"orange": [1, 1]})
    moves = legal_moves(state)
    assert len(moves) == len(set(moves)) == 18
    assert {str(move)[1] for move in moves} == {"1", "2", "9"}


def test_exactly_one_block_is_placed() -> None:
    """RULES 5b2: one block leaves the tableau and stands on the site."""
    state = position(
        "C5:b1", hands={0: [5, 1, 2, 3]}, tableaus={"orange": [2, 2, 3], "blue": [1, 1, 1]}
    )
    table = apply(state, parse_move("C5+2"), CHANCE)[0].table
    assert table.tableaus[0] == (0, 1, 1, 0)
    assert str(table.board[Site.parse("C5")]) == "b1o2"


def test_nothing_else_on_the_board_changes() -> None:
    """RULES 5b: towers stay for the whole game."""
    state = position(
        "A1:y4 C5:b1 F9:p2", hands={0: [5, 1, 2, 3]}, tableaus={"orange": [2], "blue": [1]}
    )
    after = apply(state, parse_move("C5+2"), CHANCE)[0].table.board
    changed = [site for site, tower in enumerate(state.table.board) if after[site] != tower]
    assert changed == [Site.parse("C5")]


def test_the_card_is_played_face_up() -> None:
    """RULES 5b1: the card leaves the hand and is the newest of the played cards."""
    state = position(
        hands={0: [5, 5, 2, 3]}, pile=[8, 8, 8], tableaus={"orange": [1, 1], "blue": [1]}
    )
    after = apply(state, parse_move("D5+1"), CHANCE)[0]
    assert after.table.played == (*state.table.played, 5)
    assert after.hands[0] == (2, 3, 5, 8)


def test_what_a_build_tells() -> None:
    """RULES 5b: who, where, which block by which card, from whom, and the card drawn."""
    state = position(
        "C5:y1b1", hands={0: [5, 1, 2, 3]}, pile=[8, 7], tableaus={"orange": [2], "blue": [1]}
    )
    (built,) = apply(state, parse_move("C5+2"), CHANCE)[1]
    assert isinstance(built, Built)
    assert (built.player, str(built.site), str(built.block), built.card) == (0, "C5", "o2", 5)
    assert (built.taken_from, built.drew) == (Colour.BLUE, 8)


@pytest.mark.parametrize("board", ["", "C5:o3", "C5:b1o3"])
def test_building_on_ones_own_takes_nothing_over(board: str) -> None:
    """RULES 5b2: an empty site and one's own tower are taken from nobody."""
    state = position(board, hands={0: [5, 1, 2, 3]}, tableaus={"orange": [2], "blue": [1]})
    (built,) = apply(state, parse_move("C5+2"), CHANCE)[1]
    assert isinstance(built, Built)
    assert built.taken_from is None


def test_one_turn_at_a_time_clockwise() -> None:
    """RULES 5b: after each turn the left neighbour builds, and round again."""
    state = position(
        tableaus={"orange": [1, 1], "blue": [1, 1], "yellow": [1, 1], "purple": [1, 1]},
        hands={0: [1, 1, 5, 5], 1: [2, 2, 2, 5], 2: [3, 3, 3, 5], 3: [4, 4, 4, 5]},
    )
    movers = []
    for move in ("A5+1", "B5+1", "C5+1", "D5+1", "E5+1"):
        movers.append(state.table.mover)
        state, _ = apply(state, parse_move(move), CHANCE)
    assert movers == [0, 1, 2, 3, 0]


def test_whoever_can_place_must_place() -> None:
    """RULES 5b1: taking a block out instead is refused while there is one placement."""
    blocked_but_one = " ".join(f"{city}5:b2b1" for city in "ABCDE")
    state = position(blocked_but_one, hands={0: [5, 5, 5, 5]}, tableaus={"orange": [1, 2]})
    assert {str(move) for move in legal_moves(state)} == {"F5+1", "F5+2"}
    with pytest.raises(IllegalMove) as error:
        apply(state, parse_move("-1"), CHANCE)
    assert error.value.refusal.reason is Reason.CAN_BUILD


def test_the_building_ends_when_all_tableaus_are_empty() -> None:
    """RULES 5b: as long as one block is left on any tableau, the building goes on."""
    state = position(
        tableaus={"yellow": [1], "purple": [1]}, mover=2, hands={2: [5, 1, 1, 1], 3: [5, 2, 2, 2]}
    )
    state, _ = apply(state, parse_move("A5+1"), CHANCE)
    assert state.table.phase is Phase.BUILD
    state, _ = apply(state, parse_move("B5+1"), CHANCE)
    assert (state.table.phase, state.table.round) == (Phase.SELECT, 2)
