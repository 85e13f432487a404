"""What happened, in sentences."""

from __future__ import annotations

import io
import re
from random import Random

import pytest
from rich.console import Console

from manhattan.bots import Hint, hint
from manhattan.cli import drawing
from manhattan.cli.telling import ending, reason, sentence
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
    Seat,
    Select,
    Selected,
    Sheet,
    Shuffled,
    Site,
    set_up,
)
from manhattan.view import view
from positions import position
from saved import NAMES, stuck

FOUR = set_up(NAMES)
TWO = set_up(NAMES[:2])
C5 = Site.parse("C5")
ORANGE_3 = Block(Colour.ORANGE, 3)
SHEET = Sheet(2, (C5,), 3, (ColourScore(3, ("C",), 1),) * 4, (12, 9, 7, 4))


def test_a_choice() -> None:
    event = Selected(0, Select(((1, 1, 2, 2, 3, 4),)))
    assert sentence(event, FOUR) == "Ada chooses 1 1 2 2 3 4."


def test_a_choice_in_two_colours() -> None:
    event = Selected(1, Select(((1, 1, 2, 4), (1, 2, 2, 3))))
    assert sentence(event, TWO) == "Bob chooses yellow 1 1 2 4 and purple 1 2 2 3."


@pytest.mark.parametrize(
    ("taken_from", "drew", "told"),
    [
        (None, None, "Ada plays card 5: 3 on C5."),
        (None, 7, "Ada plays card 5: 3 on C5, draws card 7."),
        (Colour.BLUE, None, "Ada plays card 5: 3 on C5, takes it from blue."),
        (Colour.BLUE, 7, "Ada plays card 5: 3 on C5, takes it from blue, draws card 7."),
    ],
)
def test_a_build(taken_from: Colour | None, drew: int | None, told: str) -> None:
    """A takeover is told, and a card drawn if whoever reads may know it."""
    event = Built(0, Build(C5, 3), ORANGE_3, 5, taken_from, drew)
    assert sentence(event, FOUR) == told


def test_a_build_with_two_colours_names_the_colour() -> None:
    event = Built(0, Build(C5, 3, Colour.ORANGE), ORANGE_3, 5, None, None)
    assert sentence(event, TWO) == "Ada plays card 5: orange 3 on C5."


@pytest.mark.parametrize("pile", [None, (1, 2, 3)])
def test_a_shuffle_never_tells_the_pile(pile: tuple[int, ...] | None) -> None:
    told = sentence(Shuffled(1, pile), FOUR)
    assert told == "The draw pile is empty: the played cards are shuffled."


def test_a_redraw_gives_its_reason_and_the_hand_that_was_shown_but_not_the_new_one() -> None:
    assert sentence(Redrew(2, (1, 1, 3, 3), (2, 9, 4, 4)), FOUR) == (
        "Cyd can place no block with any card, shows 1 1 3 3 and draws a new hand."
    )


@pytest.mark.parametrize(
    ("player", "colour", "told"),
    [
        (1, Colour.BLUE, "Bob still can place no block and takes a blue 2 out of the game."),
        (0, Colour.ORANGE, "Ada still can place no block and takes an orange 2 out of the game."),
    ],
)
def test_a_block_taken_out(player: int, colour: Colour, told: str) -> None:
    assert sentence(Removed(player, Remove(2), Block(colour, 2)), FOUR) == told


def test_a_scoring_tells_the_totals() -> None:
    assert sentence(Scored(SHEET), FOUR) == "Round 2 is scored: Ada 12, Bob 9, Cyd 7, Dan 4."


