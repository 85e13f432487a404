"""Whole games over the network, by the client that programs use."""

from __future__ import annotations

from threading import Thread

import pytest

from manhattan import record
from manhattan.client import Refused
from manhattan.replay import replay
from serving import AGAINST_EASY, Running, play_on


def test_a_person_plays_a_whole_game_against_a_bot(shared: Running) -> None:
    ada = shared.client("Ada")
    table = ada.open(chairs=AGAINST_EASY, pace=0, begin=True)
    with ada.at(table) as seat:
        made = play_on(seat)
        assert seat.over
        assert len(made) == 6 + 48
        assert seat.position["result"]["scores"] == seat.position["scores"]
        assert seat.table["seed"]
    saved = ada.record(table)
    again = replay(record.parse(record.to_line(saved)))
    assert again.over
    assert again.commitment == seat.table["commitment"]
    assert [str(m) for p, m in enumerate(again.moves) if again.mover_at(p) == 0] == made


@pytest.mark.parametrize(
    ("players", "edition"), [(2, "foxgames-2018"), (3, "hig-1994"), (4, "999-games")]
)
def test_people_play_each_other(shared: Running, players: int, edition: str) -> None:
    people = [shared.client(f"Person {n}") for n in range(players)]
    chairs = [{"who": "me"}] + [{"who": "open"}] * (players - 1)
    table = people[0].open(chairs=chairs, edition=edition, first=1)
    for one in people[1:]:
        one.sit(table)
    people[0].begin(table)
    made: list[list[str]] = [[] for _ in people]

    def play(number: int) -> None:
        with people[number].at(table) as seat:
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
    assert replay(record.parse(record.to_line(saved))).over


def test_what_is_refused_is_explained(shared: Running) -> None:
    ada = shared.client("Ada")
    table = ada.open(chairs=AGAINST_EASY, first=0, begin=True)
    with ada.at(table) as seat:
        for turn in seat.turns():
            with pytest.raises(Refused, match="Blocks for round 1 are chosen first") as refused:
                seat.play("A1+1o")
            assert refused.value.reason == "select_first"
            assert refused.value.figures == {"round": 1, "count": 4}
            with pytest.raises(Refused, match="is not a move") as refused:
                seat.play("hello")
            assert refused.value.reason == "notation"
            assert seat.play(turn.moves[0])["what"]["move"] == turn.moves[0]
            break
