"""Whole games over the network, by the client that programs use."""

from __future__ import annotations

from threading import Thread

import pytest

from manhattan import record
from manhattan.client import RequestRejected
from manhattan.replay import replay
from support.server_fixtures import AGAINST_EASY, RunningServer, play_on


def test_a_person_plays_a_whole_game_against_a_bot(shared_server: RunningServer) -> None:
    ada = shared_server.client("Ada")
    table = ada.open_table(seats=AGAINST_EASY, bot_delay_ms=0, start=True)
    with ada.connect(table) as seat:
        made = play_on(seat)
        assert seat.is_over
        assert len(made) == 6 + 48
        assert seat.position["result"]["scores"] == seat.position["scores"]
        assert seat.table["seed"]
    saved = ada.record(table)
    again = replay(record.parse(record.to_line(saved)))
    assert again.is_over
    assert again.commitment == seat.table["commitment"]
    assert [str(m) for p, m in enumerate(again.moves) if again.mover_at(p) == 0] == made


@pytest.mark.parametrize(
    ("players", "edition"), [(2, "foxgames-2018"), (3, "hig-1994"), (4, "999-games")]
)
def test_people_play_each_other(shared_server: RunningServer, players: int, edition: str) -> None:
    people = [shared_server.client(f"Person {n}") for n in range(players)]
    seats = [{"occupant": "me"}] + [{"occupant": "open"}] * (players - 1)
    table = people[0].open_table(seats=seats, edition=edition, first=1)
    for one in people[1:]:
        one.take_seat(table)
    people[0].start_game(table)
    made: list[list[str]] = [[] for _ in people]

    def play(number: int) -> None:
        with people[number].connect(table) as seat:
            made[number] = play_on(seat)

    threads = [Thread(target=play, args=(number,)) for number in range(players)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    saved = people[0].record(table)
    assert saved["result"]
    assert saved["first"] == 1
    moves = [event for event in saved["events"] if "move" in event]
    for number in range(players):
        assert [event["move"] for event in moves if event["player"] == number] == made[number]
    assert replay(record.parse(record.to_line(saved))).is_over


def test_what_is_refused_is_explained(shared_server: RunningServer) -> None:
    ada = shared_server.client("Ada")
    table = ada.open_table(seats=AGAINST_EASY, first=0, start=True)
    with ada.connect(table) as seat:
        for turn in seat.turns():
            with pytest.raises(
                RequestRejected, match="Choose the blocks for round 1 first"
            ) as refused:
                seat.play("A1+1o")
            assert refused.value.reason == "select_first"
            assert refused.value.params == {"round": 1, "count": 4}
            with pytest.raises(RequestRejected, match="is not a move") as refused:
                seat.play("hello")
            assert refused.value.reason == "notation"
            assert seat.play(turn.moves[0])["event"]["move"] == turn.moves[0]
            break
