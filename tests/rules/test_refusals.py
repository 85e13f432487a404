"""Every reason why a move is illegal, with its sentence. An illegal move changes nothing."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from copy import deepcopy
from typing import NamedTuple

import pytest

from manhattan.game import Game
from manhattan.rules import (
    IllegalMove,
    Phase,
    Reason,
    SetupError,
    State,
    apply,
    deal,
    legal_moves,
    parse_move,
    set_up,
    why_not,
)
from manhattan.rules.legality import SENTENCES
from support.positions import CHANCE, play_out, position


def choosing(players: int = 4) -> State:
    return deal(set_up(players), CHANCE)


def short_of_fours() -> State:
    return position("A1:o4 A2:o4", round=2, phase=Phase.SELECT)


def building() -> State:
    """Orange, at the south side, has the cards 1, 5, 5, 6; blue owns C5 with 3 floors."""
    return position(
        "C5:o1b3 D5:b2b2", round=2, hands={0: [1, 5, 5, 6]}, tableaus={"orange": [1, 2, 2]}
    )


def building_in_the_north() -> State:
    return position(mover=2, hands={2: [1, 5, 5, 6]}, tableaus={"yellow": [1, 2, 2]})


def building_two_colours() -> State:
    return position(
        "C5:o3", players=2, hands={0: [1, 5, 5, 6]}, tableaus={"orange": [1], "blue": [2]}
    )


def blocked(players: int = 4) -> State:
    """Orange can't place a block of 1 floor with centre cards."""
    return position(
        " ".join(f"{city}5:y2" for city in "ABCDEF"),
        players=players,
        hands={0: [5, 5, 5, 5]},
        tableaus={"orange": [1]},
        phase=Phase.REMOVE,
    )


def over() -> State:
    return play_out(Game.new(seed=bytes(32))).state


class Case(NamedTuple):
    reason: Reason
    state: Callable[[], State]
    move: str
    sentence: str
    player: int | None = None


CASES = [
    Case(Reason.GAME_OVER, over, "A1+1", "The game is over."),
    Case(Reason.GAME_OVER, over, "[111111]", "The game is over.", player=2),
    Case(Reason.NOT_YOUR_TURN, choosing, "[111111]", "It is Player 1's turn, not Player 3's.", 2),
    Case(
        Reason.NOT_YOUR_TURN,
        building_in_the_north,
        "A5+1",
        "It is Player 3's turn, not Player 1's.",
        0,
    ),
    Case(
        Reason.SELECT_FIRST,
        choosing,
        "A5+1",
        "Choose the blocks for round 1 first, 6 of each of your colours.",
    ),
    Case(
        Reason.SELECT_FIRST,
        lambda: choosing(2),
        "-1",
        "Choose the blocks for round 1 first, 4 of each of your colours.",
    ),
    Case(
        Reason.ALREADY_SELECTED,
        building,
        "[111111]",
        "The blocks for round 2 have already been chosen; place one of them.",
    ),
    Case(
        Reason.ALREADY_SELECTED,
        blocked,
        "[111111]",
        "The blocks for round 1 have already been chosen; place one of them.",
    ),
    Case(
        Reason.WRONG_NUMBER_OF_COLOURS,
        choosing,
        "[111|111]",
        "Write one list of blocks for each colour that you play: 1, not 2.",
    ),
    Case(
        Reason.WRONG_NUMBER_OF_COLOURS,
        lambda: choosing(2),
        "[1111]",
        "Write one list of blocks for each colour that you play: 2, not 1.",
    ),
    Case(Reason.WRONG_NUMBER_OF_BLOCKS, choosing, "[11111]", "Choose 6 orange blocks, not 5."),
    Case(
        Reason.WRONG_NUMBER_OF_BLOCKS,
        lambda: choosing(2),
        "[1111|11111]",
        "Choose 4 blue blocks, not 5.",
    ),
    Case(
        Reason.SUPPLY_TOO_SMALL,
        choosing,
        "[114444]",
        "Not enough orange blocks of size 4: 3 left, 4 chosen.",
    ),
    Case(
        Reason.SUPPLY_TOO_SMALL,
        short_of_fours,
        "[111144]",
        "Not enough orange blocks of size 4: 1 left, 2 chosen.",
    ),
    Case(
        Reason.COLOUR_NOT_NEEDED, building, "A5+1b", "You play one colour: leave out the letter b."
    ),
    Case(
        Reason.COLOUR_NOT_NEEDED, building, "A5+1o", "You play one colour: leave out the letter o."
    ),
    Case(Reason.COLOUR_NOT_NEEDED, blocked, "-1o", "You play one colour: leave out the letter o."),
    Case(
        Reason.COLOUR_MISSING,
        building_two_colours,
        "A5+1",
        "You play two colours: add the letter o or b.",
    ),
    Case(
        Reason.COLOUR_MISSING,
        lambda: blocked(2),
        "-1",
        "You play two colours: add the letter o or b.",
    ),
    Case(
        Reason.COLOUR_NOT_YOURS,
        building_two_colours,
        "A5+1y",
        "You don't play yellow: use the letter o or b.",
    ),
    Case(
        Reason.NO_SUCH_BLOCK,
        building,
        "A5+4",
        "There is no orange block of size 4 on your tableau.",
    ),
    Case(
        Reason.NO_SUCH_BLOCK,
        building_two_colours,
        "A5+1b",
        "There is no blue block of size 1 on your tableau.",
    ),
    Case(
        Reason.NO_SUCH_BLOCK, blocked, "-2", "There is no orange block of size 2 on your tableau."
    ),
    Case(
        Reason.NO_SUCH_CARD,
        building,
        "B9+1",
        "From your side, B9 needs card 9 (front right), which is not in your hand.",
    ),
    Case(
        Reason.NO_SUCH_CARD,
        building_in_the_north,
        "B1+1",
        "From your side, B1 needs card 9 (front right), which is not in your hand.",
    ),
    Case(
        Reason.TOO_FEW_FLOORS,
        building,
        "C5+1",
        "C5 belongs to blue with 3 floors; you would have 2.",
    ),
    Case(
        Reason.TOO_FEW_FLOORS,
        building,
        "D5+2",
        "D5 belongs to blue with 4 floors; you would have 2.",
    ),
    Case(
        Reason.TOO_FEW_FLOORS,
        building_two_colours,
        "C5+2b",
        "C5 belongs to orange with 3 floors; you would have 2.",
    ),
    Case(
        Reason.CAN_BUILD,
        building,
        "-1",
        "You can place a block, so you can't take one out of the game.",
    ),
    Case(
        Reason.MUST_REMOVE,
        blocked,
        "A1+1",
        "You can't place any of your blocks: take one out of the game.",
    ),
]
each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.reason}-{case.move}")


