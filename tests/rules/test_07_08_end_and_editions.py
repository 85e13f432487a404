"""RULES 7, 8: the end, and every cell of the table of differences between the editions."""

from __future__ import annotations

from typing import Any

import pytest

from manhattan.game import Game
from manhattan.rules import (
    EDITIONS,
    Ended,
    Phase,
    Result,
    Scored,
    SetupError,
    Shuffled,
    apply,
    deal,
    legal_moves,
    parse_board,
    parse_move,
    set_up,
)
from manhattan.rules.scoring import determine_result, score_round
from support.positions import CHANCE, play_out, position

FOUR_BOOKS = ["hig-1994", "hig-2017", "999-games", "foxgames-2018"]


def in_the_colours_of(edition: str, text: str) -> str:
    """A board in the colours of the edition, written in the later colours."""
    return text.translate(str.maketrans("obyp", "bkrg")) if edition == "hig-1994" else text


@pytest.mark.parametrize(
    ("edition", "settled"),
    [
        ("hig-1994", "settled freely"),
        ("hig-2017", "the oldest"),
        ("999-games", "the oldest"),
        ("foxgames-2018", "the oldest"),
    ],
)
def test_8_start_player(edition: str, settled: str) -> None:
    """RULES 8, "start player": what the rulebook says; the players agree or draw lots."""
    assert EDITIONS[edition].start_player == settled


@pytest.mark.parametrize("edition", FOUR_BOOKS)
def test_8_an_empty_draw_pile(edition: str) -> None:
    """RULES 8, "an empty draw pile": the played cards are reshuffled in every edition."""
    colour, left = ("blue", "black") if edition == "hig-1994" else ("orange", "blue")
    state = position(
        edition=edition, pile=[], hands={0: [5, 5, 5, 5]}, tableaus={colour: [1], left: [1]}
    )
    after, events = apply(state, parse_move("A5+1"), CHANCE)
    assert isinstance(events[0], Shuffled)
    assert len(after.pile) == 29


@pytest.mark.parametrize("edition", ["hig-2017", "999-games", "foxgames-2018"])
def test_8_sides_all_different(edition: str) -> None:
    """RULES 8, "sides": two players at one side are rejected."""
    with pytest.raises(SetupError, match=r"^Two players sit at the same side of the board"):
        set_up(3, edition=edition, sides=["south", "south", "north"])


def test_8_sides_free_in_1994() -> None:
    """RULES 8, "sides": players may share one, and read their cards from it."""
    setup = set_up(3, edition="hig-1994", sides=["west", "west", "east"])
    state = position(setup=setup, mover=1, hands={1: [1, 1, 1, 1]}, tableaus={"black": [1]})
    assert str(legal_moves(state)[0]) == "A3+1"


@pytest.mark.parametrize("edition", FOUR_BOOKS)
def test_8_looks_at_the_hand_before_choosing_blocks(edition: str) -> None:
    """RULES 8, "looking at the hand": players choose blocks after the deal in every edition."""
    state = deal(set_up(edition=edition), CHANCE)
    assert (state.public.phase, [len(hand) for hand in state.hands]) == (Phase.SELECT, [4] * 4)


TALLEST = {
    "one colour owns all": ("A1:o3 F9:o2o1", {"999-games": [3, 0, 0, 0]}),
    "three of one colour": ("A1:b4 C1:o2b2 F9:b3b1", {"999-games": [0, 3, 0, 0]}),
    "several owners": ("A1:o3 B1:o3 F9:b3", {}),
    "one tower alone": ("A1:o3 B1:b4 F9:b2", {book: [0, 3, 0, 0] for book in FOUR_BOOKS}),
}


@pytest.mark.parametrize("edition", FOUR_BOOKS)
@pytest.mark.parametrize("case", TALLEST)
@pytest.mark.parametrize("players", [4, 2])
def test_8_several_tallest_towers(edition: str, case: str, players: int) -> None:
    """RULES 8, "tallest": nobody scores; in 999-games the colour that owns all of them does."""
    text, scorers = TALLEST[case]
    board = parse_board(in_the_colours_of(edition, text))
    sheet = score_round(board, set_up(players, edition=edition), 1, (0,) * players)
    assert [colour.tallest_points for colour in sheet.colours] == scorers.get(edition, [0, 0, 0, 0])


