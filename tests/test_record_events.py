"""RECORD, the table of events: every type of event, from constructed positions."""

from __future__ import annotations

from typing import Any

import pytest

from manhattan.record import event_json
from manhattan.rules import Phase, Shuffler, State, apply, parse_move
from support.positions import CHANCE, position

Json = dict[str, Any]


def events_of(state: State, move: str, chance: Shuffler = CHANCE) -> list[Json]:
    """The events of a move, as a record has them."""
    _, events = apply(state, parse_move(move), chance)
    lines = [event_json(event, state.public.setup) for event in events]
    return [line for line in lines if line is not None]


def descending(_: int, cards: tuple[int, ...]) -> tuple[int, ...]:
    """A predictable shuffle: the highest cards first."""
    return cards[::-1]


def test_a_choice_of_blocks() -> None:
    assert events_of(position(phase=Phase.SELECT), "[112234]") == [
        {"type": "select", "player": 0, "move": "[112234]"}
    ]


def test_a_choice_in_two_colours_follows_the_order_of_the_players_colours() -> None:
    assert events_of(position(players=2, phase=Phase.SELECT), "[1124|1223]") == [
        {"type": "select", "player": 0, "move": "[1124|1223]"}
    ]


@pytest.mark.parametrize(
    ("mover", "colour", "move", "card"),
    [
        (0, "orange", "C5+3", 5),
        (0, "orange", "C1+3", 1),
        (1, "blue", "C1+3", 7),
        (2, "yellow", "C1+3", 9),
        (3, "purple", "C1+3", 3),
    ],
)
def test_a_build_has_the_card_as_the_player_sees_it(
    mover: int, colour: str, move: str, card: int
) -> None:
    """Site 1 is far left from the south, near left from the west, and so on."""
    state = position(
        mover=mover,
        tableaus={colour: [3, 3]},
        hands={mover: [card, 2, 2, 4], (mover + 1) % 4: [6, 6, 6, 6]},
        pile=[8, 2],
    )
    assert events_of(state, move)[0] == {
        "type": "build",
        "player": mover,
        "move": move,
        "card": card,
        "drew": 8,
    }


@pytest.mark.parametrize("letter", ["o", "b"])
def test_a_build_with_two_colours_has_the_letter(letter: str) -> None:
    state = position(
        players=2,
        tableaus={"orange": [3, 1], "blue": [3, 1]},
        hands={0: [5, 5, 5, 5]},
        pile=[7, 7],
    )
    assert events_of(state, f"C5+3{letter}")[0]["move"] == f"C5+3{letter}"


def test_a_shuffle_comes_before_the_build_and_contains_its_card() -> None:
    """The pile is empty: the 25 played cards and the one just played become the new pile."""
    state = position(
        tableaus={"orange": [3], "blue": [1]},
        hands={0: [5, 5, 5, 5], 1: [9, 9, 9, 9], 2: [8, 8, 8, 8], 3: [7, 7, 7, 7]},
        pile=[],
    )
    assert events_of(state, "C5+3", descending) == [
        {
            "type": "shuffle",
            "pile": [9, 8, 7, *[6] * 5, 5, 5, *[4] * 5, *[3] * 5, *[2] * 5, *[1] * 5],
        },
        {"type": "build", "player": 0, "move": "C5+3", "card": 5, "drew": 9},
    ]


BLOCKED = "A1:y4 B1:y4 C1:y4 D1:y3 E1:y3 F1:y3 A2:p4 B2:p4 C2:p4 D2:p3 E2:p3 F2:p3"
"""A player at the south side with blocks of 1 and 2 can't build with the cards 1 and 2."""


def before_a_redraw(pile: list[int], players: int = 4) -> State:
    """The last player builds; the first is next and has the cards 1 and 2 and a block of 2."""
    last = players - 1
    tableaus = {"orange": [1, 2], "purple": [1]}
    if players == 2:
        tableaus = {"orange": [1], "blue": [2], "purple": [1]}
    return position(
        BLOCKED,
        players=players,
        mover=last,
        tableaus=tableaus,
        hands={0: [1, 1, 2, 2], last: [5, 5, 6, 6]},
        pile=pile,
    )


def test_a_redraw_follows_the_previous_turn_and_has_both_hands() -> None:
    assert events_of(before_a_redraw([7, 3, 9, 4, 4]), "A5+1") == [
        {"type": "build", "player": 3, "move": "A5+1", "card": 5, "drew": 7},
        {"type": "redraw", "player": 0, "hand": [1, 1, 2, 2], "drew": [3, 9, 4, 4]},
    ]


def test_a_redraw_takes_the_rest_of_the_old_pile_first() -> None:
    """One card is left; the shuffle comes before the redraw and contains the shown hand."""
    build, shuffle, redraw = events_of(before_a_redraw([7, 3]), "A5+1", descending)
    assert build["drew"] == 7
    assert shuffle["type"] == "shuffle"
    assert shuffle["pile"] == sorted(shuffle["pile"], reverse=True)
    assert {card: shuffle["pile"].count(card) for card in (1, 2)} == {1: 5, 2: 5}
    assert redraw["drew"] == [3, *shuffle["pile"][:3]]


def test_a_redraw_after_the_last_card_of_the_pile_causes_the_shuffle() -> None:
    """A new pile is made when a card is needed, not earlier."""
    types = [event["type"] for event in events_of(before_a_redraw([7]), "A5+1", descending)]
    assert types == ["build", "shuffle", "redraw"]


@pytest.mark.parametrize(("players", "move"), [(4, "-2"), (2, "-2b")])
def test_a_removal(players: int, move: str) -> None:
    """With two colours the move has the letter."""
    state = before_a_redraw([7, 1, 1, 1, 2], players)
    state, _ = apply(state, parse_move("A5+1" if players == 4 else "A5+1p"), CHANCE)
    assert state.public.phase is Phase.REMOVE
    assert events_of(state, move)[0] == {"type": "remove", "player": 0, "move": move}


def test_a_scoring_has_every_colour_and_the_totals() -> None:
    """Orange has the tallest tower and the cities A and C; blue and purple are tied in B."""
    state = position(
        "A1:o4 A2:o1 A3:b1 B1:b2 B2:p2", tableaus={"orange": [1]}, hands={0: [5, 5, 5, 5]}
    )
    _, score = events_of(state, "C5+1")
    assert score == {
        "type": "score",
        "round": 1,
        "colours": {
            "orange": {"tallest": 3, "majorities": ["A", "C"], "towers": 3},
            "blue": {"tallest": 0, "majorities": [], "towers": 2},
            "yellow": {"tallest": 0, "majorities": [], "towers": 0},
            "purple": {"tallest": 0, "majorities": [], "towers": 1},
        },
        "scores": [10, 2, 0, 1],
    }


def test_with_two_players_a_scoring_has_four_colours_and_two_totals() -> None:
    state = position(
        "A1:o4 A2:b1 B1:y2", players=2, tableaus={"orange": [1]}, hands={0: [5, 5, 5, 5]}
    )
    score = events_of(state, "C5+1o")[-1]
    assert list(score["colours"]) == ["orange", "blue", "yellow", "purple"]
    assert score["scores"] == [8, 3]


def test_the_end_of_the_game_is_not_an_event_of_a_record() -> None:
    state = position(tableaus={"orange": [1]}, hands={0: [5, 5, 5, 5]}, round=4)
    assert [event["type"] for event in events_of(state, "C5+1")] == ["build", "score"]
