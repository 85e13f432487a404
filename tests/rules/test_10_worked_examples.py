"""RULES 10: the worked examples."""

from __future__ import annotations

import pytest

from manhattan.rules import (
    Build,
    Colour,
    ColourScore,
    Scored,
    Site,
    apply,
    legal_moves,
    parse_move,
)
from support.positions import CHANCE, position

# Black has the majority in Sydney (A) and Frankfurt (C), where blue owns the tallest tower. Hong
# Kong (D) and São Paulo (E) have one tower each; Manhattan (B) and Cairo (F) are tied. Green's
# last tower is missing.
BOARD_1994 = """
    A1:k1 A2:k2 A3:g1
    B1:r1 B2:r1 B3:g2 B4:g1
    C1:k1b4 C2:k1 C3:k3
    D5:b1
    E5:r2
    F1:b1 F2:k1 F3:r1
"""
# Yellow has the majority in A, purple in B and C, blue in D; E and F are tied. Orange's only
# tower is the tallest. Purple's last tower is missing.
BOARD_2017 = """
    A1:y1 A2:y2 A3:y1 A4:p1 A5:b1
    B1:p1 B2:p1 B3:p2 B4:b1
    C1:p1 C2:p1 C3:b2o4
    D1:b1 D2:b1 D3:p1
    E1:y1 E2:p1 E3:b1
    F1:y1 F2:b1
"""


def colours_after_the_last_build(board: str, edition: str, colour: str) -> tuple[ColourScore, ...]:
    """The player at the east side, whose card 7 names site 9, places the last block on F9."""
    state = position(
        board, edition=edition, mover=3, hands={3: [7, 1, 1, 1]}, tableaus={colour: [1]}
    )
    scored = apply(state, parse_move("F9+1"), CHANCE)[1][-1]
    assert isinstance(scored, Scored)
    return scored.sheet.colours


def test_example_1_the_scoring_of_1994() -> None:
    """RULES 10.1: blue 8, black 9, red 6, green 4."""
    blue, black, red, green = colours_after_the_last_build(BOARD_1994, "hig-1994", "green")
    assert blue == ColourScore(tallest_points=3, majorities=("D",), towers=3)
    assert black == ColourScore(tallest_points=0, majorities=("A", "C"), towers=5)
    assert red == ColourScore(tallest_points=0, majorities=("E",), towers=4)
    assert green == ColourScore(tallest_points=0, majorities=(), towers=4)
    assert [colour.points for colour in (blue, black, red, green)] == [8, 9, 6, 4]


def test_example_2_the_scoring_of_2017() -> None:
    """RULES 10.2: orange 4, blue 8, yellow 7, purple 13."""
    orange, blue, yellow, purple = colours_after_the_last_build(BOARD_2017, "hig-2017", "purple")
    assert orange == ColourScore(tallest_points=3, majorities=(), towers=1)
    assert blue == ColourScore(tallest_points=0, majorities=("D",), towers=6)
    assert yellow == ColourScore(tallest_points=0, majorities=("A",), towers=5)
    assert purple == ColourScore(tallest_points=0, majorities=("B", "C"), towers=9)
    assert [colour.points for colour in (orange, blue, yellow, purple)] == [4, 8, 7, 13]


COLOURS = ["orange", "blue", "yellow", "purple"]


@pytest.mark.parametrize(
    ("tower", "colour", "allowed"),
    [
        ("y1", "blue", [1, 2, 3, 4]),
        ("y1b3", "yellow", [2, 3, 4]),
        ("y1b3", "orange", [3, 4]),
        ("y1b3", "purple", [3, 4]),
        ("y1b3", "blue", [1, 2, 3, 4]),
        ("o4", "purple", [4]),
        ("o4p4", "yellow", [4]),
        ("o4p4y4", "orange", [1, 2, 3, 4]),
        ("o4p4y4", "purple", [1, 2, 3, 4]),
        ("o4p4y4", "blue", [4]),
    ],
)
def test_examples_3_and_4_the_sizes_that_a_colour_may_place(
    tower: str, colour: str, allowed: list[int]
) -> None:
    """RULES 10.3, 10.4: what each colour needs; a tie is enough, and only the owner counts."""
    mover = COLOURS.index(colour)
    state = position(
        f"C5:{tower}", mover=mover, hands={mover: [5] * 4}, tableaus={colour: [1, 2, 3, 4]}
    )
    on_c5 = [m for m in legal_moves(state) if isinstance(m, Build) and str(m.site) == "C5"]
    assert [move.size for move in on_c5] == allowed


def test_example_4_played() -> None:
    """RULES 10.4: the tower passes from orange to purple to yellow, and back to orange."""
    state = position(
        mover=0,
        tableaus={"orange": [1, 1, 4], "blue": [1] * 3, "yellow": [1, 1, 4], "purple": [1, 1, 4]},
        hands={0: [1, 1, 5, 5], 1: [2, 2, 2, 2], 2: [3, 3, 3, 5], 3: [4, 4, 4, 5]},
        pile=[6, 6, 6, 6, 6, 7, 7, 7, 7],
    )
    owners = []
    # Yellow moves before purple, so yellow's first block goes to another site.
    for move in ("C5+4", "A6+1", "A7+1", "C5+4", "A1+1", "B6+1", "C5+4", "A8+1", "C5+1"):
        state, _ = apply(state, parse_move(move), CHANCE)
        owners.append(state.public.board[Site.parse("C5")].owner)
    o, p, y = Colour.ORANGE, Colour.PURPLE, Colour.YELLOW
    assert owners == [o, o, o, p, p, p, y, y, o]
