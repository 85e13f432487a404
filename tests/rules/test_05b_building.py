"""RULES 5b: a building turn with one card, one block and one site; and takeovers."""

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
from support.positions import CHANCE, position

ALL = {1, 2, 3, 4}


def sizes_on(tower: str, tableau: tuple[int, ...] = (1, 2, 3, 4)) -> set[int]:
    """The sizes that orange, at the south side with the centre card, may place on this tower."""
    state = position(
        f"C5:{tower}" if tower else "", hands={0: [5, 5, 5, 5]}, tableaus={"orange": tableau}
    )
    return {m.size for m in legal_moves(state) if isinstance(m, Build) and str(m.site) == "C5"}


def test_an_empty_site_takes_any_block() -> None:
    """RULES 5b2: always allowed."""
    assert sizes_on("") == ALL


@pytest.mark.parametrize("tower", ["o1", "o4", "b1o1", "o1b4o3", "b3o3"])
def test_a_tower_of_the_same_colour_takes_any_block(tower: str) -> None:
    """RULES 5b2: always allowed."""
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
def test_a_new_colour_needs_as_many_floors_as_the_owner(tower: str, allowed: set[int]) -> None:
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
def test_floors_of_the_same_colour_further_down_count(tower: str, allowed: set[int]) -> None:
    """RULES 5b2: the floors of the block's colour count at whatever height."""
    assert sizes_on(tower) == allowed


@pytest.mark.parametrize("tower", ["b2o1b1", "b1o1b2", "o1b3"])
def test_floors_of_the_owner_further_down_count(tower: str) -> None:
    """RULES 5b2: blue has 3 floors in each, so orange's one floor needs two more."""
    assert sizes_on(tower) == {2, 3, 4}


@pytest.mark.parametrize(
    ("tower", "allowed"), [("b1y4", {4}), ("y2b2", {2, 3, 4}), ("y3p3b3", {3, 4}), ("y1p1b1", ALL)]
)
def test_floors_of_third_colours_do_not_count(tower: str, allowed: set[int]) -> None:
    """RULES 5b2: only the block's colour and the present owner are compared."""
    assert sizes_on(tower) == allowed


def test_towers_have_no_maximum_height() -> None:
    """RULES 5b: a tower of 41 floors still takes a block."""
    assert sizes_on("o1o1o1o1o1o1o1o1o1o1o2o2o2o2o2o3o3o3o4o4", (1, 2, 3, 4)) == ALL


def test_only_blocks_from_the_tableau_can_be_placed() -> None:
    """RULES 5b2: sizes that were not chosen, or are used up, can't be built."""
    assert sizes_on("", (2, 2, 4)) == {2, 4}


def test_a_card_allows_any_of_the_six_cities() -> None:
    """RULES 5b2: the card names one site in each city, and the player picks the city."""
    state = position(hands={0: [1, 1, 1, 1]}, tableaus={"orange": [3]})
    assert [str(move) for move in legal_moves(state)] == [f"{city}1+3" for city in "ABCDEF"]


def test_any_card_of_the_hand_can_be_played() -> None:
    """RULES 5b1: different cards, six sites each; a card held twice adds nothing."""
    state = position(hands={0: [1, 1, 2, 9]}, tableaus={"orange": [1, 1]})
    moves = legal_moves(state)
    assert len(moves) == len(set(moves)) == 18
    assert {str(move)[1] for move in moves} == {"1", "2", "9"}


def test_exactly_one_block_is_placed() -> None:
    """RULES 5b2: one block moves from the tableau to the site."""
    state = position(
        "C5:b1", hands={0: [5, 1, 2, 3]}, tableaus={"orange": [2, 2, 3], "blue": [1, 1, 1]}
    )
    public = apply(state, parse_move("C5+2"), CHANCE)[0].public
    assert public.tableaus[0] == (0, 1, 1, 0)
    assert str(public.board[Site.parse("C5")]) == "b1o2"


