"""During the game: moves, taking back, giving up, being away, and moving to another device."""

from __future__ import annotations

from typing import Any

import pytest

from manhattan.rules import IllegalMove, NotationError, Reason
from manhattan.server import decisions
from manhattan.server.denials import Denial, Denied
from manhattan.server.entries import RanOut, UndoAnswered
from manhattan.server.sitting import COMMANDS_KEPT, LINK_LASTS, UNDO_WAITS
from sittings import ADA, BOB, CAT, ME, OPEN, Gathering, bot, here


def denied(reason: Denial, table: Gathering, person: str, what: Any, *about: Any) -> None:
    before = table.sitting
    with pytest.raises(Denied) as refused:
        table.does(person, what, *about)
    assert refused.value.reason is reason
    assert table.sitting is before


def bots_turn(table: Gathering) -> bool:
    return table.sitting.bot_to_move is not None


def two_people(**terms: Any) -> Gathering:
    """Ada and Bob have chosen their blocks; Ada builds."""
    table = Gathering(ME, OPEN, **terms).begins(BOB)
    table.plays(ADA)
    table.plays(BOB)
    return table


# Moves.


def test_a_move_is_made_by_who_has_the_turn_for_the_ply_that_it_was_meant_for() -> None:
    table = Gathering(ME, OPEN).begins(BOB)
    move = str(table.sitting.game.legal_moves()[0])  # type: ignore[union-attr]
    denied(Denial.TOO_EARLY, table, ADA, decisions.play, 1, move, None)
    denied(Denial.NOT_AT_THE_TABLE, table, CAT, decisions.play, 0, move, None)
    with pytest.raises(IllegalMove) as refused:
        table.does(BOB, decisions.play, 0, move, None)
    assert refused.value.refusal.reason is Reason.NOT_YOUR_TURN
    with pytest.raises(NotationError):
        table.does(ADA, decisions.play, 0, "castle", None)
    table.does(ADA, decisions.play, 0, move, None)
    denied(Denial.TOO_LATE, table, ADA, decisions.play, 0, move, None)


def test_nobody_moves_before_the_beginning_or_after_the_end() -> None:
    table = Gathering(ME, bot())
    denied(Denial.NOT_BEGUN, table, ADA, decisions.play, 0, "A1+1o", None)
    table.begins()
    while table.sitting.stage == "playing":
        if table.sitting.bot_to_move:
            table.bot_plays()
        else:
            table.plays(ADA)
    denied(Denial.OVER, table, ADA, decisions.play, table.ply, "A1+1o", None)
    assert table.sitting.due is None


def test_a_command_is_remembered_by_its_name() -> None:
    table = Gathering(ME, OPEN).begins(BOB)
    table.plays(ADA, command="one")
    assert table.sitting.became(ADA, "one") == table.sitting.number - 1
    assert table.sitting.became(BOB, "one") is None


def test_so_many_commands_are_remembered_and_no_more() -> None:
    table = Gathering(ME, OPEN).begins(BOB)
    became: list[int] = []
    while table.sitting.stage == "playing":
        who = table.sitting.chairs[table.sitting.mover or 0].person
        assert who is not None
        table.plays(who, command=f"{who} {len(became)}")
        became.append(table.sitting.number - 1)
        found = [
            table.sitting.became(person, f"{person} {n}")
            for n in range(len(became))
            for person in (ADA, BOB)
        ]
        known = [number for number in found if number is not None]
        assert known == became[-len(known) :]
        assert min(COMMANDS_KEPT, len(became)) <= len(known) <= 2 * COMMANDS_KEPT


# Taking back.


def test_alone_against_bots_one_takes_back_what_one_likes() -> None:
    table = Gathering(ME, bot(), bot()).begins()
    for _ in range(3):
        table.plays(ADA)
        table.bot_plays()
        table.bot_plays()
    before = table.ply
    table.does(ADA, decisions.ask_undo, table.ply, None)
    assert (table.ply, table.sitting.mover, table.sitting.undo) == (before - 3, 0, None)
    table.does(ADA, decisions.ask_undo, table.ply, None)
    table.does(ADA, decisions.ask_undo, table.ply, None)
    denied(Denial.NOTHING_TO_TAKE_BACK, table, ADA, decisions.ask_undo, table.ply, None)


