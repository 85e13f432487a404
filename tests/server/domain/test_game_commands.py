"""Commands during the game: moves, undo, resigning, timeouts, chat and seat transfers."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from manhattan.rules import IllegalMove, NotationError, Reason, parse_move
from manhattan.server.domain.commands import (
    ApplyTimeout,
    ClaimSeatTransfer,
    CreateSeatTransfer,
    PlayMove,
    TakeSeat,
)
from manhattan.server.domain.decide import decide
from manhattan.server.domain.errors import AlreadyProcessed, CommandSuperseded, ErrorCode
from manhattan.server.domain.events import TimeExpired, UndoAnswered
from manhattan.server.domain.state import MAX_PROCESSED_COMMANDS, TRANSFER_LIFETIME, UNDO_TIMEOUT
from support.table_builder import (
    ADA,
    BOB,
    CAT,
    ME,
    OPEN,
    TableBuilder,
    answer,
    bot,
    chat,
    here,
    play,
    resign,
    resume,
    undo,
)


def two_people(**options: Any) -> TableBuilder:
    """Return a table at which Ada and Bob have selected their blocks; Ada builds."""
    table = TableBuilder(ME, OPEN, **options).start(BOB)
    table.play(ADA)
    table.play(BOB)
    return table


def is_bots_turn(table: TableBuilder) -> bool:
    return table.state.bot_to_move is not None


# Moves.


def test_a_move_needs_the_turn_and_the_right_ply() -> None:
    table = TableBuilder(ME, OPEN).start(BOB)
    move = str(table.state.game.legal_moves()[0])  # type: ignore[union-attr]
    table.reject(ErrorCode.TOO_EARLY, ADA, play(1, move))
    table.reject(ErrorCode.NOT_AT_THE_TABLE, CAT, play(0, move))
    with pytest.raises(IllegalMove) as rejected:
        table.execute(BOB, play(0, move))
    assert rejected.value.refusal.reason is Reason.NOT_YOUR_TURN
    with pytest.raises(NotationError):
        table.execute(ADA, play(0, "castle"))
    table.execute(ADA, play(0, move))
    table.reject(ErrorCode.TOO_LATE, ADA, play(0, move))


@given(
    st.text("ABCDEF123456789+-[]|obypkrg ", max_size=14) | st.sampled_from(["C5+3o", "[1124|1223]"])
)
def test_a_text_that_parses_is_the_text_of_its_move(text: str) -> None:
    """So the event keeps the client's text."""
    with suppress(NotationError):
        assert str(parse_move(text)) == text


def test_a_move_is_rejected_before_the_start_and_after_the_end() -> None:
    table = TableBuilder(ME, bot())
    table.reject(ErrorCode.NOT_STARTED, ADA, play(0, "A1+1o"))
    table.start()
    while table.state.stage == "playing":
        if table.state.bot_to_move:
            table.play_bot_move()
        else:
            table.play(ADA)
    table.reject(ErrorCode.OVER, ADA, play(table.ply, "A1+1o"))
    assert table.state.due is None


def test_a_repeated_command_is_recognized_by_person_and_id() -> None:
    table = TableBuilder(ME, OPEN).start(BOB)
    first = table.state.game.legal_moves()[0]  # type: ignore[union-attr]
    command = PlayMove(id="one", ply=0, move=str(first))
    number = table.execute(ADA, command).number - 1
    with pytest.raises(AlreadyProcessed) as repeated:
        table.execute(ADA, command)
    assert repeated.value.number == number
    table.reject(ErrorCode.TOO_LATE, BOB, command)  # another person's id of the same name


def test_the_latest_commands_are_remembered_and_no_more() -> None:
    table = TableBuilder(ME, OPEN).start(BOB)
    sent: list[tuple[str, str]] = []
    while table.state.stage == "playing":
        person = table.state.seats[table.state.mover or 0].person
        assert person is not None
        move = str(table.state.game.legal_moves()[0])  # type: ignore[union-attr]
        command = PlayMove(id=f"{len(sent)}", ply=table.ply, move=move)
        table.execute(person, command)
        sent.append((person, command.id))
        assert list(table.state.processed_commands) == sent[-MAX_PROCESSED_COMMANDS:]
    assert len(sent) > MAX_PROCESSED_COMMANDS


# Undo.


def test_a_person_alone_against_bots_undoes_freely() -> None:
    table = TableBuilder(ME, bot(), bot()).start()
    for _ in range(3):
        table.play(ADA)
        table.play_bot_move()
        table.play_bot_move()
    before = table.ply
    table.execute(ADA, undo(table.ply))
    assert (table.ply, table.state.mover, table.state.undo) == (before - 3, 0, None)
    table.execute(ADA, undo(table.ply))
    table.execute(ADA, undo(table.ply))
    table.reject(ErrorCode.NOTHING_TO_UNDO, ADA, undo(table.ply))


