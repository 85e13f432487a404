"""Commands before the game: seats, people, bots and the host's rights."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from msgspec import ValidationError
from msgspec.structs import replace

from manhattan.bots import LEVELS
from manhattan.bots.names import BOT_NAMES
from manhattan.rules import Colour, Side
from manhattan.server.domain.commands import (
    ClaimSeatTransfer,
    CloseTable,
    CreateSeatTransfer,
    DeclineOffer,
    FreeSeat,
    LeaveTable,
    SeatBot,
    StartGame,
    TakeSeat,
)
from manhattan.server.domain.errors import SENTENCES, ErrorCode
from manhattan.server.domain.events import BotSeated, ReservedSeat, SeatTaken, SeatTransferred
from manhattan.server.domain.evolve import replay_events
from manhattan.server.domain.options import TableOptions
from support.table_builder import (
    ADA,
    BOB,
    CAT,
    DAN,
    ME,
    NAMES,
    OPEN,
    SEED,
    TableBuilder,
    bot,
    here,
)


def test_a_new_table_has_the_seats_of_its_options() -> None:
    seats = TableBuilder(ME, OPEN, bot("hard"), here("Eve")).state.seats
    assert [seat.name for seat in seats] == ["Ada", "", "Hard 1", "Eve"]
    assert [seat.person for seat in seats] == [ADA, None, None, ADA]
    assert [seat.level for seat in seats] == [None, None, "hard", None]
    assert [seat.side for seat in seats] == [Side.SOUTH, Side.WEST, Side.NORTH, Side.EAST]


def test_bots_have_names_of_their_level_that_nobody_else_has() -> None:
    options = msgspec.convert({"seats": [ME, bot("easy"), here("milo"), bot("easy")]}, TableOptions)
    assert options.bot_names(["LOTTE"]) == ("Nina", "Toby")
    table = TableBuilder(ME, OPEN, OPEN, OPEN)
    for seat in (1, 2, 3):
        table.execute(ADA, SeatBot(seat, "hard"))
    assert [seat.name for seat in table.state.seats] == ["Ada", "Burnham", "Gilbert", "Lamb"]
    table.execute(ADA, SeatBot(2, "hard"))  # again: it keeps its name
    assert table.state.seats[2].name == "Gilbert"
    assert replay_events(table.state.id, table.events) == table.state


def test_a_bot_gives_way_to_a_person_of_the_same_name() -> None:
    table = TableBuilder(ME, bot("hard"), OPEN)
    table.execute(ADA, SeatBot(1, "hard"))
    table.apply(SeatTaken(at=table.now, by=BOB, seat=2, name="burnham"))
    assert [seat.name for seat in table.state.seats] == ["Ada", "Gilbert", "burnham"]


def test_bots_of_older_events_keep_their_numbers() -> None:
    table = TableBuilder(ME, bot("hard"), OPEN, OPEN)
    table.apply(BotSeated(at=table.now, by=ADA, seat=2, level="easy"))
    table.apply(SeatTaken(at=table.now, by=BOB, seat=3, name="Hard 1"))
    assert [seat.name for seat in table.state.seats] == ["Ada", "Hard 1", "Easy 2", "Hard 1"]


def test_every_level_has_a_short_name_for_each_seat() -> None:
    assert BOT_NAMES.keys() == LEVELS.keys()
    names = [name for pool in BOT_NAMES.values() for name in pool]
    assert len(names) == len(set(names)) == 4 * len(LEVELS)
    assert all(len(name) <= 8 for name in names)


def test_sides_and_colours_can_be_chosen() -> None:
    table = TableBuilder(
        {**ME, "side": "west", "colours": ["red", "green"]},
        {**OPEN, "side": "east", "colours": ["blue", "black"]},
        edition="hig-1994",
    )
    assert [seat.side for seat in table.state.seats] == [Side.WEST, Side.EAST]
    assert table.state.seats[0].colours == (Colour.RED, Colour.GREEN)
    game = table.start(BOB).state.game
    assert game is not None
    assert game.setup.players[1].colours == (Colour.BLUE, Colour.BLACK)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"seats": [ME]}, "length >= 2"),
        ({"seats": [ME, ME]}, "Only one seat is `me`"),
        ({"seats": [ME, {"occupant": "bot"}]}, "A bot needs a level"),
        ({"seats": [ME, {"occupant": "open", "level": "easy"}]}, "Only a bot has a level"),
        ({"seats": [ME, {"occupant": "here"}]}, "needs a name"),
        ({"seats": [ME, {"occupant": "open", "name": "Eve"}]}, "Only people on this screen"),
        ({"seats": [ME, bot("godlike")]}, "regex"),
        ({"seats": [ME, OPEN], "edition": "monopoly"}, "no edition 'monopoly'"),
        ({"seats": [ME, OPEN], "house_rules": {"dice": "6"}}, "no house rule 'dice'"),
        ({"seats": [ME, OPEN], "first": 2}, "no player 2"),
        ({"seats": [{**ME, "side": "south"}, OPEN]}, "2 players but 1 sides"),
        ({"seats": [{**ME, "side": "south"}, {**OPEN, "side": "south"}]}, "same side"),
        ({"seats": [ME, OPEN], "surprise": 1}, "unknown field"),
        ({"seats": [ME, {"occupant": "here", "name": "a\nb"}]}, "printable"),
        ({"seats": [ME, OPEN], "bot_delay_ms": -1}, ">= 0"),
    ],
)
def test_options_that_the_rules_can_t_set_up_are_invalid(options: dict[str, Any], why: str) -> None:
    with pytest.raises(ValidationError, match=why):
        msgspec.convert(options, TableOptions)


def test_people_take_open_seats() -> None:
    table = TableBuilder(ME, OPEN, OPEN, OPEN)
    table.execute(BOB, TakeSeat(2))
    table.execute(CAT, TakeSeat())
    assert [seat.name for seat in table.state.seats] == ["Ada", "Cat", "Bob", ""]
    table.reject(ErrorCode.SEAT_TAKEN, DAN, TakeSeat(2))
    table.reject(ErrorCode.NO_SUCH_SEAT, DAN, TakeSeat(4))
    table.reject(ErrorCode.ALREADY_SEATED, BOB, TakeSeat(3))
    table.execute(DAN, TakeSeat(3))
    table.reject(ErrorCode.TABLE_FULL, "person-e", TakeSeat())


def test_a_leaving_host_passes_the_table_on() -> None:
    table = TableBuilder(ME, OPEN, OPEN)
    table.execute(BOB, TakeSeat())
    table.execute(ADA, LeaveTable())
    assert table.state.seats[0].is_open
    assert (table.state.host, table.state.host_name) == (BOB, "Bob")
    table.reject(ErrorCode.NOT_THE_HOST, ADA, CloseTable())
    table.execute(BOB, LeaveTable())
    assert table.state.stage == "closed"
    table.reject(ErrorCode.CLOSED, CAT, TakeSeat())


def test_leaving_gives_up_all_seats_of_a_shared_screen_and_their_transfers() -> None:
    table = TableBuilder(ME, OPEN, here("Eve"), OPEN)
    table.execute(BOB, TakeSeat(1))
    for seat in (0, 2):
        table.execute(ADA, CreateSeatTransfer(seat, f"to {seat}"))
    table.execute(ADA, LeaveTable())
    assert [seat.name for seat in table.state.seats] == ["", "Bob", "", ""]
    assert table.state.people() == {BOB}
    assert (table.state.host, table.state.host_name) == (BOB, "Bob")
    for seat in (0, 2):
        table.reject(ErrorCode.TRANSFER_EXPIRED, CAT, ClaimSeatTransfer(f"to {seat}"))
    table.reject(ErrorCode.NOT_AT_THE_TABLE, ADA, LeaveTable())
    assert table.reload() == table.state
    for seat, person in ((0, CAT), (2, DAN), (3, ADA)):
        table.execute(person, TakeSeat(seat))
    table.execute(BOB, StartGame(SEED))


def test_the_last_person_who_leaves_closes_the_table() -> None:
    table = TableBuilder(ME, OPEN, here("Eve"))
    assert table.execute(ADA, LeaveTable()).stage == "closed"


def test_the_host_assigns_seats_to_bots_and_frees_them() -> None:
    table = TableBuilder(ME, OPEN, OPEN)
    table.execute(BOB, TakeSeat())
    table.reject(ErrorCode.NOT_THE_HOST, BOB, SeatBot(2, "hard"))
    table.execute(ADA, SeatBot(2, "hard"))
    assert table.state.seats[2].level == "hard"
    table.execute(ADA, SeatBot(2, "easy"))
    table.execute(ADA, FreeSeat(2))
    assert table.state.seats[2].is_open
    table.reject(ErrorCode.SEAT_TAKEN, ADA, SeatBot(1, "easy"))
    table.reject(ErrorCode.SEAT_TAKEN, ADA, FreeSeat(0))
    table.execute(ADA, FreeSeat(1))  # removes a person
    assert table.state.seats[1].is_open


def test_the_host_starts_the_game_when_all_seats_are_taken() -> None:
    table = TableBuilder(ME, OPEN)
    table.reject(ErrorCode.SEATS_OPEN, ADA, StartGame(SEED))
    table.execute(BOB, TakeSeat())
    table.reject(ErrorCode.NOT_THE_HOST, BOB, StartGame(SEED))
    table.execute(ADA, StartGame(SEED))
    assert table.state.stage == "playing"
    for command in (StartGame(SEED), LeaveTable(), CloseTable(), SeatBot(1, "easy")):
        table.reject(ErrorCode.ALREADY_STARTED, ADA, command)


def test_the_start_player_is_chosen_or_drawn_at_random() -> None:
    assert TableBuilder(ME, bot(), bot(), first=2).start().state.mover == 2
    from manhattan.rules import draw_start_player

    table = TableBuilder(ME, bot(), bot(), bot(), first="random").start()
    game = table.state.game
    assert game is not None
    assert game.seed is not None
    assert table.state.mover == draw_start_player(game.seed, 4)


def test_each_error_code_has_a_sentence() -> None:
    assert set(SENTENCES) == set(ErrorCode)
    assert all(sentence.endswith((".", "}")) for sentence in SENTENCES.values())


def test_a_reloaded_table_has_the_same_state() -> None:
    table = TableBuilder(
        ME, OPEN, bot("easy"), public=True, clock={"kind": "real_time", "bank": 60}
    )
    table.start(BOB)
    for person in (ADA, BOB):
        table.play(person)
    table.play_bot_move()
    again = table.reload()
    game, same = table.state.game, again.game
    assert game is not None
    assert same is not None
    assert replace(again, game=game) == table.state
    assert (same.moves, same.state) == (game.moves, game.state)


# Seats that a rematch offers.


def rematch_of_three() -> TableBuilder:
    """The table of a rematch: Ada has opened it, Bob and Cat are offered their seats."""
    offered = tuple(
        ReservedSeat(seat=seat, person=person, name=NAMES[person])
        for seat, person in ((1, BOB), (2, CAT))
    )
    return TableBuilder(ME, OPEN, OPEN, rematch_of="s" * 14, offered=offered)


def test_an_offered_seat_is_taken_by_its_person_alone() -> None:
    table = rematch_of_three()
    assert [seat.name for seat in table.state.seats] == ["Ada", "Bob", "Cat"]
    assert table.state.people() == {ADA}
    table.reject(ErrorCode.SEAT_OFFERED, CAT, TakeSeat(1))
    table.reject(ErrorCode.SEAT_OFFERED, DAN, TakeSeat(1))
    table.reject(ErrorCode.TABLE_FULL, DAN, TakeSeat())
    table.reject(ErrorCode.SEATS_OPEN, ADA, StartGame(SEED))
    assert table.execute(CAT, TakeSeat()).seats[2].person == CAT  # their own, not the first one
    assert table.execute(BOB, TakeSeat(1)).people() == {ADA, BOB, CAT}
    assert table.reload().seats == table.state.seats


def test_people_who_share_a_screen_accept_and_decline_together() -> None:
    offered = tuple(
        ReservedSeat(seat=seat, person=BOB, name=name) for seat, name in ((1, "Bob"), (2, "Eve"))
    )
    table = TableBuilder(ME, OPEN, OPEN, rematch_of="s" * 14, offered=offered)
    state = table.execute(BOB, TakeSeat(2))
    assert [(seat.name, seat.person) for seat in state.seats[1:]] == [("Bob", BOB), ("Eve", BOB)]
    table = TableBuilder(ME, OPEN, OPEN, rematch_of="s" * 14, offered=offered)
    state = table.execute(BOB, DeclineOffer())
    assert [(seat.name, seat.is_open) for seat in state.seats[1:]] == [("", True)] * 2


def test_every_player_of_a_rematch_can_start_it_when_all_have_accepted() -> None:
    table = rematch_of_three()
    table.execute(BOB, TakeSeat())
    table.reject(ErrorCode.SEATS_OPEN, BOB, StartGame(SEED))
    table.execute(CAT, TakeSeat())
    table.reject(ErrorCode.NOT_AT_THE_TABLE, DAN, StartGame(SEED))
    assert table.execute(CAT, StartGame(SEED)).stage == "playing"


def test_a_declined_seat_is_open_for_everyone() -> None:
    table = rematch_of_three()
    table.reject(ErrorCode.NO_OFFER, DAN, DeclineOffer())
    state = table.execute(BOB, DeclineOffer())
    assert (state.seats[1].name, state.seats[1].offered_to) == ("", None)
    table.reject(ErrorCode.NO_OFFER, BOB, DeclineOffer())
    table.execute(DAN, TakeSeat())
    table.execute(ADA, SeatBot(2, "easy"))  # the host need not wait for Cat
    assert table.execute(ADA, StartGame(SEED)).stage == "playing"
    table.reject(ErrorCode.ALREADY_STARTED, CAT, DeclineOffer())


def test_the_host_withdraws_an_offer_without_removing_the_person() -> None:
    table = rematch_of_three()
    assert table.execute(ADA, FreeSeat(1)).removed == frozenset()
    assert table.execute(BOB, TakeSeat()).seats[1].person == BOB


def test_seats_of_old_rematches_belong_to_their_people() -> None:
    """Events from before seats were offered."""
    reserved = (ReservedSeat(seat=1, person=BOB, name="Bob"),)
    table = TableBuilder(ME, OPEN, rematch_of="s" * 14, reserved=reserved)
    assert table.state.people() == {ADA, BOB}
    assert table.execute(ADA, StartGame(SEED)).stage == "playing"


# People whom the host removes.


def test_a_removed_person_is_kept_out_and_the_others_are_not() -> None:
    table = TableBuilder(ME, OPEN, OPEN)
    table.execute(BOB, TakeSeat())
    state = table.execute(ADA, FreeSeat(1))
    assert state.removed == {BOB}
    assert state.seats[1].is_open
    table.reject(ErrorCode.REMOVED_BY_HOST, BOB, TakeSeat())
    table.reject(ErrorCode.REMOVED_BY_HOST, BOB, TakeSeat(2))
    table.execute(CAT, TakeSeat(1))
    table.execute(ADA, SeatBot(2, "easy"))
    assert table.execute(ADA, FreeSeat(2)).removed == {BOB}  # a bot is nobody to keep out


def test_people_who_share_a_screen_are_removed_together() -> None:
    table = TableBuilder(ME, OPEN, OPEN)
    table.execute(BOB, TakeSeat())
    for seat in (1, 2):  # Bob's screen holds both seats after a transfer
        table.apply(SeatTransferred(at=table.now, by=BOB, seat=seat, digest=""))
    state = table.execute(ADA, FreeSeat(1))
    assert state.people() == {ADA}