def test_other_people_have_to_agree() -> None:
    table = Gathering(ME, OPEN, OPEN).begins(BOB, CAT)
    table.plays(ADA)
    table.does(ADA, decisions.ask_undo, 1, None)
    assert table.ply == 1
    denied(Denial.UNDO_PENDING, table, BOB, decisions.ask_undo, 1, None)
    denied(Denial.NOTHING_ASKED, table, ADA, decisions.answer_undo, True, None)
    table.does(BOB, decisions.answer_undo, True, None)
    denied(Denial.NOTHING_ASKED, table, BOB, decisions.answer_undo, True, None)
    assert table.ply == 1
    table.does(CAT, decisions.answer_undo, True, None)
    assert (table.ply, table.sitting.mover) == (0, 0)
    assert table.sitting.undo is None


def test_one_no_is_enough_and_so_is_playing_on() -> None:
    table = Gathering(ME, OPEN, OPEN).begins(BOB, CAT)
    table.plays(ADA)
    table.does(ADA, decisions.ask_undo, 1, None)
    table.does(CAT, decisions.answer_undo, False, None)
    assert (table.ply, table.sitting.undo) == (1, None)
    table.does(ADA, decisions.ask_undo, 1, None)
    table.does(ADA, decisions.answer_undo, False, None)  # thinks better of it
    assert table.sitting.undo is None
    table.does(ADA, decisions.ask_undo, 1, None)
    table.plays(BOB)
    assert (table.ply, table.sitting.undo) == (2, None)


def test_a_question_that_nobody_answers_lapses() -> None:
    table = Gathering(ME, OPEN, bot()).begins(BOB)
    table.plays(ADA)
    table.plays(BOB)
    assert bots_turn(table)
    table.does(BOB, decisions.ask_undo, 2, None)
    assert not bots_turn(table)  # it waits as long as people talk
    asked = table.now
    assert table.sitting.due == asked + UNDO_WAITS
    assert decisions.overdue(table.sitting, asked + UNDO_WAITS - 1) is None
    lapsed = decisions.overdue(table.sitting, asked + UNDO_WAITS)
    assert isinstance(lapsed, UndoAnswered)
    table.happens(lapsed)
    assert table.sitting.undo is None
    assert bots_turn(table)


def test_nobody_takes_back_what_somebody_has_learned_from() -> None:
    """A card that was drawn has been seen: whoever drew it would play with better knowledge."""
    table = two_people()
    table.plays(ADA)  # builds and draws
    denied(Denial.CARD_SEEN, table, ADA, decisions.ask_undo, table.ply, None)


def test_a_bot_s_draw_was_seen_by_nobody() -> None:
    table = Gathering(ME, bot(), OPEN).begins(BOB)
    table.plays(ADA)
    table.bot_plays()
    table.plays(BOB)
    table.plays(ADA)
    table.bot_plays()  # builds and draws
    denied(Denial.CARD_SEEN, table, ADA, decisions.ask_undo, table.ply, None)
    assert not table.sitting.card_seen_since(4)  # what the bot drew
    assert table.sitting.card_seen_since(3)  # what Ada drew


def test_at_one_screen_a_move_can_be_taken_back_until_its_card_is_shown() -> None:
    table = Gathering(ME, here("Eve")).begins()
    table.plays(ADA)
    table.plays(ADA)
    table.plays(ADA)  # Ada builds; her new card is shown when it is her turn again
    table.does(ADA, decisions.ask_undo, table.ply, None)
    assert (table.ply, table.sitting.mover) == (2, 0)
    table.plays(ADA)
    table.plays(ADA)  # Eve builds: Ada sees her card now
    table.does(ADA, decisions.ask_undo, table.ply, None)
    assert (table.ply, table.sitting.mover) == (3, 1)
    denied(Denial.CARD_SEEN, table, ADA, decisions.ask_undo, 3, None)


def test_taking_back_again_and_again_gives_nobody_time() -> None:
    clock = {"kind": "real_time", "bank": 60, "increment": 30}
    table = Gathering(ME, bot(), clock=clock).begins()
    for _ in range(5):
        table.plays(ADA)
        table.bot_plays()
        table.does(ADA, decisions.ask_undo, table.ply, None)
    assert table.sitting.clocks.left[0] <= 60_000


def test_who_has_his_screen_to_himself_from_now_on_sees_what_he_drew() -> None:
    table = Gathering(ME, here("Eve")).begins()
    table.plays(ADA)
    table.plays(ADA)
    table.plays(ADA)  # builds and draws behind the curtain
    table.does(ADA, decisions.make_link, 1, "a secret")
    table.does(BOB, decisions.claim, "a secret")
    denied(Denial.CARD_SEEN, table, ADA, decisions.ask_undo, table.ply, None)


# Giving up, and being away.


