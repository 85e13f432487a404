"""RULES 3: seats, how a card points from each of them, and turn order around the board."""

from __future__ import annotations

import pytest

from manhattan.rules import (
    CITIES,
    Seat,
    SetupError,
    Site,
    apply,
    card_for,
    deal,
    legal_moves,
    parse_move,
    set_up,
)
from positions import CHANCE, position

# The table of RULES 3, worked out by hand: for cards 1 to 9 the site's number in each city.
POINTS_AT = {
    "south": (1, 2, 3, 4, 5, 6, 7, 8, 9),
    "west": (3, 6, 9, 2, 5, 8, 1, 4, 7),
    "north": (9, 8, 7, 6, 5, 4, 3, 2, 1),
    "east": (7, 4, 1, 8, 5, 2, 9, 6, 3),
}
CELLS = [
    (seat, card, number)
    for seat, numbers in POINTS_AT.items()
    for card, number in enumerate(numbers, start=1)
]


@pytest.mark.parametrize(("seat", "card", "number"), CELLS)
def test_which_card_a_site_takes(seat: str, card: int, number: int) -> None:
    """RULES 3: for a given seat, card and site determine each other, alike in all six cities."""
    sites = [Site.parse(f"{city}{number}") for city in CITIES]
    assert [card_for(Seat(seat), site) for site in sites] == [card] * 6


@pytest.mark.parametrize(("seat", "card", "number"), CELLS)
def test_where_a_card_lets_its_player_build(seat: str, card: int, number: int) -> None:
    """RULES 3: one site in each of the six cities, as the player sees them, and no other."""
    mover = list(POINTS_AT).index(seat)
    colour = ("orange", "blue", "yellow", "purple")[mover]
    state = position(mover=mover, hands={mover: [card] * 4}, tableaus={colour: [1]})
    assert {str(move) for move in legal_moves(state)} == {f"{city}{number}+1" for city in CITIES}


@pytest.mark.parametrize("card", [1, 2, 3, 4, 6, 7, 8, 9])
def test_only_the_centre_card_is_the_same_for_everyone(card: int) -> None:
    """RULES 3: a corner or edge card names another site at each seat; the centre names one."""
    centres = {card_for(seat, Site.parse("D5")) for seat in Seat}
    corner_or_edge = {card_for(seat, Site.parse(f"D{card}")) for seat in Seat}
    assert (len(centres), len(corner_or_edge)) == (1, 4)


def test_clockwise_is_south_west_north_east() -> None:
    """RULES 3: each is the left neighbour of the one before."""
    assert list(Seat) == ["south", "west", "north", "east"]


@pytest.mark.parametrize(
    ("players", "seats"),
    [
        (4, ["south", "west", "north", "east"]),
        (3, ["south", "west", "north"]),
        (2, ["south", "north"]),
    ],
)
def test_who_sits_where_by_default(players: int, seats: list[str]) -> None:
    """RULES 9: all sides; three of them; two opposite ones."""
    assert [player.seat for player in set_up(players).players] == seats


@pytest.mark.parametrize(
    "seats",
    [
        ["east", "south", "west", "north"],
        ["north", "east", "south"],
        ["west", "north", "south"],
        ["south", "west"],
        ["west", "south"],
        ["north", "east"],
    ],
)
def test_any_clockwise_list_of_sides_will_do(seats: list[str]) -> None:
    """RULES 9: clockwise from wherever, empty sides skipped."""
    assert [player.seat for player in set_up(len(seats), seats=seats).players] == seats


@pytest.mark.parametrize(
    "seats",
    [
        ["south", "east", "north", "west"],
        ["south", "north", "west"],
        ["south", "west", "east", "north"],
        ["north", "west", "south"],
    ],
)
def test_a_list_against_the_clock_is_refused(seats: list[str]) -> None:
    """RULES 9: the order of the list is the order of play, so it has to be clockwise."""
    with pytest.raises(SetupError) as error:
        set_up(len(seats), seats=seats)
    assert str(error.value) == (
        "Players are listed clockwise around the board (south, west, north, east), those who "
        f"share a side next to each other; they are listed {', '.join(seats)}."
    )


@pytest.mark.parametrize(
    "seats",
    [
        ["south", "south", "west", "north"],
        ["south", "south", "south", "south"],
        ["west", "west", "east", "east"],
        ["north", "south", "south"],
        ["south", "south"],
    ],
)
def test_1994_lets_players_share_a_side(seats: list[str]) -> None:
    """RULES 8: sides are free, as long as each keeps his."""
    setup = set_up(len(seats), edition="hig-1994", seats=seats)
    assert [player.seat for player in setup.players] == seats


@pytest.mark.parametrize(
    "seats",
    [
        ["south", "west", "south"],
        ["south", "west", "west", "south"],
        ["south", "west", "south", "west"],
        ["south", "north", "north", "south"],
        ["east", "south", "south", "east"],
        ["south", "south", "east", "west"],
    ],
)
def test_a_shared_side_is_listed_in_one_piece(seats: list[str]) -> None:
    """RULES 9: a side that is broken in two, or a list against the clock, has no turn order."""
    with pytest.raises(SetupError, match="those who share a side next to each other"):
        set_up(len(seats), edition="hig-1994", seats=seats)


def test_players_of_one_side_move_in_the_order_of_the_list() -> None:
    """RULES 9: a player is known by his place in the list, never by his side."""
    setup = set_up(3, edition="hig-1994", seats=["south", "south", "north"])
    state = deal(setup, CHANCE)
    movers = []
    for _ in range(3):
        movers.append(state.table.mover)
        state, _ = apply(state, parse_move("[1111]"), CHANCE)
    assert movers == [0, 1, 2]


def test_players_of_one_side_read_their_cards_alike() -> None:
    """RULES 3: what counts is the side: a west player's card 1 names site 3."""
    for mover, colour in ((0, "blue"), (1, "black")):
        state = position(
            setup=set_up(2, edition="hig-1994", seats=["west", "west"]),
            mover=mover,
            hands={mover: [1, 1, 1, 1]},
            tableaus={"blue": [1], "red": [1]},
        )
        moves = {str(move)[:2] for move in legal_moves(state)}
        assert moves == {"A3", "B3", "C3", "D3", "E3", "F3"}, colour


def test_a_seat_is_kept_for_the_whole_game() -> None:
    """RULES 3: in the last round a card still points as in the first."""
    first, last = (
        position(round=number, mover=1, hands={1: [1, 1, 1, 1]}, tableaus={"blue": [2]})
        for number in (1, 4)
    )
    assert legal_moves(first) == legal_moves(last)
    assert str(legal_moves(last)[0]) == "A3+2"