def test_nothing_else_on_the_board_changes() -> None:
    """RULES 5b: towers stay for the whole game."""
    state = position(
        "A1:y4 C5:b1 F9:p2", hands={0: [5, 1, 2, 3]}, tableaus={"orange": [2], "blue": [1]}
    )
    after = apply(state, parse_move("C5+2"), CHANCE)[0].public.board
    changed = [site for site, tower in enumerate(state.public.board) if after[site] != tower]
    assert changed == [Site.parse("C5")]


def test_the_card_is_played_face_up() -> None:
    """RULES 5b1: the card leaves the hand and is the newest of the played cards."""
    state = position(
        hands={0: [5, 5, 2, 3]}, pile=[8, 8, 8], tableaus={"orange": [1, 1], "blue": [1]}
    )
    after = apply(state, parse_move("D5+1"), CHANCE)[0]
    assert after.public.played == (*state.public.played, 5)
    assert after.hands[0] == (2, 3, 5, 8)


def test_the_event_of_a_build() -> None:
    """RULES 5b: player, site, block, card, former owner, and the card drawn."""
    state = position(
        "C5:y1b1", hands={0: [5, 1, 2, 3]}, pile=[8, 7], tableaus={"orange": [2], "blue": [1]}
    )
    (built,) = apply(state, parse_move("C5+2"), CHANCE)[1]
    assert isinstance(built, Built)
    assert (built.player, str(built.site), str(built.block), built.card) == (0, "C5", "o2", 5)
    assert (built.taken_from, built.drew) == (Colour.BLUE, 8)


@pytest.mark.parametrize("board", ["", "C5:o3", "C5:b1o3"])
def test_building_on_an_empty_site_or_the_same_colour_is_no_takeover(board: str) -> None:
    """RULES 5b2: the tower had no other owner."""
    state = position(board, hands={0: [5, 1, 2, 3]}, tableaus={"orange": [2], "blue": [1]})
    (built,) = apply(state, parse_move("C5+2"), CHANCE)[1]
    assert isinstance(built, Built)
    assert built.taken_from is None


def test_players_build_clockwise_one_turn_at_a_time() -> None:
    """RULES 5b: after each turn the left neighbour builds."""
    state = position(
        tableaus={"orange": [1, 1], "blue": [1, 1], "yellow": [1, 1], "purple": [1, 1]},
        hands={0: [1, 1, 5, 5], 1: [2, 2, 2, 5], 2: [3, 3, 3, 5], 3: [4, 4, 4, 5]},
    )
    movers = []
    for move in ("A5+1", "B5+1", "C5+1", "D5+1", "E5+1"):
        movers.append(state.public.mover)
        state, _ = apply(state, parse_move(move), CHANCE)
    assert movers == [0, 1, 2, 3, 0]


def test_a_player_who_can_build_must_build() -> None:
    """RULES 5b1: taking a block out is illegal while there is a legal placement."""
    blocked_but_one = " ".join(f"{city}5:b2b1" for city in "ABCDE")
    state = position(blocked_but_one, hands={0: [5, 5, 5, 5]}, tableaus={"orange": [1, 2]})
    assert {str(move) for move in legal_moves(state)} == {"F5+1", "F5+2"}
    with pytest.raises(IllegalMove) as error:
        apply(state, parse_move("-1"), CHANCE)
    assert error.value.refusal.reason is Reason.CAN_BUILD


def test_building_ends_when_all_tableaus_are_empty() -> None:
    """RULES 5b: it continues while there is a block on any tableau."""
    state = position(
        tableaus={"yellow": [1], "purple": [1]}, mover=2, hands={2: [5, 1, 1, 1], 3: [5, 2, 2, 2]}
    )
    state, _ = apply(state, parse_move("A5+1"), CHANCE)
    assert state.public.phase is Phase.BUILD
    state, _ = apply(state, parse_move("B5+1"), CHANCE)
    assert (state.public.phase, state.public.round) == (Phase.SELECT, 2)
