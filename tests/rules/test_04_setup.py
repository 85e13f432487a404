"""RULES 4: the set-up of a table, and the deal."""

from __future__ import annotations

from typing import Any

import pytest

from manhattan.game import Game
from manhattan.rules import (
    EDITIONS,
    HOUSE_RULES,
    Phase,
    Player,
    Setup,
    SetupError,
    Side,
    deal,
    set_up,
)
from support.positions import CHANCE, SEED

# The deal of 32 zero bytes, from RECORD: four hands in a row, and the first cards of the pile.
ZERO_DEAL = [(3, 6, 8, 9), (1, 5, 7, 9), (1, 3, 4, 5), (2, 4, 6, 7)]


def test_the_default_table() -> None:
    """RULES 4, 9: four players, the 2017 edition, all sides, one colour each."""
    setup = set_up()
    assert setup.edition == "hig-2017"
    assert [(p.name, p.side.value, [c.value for c in p.colours]) for p in setup.players] == [
        ("Player 1", "south", ["orange"]),
        ("Player 2", "west", ["blue"]),
        ("Player 3", "north", ["yellow"]),
        ("Player 4", "east", ["purple"]),
    ]


def test_a_table_from_a_list_of_names() -> None:
    """RULES 4: as many players as names; names may repeat."""
    setup = set_up(["Ada", "Ada", "Zoë"])
    assert [player.name for player in setup.players] == ["Ada", "Ada", "Zoë"]


def test_a_table_with_chosen_colours() -> None:
    """RULES 4: each player takes a colour."""
    setup = set_up(3, colours=[["purple"], ["orange"], ["yellow"]])
    assert [colour.value for colour in setup.colours] == ["purple", "orange", "yellow"]


def test_every_score_starts_at_zero() -> None:
    """RULES 4.1: every score is 0, the board is empty, and players choose blocks for round 1."""
    public = deal(set_up(3), CHANCE).public
    assert public.scores == (0, 0, 0)
    assert not any(tower.blocks for tower in public.board)
    assert (public.round, public.phase, public.result) == (1, Phase.SELECT, None)


def test_the_supply_and_the_tableau_of_a_player() -> None:
    """RULES 4.1: 24 blocks in the supply and none on the tableau, for all to see."""
    public = deal(set_up(), CHANCE).public
    yellow = public.setup.players[2].colours[0]
    assert (public.supply(yellow), public.tableau(yellow)) == ((11, 6, 4, 3), (0, 0, 0, 0))
    assert (public.player.name, public.side) == ("Player 1", "south")


@pytest.mark.parametrize(
    ("first", "hands"),
    [
        (0, ZERO_DEAL),
        (1, [ZERO_DEAL[3], ZERO_DEAL[0], ZERO_DEAL[1], ZERO_DEAL[2]]),
        (3, [ZERO_DEAL[1], ZERO_DEAL[2], ZERO_DEAL[3], ZERO_DEAL[0]]),
    ],
)
def test_four_cards_in_a_row_from_the_start_player(
    first: int, hands: list[tuple[int, ...]]
) -> None:
    """RULES 4.2, RECORD: the start player gets the first four, the left neighbour the next."""
    state = deal(set_up(first=first), CHANCE)
    assert list(state.hands) == hands
    assert state.pile[:6] == (8, 8, 7, 2, 5, 3)


@pytest.mark.parametrize(("players", "pile"), [(4, 29), (3, 33), (2, 37)])
def test_the_rest_is_the_draw_pile(players: int, pile: int) -> None:
    """RULES 4.2: 45 cards less 4 for each player; nothing is played yet."""
    state = deal(set_up(players), CHANCE)
    assert [len(hand) for hand in state.hands] == [4] * players
    assert (len(state.pile), state.public.pile_size, state.public.played) == (pile, pile, ())


@pytest.mark.parametrize("first", [0, 1, 2, 3])
def test_the_players_choose_the_start_player(first: int) -> None:
    """RULES 8: the start player is a setting of the table."""
    public = deal(set_up(first=first), CHANCE).public
    assert (public.start_player, public.mover) == (first, first)


def test_the_start_player_is_drawn_at_random() -> None:
    """RULES 8, RECORD: of four players and 32 zero bytes, player 2."""
    assert Game.new(first="random", seed=SEED).setup.first == 2


@pytest.mark.parametrize(
    ("house_rule", "values"),
    [
        ("sides", {"distinct", "free"}),
        ("tallest_tie", {"nobody", "one_owner"}),
        ("three_players", {"4x6", "6x4"}),
        ("two_players", {"4x6", "4x4", "6x4-one-colour"}),
        ("final_tie", {"shared", "own_tallest", "board_tallest"}),
    ],
)
def test_the_values_of_a_house_rule(house_rule: str, values: set[str]) -> None:
    """RULES 8: the house rules by name, with their values."""
    assert set(HOUSE_RULES[house_rule]) == values


def test_there_are_no_other_house_rules() -> None:
    """RULES 8: the five rows in which rulebooks differ, and the schedule for four players."""
    assert set(HOUSE_RULES) == {
        "sides",
        "tallest_tie",
        "four_players",
        "three_players",
        "two_players",
        "final_tie",
    }
    assert {edition.rules.four_players for edition in EDITIONS.values()} == {"6x4"}


def test_house_rules_are_listed_by_name() -> None:
    """RULES 8: the changes are named, always in the same order."""
    setup = set_up(house_rules={"tallest_tie": "one_owner", "sides": "free"})
    assert setup.house_rules == (("sides", "free"), ("tallest_tie", "one_owner"))