def test_other_people_have_to_agree_to_an_undo() -> None:
    table = TableBuilder(ME, OPEN, OPEN).start(BOB, CAT)
    table.play(ADA)
    table.execute(ADA, undo(1))
    assert table.ply == 1
    table.reject(ErrorCode.UNDO_PENDING, BOB, undo(1))
    table.reject(ErrorCode.NO_UNDO_REQUEST, ADA, answer(True))
    table.execute(BOB, answer(True))
    table.reject(ErrorCode.NO_UNDO_REQUEST, BOB, answer(True))
    assert table.ply == 1
    table.execute(CAT, answer(True))
    assert (table.ply, table.state.mover) == (0, 0)
    assert table.state.undo is None


def test_an_undo_request_ends_by_a_refusal_a_withdrawal_or_a_move() -> None:
    table = TableBuilder(ME, OPEN, OPEN).start(BOB, CAT)
    table.play(ADA)
    table.execute(ADA, undo(1))
    table.execute(CAT, answer(False))
    assert (table.ply, table.state.undo) == (1, None)
    table.execute(ADA, undo(1))
    table.execute(ADA, answer(False))  # withdraws it
    assert table.state.undo is None
    table.execute(ADA, undo(1))
    table.play(BOB)
    assert (table.ply, table.state.undo) == (2, None)


def test_an_unanswered_undo_request_expires() -> None:
    table = TableBuilder(ME, OPEN, bot()).start(BOB)
    table.play(ADA)
    table.play(BOB)
    assert is_bots_turn(table)
    table.execute(BOB, undo(2))
    assert not is_bots_turn(table)  # it waits for the answer
    due = table.now + UNDO_TIMEOUT
    assert table.state.due == due
    with pytest.raises(CommandSuperseded):
        decide(table.state, ApplyTimeout(), None, due - 1)
    table.expire()
    assert table.events[-1] == UndoAnswered(at=due, accepted=False)
    assert table.state.undo is None
    assert is_bots_turn(table)


def test_an_undo_is_rejected_after_a_person_has_seen_a_new_card() -> None:
    table = two_people()
    table.play(ADA)  # builds and draws
    table.reject(ErrorCode.CARD_SEEN, ADA, undo(table.ply))


def test_a_bot_s_new_card_is_not_revealed() -> None:
    table = TableBuilder(ME, bot(), OPEN).start(BOB)
    table.play(ADA)
    table.play_bot_move()
    table.play(BOB)
    table.play(ADA)
    table.play_bot_move()  # builds and draws
    table.reject(ErrorCode.CARD_SEEN, ADA, undo(table.ply))
    assert not table.state.card_revealed_since(4)  # what the bot drew
    assert table.state.card_revealed_since(3)  # what Ada drew


def test_on_a_shared_screen_a_move_can_be_undone_until_its_card_is_shown() -> None:
    table = TableBuilder(ME, here("Eve")).start()
    table.play(ADA)
    table.play(ADA)
    table.play(ADA)  # Ada builds; her new card is shown when it is her turn again
    table.execute(ADA, undo(table.ply))
    assert (table.ply, table.state.mover) == (2, 0)
    table.play(ADA)
    table.play(ADA)  # Eve builds: Ada sees her card now
    table.execute(ADA, undo(table.ply))
    assert (table.ply, table.state.mover) == (3, 1)
    table.reject(ErrorCode.CARD_SEEN, ADA, undo(3))


def test_repeated_undos_give_no_extra_time() -> None:
    clock = {"kind": "real_time", "bank": 60, "increment": 30}
    table = TableBuilder(ME, bot(), clock=clock).start()
    for _ in range(5):
        table.play(ADA)
        table.play_bot_move()
        table.execute(ADA, undo(table.ply))
    assert table.state.clocks.left[0] <= 60_000


def test_a_transfer_to_an_unshared_screen_reveals_the_drawn_card() -> None:
    table = TableBuilder(ME, here("Eve")).start()
    table.play(ADA)
    table.play(ADA)
    table.play(ADA)  # builds and draws while the hand is hidden
    table.execute(ADA, CreateSeatTransfer(1, "a secret"))
    table.execute(BOB, ClaimSeatTransfer("a secret"))
    table.reject(ErrorCode.CARD_SEEN, ADA, undo(table.ply))


# Resigning, and running out of time.


