"""The tutorial: each lesson is a position of a real game, can be solved, and tells nothing more
than a player at the table would know."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from manhattan.rules import DECK, Phase, Tower, legal_moves
from manhattan.rules.blocks import add
from manhattan.server.lessons import LEARNER, LESSONS, start
from serving import Running
from witness import Json, Witness, logs, nothing_is_left

SOLUTIONS = {
    1: "D3+1",
    2: "F5+2",
    3: "C5+4",
    4: "C5+2",
    5: "[112234]",
    6: "D5+2",
    7: "B5+1b",
    8: "D7+4",
}
MISSES = {2: "C5+2", 3: "F5+1", 4: "D4+1", 7: "E3+1o", 8: "A7+4"}


@pytest.fixture(scope="module")
def ada(shared: Running) -> Iterator[Witness]:
    with logs() as written:
        with Witness(shared, "Ada") as ada:
            yield ada
        nothing_is_left(shared)
    assert not written.troubles


def after(ada: Witness, number: int, *moves: str) -> Json:
    told: Json = ada.ask("POST", f"/api/lessons/{number}", {"moves": list(moves)})
    return told


def refused(ada: Witness, number: int, *moves: str) -> tuple[int, Json]:
    answer = ada.asked("POST", f"/api/lessons/{number}", {"moves": list(moves)})
    return answer.status_code, answer.json()


# The positions.


@pytest.mark.parametrize("number", LESSONS)
def test_it_could_be_a_game(number: int) -> None:
    """Every tower can have been built, everybody had his turns, and nothing is missing."""
    table, hands, pile = start(number)
    for tower in table.board:
        below = Tower()
        for block in tower.blocks:
            assert block.size >= below.smallest_for(block.colour)
            below = below.topped(block)
    building = table.phase is Phase.BUILD
    chosen = table.setup.schedule.blocks * (table.round if building else table.round - 1)
    built: Counter[int] = Counter()
    for slot, colour in enumerate(table.setup.colours):
        sizes = [b.size for tower in table.board for b in tower.blocks if b.colour is colour]
        built[table.setup.player_of(colour)] += len(sizes)
        on_board = tuple(sizes.count(size) for size in (1, 2, 3, 4))
        assert len(sizes) + sum(table.tableaus[slot]) == chosen
        assert add(add(on_board, table.tableaus[slot]), table.supplies[slot]) == (11, 6, 4, 3)  # type: ignore[arg-type]
    before_him = [built[p] - built[LEARNER] for p in range(len(hands))]
    starts = table.start_player
    assert all(more == (0 < starts <= p) for p, more in enumerate(before_him))
    assert tuple(sorted([*table.played, *pile, *(c for hand in hands for c in hand)])) == DECK
    assert len(pile) == table.pile_size
    assert len(table.played) == sum(built.values())
    assert table.mover == LEARNER
    assert len(table.sheets) == table.round - 1


def test_there_is_one_best_move(ada: Witness) -> None:
    """And others that are nearly as good, or it would not be worth looking for."""
    places = ada.ask("GET", "/api/lessons/8")["own"]["moves"]["places"]
    gains = {
        move: gain[LEARNER]
        for place in places
        for move, gain in zip(place["moves"], place["gains"], strict=True)
    }
    assert sorted(gains, key=lambda move: -gains[move])[:2] == ["D7+4", "A7+4"]
    assert (gains["D7+4"], gains["A7+4"]) == (6, 4)
    for move in map(str, legal_moves(start(8))):
        assert (after(ada, 8, move)["outcome"] == "solved") is (move == "D7+4")


# What is told.


@pytest.mark.parametrize("number", LESSONS)
def test_a_lesson_begins_with_the_learner(ada: Witness, number: int) -> None:
    told = ada.ask("GET", f"/api/lessons/{number}")
    assert told == after(ada, number)
    assert (told["number"], told["lessons"], told["outcome"]) == (number, len(LESSONS), "open")
    assert told["own"]["player"] == told["position"]["mover"] == LEARNER
    assert told["own"]["moves"]["kind"] == ("select" if number == 5 else "build")
    assert told["players"][LEARNER]["side"] == "south"
    assert told["events"] == []


@pytest.mark.parametrize("number", LESSONS)
def test_a_lesson_can_be_solved(ada: Witness, number: int) -> None:
    told = after(ada, number, SOLUTIONS[number])
    assert told["outcome"] == "solved"
    assert told["events"][0]["move"] == SOLUTIONS[number]
    assert told["own"]["moves"] is None
    assert told["position"]["ply"] == 1


@pytest.mark.parametrize("number", MISSES)
def test_what_was_not_asked_for_is_done_and_said(ada: Witness, number: int) -> None:
    told = after(ada, number, MISSES[number])
    assert told["outcome"] == "missed"
    assert told["events"][0]["move"] == MISSES[number]


def test_the_last_block_of_a_round_is_followed_by_its_points(ada: Witness) -> None:
    [built, scored] = after(ada, 6, "D5+2")["events"]
    assert built["type"] == "build"
    assert scored["scores"] == [8, 6, 6, 5]
    assert scored["colours"]["orange"] == {"tallest": 0, "majorities": ["D", "E"], "towers": 4}
    assert scored["colours"]["purple"]["tallest"] == 3


@pytest.mark.parametrize("number", LESSONS)
def test_nothing_hidden_is_told(ada: Witness, number: int) -> None:
    """No cards but one's own, those that were played, and the one that was drawn."""
    _, hands, pile = start(number)
    for told in (after(ada, number), after(ada, number, SOLUTIONS[number])):
        moves = told["own"]["moves"] or {"places": []}
        for place in moves.get("places", []):
            place.pop("card")
        text = json.dumps(told)
        for hidden in (*hands[1:], pile):
            assert json.dumps(list(hidden)) not in text
        assert set(told) == {
            *("number", "lessons", "edition", "players", "rounds", "blocks"),
            *("position", "own", "events", "outcome"),
        }
        assert "clock" not in told["position"]


