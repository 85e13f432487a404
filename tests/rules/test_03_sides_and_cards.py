"""RULES 3: sides, the sites that a card names from each side, and the turn order."""

from __future__ import annotations

import pytest

from manhattan.rules import (
    CITIES,
    SetupError,
    Side,
    Site,
    apply,
    card_for,
    deal,
    legal_moves,
    parse_move,
    set_up,
)
from support.positions import CHANCE, position

# The table of RULES 3, computed by hand: for cards 1 to 9 the number of the site in each city.
POINTS_AT = {
    "south": (1, 2, 3, 4, 5, 6, 7, 8, 9),
    "west": (3, 6, 9, 2, 5, 8, 1, 4, 7),
    "north": (9, 8, 7, 6, 5, 4, 3, 2, 1),
    "east": (7, 4, 1, 8, 5, 2, 9, 6, 3),
}
CELLS = [
    (side, card, number)
    for side, numbers in POINTS_AT.items()
    for card, number in enumerate(numbers, start=1)
]


@pytest.mark.parametrize(("side", "card", "number"), CELLS)
def test_the_card_that_names_a_site(side: str, card: int, number: int) -> None:
    """RULES 3: for a given side, the site determines the card, in all six cities alike."""
    sites = [Site.parse(f"{city}{number}") for city in CITIES]
    assert [card_for(Side(side), site) for site in sites] == [card] * 6


@pytest.mark.parametrize(("side", "card", "number"), CELLS)
def test_the_sites_that_a_card_names(side: str, card: int, number: int) -> None:
    """RULES 3: one site in each of the six cities, as the player sees them, and no other."""
    mover = list(POINTS_AT).index(side)
    colour = ("orange", "blue", "yellow", "purple")[mover]
    state = position(mover=mover, hands={mover: [card] * 4}, tableaus={colour: [1]})
    assert {str(move) for move in legal_moves(state)} == {f"{city}{number}+1" for city in CITIES}


@pytest.mark.parametrize("card", [1, 2, 3, 4, 6, 7, 8, 9])
def test_only_the_centre_card_is_the_same_for_all_players(card: int) -> None:
    """RULES 3: a corner or edge card names different sites from each side; the centre does not."""
    centres = {card_for(side, Site.parse("D5")) for side in Side}
    corner_or_edge = {card_for(side, Site.parse(f"D{card}")) for side in Side}
    assert (len(centres), len(corner_or_edge)) == (1, 4)


def test_clockwise_is_south_west_north_east() -> None:
    """RULES 3: each side is the left neighbour of the one before."""
    assert list(Side) == ["south", "west", "north", "east"]


@pytest.mark.parametrize(
    ("players", "sides"),
    [
        (4, ["south", "west", "north", "east"]),
        (3, ["south", "west", "north"]),
        (2, ["south", "north"]),
    ],
)
def test_the_default_sides(players: int, sides: list[str]) -> None:
    """RULES 9: all sides; three of them; two opposite ones."""
    assert [player.side for player in set_up(players).players] == sides


@pytest.mark.parametrize(
    "sides",
    [
        ["east", "south", "west", "north"],
        ["north", "east", "south"],
        ["west", "north", "south"],
        ["south", "west"],
        ["west", "south"],
        ["north", "east"],
    ],
)
def test_any_clockwise_list_of_sides_is_valid(sides: list[str]) -> None:
    """RULES 9: clockwise from any side, without the empty ones."""
    assert [player.side for player in set_up(len(sides), sides=sides).players] == sides


@pytest.mark.parametrize(
    "sides",
    [
        ["south", "east", "north", "west"],
        ["south", "north", "west"],
        ["south", "west", "east", "north"],
        ["north", "west", "south"],
    ],
)
def test_a_list_that_is_not_clockwise_is_rejected(sides: list[str]) -> None:
    """RULES 9: the order of the list is the turn order, so it must be clockwise."""
    with pytest.raises(SetupError) as error:
        set_up(len(sides), sides=sides)
    assert str(error.value) == (
        "List the players clockwise around the board (south, west, north, east), and "
        f"players who share a side next to each other, not {', '.join(sides)}."
    )


@pytest.mark.parametrize(
    "sides",
    [
        ["south", "south", "west", "north"],
        ["south", "south", "south", "south"],
        ["west", "west", "east", "east"],
        ["north", "south", "south"],
        ["south", "south"],
    ],
)
def test_1994_lets_players_share_a_side(sides: list[str]) -> None:
    """RULES 8: players choose their sides freely, and keep them."""
    setup = set_up(len(sides), edition="hig-1994", sides=sides)
    assert [player.side for player in setup.players] == sides


@pytest.mark.parametrize(
    "sides",
    [
        ["south", "west", "south"],
        ["south", "west", "west", "south"],
        ["south", "west", "south", "west"],
        ["south", "north", "north", "south"],
        ["east", "south", "south", "east"],
        ["south", "south", "east", "west"],
    ],
)
def test_players_who_share_a_side_are_listed_next_to_each_other(sides: list[str]) -> None:
    """RULES 9: without that, or against the clock, there is no turn order."""
    with pytest.raises(SetupError, match="players who share a side next to each other"):
        set_up(len(sides), edition="hig-1994", sides=sides)


def test_players_who_share_a_side_move_in_the_order_of_the_list() -> None:
    """RULES 9: players are identified by their index, never by their side."""
    setup = set_up(3, edition="hig-1994", sides=["south", "south", "north"])
    state = deal(setup, CHANCE)
    movers = []
    for _ in range(3):
        movers.append(state.public.mover)
        state, _ = apply(state, parse_move("[1111]"), CHANCE)
    assert movers == [0, 1, 2]


def test_players_who_share_a_side_read_their_cards_alike() -> None:
    """RULES 3: from the west side, card 1 names site 3."""
    for mover, colour in ((0, "blue"), (1, "black")):
        state = position(
            setup=set_up(2, edition="hig-1994", sides=["west", "west"]),
            mover=mover,
            hands={mover: [1, 1, 1, 1]},
            tableaus={"blue": [1], "red": [1]},
        )
        moves = {str(move)[:2] for move in legal_moves(state)}
        assert moves == {"A3", "B3", "C3", "D3", "E3", "F3"}, colour


def test_a_player_keeps_their_side_for_the_whole_game() -> None:
    """RULES 3: in the last round a card names the same sites as in the first."""
    first, last = (
        position(round=number, mover=1, hands={1: [1, 1, 1, 1]}, tableaus={"blue": [2]})
        for number in (1, 4)
    )
    assert legal_moves(first) == legal_moves(last)
    assert str(legal_moves(last)[0]) == "A3+2"