@pytest.mark.parametrize("edition", FOUR_BOOKS)
def test_8_tallest_of_two_colours_of_one_player(edition: str) -> None:
    """RULES 8, 9, "tallest": ownership goes by colour, so nobody scores, not even in 999-games."""
    board = parse_board(in_the_colours_of(edition, "A1:o3 F9:b3"))
    sheet = score_round(board, set_up(2, edition=edition), 1, (0, 0))
    assert [colour.tallest_points for colour in sheet.colours] == [0, 0, 0, 0]


def blocks_and_rounds(players: int, **options: Any) -> tuple[tuple[int, ...], int]:
    """The number of blocks of each colour in the first choice, and the number of scored rounds."""
    game = play_out(Game.new(players, seed=bytes(32), **options))
    chosen = tuple(len(sizes) for sizes in game.moves[0].blocks)  # type: ignore[union-attr]
    return chosen, sum(isinstance(event, Scored) for event in game.events)


@pytest.mark.parametrize("edition", FOUR_BOOKS)
def test_8_three_players(edition: str) -> None:
    """RULES 8, "3 players": 4 blocks x 6 rounds."""
    assert blocks_and_rounds(3, edition=edition) == ((4,), 6)


def test_8_three_players_of_1994_may_choose() -> None:
    """RULES 8, "3 players": 6 blocks x 4 rounds."""
    options = {"edition": "hig-1994", "house_rules": {"three_players": "6x4"}}
    assert blocks_and_rounds(3, **options) == ((6,), 4)


@pytest.mark.parametrize(
    ("edition", "rounds"),
    [("hig-1994", 6), ("hig-2017", 6), ("999-games", 6), ("foxgames-2018", 4)],
)
def test_8_two_players(edition: str, rounds: int) -> None:
    """RULES 8, "2 players": 4 + 4 blocks; 6 rounds, in foxgames-2018 four."""
    assert blocks_and_rounds(2, edition=edition) == ((4, 4), rounds)


def test_8_two_players_of_1994_may_choose() -> None:
    """RULES 8, "2 players": one colour each, 6 blocks x 4 rounds."""
    options = {"edition": "hig-1994", "house_rules": {"two_players": "6x4-one-colour"}}
    assert blocks_and_rounds(2, **options) == ((6,), 4)
    assert [p.colours for p in set_up(2, **options).players] == [("blue",), ("black",)]  # type: ignore[arg-type]


# Orange and blue end with 6 points each. Orange's tallest tower is taller, blue has more
# majorities, and yellow owns the board's tallest tower.
SIX_EACH = "A1:o4 A2:o1 A3:o1 B1:b3 C1:b3 D1:o1 D2:y4y3"


@pytest.mark.parametrize(
    ("edition", "winners", "decided_by"),
    [
        ("hig-1994", (0, 1), "shared"),
        ("hig-2017", (0,), "tallest"),
        ("999-games", (0,), "tallest"),
        ("foxgames-2018", (1,), "majorities"),
    ],
)
def test_8_equal_points_at_the_end(edition: str, winners: tuple[int, ...], decided_by: str) -> None:
    """RULES 8, "equal points": the same last move has three different results."""
    state = position(
        in_the_colours_of(edition, SIX_EACH),
        edition=edition,
        round=4,
        mover=3,
        hands={3: [7, 1, 1, 1]},
        tableaus={"green" if edition == "hig-1994" else "purple": [1]},
    )
    after, events = apply(state, parse_move("E9+1"), CHANCE)
    assert isinstance(events[-1], Ended)
    assert events[-1].result == after.public.result
    assert after.public.result == Result((6, 6, 4, 3), winners, decided_by)  # type: ignore[arg-type]