# What is refused.


@pytest.mark.parametrize(
    ("number", "moves", "reason"),
    [
        (4, ["C5+1"], "too_few_floors"),
        (7, ["B5+1o"], "too_few_floors"),
        (7, ["B5+2o"], "too_few_floors"),
        (7, ["B5+1"], "colour_missing"),
        (7, ["B5+1y"], "colour_not_yours"),
        (2, ["A1+1"], "no_such_card"),
        (3, ["C5+2"], "no_such_block"),
        (2, ["[112234]"], "already_selected"),
        (5, ["C5+1"], "select_first"),
        (5, ["[11223]"], "wrong_number_of_blocks"),
        (5, ["[444444]"], "supply_too_small"),
        (2, ["-1"], "can_build"),
        (2, ["F5+2", "F3+1"], "not_your_turn"),
    ],
)
def test_the_rules_refuse_by_name(ada: Witness, number: int, moves: list[str], reason: str) -> None:
    status, told = refused(ada, number, *moves)
    assert (status, told["reason"]) == (409, reason)
    assert told["text"]


def test_too_few_floors_come_with_their_figures(ada: Witness) -> None:
    _, told = refused(ada, 4, "C5+1")
    assert told["figures"] == {"site": "C5", "owner": "blue", "floors": 3, "yours": 2}


@pytest.mark.parametrize("number", ["0", "9", "-1", "1.5", "x", "", "1" * 400, "%00"])
def test_there_are_no_other_lessons(ada: Witness, number: str) -> None:
    for method, body in (("GET", None), ("POST", {"moves": []})):
        answer = ada.asked(method, f"/api/lessons/{number}", body)
        assert answer.status_code in (404, 422)
        assert answer.json()["text"]


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=80)
moves = st.sampled_from([*SOLUTIONS.values(), *MISSES.values(), "C5+1", "-1"]) | texts
anything: st.SearchStrategy[Any] = st.none() | st.integers() | texts | st.lists(moves, max_size=12)


@settings(max_examples=100)
@given(st.sampled_from(list(LESSONS)), st.lists(moves, max_size=12) | anything)
@example(1, ["x" * 61])
@example(1, ["D3+1"] * 11)
@example(1, ["Ｄ3+1"])
@example(1, [["D3+1"]])
@example(5, ["[" + "1" * 24 + "|" + "1" * 24 + "]"])
def test_whatever_is_sent_is_answered(ada: Witness, number: int, sent: Any) -> None:
    answer = ada.asked("POST", f"/api/lessons/{number}", {"moves": sent})
    told = answer.json()
    if answer.status_code == 200:
        assert told["position"]["ply"] == len(sent)
    else:
        assert answer.status_code in (409, 422)
        assert told["reason"]
        assert told["text"]


def test_what_is_no_form_is_refused(ada: Witness) -> None:
    bodies: list[Any] = [{}, [], {"moves": [], "more": 1}, {"move": "C5+2"}]
    for body in bodies:
        answer = ada.asked("POST", "/api/lessons/4", body)
        assert (answer.status_code, answer.json()["reason"]) == (422, "bad_request")


@pytest.mark.parametrize("number", [one for one, move in SOLUTIONS.items() if "+" in move])
def test_a_learner_is_told_the_card_that_he_draws(ada: Witness, number: int) -> None:
    told = after(ada, number, SOLUTIONS[number])
    [built] = [event for event in told["events"] if event["type"] == "build"]
    assert built["drew"] in told["own"]["hand"]
