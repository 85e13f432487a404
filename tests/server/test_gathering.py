"""Before the game: chairs, people, bots, and who decides about them."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from manhattan.rules import Colour, Seat
from manhattan.server import decisions
from manhattan.server.denials import SENTENCES, Denial, Denied
from manhattan.server.terms import Terms
from sittings import ADA, BOB, CAT, DAN, ME, OPEN, Gathering, bot, here


def test_a_table_has_the_chairs_that_it_was_opened_with() -> None:
    chairs = Gathering(ME, OPEN, bot("hard"), here("Eve")).sitting.chairs
    assert [chair.name for chair in chairs] == ["Ada", "", "Hard 1", "Eve"]
    assert [chair.person for chair in chairs] == [ADA, None, None, ADA]
    assert [chair.level for chair in chairs] == [None, None, "hard", None]
    assert [chair.side for chair in chairs] == [Seat.SOUTH, Seat.WEST, Seat.NORTH, Seat.EAST]


def test_sides_and_colours_can_be_chosen() -> None:
    table = Gathering(
        {**ME, "side": "west", "colours": ["red", "green"]},
        {**OPEN, "side": "east", "colours": ["blue", "black"]},
        edition="hig-1994",
    )
    assert [chair.side for chair in table.sitting.chairs] == [Seat.WEST, Seat.EAST]
    assert table.sitting.chairs[0].colours == (Colour.RED, Colour.GREEN)
    game = table.begins(BOB).sitting.game
    assert game is not None
    assert game.setup.players[1].colours == (Colour.BLUE, Colour.BLACK)


@pytest.mark.parametrize(
    ("terms", "why"),
    [
        ({"chairs": [ME]}, "at least 2"),
        ({"chairs": [ME, ME]}, "has one chair"),
        ({"chairs": [ME, {"who": "bot"}]}, "A bot has a level"),
        ({"chairs": [ME, {"who": "open", "level": "easy"}]}, "Only a bot has a level"),
        ({"chairs": [ME, {"who": "here"}]}, "has a name"),
        ({"chairs": [ME, {"who": "open", "name": "Eve"}]}, "Only people at this screen"),
        ({"chairs": [ME, bot("godlike")]}, "pattern"),
        ({"chairs": [ME, OPEN], "edition": "monopoly"}, "no edition 'monopoly'"),
        ({"chairs": [ME, OPEN], "house_rules": {"dice": "6"}}, "no house rule 'dice'"),
        ({"chairs": [ME, OPEN], "first": 2}, "no player 2"),
        ({"chairs": [{**ME, "side": "south"}, OPEN]}, "2 players but 1 seats"),
        ({"chairs": [{**ME, "side": "south"}, {**OPEN, "side": "south"}]}, "same side"),
        ({"chairs": [ME, OPEN], "surprise": 1}, "Extra inputs"),
        ({"chairs": [ME, {**OPEN, "name": "a\nb"}]}, "printable"),
        ({"chairs": [ME, OPEN], "pace": -1}, "greater than or equal to 0"),
    ],
)
def test_what_can_not_be_played_can_not_be_opened(terms: dict[str, Any], why: str) -> None:
    with pytest.raises(ValidationError, match=why):
        Terms.model_validate(terms)


def denied(reason: Denial, table: Gathering, person: str, what: Any, *about: Any) -> None:
    before = table.sitting
    with pytest.raises(Denied) as refused:
        table.does(person, what, *about)
    assert refused.value.reason is reason
    assert table.sitting is before


def test_people_sit_down_where_it_is_open() -> None:
    table = Gathering(ME, OPEN, OPEN, OPEN)
    table.does(BOB, decisions.sit, "Bob", 2)
    table.does(CAT, decisions.sit, "Cat", None)
    assert [chair.name for chair in table.sitting.chairs] == ["Ada", "Cat", "Bob", ""]
    denied(Denial.CHAIR_TAKEN, table, DAN, decisions.sit, "Dan", 2)
    denied(Denial.NO_SUCH_CHAIR, table, DAN, decisions.sit, "Dan", 4)
    denied(Denial.ALREADY_SEATED, table, BOB, decisions.sit, "Bob", 3)
    table.does(DAN, decisions.sit, "Dan", 3)
    denied(Denial.TABLE_FULL, table, "person-e", decisions.sit, "Eve", None)


def test_who_leaves_frees_his_chair_and_the_host_hands_the_table_on() -> None:
    table = Gathering(ME, OPEN, OPEN)
    table.does(BOB, decisions.sit, "Bob", None)
    table.does(ADA, decisions.leave)
    assert table.sitting.chairs[0].open
    assert (table.sitting.host, table.sitting.host_name) == (BOB, "Bob")
    denied(Denial.NOT_THE_HOST, table, ADA, decisions.close)
    table.does(BOB, decisions.leave)
    assert table.sitting.stage == "closed"
    denied(Denial.CLOSED, table, CAT, decisions.sit, "Cat", None)


def test_who_leaves_a_shared_screen_takes_all_of_it_along() -> None:
    """Nobody is left there who could not be asked, and no link leads back."""
    table = Gathering(ME, OPEN, here("Eve"), OPEN)
    table.does(BOB, decisions.sit, "Bob", 1)
    for chair in (0, 2):
        table.does(ADA, decisions.make_link, chair, f"to {chair}")
    table.does(ADA, decisions.leave)
    assert [chair.name for chair in table.sitting.chairs] == ["", "Bob", "", ""]
    assert table.sitting.people() == {BOB}
    assert (table.sitting.host, table.sitting.host_name) == (BOB, "Bob")
    for chair in (0, 2):
        denied(Denial.LINK_DEAD, table, CAT, decisions.claim, f"to {chair}")
    denied(Denial.NOT_AT_THE_TABLE, table, ADA, decisions.leave)
    assert table.read_again() == table.sitting
    for chair, person, name in ((0, CAT, "Cat"), (2, DAN, "Dan"), (3, ADA, "Ada")):
        table.does(person, decisions.sit, name, chair)
    table.does(BOB, decisions.begin)


def test_the_last_screen_closes_the_table() -> None:
    table = Gathering(ME, OPEN, here("Eve"))
    assert table.does(ADA, decisions.leave).stage == "closed"


def test_the_host_fills_chairs_with_bots_and_frees_them() -> None:
    table = Gathering(ME, OPEN, OPEN)
    table.does(BOB, decisions.sit, "Bob", None)
    denied(Denial.NOT_THE_HOST, table, BOB, decisions.fill, 2, "hard")
    table.does(ADA, decisions.fill, 2, "hard")
    assert table.sitting.chairs[2].level == "hard"
    table.does(ADA, decisions.fill, 2, "easy")
    table.does(ADA, decisions.fill, 2, None)
    assert table.sitting.chairs[2].open
    denied(Denial.CHAIR_TAKEN, table, ADA, decisions.fill, 1, "easy")
    denied(Denial.CHAIR_TAKEN, table, ADA, decisions.fill, 0, None)
    table.does(ADA, decisions.fill, 1, None)  # send somebody away
    assert table.sitting.chairs[1].open


def test_the_host_begins_when_nobody_is_missing() -> None:
    table = Gathering(ME, OPEN)
    denied(Denial.SEATS_OPEN, table, ADA, decisions.begin)
    table.does(BOB, decisions.sit, "Bob", None)
    denied(Denial.NOT_THE_HOST, table, BOB, decisions.begin)
    table.does(ADA, decisions.begin)
    assert table.sitting.stage == "playing"
    for what, *about in (
        (decisions.begin,),
        (decisions.leave,),
        (decisions.close,),
        (decisions.fill, 1, "easy"),
    ):
        denied(Denial.ALREADY_BEGUN, table, ADA, what, *about)


def test_every_game_has_a_seed_of_its_own() -> None:
    seeds = set()
    for _ in range(5):
        table = Gathering(ME, bot())
        table.does(ADA, decisions.begin)
        game = table.sitting.game
        assert game is not None
        seeds.add(game.seed)
    assert len(seeds) == 5


def test_the_first_player_is_the_one_agreed_on_or_drawn_by_lot() -> None:
    assert Gathering(ME, bot(), bot(), first=2).begins().sitting.mover == 2
    from manhattan.rules import lot

    table = Gathering(ME, bot(), bot(), bot(), first="lot").begins()
    game = table.sitting.game
    assert game is not None
    assert game.seed is not None
    assert table.sitting.mover == lot(game.seed, 4)


def test_every_reason_has_its_sentence() -> None:
    assert set(SENTENCES) == set(Denial)
    assert all(sentence.endswith((".", "}")) for sentence in SENTENCES.values())


def test_what_was_written_down_is_read_back_the_same() -> None:
    table = Gathering(ME, OPEN, bot("easy"), public=True, clock={"kind": "real_time", "bank": 60})
    table.begins(BOB)
    for person in (ADA, BOB):
        table.plays(person)
    table.bot_plays()
    again = table.read_again()
    game, same = table.sitting.game, again.game
    assert game is not None
    assert same is not None
    assert again._replace(game=game) == table.sitting
    assert (same.moves, same.state) == (game.moves, game.state)
