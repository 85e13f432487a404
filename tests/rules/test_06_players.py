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
from support.positions import CHANCE, play_out, position

# edition, players: colours of each player, blocks of a colour, rounds, turns of a player
TABLE = [
    *((edition, 4, 1, 6, 4, 6) for edition in EDITIONS),
    *((edition, 3, 1, 4, 6, 4) for edition in EDITIONS),
    *((edition, 2, 2, 4, 6, 8) for edition in EDITIONS if edition != "foxgames-2018"),
    ("foxgames-2018", 2, 2, 4, 4, 8),
]


@pytest.mark.parametrize(("edition", "players", "colours", "blocks", "rounds", "turns"), TABLE)
def test_a_whole_game_follows_the_schedule(
    edition: str, players: int, colours: int, blocks: int, rounds: int, turns: int
) -> None:
    """RULES 6, 8: the number of rounds, and one choice and the turns of each player in a round."""
    game = play_out(Game.new(players, edition=edition, seed=bytes(32)))
    all_players = range(players)
    chose = Counter(event.player for event in game.events if isinstance(event, Selected))
    built = Counter(event.player for event in game.events if isinstance(event, Built))
    assert chose == dict.fromkeys(all_players, rounds)
    assert built == dict.fromkeys(all_players, rounds * turns)
    assert sum(isinstance(event, Scored) for event in game.events) == rounds
    for event in game.events:
        if isinstance(event, Selected):
            assert [len(sizes) for sizes in event.move.blocks] == [blocks] * colours


@pytest.mark.parametrize(("edition", "players", "colours", "blocks", "rounds", "turns"), TABLE)
def test_the_number_of_unused_blocks(
    edition: str, players: int, colours: int, blocks: int, rounds: int, turns: int
) -> None:
    """RULES 6, 8: none, except for a third of them with two players in foxgames-2018."""
    public = play_out(Game.new(players, edition=edition, seed=bytes(32))).public
    left = 8 if (edition, players) == ("foxgames-2018", 2) else 0
    assert [sum(supply) for supply in public.supplies] == [left] * players * colours


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
def test_the_number_of_reshuffles(edition: str, players: int, reshuffles: int, seed: int) -> None:
    """RULES 11: without redraws 3 times with four, 2 with three or two, once in foxgames-2018."""
    game = play_out(Game.new(players, edition=edition, seed=bytes([seed]) * 32), step=seed + 101)
    assert not any(isinstance(event, Redrew) for event in game.events)
    assert sum(isinstance(event, Shuffled) for event in game.events) == reshuffles
    assert game.public.shuffles == 1 + reshuffles


def two(board: str = "", **blocks: list[int]) -> State:
    """Two players, orange and blue against yellow and purple; the first has centre cards."""
    return position(board, players=2, tableaus=blocks, hands={0: [5, 5, 5, 5], 1: [1, 1, 1, 1]})


def test_each_of_two_players_has_one_hand_and_one_side() -> None:
    """RULES 6: four cards, though two colours."""
    state = deal(set_up(2), CHANCE)
    assert [len(hand) for hand in state.hands] == [4, 4]
    assert [(p.side.value, [c.letter for c in p.colours]) for p in state.public.setup.players] == [
        ("south", ["o", "b"]),
        ("north", ["y", "p"]),
    ]


def test_the_1994_edition_uses_its_own_colours() -> None:
    """RULES 2, 6: blue and black against red and green."""
    colours = [p.colours for p in set_up(2, edition="hig-1994").players]
    assert colours == [("blue", "black"), ("red", "green")]


def test_a_turn_places_a_block_of_either_colour() -> None:
    """RULES 6: the player chooses freely; here one block of each colour, on six sites."""
    moves = legal_moves(two(orange=[1], blue=[3], yellow=[1, 1]))
    assert {str(move)[2:] for move in moves} == {"+1o", "+3b"}
    assert len(moves) == 12


def test_the_blocks_of_one_colour_may_all_be_placed_first() -> None:
    """RULES 6: the colours need not alternate."""
    state, _ = apply(two(orange=[1], blue=[3], yellow=[1, 1]), parse_move("A5+1o"), CHANCE)
    assert state.public.mover == 1
    state, _ = apply(state, parse_move("A9+1y"), CHANCE)
    assert {str(move)[-1] for move in legal_moves(state)} == {"b"}


def test_a_move_places_a_block_of_the_colour_that_it_names() -> None:
    """RULES 6: the tableau of the other colour does not change."""
    state, _ = apply(two(orange=[3], blue=[3], yellow=[1, 1]), parse_move("A5+3b"), CHANCE)
    assert state.public.tableaus[:2] == ((0, 0, 1, 0), (0, 0, 0, 0))


@pytest.mark.parametrize(
    ("tower", "orange", "blue"),
    [("b3", {3, 4}, {1, 2, 3, 4}), ("o3", {1, 2, 3, 4}, {3, 4}), ("o1b3", {2, 3, 4}, {1, 2, 3, 4})],
)
def test_the_players_other_colour_counts_as_another_colour(
    tower: str, orange: set[int], blue: set[int]
) -> None:
    """RULES 6, 9: takeovers go by colour, as with four players."""
    state = two(f"C5:{tower}", orange=[1, 2, 3, 4], blue=[1, 2, 3, 4])
    on_c5 = [m for m in legal_moves(state) if isinstance(m, Build) and str(m.site) == "C5"]
    assert {move.size for move in on_c5 if move.colour == "orange"} == orange
    assert {move.size for move in on_c5 if move.colour == "blue"} == blue


def test_building_on_the_players_other_colour_is_a_takeover() -> None:
    """RULES 6, 9: the tower passes from blue to orange."""
    state = two("C5:b3", orange=[3], blue=[], yellow=[1])
    (built,) = apply(state, parse_move("C5+3o"), CHANCE)[1]
    assert isinstance(built, Built)
    assert built.taken_from == "blue"


def test_scores_are_the_sum_of_two_colours() -> None:
    """RULES 6: orange 3 + 2 + 1, blue 2 + 1; yellow 1, purple 1, tied in one city."""
    sheet = score_round(parse_board("A1:o4 B1:b1 C1:y1 C2:p1"), set_up(2), 1, (0, 0))
    assert [colour.points for colour in sheet.colours] == [6, 3, 1, 1]
    assert sheet.scores == (9, 2)


def test_majorities_count_by_colour() -> None:
    """RULES 6: the colours of one player are not added: 1 orange and 1 blue against 2 purple."""
    sheet = score_round(parse_board("A1:o1 A2:b1 A3:p1 A4:p1"), set_up(2), 1, (0, 0))
    assert [colour.majorities for colour in sheet.colours] == [(), (), (), ("A",)]


def test_two_colours_of_one_player_tie_with_each_other() -> None:
    """RULES 6: one tower each in a city is a majority for neither."""
    sheet = score_round(parse_board("A1:o1 A2:b1"), set_up(2), 1, (0, 0))
    assert [colour.majorities for colour in sheet.colours] == [(), (), (), ()]


def test_a_round_of_two_players_ends_when_all_four_tableaus_are_empty() -> None:
    """RULES 5b, 6: the round continues while one block of one colour is left."""
    state = two(orange=[1], yellow=[1])
    state, _ = apply(state, parse_move("A5+1o"), CHANCE)
    assert state.public.phase is Phase.BUILD
    state, _ = apply(state, parse_move("A9+1y"), CHANCE)
    assert state.public.phase is Phase.SELECT