@pytest.mark.parametrize(
    ("result", "told"),
    [
        (Result((9, 5, 5, 5), (0,), "points"), "Ada wins, with the most points."),
        (
            Result((9, 9, 5, 5), (1,), "tallest"),
            "Bob wins, level on points, by the tallest tower.",
        ),
        (
            Result((9, 5, 9, 5), (2,), "majorities"),
            "Cyd wins, level on points and tallest towers, by majorities.",
        ),
        (
            Result((9, 5, 5, 9), (0, 3), "shared"),
            "Ada and Dan share the win, level in everything that counts.",
        ),
        (
            Result((9, 9, 5, 9), (0, 1, 3), "shared"),
            "Ada, Bob and Dan share the win, level in everything that counts.",
        ),
    ],
)
def test_the_end_tells_who_has_won_and_what_decided_it(result: Result, told: str) -> None:
    assert sentence(Ended(result), FOUR) == ending(result, FOUR) == told


def test_every_event_of_a_game_is_one_line() -> None:
    """Rare ones included: each is a sentence that begins with a capital and ends with a stop."""
    kinds: set[type[Event]] = set()
    for event in stuck().events:
        told = sentence(event, stuck().setup)
        assert told.isprintable()
        assert told[0].isupper()
        assert told.endswith(".")
        kinds.add(type(event))
    assert len(kinds) == 7


@pytest.mark.parametrize(
    ("tower", "told"),
    [
        ("y1", ""),
        ("y1b3", "b3y1"),
        ("b4b4b3p4p3y4o4", "b11p7o4…"),
        ("o4y3p2b1", "o4y3p2b1"),
        ("y2o2", "o2y2"),  # of equals the owner is named first
        ("o2y2", "y2o2"),
    ],
)
def test_the_floors_of_a_tower_are_told_whole_or_not_at_all(tower: str, told: str) -> None:
    """Half a number would mislead whoever thinks of taking the tower over."""
    table = position(f"E3:{tower}").table
    screen = Console(width=100, record=True, file=io.StringIO())
    screen.print(drawing.board(table, Seat.SOUTH))
    lines = screen.export_text().splitlines()
    shares = [line.strip() for line in lines if re.fullmatch(r"\s*([a-z]\d+)+…?\s*", line)]
    assert shares == ([told] if told else [])


# --- hints ------------------------------------------------------------------------------------


def told_hint(board: str, sizes: list[int]) -> str:
    """What Ada is told who has cards for the site in the middle alone, and these blocks."""
    state = position(
        board,
        tableaus={FOUR.players[0].colours[0].value: sizes},
        hands={0: [5, 5, 5, 5]},
        setup=FOUR,
    )
    found = hint(view(state, 0), Random(1), learned=False)
    return reason(found, FOUR, 0)


def test_a_hint_says_what_a_placement_does_at_once() -> None:
    second = FOUR.players[1].colours[0]
    told = told_hint(f"B5:{second.value[0]}3", [4])
    assert told == (
        f"B5+4 looks good. It takes the tower from {second}, brings you 6 points and costs Bob 6, "
        "as things stand."
    )


def test_a_hint_to_build_on_nothing_tells_the_points() -> None:
    assert re.fullmatch(
        r"[A-F]5\+1 looks good\. It brings you 6 points, as things stand\.", told_hint("", [1])
    )


def test_a_hint_that_brings_nothing_yet_says_so() -> None:
    build = Build(C5, 1)
    assert reason(Hint(build, None, (0, 0, 0, 0)), FOUR, 0) == "C5+1 looks good. It prepares more."


def test_a_hint_never_brings_less_than_nothing() -> None:
    """With two colours a block may have to go onto a tower of one's own."""
    build = Build(C5, 1, TWO.players[0].colours[0])
    assert reason(Hint(build, None, (-2, -1)), TWO, 0).endswith(
        "looks good. It costs you 2 and Bob 1, as things stand."
    )
    assert "brings you 1 point, as" in reason(Hint(build, None, (1, 0)), TWO, 0)


def test_hints_for_choices_and_removals() -> None:
    chosen = Hint(Select(((1, 1, 2, 2, 3, 4),)))
    assert reason(chosen, FOUR, 0) == ("[112234] looks good. Such blocks did best in many games.")
    assert reason(Hint(Remove(2)), FOUR, 0) == "-2 looks good. You will miss no block less."
