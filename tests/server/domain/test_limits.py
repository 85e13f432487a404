"""Limits on the events of a table, which never keep a started game from its end."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

import pytest

from manhattan.server.domain.commands import (
    ClaimSeatTransfer,
    CreateSeatTransfer,
    FreeSeat,
    LeaveTable,
    SeatBot,
    TakeSeat,
)
from manhattan.server.domain.conditions import MAX_EVENTS, MAX_EVENTS_PER_PERSON
from manhattan.server.domain.decide import MAX_CHAT_MESSAGES, MAX_SPECTATOR_MESSAGES
from manhattan.server.domain.errors import CommandRejected, ErrorCode
from support.table_builder import ADA, BOB, CAT, ME, OPEN, TableBuilder, bot, chat, resume, undo


def lobby() -> TableBuilder:
    return TableBuilder(ME, OPEN)


def alone() -> TableBuilder:
    return TableBuilder(ME, bot()).start()


def with_clock() -> TableBuilder:
    clock = {"kind": "real_time", "bank": 10}
    return TableBuilder(ME, OPEN, clock=clock).start(BOB)


def seat_bot_and_free(table: TableBuilder, _: int) -> None:
    table.execute(ADA, SeatBot(1, "easy"))
    table.execute(ADA, FreeSeat(1))


def take_seat_and_leave(table: TableBuilder, _: int) -> None:
    table.execute(BOB, TakeSeat())
    table.execute(BOB, LeaveTable())


def transfer_back_and_forth(table: TableBuilder, turn: int) -> None:
    owner, other = ((ADA, CAT), (CAT, ADA))[turn % 2]
    table.execute(owner, CreateSeatTransfer(None, f"secret {turn}"))
    table.execute(other, ClaimSeatTransfer(f"secret {turn}"))


def transfer_to_new_devices(table: TableBuilder, turn: int) -> None:
    owner, other = (f"device {turn}" if turn else ADA), f"device {turn + 1}"
    table.execute(owner, CreateSeatTransfer(None, f"secret {turn}"))
    table.execute(other, ClaimSeatTransfer(f"secret {turn}"))


def create_transfers(table: TableBuilder, turn: int) -> None:
    table.execute(ADA, CreateSeatTransfer(None, f"secret {turn}"))


def play_and_undo(table: TableBuilder, _: int) -> None:
    table.play(ADA)
    table.play_bot_move()
    table.execute(ADA, undo(table.ply))


def expire_and_resume(table: TableBuilder, _: int) -> None:
    table.expire()
    table.execute(ADA, resume())


def send_chat(table: TableBuilder, turn: int) -> None:
    table.execute((ADA, CAT)[turn % 2], chat("Hello"))


@pytest.mark.parametrize(
    ("opened", "repeat", "events"),
    [
        (lobby, seat_bot_and_free, MAX_EVENTS_PER_PERSON),
        (lobby, take_seat_and_leave, MAX_EVENTS_PER_PERSON),
        (lobby, create_transfers, MAX_EVENTS_PER_PERSON),
        (alone, create_transfers, MAX_EVENTS_PER_PERSON),
        (alone, transfer_back_and_forth, 2 * MAX_EVENTS_PER_PERSON),
        (alone, transfer_to_new_devices, MAX_EVENTS),
        (alone, play_and_undo, 3 * MAX_EVENTS_PER_PERSON),
        (with_clock, expire_and_resume, 2 * MAX_EVENTS_PER_PERSON),
        (lobby, send_chat, MAX_CHAT_MESSAGES),
        (alone, send_chat, MAX_CHAT_MESSAGES),
    ],
)
def test_no_event_can_be_repeated_without_limit(
    opened: Callable[[], TableBuilder], repeat: Callable[[TableBuilder, int], None], events: int
) -> None:
    table = opened()
    with pytest.raises(CommandRejected, match=r"open a new table\.$") as rejected:
        repeat_until(table, repeat, events + 10)
    assert rejected.value.reason is ErrorCode.TABLE_LIMIT_REACHED
    assert len(table.events) > 0.9 * events
    assert table.reload().number == len(table.events)
    if table.state.stage == "lobby":
        assert table.execute(ADA, LeaveTable()).stage == "closed"
    else:
        finish_game(table)


def test_one_person_can_t_use_up_another_s_limit() -> None:
    table = with_clock()
    for turn in range(MAX_EVENTS_PER_PERSON - 1):  # taking the seat counts as well
        table.execute(BOB, CreateSeatTransfer(None, f"secret {turn}"))
    with pytest.raises(CommandRejected, match="reached its limit"):
        table.execute(BOB, CreateSeatTransfer(None, "one more"))
    expire_and_resume(table, 0)
    assert not table.state.seats[0].bot_controlled


def test_a_person_who_comes_and_goes_can_t_keep_others_from_a_seat() -> None:
    table = lobby()
    with pytest.raises(CommandRejected, match="reached its limit"):
        repeat_until(table, take_seat_and_leave, MAX_EVENTS_PER_PERSON + 10)
    table.execute(ADA, SeatBot(1, "easy"))
    table.execute(ADA, FreeSeat(1))
    assert table.execute(CAT, TakeSeat()).seats[1].person == CAT


def test_spectators_leave_chat_messages_for_the_players() -> None:
    table = alone()
    for _ in range(MAX_SPECTATOR_MESSAGES):
        table.execute(CAT, chat("Hello"))
    with pytest.raises(CommandRejected, match=f"{MAX_SPECTATOR_MESSAGES} chat messages"):
        table.execute(BOB, chat("Hello"))
    table.execute(ADA, chat("Hello"))


def repeat_until(
    table: TableBuilder, repeat: Callable[[TableBuilder, int], None], limit: int
) -> None:
    for turn in count():
        assert len(table.events) < limit
        repeat(table, turn)


def finish_game(table: TableBuilder) -> None:
    while table.state.stage == "playing":
        if table.state.bot_to_move:
            table.play_bot_move()
        else:
            assert table.state.mover is not None
            person = table.state.seats[table.state.mover].person
            assert person is not None
            table.play(person)
    assert table.state.stage == "over"
