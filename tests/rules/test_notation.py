"""Text forms of moves, sites, towers and boards, and reprs that rebuild states."""

from __future__ import annotations

from typing import Any

import pytest

from manhattan.game import Game
from manhattan.rules import (
    SITES,
    Block,
    Build,
    Colour,
    Move,
    NotationError,
    Phase,
    Reason,
    Refusal,
    Remove,
    Select,
    Side,
    Site,
    Tower,
    board_text,
    parse_board,
    parse_move,
    set_up,
)
from support.positions import play_out, position


def rebuilt(thing: object) -> Any:
    """Evaluate the repr of an object with only the rules imported."""
    names: dict[str, Any] = {}
    exec("from manhattan.rules import *", names)
    return eval(repr(thing), names)


MOVES: dict[str, Move] = {
    "C5+3": Build(Site.parse("C5"), 3),
    "A1+1": Build(Site.parse("A1"), 1),
    "F9+4k": Build(Site.parse("F9"), 4, Colour.BLACK),
    "C5+3o": Build(Site.parse("C5"), 3, Colour.ORANGE),
    "-2": Remove(2),
    "-1b": Remove(1, Colour.BLUE),
    "-4g": Remove(4, Colour.GREEN),
    "[112234]": Select(((1, 1, 2, 2, 3, 4),)),
    "[1]": Select(((1,),)),
    "[1124|1223]": Select(((1, 1, 2, 4), (1, 2, 2, 3))),
}


@pytest.mark.parametrize("text", MOVES)
def test_a_move_round_trips_through_text(text: str) -> None:
    """RECORD: a move has one text form."""
    assert str(MOVES[text]) == text
    assert parse_move(text) == MOVES[text]


@pytest.mark.parametrize("text", MOVES)
def test_the_repr_of_a_move_rebuilds_it(text: str) -> None:
    assert repr(MOVES[text]) == f"parse_move('{text}')"
    assert rebuilt(MOVES[text]) == MOVES[text]


@pytest.mark.parametrize("colour", Colour)
def test_a_move_can_name_every_colour(colour: Colour) -> None:
    """RECORD: blue b, black k, red r, green g, orange o, yellow y, purple p."""
    assert parse_move(f"A1+1{colour.letter}") == Build(SITES[0], 1, colour)


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "C5", "C5+", "C5+0", "C5+5", "C5+3x", "C5+3O", "c5+3", "G5+3", "C0+3", "C10+3"),
        *("C5+3 ", " C5+3", "C5+3\n", "C5 +3", "C5-3", "C5+33", "C5+3oo", "5C+3", "C5+٣", "C５+3"),
        *("-", "-0", "-5", "-2x", "--2", "-2\n", "−2", "-22"),
        *("[]", "[5]", "[0]", "[112234", "112234]", "[11|]", "[|11]", "[1|1|1]", "[1,1]", "[ 1]"),
        *("[1]\n", "[" + "1" * 25 + "]", "[1|" + "1" * 25 + "]"),
    ],
)
def test_a_text_that_is_not_a_move_is_rejected(text: str) -> None:
    """A move has one text form, so no variant is accepted."""
    with pytest.raises(NotationError, match=r"is not a move\. Moves look like C5\+3 "):
        parse_move(text)


@pytest.mark.parametrize(
    ("text", "written"),
    [("[211]", "[112]"), ("[4321]", "[1234]"), ("[12|21]", "[12|12]"), ("[31|12]", "[13|12]")],
)
def test_sizes_must_be_ascending(text: str, written: str) -> None:
    """RECORD: so that a choice has one text form."""
    with pytest.raises(NotationError) as error:
        parse_move(text)
    assert str(error.value) == f"'{text}' lists the sizes out of order: write {written}."


@pytest.mark.parametrize(
    ("blocks", "sentence"),
    [
        (((2, 1),), "A choice of blocks is a list of sizes from 1 to 4, ascending, not (2, 1)."),
        (((0, 1),), "A choice of blocks is a list of sizes from 1 to 4, ascending, not (0, 1)."),
        (((1,), (5,)), "A choice of blocks is a list of sizes from 1 to 4, ascending, not (5,)."),
        ((), "A choice has blocks of 1 or 2 colours, not of 0."),
        (((1,), (1,), (1,)), "A choice has blocks of 1 or 2 colours, not of 3."),
    ],
)
def test_a_choice_without_a_text_form_can_not_be_created(
    blocks: tuple[tuple[int, ...], ...], sentence: str
) -> None:
    with pytest.raises(NotationError) as error:
        Select(blocks)
    assert str(error.value) == sentence


@pytest.mark.parametrize("blocks", [((),), ((1, 2), ()), ((1,) * 25,)])
def test_a_choice_of_no_blocks_or_too_many_can_not_be_created(
    blocks: tuple[tuple[int, ...], ...],
) -> None:
    """Every move that can be created has a text form: 1 to 24 blocks of a colour."""
    with pytest.raises(NotationError):
        Select(blocks)


@pytest.mark.parametrize("index", [-1, 54, 1000])
def test_a_build_outside_the_board_can_not_be_created(index: int) -> None:
    with pytest.raises(NotationError) as error:
        Build(Site(index), 1)
    assert str(error.value) == f"Sites have the indices 0 to 53, not {index}."


@pytest.mark.parametrize("size", [-1, 0, 5])
def test_a_block_of_another_size_can_not_be_created(size: int) -> None:
    sentence = f"A block has 1 to 4 floors, not {size}."
    with pytest.raises(NotationError) as error:
        Build(SITES[0], size)
    assert str(error.value) == sentence
    with pytest.raises(NotationError) as error:
        Remove(size)
    assert str(error.value) == sentence