def test_a_bot_plays_on_for_who_gives_up() -> None:
    table = two_people()
    table.does(BOB, decisions.resign, None, None)
    chair = table.sitting.chairs[1]
    assert (chair.resigned, chair.played_by, chair.name) == (True, "hard", "Bob")
    denied(Denial.RESIGNED, table, BOB, decisions.resign, None, None)
    denied(Denial.RESIGNED, table, BOB, decisions.come_back, None, None)
    table.plays(ADA)
    assert table.sitting.bot_to_move == "hard"
    denied(Denial.RESIGNED, table, BOB, decisions.play, table.ply, "A1+1y", None)
    table.bot_plays()


def test_whoever_runs_out_of_time_is_played_for_until_he_is_back() -> None:
    table = two_people(clock={"kind": "real_time", "bank": 60})
    due = table.sitting.due
    assert due is not None
    assert decisions.overdue(table.sitting, due - 1) is None
    out = decisions.overdue(table.sitting, due)
    assert isinstance(out, RanOut)
    table.happens(out)
    table.now = due
    assert table.sitting.bot_to_move == "hard"
    denied(Denial.PLAYED_FOR, table, ADA, decisions.play, table.ply, "A1+1o", None)
    denied(Denial.NOT_PLAYED_FOR, table, BOB, decisions.come_back, None, None)
    table.bot_plays()
    table.does(ADA, decisions.come_back, None, None)
    assert not bots_turn(table)
    table.plays(BOB)
    assert table.sitting.clocks.left[0] == 30_000
    table.plays(ADA)


def test_who_is_away_need_not_agree() -> None:
    table = Gathering(ME, OPEN, OPEN, clock={"kind": "real_time", "bank": 60}).begins(BOB, CAT)
    table.plays(ADA)
    table.plays(BOB)
    due = table.sitting.due
    assert due is not None
    table.happens(RanOut(at=due, player=2))
    table.now = due
    table.does(BOB, decisions.ask_undo, 2, None)
    table.does(ADA, decisions.answer_undo, True, None)
    assert table.ply == 1


# Talking.


def test_what_is_said_is_kept_but_not_for_ever() -> None:
    table = Gathering(ME, OPEN)
    for n in range(120):
        table.does(ADA, decisions.say, "Ada", f"  {n}\tof\n many ", None)
    assert len(table.sitting.talk) == 100
    assert table.sitting.talk[-1].text == "119 of many"
    denied(Denial.BAD_REQUEST, table, ADA, decisions.say, "Ada", " \n ", None)
    denied(Denial.TOO_LARGE, table, ADA, decisions.say, "Ada", "x" * 501, None)
    table.does(CAT, decisions.say, "Cat", "hello", None)
    assert (table.sitting.talk[-1].name, table.sitting.talk[-1].chair) == ("Cat", None)
    table.sitting = table.sitting._replace(said=2000)
    denied(Denial.TABLE_USED_UP, table, ADA, decisions.say, "Ada", "hello", None)


# Another device.


def test_a_seat_moves_to_another_device_once() -> None:
    table = two_people()
    table.does(BOB, decisions.make_link, None, "a secret")
    assert "a secret" not in str(table.entries)
    denied(Denial.LINK_DEAD, table, CAT, decisions.claim, "another secret")
    table.does(CAT, decisions.claim, "a secret")
    assert table.sitting.chairs[1].person == CAT
    assert table.sitting.chairs[1].name == "Bob"
    denied(Denial.NOT_AT_THE_TABLE, table, BOB, decisions.resign, None, None)
    denied(Denial.LINK_DEAD, table, BOB, decisions.claim, "a secret")


def test_who_only_changes_his_device_has_seen_no_card() -> None:
    table = Gathering(ME, OPEN).begins(BOB)
    table.plays(ADA)
    table.does(BOB, decisions.make_link, None, "a secret")
    table.does(CAT, decisions.claim, "a secret")
    assert table.does(ADA, decisions.ask_undo, table.ply, None).undo is not None


def test_a_link_gets_too_old_and_a_new_one_replaces_it() -> None:
    table = two_people()
    table.does(BOB, decisions.make_link, None, "first")
    table.does(BOB, decisions.make_link, None, "second")
    denied(Denial.LINK_DEAD, table, CAT, decisions.claim, "first")
    table.now += LINK_LASTS
    denied(Denial.LINK_DEAD, table, CAT, decisions.claim, "second")
    denied(Denial.NOT_YOUR_SEAT, table, BOB, decisions.make_link, 0, "third")
    denied(Denial.NOT_AT_THE_TABLE, table, CAT, decisions.make_link, None, "third")


def test_the_host_stays_host_on_his_other_device() -> None:
    table = Gathering(ME, OPEN, OPEN)
    table.does(BOB, decisions.sit, "Bob", 1)
    table.does(ADA, decisions.make_link, None, "a secret")
    table.does(CAT, decisions.claim, "a secret")
    assert table.sitting.host == CAT