def test_a_bot_plays_on_after_a_resignation() -> None:
    table = two_people()
    table.execute(BOB, resign())
    seat = table.state.seats[1]
    assert (seat.resigned, seat.bot_level, seat.name) == (True, "hard", "Bob")
    table.reject(ErrorCode.RESIGNED, BOB, resign())
    table.reject(ErrorCode.RESIGNED, BOB, resume())
    table.play(ADA)
    assert table.state.bot_to_move == "hard"
    table.reject(ErrorCode.RESIGNED, BOB, play(table.ply, "A1+1y"))
    table.play_bot_move()


def test_a_bot_plays_after_a_timeout_until_the_player_resumes() -> None:
    table = two_people(clock={"kind": "real_time", "bank": 60})
    due = table.state.due
    assert due is not None
    with pytest.raises(CommandSuperseded):
        decide(table.state, ApplyTimeout(), None, due - 1)
    table.expire()
    assert table.events[-1] == TimeExpired(at=due, player=0)
    assert is_bots_turn(table)
    table.reject(ErrorCode.BOT_CONTROLLED, ADA, play(table.ply, "A1+1o"))
    table.reject(ErrorCode.NOT_BOT_CONTROLLED, BOB, resume())
    table.play_bot_move()
    table.execute(ADA, resume())
    assert not is_bots_turn(table)
    table.play(BOB)
    assert table.state.clocks.left[0] == 30_000
    table.play(ADA)


def test_a_bot_controlled_player_need_not_agree_to_an_undo() -> None:
    table = TableBuilder(ME, OPEN, OPEN, clock={"kind": "real_time", "bank": 60}).start(BOB, CAT)
    table.play(ADA)
    table.play(BOB)
    table.expire()
    table.execute(BOB, undo(2))
    table.execute(ADA, answer(True))
    assert table.ply == 1


# Chat.


def test_the_latest_chat_messages_are_kept() -> None:
    table = TableBuilder(ME, OPEN)
    for n in range(120):
        table.execute(ADA, chat(f"  {n}\tof\n many "))
    assert len(table.state.chat) == 100
    assert table.state.chat[-1].text == "119 of many"
    table.reject(ErrorCode.BAD_REQUEST, ADA, chat(" \n "))
    table.reject(ErrorCode.TOO_LARGE, ADA, chat("x" * 501))
    table.execute(CAT, chat("hello"))
    assert (table.state.chat[-1].name, table.state.chat[-1].seat) == ("Cat", None)
    table.state = replace(table.state, chat_count=2000)
    table.reject(ErrorCode.TABLE_LIMIT_REACHED, ADA, chat("hello"))


# Seat transfers.


def test_a_transfer_moves_a_seat_once() -> None:
    table = two_people()
    table.execute(BOB, CreateSeatTransfer(None, "a secret"))
    assert "a secret" not in str(table.events)
    table.reject(ErrorCode.TRANSFER_EXPIRED, CAT, ClaimSeatTransfer("another secret"))
    table.execute(CAT, ClaimSeatTransfer("a secret"))
    assert table.state.seats[1].person == CAT
    assert table.state.seats[1].name == "Bob"
    table.reject(ErrorCode.NOT_AT_THE_TABLE, BOB, resign())
    table.reject(ErrorCode.TRANSFER_EXPIRED, BOB, ClaimSeatTransfer("a secret"))


def test_a_transfer_of_an_unshared_seat_reveals_no_card() -> None:
    table = TableBuilder(ME, OPEN).start(BOB)
    table.play(ADA)
    table.execute(BOB, CreateSeatTransfer(None, "a secret"))
    table.execute(CAT, ClaimSeatTransfer("a secret"))
    assert table.execute(ADA, undo(table.ply)).undo is not None


def test_a_transfer_expires_and_is_replaced_by_a_new_one() -> None:
    table = two_people()
    table.execute(BOB, CreateSeatTransfer(None, "first"))
    table.execute(BOB, CreateSeatTransfer(None, "second"))
    table.reject(ErrorCode.TRANSFER_EXPIRED, CAT, ClaimSeatTransfer("first"))
    table.now += TRANSFER_LIFETIME
    table.reject(ErrorCode.TRANSFER_EXPIRED, CAT, ClaimSeatTransfer("second"))
    table.reject(ErrorCode.NOT_YOUR_SEAT, BOB, CreateSeatTransfer(0, "third"))
    table.reject(ErrorCode.NOT_AT_THE_TABLE, CAT, CreateSeatTransfer(None, "third"))


def test_the_host_remains_host_on_another_device() -> None:
    table = TableBuilder(ME, OPEN, OPEN)
    table.execute(BOB, TakeSeat(1))
    table.execute(ADA, CreateSeatTransfer(None, "a secret"))
    table.execute(CAT, ClaimSeatTransfer("a secret"))
    assert table.state.host == CAT