@pytest.mark.parametrize("edition", EDITIONS)
def test_a_house_rule_that_changes_nothing_is_dropped(edition: str) -> None:
    """RULES 8: a house rule equal to the edition makes the same table."""
    rules = EDITIONS[edition].rules
    same = {"sides": rules.sides, "final_tie": rules.final_tie, "two_players": rules.two_players}
    assert set_up(edition=edition, house_rules=same) == set_up(edition=edition)
    assert set_up(edition=edition, house_rules=same).house_rules == ()


def test_a_repeated_row_does_not_hide_the_rules_in_force() -> None:
    """RULES 8: a table is played by the house rules that it names."""
    twice = (("sides", "free"), ("sides", "distinct"))
    setup = Setup(set_up().players, house_rules=twice)
    named = EDITIONS["hig-2017"].rules.changed(dict(setup.house_rules))
    assert named == setup.rules


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            {"edition": "hig-2016"},
            (
                "There is no edition 'hig-2016'. "
                "The editions are: hig-2017, hig-1994, 999-games, foxgames-2018."
            ),
        ),
        (
            {"house_rules": {"sides": "round"}},
            "The house rule sides can't be 'round'. It can be: distinct, free.",
        ),
        (
            {"house_rules": {"two_players": "6x4"}},
            "The house rule two_players can't be '6x4'. It can be: 4x6, 4x4, 6x4-one-colour.",
        ),
        ({"players": 0}, "Manhattan is for 2 to 4 players; there are 0."),
        ({"players": ["Ada"]}, "Manhattan is for 2 to 4 players; there are 1."),
        ({"players": 5}, "Manhattan is for 2 to 4 players; there are 5."),
        ({"first": 4}, "There is no player 4 at this table, only 0 to 3."),
        ({"players": 2, "first": -1}, "There is no player -1 at this table, only 0 to 1."),
        ({"sides": ["south", "west"]}, "There are 4 players but 2 sides."),
        ({"colours": [["blue"]] * 3}, "There are 4 players but 3 sets of colours."),
        (
            {"players": 2, "sides": ["south", "up"]},
            "'up' is not a side of the board. The sides are: south, west, north, east.",
        ),
        (
            {"players": 2, "sides": ["west", "west"]},
            (
                "Two players sit at the same side of the board; these rules give every player "
                "a different side."
            ),
        ),
        (
            {"players": 3, "colours": [["blue"], ["pink"], ["yellow"]]},
            (
                "'pink' is not a colour. The colours are: "
                "orange, blue, yellow, purple, black, red, green."
            ),
        ),
        (
            {"players": 2, "colours": [["orange"], ["blue"]]},
            "Player 1 has 1 colours; with 2 players, these rules give each player 2.",
        ),
        (
            {"players": 3, "colours": [["orange"], ["blue", "yellow"], ["purple"]]},
            "Player 2 has 2 colours; with 3 players, these rules give each player 1.",
        ),
        (
            {"players": 3, "colours": [["orange"], ["red"], ["yellow"]]},
            (
                "Player 2 can't play red: the colours of Hans im Glück 2017 are "
                "orange, blue, yellow, purple."
            ),
        ),
        (
            {"players": 3, "edition": "hig-1994", "colours": [["red"], ["blue"], ["orange"]]},
            (
                "Player 3 can't play orange: the colours of Hans im Glück 1994 are "
                "blue, black, red, green."
            ),
        ),
        (
            {"players": 3, "colours": [["orange"], ["blue"], ["blue"]]},
            "The colour blue is assigned twice.",
        ),
        (
            {"players": 2, "colours": [["orange", "orange"], ["blue", "yellow"]]},
            "The colour orange is assigned twice.",
        ),
    ],
)
def test_an_invalid_table_is_rejected(options: dict[str, Any], sentence: str) -> None:
    """RULES 2, 3, 4, 6, 8: the error is one sentence."""
    with pytest.raises(SetupError) as error:
        set_up(**options)
    assert str(error.value) == sentence


def test_an_unknown_house_rule_is_rejected() -> None:
    """RULES 8: only the named rows can be changed."""
    with pytest.raises(
        SetupError, match=r"^There is no house rule 'weather'\. The house rules are"
    ):
        set_up(house_rules={"weather": "rain"})


def test_the_constructor_of_a_setup_checks_it() -> None:
    """RULES 6: every Setup can be played."""
    assert Setup(set_up().players) == set_up()
    alone = Player("Ada", Side.SOUTH, set_up().players[0].colours)
    with pytest.raises(SetupError, match=r"^Manhattan is for 2 to 4 players; there are 1\.$"):
        Setup((alone,))


@pytest.mark.parametrize(
    "name", ["", " ", "\t", "A\nB", "\x1b[31m", "\ud800", "a\u202eb", "x" * 61]
)
def test_a_name_that_can_not_be_displayed_is_rejected(name: str) -> None:
    """RULES 4: a name has 1 to 60 printable characters, one of them not a space."""
    with pytest.raises(SetupError, match="is not a valid name: a name has 1 to 60 printable"):
        set_up([name, "Bob"])


@pytest.mark.parametrize("name", ["x", "x" * 60, 'O\'Brien "Bo"', "Łukasz", "陈", "🏙"])
def test_a_name_in_any_script_is_valid(name: str) -> None:
    """RULES 4: letters of every script are allowed."""
    assert set_up(["Bob", name]).players[1].name == name


def test_a_text_is_not_a_list_of_names() -> None:
    """RULES 4: "Ada" is one player, not three called A, d and a."""
    with pytest.raises(SetupError, match="a list of names"):
        set_up("Ada")


def test_a_name_may_contain_zero_width_joiners() -> None:
    """RULES 4: Persian spelling and emoji need them."""
    assert set_up(["می\u200cخواهم", "👩\u200d🚀"]).players[1].name == "👩\u200d🚀"
    with pytest.raises(SetupError, match="is not a valid name"):
        set_up(["\u200d", "Bob"])
