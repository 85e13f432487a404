"""RULES 6, 11: two, three and four players: colours, blocks, rounds, turns, reshuffles."""

from __future__ import annotations

from collections import Counter

import pytest

from manhattan.game import Game
from manhattan.rules import (
    EDITIONS,
    Build,
    Built,
    Phase,
    Redrew,
    Scored,
    Selected,
    Shuffled,
    State,
    apply,
    deal,
    legal_moves,
    parse_board,
    parse_move,
    set_up,
)
from manhattan.rules.scoring import score_round
from positions import CHANCE, play_out, position

# edition, players: colours each, blocks a round of each colour, rounds, turns each a round
TABLE = [
    *((edition, 4, 1, 6, 4, 6) for edition in EDITIONS),
    *((edition, 3, 1, 4, 6, 4) for edition in EDITIONS),
    *((edition, 2, 2, 4, 6, 8) for edition in EDITIONS if edition != "foxgames-2018"),
    ("foxgames-2018", 2, 2, 4, 4, 8),
]


@pytest.mark.parametrize(("edition", "players", "colours", "blocks", "rounds", "turns"), TABLE)
def test_a_whole_game_keeps_the_schedule(
    edition: str, players: int, colours: int, blocks: int, rounds: int, turns: int
) -> None:
    """RULES 6, 8: so many rounds, in each of them one choice and so many turns for everybody."""
    game = play_out(Game.new(players, edition=edition, seed=bytes(32)))
    everybody = range(players)
    chose = Counter(event.player for event in game.events if isinstance(event, Selected))
    built = Counter(event.player for event in game.events if isinstance(event, Built))
    assert chose == dict.fromkeys(everybody, rounds)
    assert built == dict.fromkeys(everybody, rounds * turns)
    assert sum(isinstance(event, Scored) for event in game.events) == rounds
    for event in game.events:
        if isinstance(event, Selected):
            assert [len(sizes) for sizes in event.move.blocks] == [blocks] * colours


@pytest.mark.parametrize(("edition", "players", "colours", "blocks", "rounds", "turns"), TABLE)
def test_how_many_blocks_stay_unused(
    edition: str, players: int, colours: int, blocks: int, rounds: int, turns: int
) -> None:
    """RULES 6, 8: none, but with two in foxgames-2018 a third of them."""
    table = play_out(Game.new(players, edition=edition, seed=bytes(32))).table
    left = 8 if (edition, players) == ("foxgames-2018", 2) else 0
    assert [sum(supply) for supply in table.supplies] == [left] * players * colours


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("edition", "players", "reshuffles"),
    [
        *((edition, 4, 3) for edition in EDITIONS),
        *((edition, 3, 2) for edition in EDITIONS),
        *((edition, 2, 2) for edition in EDITIONS if edition != "foxgames-2018"),
        ("foxgames-2018", 2, 1),
    ],
)
def test_how_often_the_cards_are_reshuffled(
    edition: str, players: int, reshuffles: int, seed: int
) -> None:
    """RULES 11: without redraws 3 times with four, 2 with three or two, once in foxgames-2018."""
    game = play_out(Game.new(players, edition=edition, seed=bytes([seed]) * 32), step=seed + 101)
    assert not any(isinstance(event, Redrew) for event in game.events)
    assert sum(isinstance(event, Shuffled) for event in game.events) == reshuffles
    assert game.table.shuffles == 1 + reshuffles


def two(board: str = "", **blocks: list[int]) -> State:
    """Two players, orange and blue against yellow and purple; the first holds centre cards."""
    return position(board, players=2, tableaus=blocks, hands={0: [5, 5, 5, 5], 1: [1, 1, 1, 1]})


def test_two_players_have_one_hand_and_one_seat_each() -> None:
    """RULES 6: four cards, though two colours."""
    state = deal(set_up(2), CHANCE)
    assert [len(hand) for hand in state.hands] == [4, 4]
    assert [(p.seat.value, [c.letter for c in p.colours]) for p in state.table.setup.players] == [
        ("south", ["o", "b"]),
        ("north", ["y", "p"]),
    ]