@pytest.mark.parametrize("site", SITES)
def test_a_site_round_trips_through_text(site: Site) -> None:
    """RECORD: the letter of a city and a number from 1 to 9."""
    assert Site.parse(str(site)) == rebuilt(site) == site
    assert str(site) == f"{site.city}{site.position}"


@pytest.mark.parametrize(
    ("index", "text"), [(0, "A1"), (8, "A9"), (9, "B1"), (22, "C5"), (53, "F9")]
)
def test_sites_are_numbered_city_by_city(index: int, text: str) -> None:
    assert SITES[index] == Site.parse(text)
    assert str(SITES[index]) == text


@pytest.mark.parametrize(
    "text", ["", "A", "A0", "A10", "G1", "a1", "1A", "A1 ", "A1\n", "A１", "Α1"]
)
def test_a_text_that_is_not_a_site_is_rejected(text: str) -> None:
    with pytest.raises(
        NotationError, match=r"is not a site: write the letter of the city \(A-F\) and a num"
    ):
        Site.parse(text)


@pytest.mark.parametrize("text", ["", "o1", "y1b3", "o4p4y4", "k1r2g3b4o1y1p1"])
def test_a_tower_is_written_from_bottom_to_top(text: str) -> None:
    tower = Tower.parse(text)
    assert str(tower) == text
    assert repr(tower) == f"Tower.parse('{text}')"
    assert rebuilt(tower) == tower


def test_the_properties_of_a_tower() -> None:
    """RULES 1: the topmost colour owns it; floors count at whatever height."""
    tower = Tower.parse("y1b3y2")
    assert (tower.owner, tower.height) == (Colour.YELLOW, 6)
    assert tower.floors == {Colour.YELLOW: 3, Colour.BLUE: 3}
    assert (Tower().owner, Tower().height) == (None, 0)


def test_a_tower_grows_at_the_top() -> None:
    assert Tower.parse("y1").topped(Block(Colour.BLUE, 3)) == Tower.parse("y1b3")


@pytest.mark.parametrize("text", ["o", "1o", "o0", "o5", "x1", "O1", "o1 b1", "o1b", "o1\n", "о1"])
def test_a_text_that_is_not_a_tower_is_rejected(text: str) -> None:
    with pytest.raises(NotationError, match="is not a tower: write its blocks from bottom to top"):
        Tower.parse(text)


@pytest.mark.parametrize("text", ["", "A1:o4", "A1:o4 C5:y1b3", "A9:k1 B1:r2 F9:g3b3"])
def test_a_board_round_trips_through_text(text: str) -> None:
    board = parse_board(text)
    assert len(board) == 54
    assert board_text(board) == text


def test_the_towers_of_a_board_may_be_in_any_order() -> None:
    assert board_text(parse_board("  F9:o1\n A1:b2 ")) == "A1:b2 F9:o1"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("A1", "'A1' is not a tower on a site: write it like C5:y1b3."),
        ("A1:", "'A1:' is not a tower on a site: write it like C5:y1b3."),
        ("A1:o1 A1:o2", "A1 appears twice; a site has one tower."),
        (
            "G1:o1",
            (
                "'G1' is not a site: write the letter of the city (A-F) "
                "and a number from 1 to 9, like C5."
            ),
        ),
    ],
)
def test_a_text_that_is_not_a_board_is_rejected(text: str, sentence: str) -> None:
    with pytest.raises(NotationError) as error:
        parse_board(text)
    assert str(error.value) == sentence


@pytest.mark.parametrize(
    "setup",
    [
        set_up(),
        set_up(["O'Brien", 'Bo "B"', "\\"], first=2, edition="999-games"),
        set_up(2, edition="hig-1994", sides=["west", "west"], house_rules={"final_tie": "shared"}),
        set_up(2, house_rules={"two_players": "6x4-one-colour", "sides": "free"}),
    ],
)
def test_the_repr_of_a_setup_rebuilds_it(setup: object) -> None:
    assert rebuilt(setup) == setup


@pytest.mark.parametrize("edition", ["hig-1994", "hig-2017", "999-games", "foxgames-2018"])
@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("until", [0, 3, 41, None])
def test_the_repr_of_a_state_rebuilds_it(edition: str, players: int, until: int | None) -> None:
    """After the deal, during choice and building, in a later round, and at the end."""
    game = play_out(Game.new(players, edition=edition, seed=bytes(32)), until=until)
    assert rebuilt(game.state) == game.state


def test_the_repr_of_a_state_without_placement_rebuilds_it() -> None:
    state = position("A5:b3", tableaus={"orange": [1]}, phase=Phase.REMOVE)
    assert rebuilt(state) == state


def test_the_repr_of_events_rebuilds_them() -> None:
    game = play_out(Game.new(2, seed=bytes(32)))
    assert rebuilt(game.events) == game.events


def test_the_repr_of_small_objects_rebuilds_them() -> None:
    refusal = Refusal(Reason.NO_SUCH_CARD, {"site": "C5", "card": 5})
    things = [*Side, *Colour, *Phase, *Reason, refusal]
    assert rebuilt(things) == things
    assert rebuilt(Side.NORTH) is Side.NORTH


def test_a_build_needs_a_site() -> None:
    """A plain number is not accepted: it could come from another numbering."""
    with pytest.raises(NotationError, match="on a Site"):
        Build(22, 3)  # type: ignore[arg-type]
    for index in (-1, 54):
        with pytest.raises(NotationError, match="indices 0 to 53"):
            Site(index)
