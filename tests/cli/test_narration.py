"""Narration: events, results and hints as sentences; and the floors on the board."""

from __future__ import annotations

import io
import re
from random import Random

import pytest
from rich.console import Console

from manhattan.bots import Hint, HintReason, hint
from manhattan.cli.ui import board_renderer
from manhattan.cli.ui.narration import describe_event, describe_hint, describe_result
from manhattan.rules import (
    Block,
    Build,
    Built,
    Colour,
    ColourScore,
    Ended,
    Event,
    Redrew,
    Remove,
    Removed,
    Result,
    Scored,
    Select,
    Selected,
    Sheet,
    Shuffled,
    Side,
    Site,
    set_up,
)
from manhattan.view import view
from support.positions import position
from support.record_fixtures import NAMES, stuck

FOUR = set_up(NAMES)
TWO = set_up(NAMES[:2])
C5 = Site.parse("C5")
ORANGE_3 = Block(Colour.ORANGE, 3)
SHEET = Sheet(2, (C5,), 3, (ColourScore(3, ("C",), 1),) * 4, (12, 9, 7, 4))


def test_a_selection() -> None:
    event = Selected(0, Select(((1, 1, 2, 2, 3, 4),)))
    assert describe_event(event, FOUR) == "Ada chooses 1 1 2 2 3 4."


def test_a_selection_in_two_colours() -> None:
    event = Selected(1, Select(((1, 1, 2, 4), (1, 2, 2, 3))))
    assert describe_event(event, TWO) == "Bob chooses yellow 1 1 2 4 and purple 1 2 2 3."


@pytest.mark.parametrize(
    ("taken_from", "drew", "expected"),
    [
        (None, None, "Ada plays card 5: 3 on C5."),
        (None, 7, "Ada plays card 5: 3 on C5, draws card 7."),
        (Colour.BLUE, None, "Ada plays card 5: 3 on C5, takes it from blue."),
        (Colour.BLUE, 7, "Ada plays card 5: 3 on C5, takes it from blue, draws card 7."),
    ],
)
def test_a_build(taken_from: Colour | None, drew: int | None, expected: str) -> None:
    """With the takeover, and with the drawn card if the viewer may know it."""
    event = Built(0, Build(C5, 3), ORANGE_3, 5, taken_from, drew)
    assert describe_event(event, FOUR) == expected


def test_a_build_with_two_colours_names_the_colour() -> None:
    event = Built(0, Build(C5, 3, Colour.ORANGE), ORANGE_3, 5, None, None)
    assert describe_event(event, TWO) == "Ada plays card 5: orange 3 on C5."


@pytest.mark.parametrize("pile", [None, (1, 2, 3)])
def test_a_shuffle_never_shows_the_pile(pile: tuple[int, ...] | None) -> None:
    sentence = describe_event(Shuffled(1, pile), FOUR)
    assert sentence == "The draw pile is empty: the played cards are shuffled."


def test_a_redraw_shows_the_old_hand_and_not_the_new_one() -> None:
    assert describe_event(Redrew(2, (1, 1, 3, 3), (2, 9, 4, 4)), FOUR) == (
        "Cyd can't place a block with any card, shows 1 1 3 3 and draws a new hand."
    )


@pytest.mark.parametrize(
    ("player", "colour", "expected"),
    [
        (1, Colour.BLUE, "Bob still can't place a block and removes a blue 2 from the game."),
        (0, Colour.ORANGE, "Ada still can't place a block and removes an orange 2 from the game."),
    ],
)
def test_a_removed_block(player: int, colour: Colour, expected: str) -> None:
    assert describe_event(Removed(player, Remove(2), Block(colour, 2)), FOUR) == expected


def test_a_scoring_shows_the_totals() -> None:
    assert describe_event(Scored(SHEET), FOUR) == "Round 2 is scored: Ada 12, Bob 9, Cyd 7, Dan 4."


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (Result((9, 5, 5, 5), (0,), "points"), "Ada wins with the most points."),
        (
            Result((9, 9, 5, 5), (1,), "tallest"),
            "Bob wins: tied on points, ahead by the tallest tower.",
        ),
        (
            Result((9, 5, 9, 5), (2,), "majorities"),
            "Cyd wins: tied on points and the tallest tower, ahead by majorities.",
        ),
        (
            Result((9, 5, 5, 9), (0, 3), "shared"),
            "Ada and Dan share the win: tied on every criterion.",
        ),
        (
            Result((9, 9, 5, 9), (0, 1, 3), "shared"),
            "Ada, Bob and Dan share the win: tied on every criterion.",
        ),
    ],
)
def test_the_end_names_the_winner_and_what_decided(result: Result, expected: str) -> None:
    assert describe_event(Ended(result), FOUR) == describe_result(result, FOUR) == expected


