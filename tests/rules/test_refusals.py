"""Every reason for which a move is refused, with its sentence; and that nothing changes."""

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
from positions import CHANCE, play_out, position


def choosing(players: int = 4) -> State:
    return deal(set_up(players), CHANCE)


def short_of_fours() -> State:
    return position("A1:o4 A2:o4", round=2, phase=Phase.SELECT)


def building() -> State:
    """Orange, south, holds the cards 1, 5, 5, 6; blue has 3 floors on C5 above his own one."""
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
    """Orange's block of 1 floor finds no place by centre cards."""
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
        "Blocks for round 1 are chosen first, 6 of each colour.",
    ),
    Case(
        Reason.SELECT_FIRST,
        lambda: choosing(2),
        "-1",
        "Blocks for round 1 are chosen first, 4 of each colour.",
    ),
    Case(
        Reason.ALREADY_SELECTED,
        building,
        "[111111]",
        "The blocks of round 2 are chosen already; now build.",
    ),
    Case(
        Reason.ALREADY_SELECTED,
        blocked,
        "[111111]",
        "The blocks of round 1 are chosen already; now build.",
    ),
    Case(
        Reason.WRONG_NUMBER_OF_COLOURS,
        choosing,
        "[111|111]",
        "Write a list of blocks for each colour you play: 1, not 2.",
    ),
    Case(
        Reason.WRONG_NUMBER_OF_COLOURS,
        lambda: choosing(2),
        "[1111]",
        "Write a list of blocks for each colour you play: 2, not 1.",
    ),
    Case(Reason.WRONG_NUMBER_OF_BLOCKS, choosing, "[11111]", "Choose 6 blocks of orange, not 5."),
    Case(
        Reason.WRONG_NUMBER_OF_BLOCKS,
        lambda: choosing(2),
        "[1111|11111]",
        "Choose 4 blocks of blue, not 5.",
    ),
    Case(
        Reason.SUPPLY_TOO_SMALL,
        choosing,
        "[114444]",
        "The supply of orange has 3 left of size 4; 4 were chosen.",
    ),
    Case(
        Reason.SUPPLY_TOO_SMALL,
        short_of_fours,
        "[111144]",
        "The supply of orange has 1 left of size 4; 2 were chosen.",
    ),
    Case(
        Reason.COLOUR_NOT_NEEDED, building, "A5+1b", "You play one colour: leave the letter b out."
    ),
    Case(
        Reason.COLOUR_NOT_NEEDED, building, "A5+1o", "You play one colour: leave the letter o out."
    ),
    Case(Reason.COLOUR_NOT_NEEDED, blocked, "-1o", "You play one colour: leave the letter o out."),
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
        "yellow is not your colour: add the letter o or b.",
    ),
    Case(Reason.NO_SUCH_BLOCK, building, "A5+4", "There is no orange block of 4 on your tableau."),
    Case(
        Reason.NO_SUCH_BLOCK,
        building_two_colours,
        "A5+1b",
        "There is no blue block of 1 on your tableau.",
    ),
    Case(Reason.NO_SUCH_BLOCK, blocked, "-2", "There is no orange block of 2 on your tableau."),
    Case(
        Reason.NO_SUCH_CARD,
        building,
        "B9+1",
        "B9 takes card 9 from your seat, which is not in your hand.",
    ),
    Case(
        Reason.NO_SUCH_CARD,
        building_in_the_north,
        "B1+1",
        "B1 takes card 9 from your seat, which is not in your hand.",
    ),
    Case(Reason.TOO_FEW_FLOORS, building, "C5+1", "C5 is blue's with 3 floors; you would have 2."),
    Case(Reason.TOO_FEW_FLOORS, building, "D5+2", "D5 is blue's with 4 floors; you would have 2."),
    Case(
        Reason.TOO_FEW_FLOORS,
        building_two_colours,
        "C5+2b",
        "C5 is orange's with 3 floors; you would have 2.",
    ),
    Case(
        Reason.CAN_BUILD,
        building,
        "-1",
        "A block is taken out only when none can be placed; you can place one.",
    ),
    Case(
        Reason.MUST_REMOVE,
        blocked,
        "A1+1",
        "None of your blocks can be placed: take one out of the game.",
    ),
]
each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.reason}-{case.move}")


@each_case
def test_the_reason_and_its_sentence(case: Case) -> None:
    """RULES 5, 9: a refusal has a name for programs and a sentence for people."""
    refusal = why_not(case.state(), parse_move(case.move), case.player)
    assert refusal is not None
    assert (refusal.reason, str(refusal)) == (case.reason, case.sentence)


@each_case
def test_a_refused_move_changes_nothing(case: Case) -> None:
    """RULES 5: it raises, carries move and refusal, and leaves the state as it was."""
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
def test_a_refused_move_is_not_listed_as_legal(case: Case) -> None:
    """RULES 5: whoever is to move and may not make a move does not find it in his list."""
    assert parse_move(case.move) not in legal_moves(case.state())


def test_every_reason_is_met_above() -> None:
    """No reason without a test, and no sentence without a reason."""
    assert {case.reason for case in CASES} | {Reason.NOT_PLAYING} == set(Reason) == set(SENTENCES)


@pytest.mark.parametrize(
    ("case", "figures"),
    [
        (Reason.GAME_OVER, {}),
        (Reason.NOT_YOUR_TURN, {"mover": "Player 1", "player": "Player 3"}),
        (Reason.SELECT_FIRST, {"round": 1, "count": 6}),
        (Reason.SUPPLY_TOO_SMALL, {"colour": "orange", "size": 4, "left": 3, "given": 4}),
        (Reason.NO_SUCH_CARD, {"site": "B9", "card": 9}),
        (Reason.TOO_FEW_FLOORS, {"site": "C5", "owner": "blue", "floors": 3, "yours": 2}),
    ],
)
def test_the_figures_of_a_refusal(case: Reason, figures: dict[str, str | int]) -> None:
    """A program gets the figures without reading the sentence."""
    first = next(known for known in CASES if known.reason is case)
    refusal = why_not(first.state(), parse_move(first.move), first.player)
    assert refusal is not None
    assert refusal.figures == figures


@pytest.mark.parametrize("player", [None, 0])
def test_the_player_to_move_is_not_refused(player: int | None) -> None:
    """RULES 5: named or not, it is his turn."""
    assert why_not(building(), parse_move("C5+2"), player) is None
    assert apply(building(), parse_move("C5+2"), CHANCE, player)[0].table.mover == 1


@pytest.mark.parametrize("player", [-1, 4, 99])
def test_a_player_who_is_not_at_the_table(player: int) -> None:
    """RULES 9: players are known by their place in the list."""
    sentence = rf"^There is no player {player} at this table: they are 0 to 3\.$"
    with pytest.raises(SetupError, match=sentence):
        why_not(building(), parse_move("C5+2"), player)
    with pytest.raises(SetupError, match=sentence):
        apply(building(), parse_move("C5+2"), CHANCE, player)


def test_a_refusal_survives_another_process() -> None:
    """An IllegalMove that is pickled comes back with its move and refusal."""
    with pytest.raises(IllegalMove) as error:
        apply(building(), parse_move("B9+1"), CHANCE)
    copied = pickle.loads(pickle.dumps(error.value))
    assert isinstance(copied, IllegalMove)
    assert (copied.move, copied.refusal) == (error.value.move, error.value.refusal)
    assert str(copied) == str(error.value)
