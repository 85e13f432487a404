"""RULES 5a: the choice of the round's blocks."""

from __future__ import annotations

import pytest

from manhattan.game import Game
from manhattan.rules import (
    Phase,
    Reason,
    Select,
    Selected,
    State,
    apply,
    deal,
    legal_moves,
    parse_move,
    set_up,
    why_not,
)
from support.positions import CHANCE, position


def choose(state: State, *moves: str) -> State:
    for move in moves:
        state, _ = apply(state, parse_move(move), CHANCE)
    return state


@pytest.mark.parametrize(
    ("first", "order"), [(0, [0, 1, 2, 3]), (2, [2, 3, 0, 1]), (3, [3, 0, 1, 2])]
)
def test_players_choose_clockwise_from_the_start_player(first: int, order: list[int]) -> None:
    """RULES 5a: the start player chooses first, then the left neighbour."""
    state = deal(set_up(first=first), CHANCE)
    movers = []
    for _ in range(4):
        movers.append(state.public.mover)
        state = choose(state, "[111111]")
    assert movers == order


def test_the_start_player_builds_first() -> None:
    """RULES 5b: after all choices, the start player builds."""
    state = choose(deal(set_up(first=2), CHANCE), *["[111234]"] * 3)
    assert (state.public.phase, state.public.mover) == (Phase.SELECT, 1)
    state = choose(state, "[111234]")
    assert (state.public.phase, state.public.mover) == (Phase.BUILD, 2)


def test_blocks_move_from_supply_to_tableau() -> None:
    """RULES 5a: six blocks of four sizes leave the supply."""
    public = choose(deal(set_up(), CHANCE), "[112234]").public
    assert public.tableaus[0] == (2, 2, 1, 1)
    assert public.supplies[0] == (9, 4, 3, 2)


def test_a_choice_does_not_change_other_colours() -> None:
    """RULES 5a: a choice concerns only the player's own colour."""
    public = choose(deal(set_up(), CHANCE), "[112234]").public
    assert public.tableaus[1:] == ((0, 0, 0, 0),) * 3
    assert public.supplies[1:] == ((11, 6, 4, 3),) * 3


def test_choices_are_public() -> None:
    """RULES 5a: the players see the choices before theirs."""
    state, events = apply(deal(set_up(), CHANCE), parse_move("[111244]"), CHANCE)
    assert events == (Selected(0, Select(((1, 1, 1, 2, 4, 4),))),)
    assert state.public.tableaus[0] == (3, 1, 0, 2)


def test_choosing_needs_no_card() -> None:
    """RULES 5a: hands, pile and played cards stay as they are."""
    before = deal(set_up(), CHANCE)
    after = choose(before, "[111244]")
    assert (after.hands, after.pile, after.public.played) == (before.hands, before.pile, ())


@pytest.mark.parametrize(("players", "choices"), [(4, 70), (3, 34), (2, 34 * 34)])
def test_any_mix_that_the_supply_allows(players: int, choices: int) -> None:
    """RULES 5a: 84 choices of 6 blocks, less 4 with five 3s, less 10 with four 4s; and so on."""
    moves = legal_moves(deal(set_up(players), CHANCE))
    assert len(moves) == len(set(moves)) == choices


def test_the_choices_of_a_small_supply() -> None:
    """RULES 5a: any six of the seven blocks that are left, and no other choice."""
    state = position(
        "A1:o1o1o1o1o1 A2:o1o1o1o1 B1:o2o2o2o2o2 B2:o3o3o3", round=3, phase=Phase.SELECT
    )
    assert state.public.supplies[0] == (2, 1, 1, 3)
    assert {str(move) for move in legal_moves(state)} == {
        "[112344]",
        "[112444]",
        "[113444]",
        "[123444]",
    }


def test_the_last_round_leaves_no_choice() -> None:
    """RULES 6: 4 rounds of 6 blocks use up all 24."""
    state = position(
        "A1:o1o1o1o1o1o1o1o1o1o1o1 B1:o2o2o2o2 C1:o3o3 D1:o4", round=4, phase=Phase.SELECT
    )
    assert [str(move) for move in legal_moves(state)] == ["[223344]"]


def test_chosen_blocks_can_not_be_exchanged() -> None:
    """RULES 5a: a second choice in the same round is illegal."""
    state = choose(deal(set_up(), CHANCE), *["[111234]"] * 4)
    refusal = why_not(state, parse_move("[111134]"))
    assert refusal is not None
    assert refusal.reason is Reason.ALREADY_SELECTED


def test_two_players_choose_blocks_of_both_colours_at_once() -> None:
    """RULES 6: four blocks of each colour, listed in the order of the player's colours."""
    game = Game.new(2)
    game.play("[1124|1223]")
    assert game.public.tableaus == ((2, 1, 0, 1), (1, 2, 1, 0), (0, 0, 0, 0), (0, 0, 0, 0))