def test_every_event_is_one_sentence() -> None:
    """Rare events included: each starts with a capital letter and ends with a full stop."""
    kinds: set[type[Event]] = set()
    for event in stuck().events:
        sentence = describe_event(event, stuck().setup)
        assert sentence.isprintable()
        assert sentence[0].isupper()
        assert sentence.endswith(".")
        kinds.add(type(event))
    assert len(kinds) == 7


@pytest.mark.parametrize(
    ("tower", "expected"),
    [
        ("y1", ""),
        ("y1b3", "b3y1"),
        ("b4b4b3p4p3y4o4", "b11p7o4…"),
        ("o4y3p2b1", "o4y3p2b1"),
        ("y2o2", "o2y2"),  # the owner comes first in a tie
        ("o2y2", "y2o2"),
    ],
)
def test_floors_are_shown_as_whole_numbers_or_not_at_all(tower: str, expected: str) -> None:
    """Half a number would mislead a player who wants to take the tower over."""
    public = position(f"E3:{tower}").public
    screen = Console(width=100, record=True, file=io.StringIO())
    screen.print(board_renderer.render_board(public, Side.SOUTH))
    lines = screen.export_text().splitlines()
    shares = [line.strip() for line in lines if re.fullmatch(r"\s*([a-z]\d+)+…?\s*", line)]
    assert shares == ([expected] if expected else [])


# --- hints ------------------------------------------------------------------------------------


def hint_for(board: str, sizes: list[int]) -> str:
    """The hint for Ada, who has only cards for the centre, and these blocks."""
    state = position(
        board,
        tableaus={FOUR.players[0].colours[0].value: sizes},
        hands={0: [5, 5, 5, 5]},
        setup=FOUR,
    )
    suggestion = hint(view(state, 0), Random(1), use_model=False)
    return describe_hint(suggestion, FOUR, 0)


def test_a_hint_describes_the_immediate_effect() -> None:
    second = FOUR.players[1].colours[0]
    sentence = hint_for(f"B5:{second.value[0]}3", [4])
    assert sentence == (
        "B5+4 looks good. It makes the tallest tower yours, wins the majority in B, "
        f"takes the tower from {second}, earns you 6 points and costs Bob 6, as things stand."
    )


def test_a_hint_for_an_empty_site_shows_the_points() -> None:
    assert re.fullmatch(
        r"([A-F])5\+1 looks good\. It makes the tallest tower yours, wins the majority in \1 and "
        r"earns you 6 points, as things stand\.",
        hint_for("", [1]),
    )


def test_a_hint_without_immediate_gain_says_so() -> None:
    build = Build(C5, 1)
    assert (
        describe_hint(Hint(build, (HintReason("raises_tower"),), (0, 0, 0, 0)), FOUR, 0)
        == "C5+1 looks good. It prepares later gains."
    )


def test_a_negative_gain_is_a_cost() -> None:
    """With two colours, players may have to build on a tower of their other colour."""
    build = Build(C5, 1, TWO.players[0].colours[0])
    assert describe_hint(Hint(build, (), (-2, -1)), TWO, 0).endswith(
        "looks good. It costs you 2 and Bob 1, as things stand."
    )
    assert "earns you 1 point, as" in describe_hint(Hint(build, (), (1, 0)), TWO, 0)


def test_a_hint_names_the_colour_that_loses_the_tower() -> None:
    own, other = TWO.players[0].colours
    rival = TWO.players[1].colours[0]
    board = " ".join(f"{city}5:{other.value[0]}1" for city in "ABCDEF")
    hands = {0: [5, 5, 5, 5]}
    state = position(board, tableaus={own.value: [4]}, hands=hands, setup=TWO)
    suggestion = hint(view(state, 0), Random(1), use_model=False)
    assert suggestion.reasons[-1] == HintReason("takes_tower", other)
    assert f"takes the tower from your own {other}" in describe_hint(suggestion, TWO, 0)
    build = Build(C5, 1, own)
    sentence = describe_hint(Hint(build, (HintReason("takes_tower", rival),), (1, -1)), TWO, 0)
    assert f"It takes the tower from {rival}, earns" in sentence


def test_a_hint_says_what_only_the_others_lose() -> None:
    build = Build(C5, 2, TWO.players[0].colours[0])
    rival, ally = TWO.players[1].colours
    reasons = HintReason("ends_tallest", rival), HintReason("ends_majority", ally, "C")
    assert describe_hint(Hint(build, reasons, (0, -5)), TWO, 0).endswith(
        f"It ties {rival} for the tallest tower, ends {ally}'s majority in C and costs Bob 5, "
        "as things stand."
    )


def test_hints_for_selections_and_removals() -> None:
    selection = Hint(Select(((1, 1, 2, 2, 3, 4),)))
    assert describe_hint(selection, FOUR, 0) == (
        "[112234] looks good. Selections like this did best in many games."
    )
    assert (
        describe_hint(Hint(Remove(2)), FOUR, 0) == "-2 looks good. It's the block you need least."
    )
