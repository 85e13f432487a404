"""There is an end to what can happen at a table; but a game that has begun comes to its own."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

import pytest

from manhattan.server import decisions
from manhattan.server.decisions import MOST_CHANGES, MOST_IN_ALL, MOST_OVERHEARD, MOST_TALK
from manhattan.server.denials import Denial, Denied
from sittings import ADA, BOB, CAT, ME, OPEN, Gathering, bot


def gathering() -> Gathering:
    return Gathering(ME, OPEN)


def alone() -> Gathering:
    return Gathering(ME, bot()).begins()


def clocked() -> Gathering:
    clock = {"kind": "real_time", "bank": 10}
    return Gathering(ME, OPEN, clock=clock).begins(BOB)


def fill_and_free(table: Gathering, _: int) -> None:
    table.does(ADA, decisions.fill, 1, "easy")
    table.does(ADA, decisions.fill, 1, None)


def sit_and_leave(table: Gathering, _: int) -> None:
    table.does(BOB, decisions.sit, "Bob", None)
    table.does(BOB, decisions.leave)


def move_from_device_to_device(table: Gathering, turn: int) -> None:
    owner, other = ((ADA, CAT), (CAT, ADA))[turn % 2]
    table.does(owner, decisions.make_link, None, f"secret {turn}")
    table.does(other, decisions.claim, f"secret {turn}")


def move_to_ever_new_devices(table: Gathering, turn: int) -> None:
    owner, other = (f"device {turn}" if turn else ADA), f"device {turn + 1}"
    table.does(owner, decisions.make_link, None, f"secret {turn}")
    table.does(other, decisions.claim, f"secret {turn}")


def make_links(table: Gathering, turn: int) -> None:
    table.does(ADA, decisions.make_link, None, f"secret {turn}")


def take_back(table: Gathering, _: int) -> None:
    table.plays(ADA)
    table.bot_plays()
    table.does(ADA, decisions.ask_undo, table.ply, None)


def be_away_and_back(table: Gathering, _: int) -> None:
    table.now += 60_000
    ran_out = decisions.overdue(table.sitting, table.now)
    assert ran_out is not None
    table.happens(ran_out)
    table.does(ADA, decisions.come_back, None, None)


def talk(table: Gathering, turn: int) -> None:
    table.does((ADA, CAT)[turn % 2], decisions.say, "Somebody", "Hello", None)


@pytest.mark.parametrize(
    ("opened", "happens", "entries"),
    [
        (gathering, fill_and_free, MOST_CHANGES),
        (gathering, sit_and_leave, MOST_CHANGES),
        (gathering, make_links, MOST_CHANGES),
        (alone, make_links, MOST_CHANGES),
        (alone, move_from_device_to_device, 2 * MOST_CHANGES),
        (alone, move_to_ever_new_devices, MOST_IN_ALL),
        (alone, take_back, 3 * MOST_CHANGES),
        (clocked, be_away_and_back, 2 * MOST_CHANGES),
        (gathering, talk, MOST_TALK),
        (alone, talk, MOST_TALK),
    ],
)
def test_nothing_goes_on_for_ever(
    opened: Callable[[], Gathering], happens: Callable[[Gathering, int], None], entries: int
) -> None:
    table = opened()
    with pytest.raises(Denied, match=r"open a new table\.$") as refused:
        go_on(table, happens, entries + 10)
    assert refused.value.reason is Denial.TABLE_USED_UP
    assert len(table.entries) > 0.9 * entries
    assert table.read_again().number == len(table.entries)
    if table.sitting.stage == "gathering":
        assert table.does(ADA, decisions.leave).stage == "closed"
    else:
        play_to_the_end(table)


def test_nobody_uses_up_another_s_room() -> None:
    table = clocked()
    for turn in range(MOST_CHANGES - 1):  # he has sat down, too
        table.does(BOB, decisions.make_link, None, f"secret {turn}")
    with pytest.raises(Denied, match="used up"):
        table.does(BOB, decisions.make_link, None, "one more")
    be_away_and_back(table, 0)
    assert not table.sitting.chairs[0].played_for


def test_a_stranger_who_comes_and_goes_keeps_nobody_from_sitting_down() -> None:
    table = gathering()
    with pytest.raises(Denied, match="used up"):
        go_on(table, sit_and_leave, MOST_CHANGES + 10)
    table.does(ADA, decisions.fill, 1, "easy")
    table.does(ADA, decisions.fill, 1, None)
    assert table.does(CAT, decisions.sit, "Cat", None).chairs[1].person == CAT


def test_those_who_look_on_leave_words_to_those_who_play() -> None:
    table = alone()
    for _ in range(MOST_OVERHEARD):
        table.does(CAT, decisions.say, "Cat", "Hello", None)
    with pytest.raises(Denied, match=f"{MOST_OVERHEARD} lines of talk"):
        table.does(BOB, decisions.say, "Bob", "Hello", None)
    table.does(ADA, decisions.say, "Ada", "Hello", None)


def go_on(table: Gathering, happens: Callable[[Gathering, int], None], most: int) -> None:
    for turn in count():
        assert len(table.entries) < most
        happens(table, turn)


def play_to_the_end(table: Gathering) -> None:
    while table.sitting.stage == "playing":
        if table.sitting.bot_to_move:
            table.bot_plays()
        else:
            assert table.sitting.mover is not None
            person = table.sitting.chairs[table.sitting.mover].person
            assert person is not None
            table.plays(person)
    assert table.sitting.stage == "over"