@each_case
def test_the_reason_and_its_sentence(case: Case) -> None:
    """RULES 5, 9: a refusal has a code for programs and a sentence for people."""
    refusal = why_not(case.state(), parse_move(case.move), case.player)
    assert refusal is not None
    assert (refusal.reason, str(refusal)) == (case.reason, case.sentence)


@each_case
def test_an_illegal_move_changes_nothing(case: Case) -> None:
    """RULES 5: the error contains the move and the refusal, and the state does not change."""
    state = case.state()
    before = deepcopy(state)
    move = parse_move(case.move)
    with pytest.raises(IllegalMove) as error:
        apply(state, move, CHANCE, case.player)
    assert state == before
    assert error.value.move is move
    assert error.value.refusal == why_not(state, move, case.player)
    assert str(error.value) == f"{case.move}: {case.sentence}"


@pytest.mark.parametrize("case", [case for case in CASES if case.player is None])
def test_an_illegal_move_is_not_in_the_list_of_legal_moves(case: Case) -> None:
    """RULES 5: for the player to move, the two agree."""
    assert parse_move(case.move) not in legal_moves(case.state())


def test_the_cases_cover_every_reason() -> None:
    """Every reason has a case and a sentence."""
    assert {case.reason for case in CASES} | {Reason.NOT_PLAYING} == set(Reason) == set(SENTENCES)


@pytest.mark.parametrize(
    ("case", "params"),
    [
        (Reason.GAME_OVER, {}),
        (Reason.NOT_YOUR_TURN, {"mover": "Player 1", "player": "Player 3"}),
        (Reason.SELECT_FIRST, {"round": 1, "count": 6}),
        (Reason.SUPPLY_TOO_SMALL, {"colour": "orange", "size": 4, "left": 3, "given": 4}),
        (Reason.NO_SUCH_CARD, {"site": "B9", "card": 9, "position": "front right"}),
        (Reason.TOO_FEW_FLOORS, {"site": "C5", "owner": "blue", "floors": 3, "yours": 2}),
    ],
)
def test_the_parameters_of_a_refusal(case: Reason, params: dict[str, str | int]) -> None:
    """A program gets the parameters without reading the sentence."""
    first = next(known for known in CASES if known.reason is case)
    refusal = why_not(first.state(), parse_move(first.move), first.player)
    assert refusal is not None
    assert refusal.params == params


@pytest.mark.parametrize("player", [None, 0])
def test_the_player_to_move_may_move(player: int | None) -> None:
    """RULES 5: whether or not the caller names the player."""
    assert why_not(building(), parse_move("C5+2"), player) is None
    assert apply(building(), parse_move("C5+2"), CHANCE, player)[0].public.mover == 1


@pytest.mark.parametrize("player", [-1, 4, 99])
def test_an_unknown_player_is_rejected(player: int) -> None:
    """RULES 9: players are identified by their index."""
    sentence = rf"^There is no player {player} at this table, only 0 to 3\.$"
    with pytest.raises(SetupError, match=sentence):
        why_not(building(), parse_move("C5+2"), player)
    with pytest.raises(SetupError, match=sentence):
        apply(building(), parse_move("C5+2"), CHANCE, player)


def test_an_illegal_move_error_can_be_pickled() -> None:
    """It keeps its move and its refusal."""
    with pytest.raises(IllegalMove) as error:
        apply(building(), parse_move("B9+1"), CHANCE)
    copied = pickle.loads(pickle.dumps(error.value))
    assert isinstance(copied, IllegalMove)
    assert (copied.move, copied.refusal) == (error.value.move, error.value.refusal)
    assert str(copied) == str(error.value)
