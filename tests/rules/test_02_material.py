"""RULES 2: board, cards, blocks and colours."""

from __future__ import annotations

import pytest

from manhattan.rules import CITIES, DECK, EDITIONS, SITES, Block, Colour, deal, set_up
from manhattan.rules.blocks import FULL_STOCK, add, sizes_in, stock_of, subtract
from manhattan.rules.board import city_sites
from support.positions import CHANCE

LATER = ["hig-2017", "999-games", "foxgames-2018"]


def test_the_board_has_54_different_sites() -> None:
    """RULES 2: 6 cities x 9 sites."""
    assert len(SITES) == len(set(SITES)) == 54


def test_the_six_cities_are_lettered_a_to_f() -> None:
    """RULES 2: one letter for each city, in a fixed order."""
    assert CITIES == "ABCDEF"


@pytest.mark.parametrize("city", CITIES)
def test_a_city_has_nine_sites(city: str) -> None:
    """RULES 2: each city is a 3x3 grid, numbered row by row."""
    assert [str(site) for site in city_sites(city)] == [f"{city}{n}" for n in range(1, 10)]


def test_1994_names_the_cities() -> None:
    """RULES 2: A Sydney, B Manhattan, C Frankfurt, D Hong Kong, E São Paulo, F Cairo."""
    assert EDITIONS["hig-1994"].cities == (
        "Sydney",
        "Manhattan",
        "Frankfurt",
        "Hong Kong",
        "São Paulo",
        "Cairo",
    )


@pytest.mark.parametrize("edition", LATER)
def test_later_editions_have_only_letters_for_the_cities(edition: str) -> None:
    """RULES 2: A to F."""
    assert EDITIONS[edition].cities == ("A", "B", "C", "D", "E", "F")


def test_there_are_45_cards() -> None:
    """RULES 2: 9 positions x 5 copies, and no tenth position."""
    assert len(DECK) == 45
    assert sorted(set(DECK)) == [1, 2, 3, 4, 5, 6, 7, 8, 9]


@pytest.mark.parametrize("card", range(1, 10))
def test_there_are_five_copies_of_each_card(card: int) -> None:
    """RULES 2: 5 copies of each position."""
    assert DECK.count(card) == 5


def test_a_colour_has_24_blocks_of_47_floors() -> None:
    """RULES 2: 11 of 1 floor, 6 of 2, 4 of 3, 3 of 4; the score marker is never built."""
    assert FULL_STOCK == (11, 6, 4, 3)
    assert len(sizes_in(FULL_STOCK)) == 24
    assert sum(sizes_in(FULL_STOCK)) == 47


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_colour_starts_with_the_same_24_blocks(edition: str, players: int) -> None:
    """RULES 2: no edition and no number of players changes the stock."""
    public = deal(set_up(players, edition=edition), CHANCE).public
    assert set(public.supplies) == {(11, 6, 4, 3)}


@pytest.mark.parametrize(
    ("colour", "letter"),
    [
        ("blue", "b"),
        ("black", "k"),
        ("red", "r"),
        ("green", "g"),
        ("orange", "o"),
        ("yellow", "y"),
        ("purple", "p"),
    ],
)
def test_the_letter_of_a_colour(colour: str, letter: str) -> None:
    """RULES 2: black is k, since b is blue."""
    assert Colour(colour).letter == letter


def test_the_colours_of_1994() -> None:
    """RULES 2: blue, black, red, green."""
    assert [str(c) for c in EDITIONS["hig-1994"].colours] == ["blue", "black", "red", "green"]


@pytest.mark.parametrize("edition", LATER)
def test_the_colours_of_later_editions(edition: str) -> None:
    """RULES 2: orange, blue, yellow, purple."""
    assert [str(c) for c in EDITIONS[edition].colours] == ["orange", "blue", "yellow", "purple"]


def test_a_block_is_written_as_letter_and_floors() -> None:
    """RULES 2: a block is one colour and 1 to 4 floors."""
    assert [str(Block(Colour.BLACK, 3)), str(Block(Colour.ORANGE, 1))] == ["k3", "o1"]


def test_a_stock_counts_blocks_by_size() -> None:
    """RULES 2: blocks of the same colour and size are interchangeable."""
    assert stock_of([1, 1, 2, 4]) == (2, 1, 0, 1)
    assert sizes_in((2, 1, 0, 1)) == (1, 1, 2, 4)


def test_stocks_add_up() -> None:
    """RULES 11: a block that leaves one stock arrives in another."""
    assert add((1, 2, 3, 0), (1, 0, 1, 2)) == (2, 2, 4, 2)
    assert subtract((2, 2, 4, 2), (1, 0, 1, 2)) == (1, 2, 3, 0)