A_FOR_ALL = "A1:o4 B1:b4 C1:b1"
TIES = [
    # final_tie, players, scores, board, winners, decided by
    ("shared", 4, (10, 9, 8, 7), "B1:b4", (0,), "points"),
    ("shared", 4, (10, 10, 8, 7), "A1:o4o1 C1:o1", (0, 1), "shared"),
    ("shared", 4, (10, 10, 10, 10), "A1:o4", (0, 1, 2, 3), "shared"),
    ("shared", 2, (20, 20), "A1:o4 B1:b4", (0, 1), "shared"),
    ("own_tallest", 4, (10, 9, 8, 7), "B1:b4", (0,), "points"),
    ("own_tallest", 4, (7, 9, 8, 10), "", (3,), "points"),
    # the towers of the tied players count, not the taller tower of a third player
    ("own_tallest", 4, (10, 10, 4, 4), "A1:o4o1 B1:b4 C1:y4y4", (0,), "tallest"),
    ("own_tallest", 4, (10, 10, 4, 4), "A1:b4o4 B1:b4b3 C1:b1", (0,), "tallest"),
    ("own_tallest", 4, (10, 10, 4, 4), A_FOR_ALL, (1,), "majorities"),
    ("own_tallest", 4, (10, 10, 4, 4), "A1:o4 B1:b4", (0, 1), "shared"),
    ("own_tallest", 4, (10, 10, 4, 4), "B1:b1", (1,), "tallest"),
    # of three tied players the tallest tower leaves two, without yellow's majorities
    ("own_tallest", 4, (9, 9, 9, 4), f"{A_FOR_ALL} D1:y3 E1:y1 F1:y1", (1,), "majorities"),
    ("own_tallest", 4, (9, 9, 9, 4), "A1:o4 B1:b4 C1:y3 D1:y1", (0, 1), "shared"),
    ("own_tallest", 4, (9, 9, 9, 4), "A1:o4 B1:b4 C1:y4 D1:o1 E1:b1", (0, 1), "shared"),
    ("own_tallest", 4, (9, 4, 9, 9), "A1:o4 B1:y4 C1:p4 D1:y1 E1:o1 F1:o1", (0,), "majorities"),
    # two players: the tallest tower and the majorities of both colours
    ("own_tallest", 2, (20, 20), "A1:o1 B1:b4 C1:y3 D1:p3", (0,), "tallest"),
    ("own_tallest", 2, (20, 20), "A1:o4 B1:b1 C1:b1 D1:y4 E1:y1", (0,), "majorities"),
    ("own_tallest", 2, (20, 20), "A1:o4 B1:b1 C1:y1 D1:p4", (0, 1), "shared"),
    ("board_tallest", 4, (10, 9, 8, 7), "B1:b4", (0,), "points"),
    ("board_tallest", 4, (10, 10, 4, 4), "A1:o4o1 B1:b4 C1:b1", (0,), "tallest"),
    ("board_tallest", 4, (10, 10, 4, 4), A_FOR_ALL, (1,), "majorities"),
    ("board_tallest", 4, (10, 10, 4, 4), "A1:o4 B1:b4", (0, 1), "shared"),
    # a tied player shares the board's greatest height with a player who is not tied
    ("board_tallest", 4, (9, 9, 9, 4), "A1:o4 B1:p4 C1:b3 D1:b1", (0,), "tallest"),
    # no tied player owns the board's tallest tower: the majorities decide
    ("board_tallest", 4, (10, 10, 4, 4), "A1:o4 B1:b3 C1:b1 D1:y4y4", (1,), "majorities"),
    ("board_tallest", 4, (10, 10, 4, 4), "A1:o4 B1:b3 D1:y4y4", (0, 1), "shared"),
    ("board_tallest", 4, (9, 9, 9, 4), "A1:o1 B1:b1 C1:y1 D1:b1 F1:p4", (1,), "majorities"),
    ("board_tallest", 4, (9, 9, 9, 4), f"{A_FOR_ALL} D1:y3 E1:y1 F1:y1", (1,), "majorities"),
    ("board_tallest", 4, (9, 9, 9, 4), "A1:o4 B1:b4 C1:y3 D1:y1", (0, 1), "shared"),
    ("board_tallest", 2, (20, 20), "A1:o1 B1:b4 C1:y3 D1:p3", (0,), "tallest"),
    ("board_tallest", 2, (20, 20), "A1:o4 B1:b1 C1:b1 D1:y4 E1:y1", (0,), "majorities"),
    ("board_tallest", 2, (20, 20), "A1:o4 B1:b1 C1:y1 D1:p4", (0, 1), "shared"),
]


