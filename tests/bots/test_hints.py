"""The reasons of a hint: what the rules say about the move."""

from __future__ import annotations

from random import Random

import pytest

from manhattan.bots import Budget, HintReason, hint
from manhattan.bots.hints import explain_placement
from manhattan.bots.search_bot import choose_as_champion
from manhattan.game import Game
from manhattan.rules import Build, Colour, Site, set_up
from manhattan.view import view_of
from support.positions import play_out, position

BLUE, ORANGE, PURPLE, YELLOW = Colour.BLUE, Colour.ORANGE, Colour.PURPLE, Colour.YELLOW


def reasons(board: str, move: str, *, tallest_tie: str = "nobody") -> list[HintReason]:
    """The reasons for a move of the player who has orange."""
    setup = set_up(4, house_rules={"tallest_tie": tallest_tie})
    mover = setup.player_of(ORANGE)
    state = position(board, setup=setup, mover=mover)
    site, _, size = move.partition("+")
    return list(explain_placement(state.public, Build(Site.parse(site), int(size))).reasons)


@pytest.mark.parametrize(
    ("board", "move", "expected"),
    [
        # The first tower of the game is the tallest, and the majority of its city.
        (
            "",
            "C5+1",
            [
                HintReason("wins_tallest"),
                HintReason("wins_majority", None, "C"),
                HintReason("starts_tower"),
            ],
        ),
        # Blue's only tower is taken over.
        (
            "C5:b3",
            "C5+4",
            [
                HintReason("wins_tallest", BLUE),
                HintReason("wins_majority", BLUE, "C"),
                HintReason("takes_tower", BLUE),
            ],
        ),
        # A tie: blue's tower isn't the tallest any more, and the majority is gone as well.
        (
            "C5:b2",
            "C4+2",
            [
                HintReason("ends_tallest", BLUE),
                HintReason("ends_majority", BLUE, "C"),
                HintReason("starts_tower"),
            ],
        ),
        # Blue and yellow are tied afterwards.
        (
            "C1:b1 C2:b1 C3:y1 C4:y1 C5:b1 A1:p4",
            "C5+1",
            [HintReason("ends_majority", BLUE, "C"), HintReason("takes_tower", BLUE)],
        ),
        # Nothing is scored for a tower that was the player's before.
        ("C5:o2 A1:p4", "C5+1", [HintReason("raises_tower")]),
    ],
)
def test_reasons_of_a_placement(board: str, move: str, expected: list[HintReason]) -> None:
    assert reasons(board, move) == expected


def test_a_tie_for_the_tallest_follows_the_house_rule() -> None:
    board = "A1:o4 C5:o3"
    assert reasons(board, "C5+1") == [HintReason("raises_tower")]  # its own tie: nothing is won
    assert HintReason("wins_tallest") not in reasons(board, "C5+1", tallest_tie="one_owner")
    assert reasons(board, "C5+1", tallest_tie="one_owner") == [HintReason("raises_tower")]


def test_the_other_colour_of_a_player_loses_nothing() -> None:
    """With two colours, a majority that passes from one to the other isn't a reason."""
    setup = set_up(2)
    one, other = setup.players[0].colours
    state = position(f"C5:{other.value[0]}1 A1:{other.value[0]}4", setup=setup)
    hint = explain_placement(state.public, Build(Site.parse("C5"), 2, one))
    assert hint.reasons == (HintReason("takes_tower", other),)


@pytest.mark.compiled
@pytest.mark.xdist_group("4-1")
def test_a_hint_explains_the_champions_choice() -> None:
    game = play_out(Game.new(4, seed=bytes(32)), until=20)
    view = view_of(game, game.public.mover)
    suggestion = hint(view, Random(1), use_model=True)
    assert suggestion.move == choose_as_champion(view, Random(1), Budget(rollouts=1500))
    assert suggestion == hint(view, Random(1), use_model=True)
    assert suggestion.reasons
    assert len(suggestion.points) == 4