def test_1994_hands_out_its_own_colours() -> None:
    """RULES 2, 6: blue and black against red and green."""
    colours = [p.colours for p in set_up(2, edition="hig-1994").players]
    assert colours == [("blue", "black"), ("red", "green")]


def test_each_turn_one_of_both_colours_is_built() -> None:
    """RULES 6: he chooses freely; here one block of each colour on one of six sites."""
    moves = legal_moves(two(orange=[1], blue=[3], yellow=[1, 1]))
    assert {str(move)[2:] for move in moves} == {"+1o", "+3b"}
    assert len(moves) == 12


def test_a_colour_may_be_used_up_first() -> None:
    """RULES 6: nothing asks for taking turns between the colours."""
    state, _ = apply(two(orange=[1], blue=[3], yellow=[1, 1]), parse_move("A5+1o"), CHANCE)
    assert state.table.mover == 1
    state, _ = apply(state, parse_move("A9+1y"), CHANCE)
    assert {str(move)[-1] for move in legal_moves(state)} == {"b"}


def test_the_block_of_the_named_colour_is_built() -> None:
    """RULES 6: the other colour's tableau stays as it is."""
    state, _ = apply(two(orange=[3], blue=[3], yellow=[1, 1]), parse_move("A5+3b"), CHANCE)
    assert state.table.tableaus[:2] == ((0, 0, 1, 0), (0, 0, 0, 0))


@pytest.mark.parametrize(
    ("tower", "orange", "blue"),
    [("b3", {3, 4}, {1, 2, 3, 4}), ("o3", {1, 2, 3, 4}, {3, 4}), ("o1b3", {2, 3, 4}, {1, 2, 3, 4})],
)
def test_ones_own_other_colour_is_a_foreign_colour(
    tower: str, orange: set[int], blue: set[int]
) -> None:
    """RULES 6, 9: building on towers goes by colour, as if four were at the table."""
    state = two(f"C5:{tower}", orange=[1, 2, 3, 4], blue=[1, 2, 3, 4])
    on_c5 = [m for m in legal_moves(state) if isinstance(m, Build) and str(m.site) == "C5"]
    assert {move.size for move in on_c5 if move.colour == "orange"} == orange
    assert {move.size for move in on_c5 if move.colour == "blue"} == blue


def test_taking_over_ones_own_other_colour_is_told_as_a_takeover() -> None:
    """RULES 6, 9: the tower was blue's, now it is orange's."""
    state = two("C5:b3", orange=[3], blue=[], yellow=[1])
    (built,) = apply(state, parse_move("C5+3o"), CHANCE)[1]
    assert isinstance(built, Built)
    assert built.taken_from == "blue"


def test_scores_are_the_sum_of_two_colours() -> None:
    """RULES 6: orange 3 + 2 + 1, blue 2 + 1; yellow 1, purple 1, tied in one city."""
    sheet = score_round(parse_board("A1:o4 B1:b1 C1:y1 C2:p1"), set_up(2), 1, (0, 0))
    assert [colour.points for colour in sheet.colours] == [6, 3, 1, 1]
    assert sheet.scores == (9, 2)


def test_majorities_go_by_colour() -> None:
    """RULES 6: two colours of one player don't add up: 1 orange and 1 blue against 2 purple."""
    sheet = score_round(parse_board("A1:o1 A2:b1 A3:p1 A4:p1"), set_up(2), 1, (0, 0))
    assert [colour.majorities for colour in sheet.colours] == [(), (), (), ("A",)]


def test_two_colours_of_one_player_tie_with_each_other() -> None:
    """RULES 6: one tower each in a city is a majority for neither."""
    sheet = score_round(parse_board("A1:o1 A2:b1"), set_up(2), 1, (0, 0))
    assert [colour.majorities for colour in sheet.colours] == [(), (), (), ()]


def test_a_round_of_two_ends_when_both_colours_of_both_are_built() -> None:
    """RULES 5b, 6: one block left in one colour keeps the round going."""
    state = two(orange=[1], yellow=[1])
    state, _ = apply(state, parse_move("A5+1o"), CHANCE)
    assert state.table.phase is Phase.BUILD
    state, _ = apply(state, parse_move("A9+1y"), CHANCE)
    assert state.table.phase is Phase.SELECT