@pytest.mark.parametrize(
    ("edition", "players", "scores", "board", "winners", "decided_by"),
    [
        (edition, *case)
        for final_tie, *case in TIES
        for edition in FOUR_BOOKS
        if EDITIONS[edition].rules.final_tie == final_tie
    ],
)
def test_7_the_winners(
    edition: str,
    players: int,
    scores: tuple[int, ...],
    board: str,
    winners: tuple[int, ...],
    decided_by: str,
) -> None:
    """RULES 7, 8: a criterion keeps only the best of the tied players; the first that leaves one
    winner decides."""
    towers = parse_board(in_the_colours_of(edition, board))
    result = determine_result(towers, set_up(players, edition=edition), scores)
    assert (result.scores, result.winners, result.decided_by) == (scores, winners, decided_by)


def test_7_the_game_ends_after_the_last_scoring() -> None:
    """RULES 7: there is no further round and no legal move."""
    game = play_out(Game.new(seed=bytes(32)))
    assert [type(event) for event in game.events[-2:]] == [Scored, Ended]
    assert (game.public.phase, game.public.round, game.legal_moves()) == (Phase.OVER, 4, ())


@pytest.mark.parametrize(
    ("edition", "players", "row", "value", "expected"),
    [
        ("hig-2017", 4, "four_players", "4x6", ((4,), 6)),
        ("hig-2017", 3, "three_players", "6x4", ((6,), 4)),
        ("hig-2017", 2, "two_players", "4x4", ((4, 4), 4)),
        ("999-games", 2, "two_players", "6x4-one-colour", ((6,), 4)),
        ("foxgames-2018", 2, "two_players", "4x6", ((4, 4), 6)),
    ],
)
def test_8_house_rules_of_blocks_and_rounds(
    edition: str, players: int, row: str, value: str, expected: tuple[tuple[int, ...], int]
) -> None:
    """RULES 8: a changed row changes the schedule of the game."""
    assert blocks_and_rounds(players, edition=edition, house_rules={row: value}) == expected


def test_8_house_rule_of_sides() -> None:
    """RULES 8: a table can allow shared sides in 2017, and forbid them in 1994."""
    sides = ["south", "south", "north"]
    free = set_up(3, sides=sides, house_rules={"sides": "free"})
    assert [player.side for player in free.players] == sides
    with pytest.raises(SetupError, match=r"^Two players sit at the same side of the board"):
        set_up(3, edition="hig-1994", sides=sides, house_rules={"sides": "distinct"})


@pytest.mark.parametrize(
    ("edition", "tie", "points"), [("hig-2017", "one_owner", 3), ("999-games", "nobody", 0)]
)
def test_8_house_rule_of_the_tallest(edition: str, tie: str, points: int) -> None:
    """RULES 8: two tallest towers of one owner, scored as in the other edition."""
    setup = set_up(edition=edition, house_rules={"tallest_tie": tie})
    sheet = score_round(parse_board("A1:o3 F9:o3"), setup, 1, (0, 0, 0, 0))
    assert sheet.colours[0].tallest_points == points


@pytest.mark.parametrize(
    ("edition", "tie", "winners"),
    [
        ("hig-2017", "shared", (0, 1)),
        ("hig-2017", "board_tallest", (1,)),
        ("foxgames-2018", "own_tallest", (0,)),
        ("hig-1994", "own_tallest", (0,)),
    ],
)
def test_8_house_rule_of_equal_points(edition: str, tie: str, winners: tuple[int, ...]) -> None:
    """RULES 8: the same board, decided as in the other edition."""
    setup = set_up(edition=edition, house_rules={"final_tie": tie})
    board = parse_board(in_the_colours_of(edition, SIX_EACH))
    assert determine_result(board, setup, (6, 6, 4, 0)).winners == winners
