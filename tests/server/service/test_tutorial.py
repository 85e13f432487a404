"""The tutorial: each exercise is a position of a real game, can be solved, and reveals no more than
a player at the table would know."""

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
from manhattan.server.service.tutorial import EXERCISES, LEARNER, exercise_state
from support.placements import placement_gains
from support.recording_client import Json, RecordingClient, assert_nothing_left, captured_logs
from support.server_fixtures import RunningServer

SOLUTIONS = {
    1: "D3+1",
    2: "F5+2",
    3: "D3+1",
    4: "C5+4",
    5: "C5+2",
    6: "[112234]",
    7: "D5+2",
    8: "D7+4",
    9: "B5+1b",
}
MISSES = {2: "C5+2", 4: "F5+1", 5: "D4+1", 8: "A7+4", 9: "E3+1o"}


@pytest.fixture(scope="module")
def ada(shared_server: RunningServer) -> Iterator[RecordingClient]:
    with captured_logs() as written:
        with RecordingClient(shared_server, "Ada") as ada:
            yield ada
        assert_nothing_left(shared_server)
    assert not written.errors


def step_after(ada: RecordingClient, number: int, *moves: str) -> Json:
    step: Json = ada.call("POST", f"/api/tutorial/{number}", {"moves": list(moves)})
    return step


def rejection(ada: RecordingClient, number: int, *moves: str) -> tuple[int, Json]:
    answer = ada.request("POST", f"/api/tutorial/{number}", {"moves": list(moves)})
    return answer.status_code, answer.json()


# The positions.


@pytest.mark.parametrize("number", EXERCISES)
def test_the_position_is_reachable_in_a_game(number: int) -> None:
    """Each tower could be built, each player had their turns, and no card or block is missing."""
    public, hands, pile = exercise_state(number)
    for tower in public.board:
        below = Tower()
        for block in tower.blocks:
            assert block.size >= below.min_size[block.colour]
            below = below.topped(block)
    building = public.phase is Phase.BUILD
    chosen = public.setup.schedule.blocks * (public.round if building else public.round - 1)
    built: Counter[int] = Counter()
    for slot, colour in enumerate(public.setup.colours):
        sizes = [b.size for tower in public.board for b in tower.blocks if b.colour is colour]
        built[public.setup.player_of(colour)] += len(sizes)
        on_board = tuple(sizes.count(size) for size in (1, 2, 3, 4))
        assert len(sizes) + sum(public.tableaus[slot]) == chosen
        assert add(add(on_board, public.tableaus[slot]), public.supplies[slot]) == (11, 6, 4, 3)  # type: ignore[arg-type]
    blocks_ahead = [built[p] - built[LEARNER] for p in range(len(hands))]
    first = public.start_player
    assert all(more == (0 < first <= p) for p, more in enumerate(blocks_ahead))
    assert tuple(sorted([*public.played, *pile, *(c for hand in hands for c in hand)])) == DECK
    assert len(pile) == public.pile_size
    assert len(public.played) == sum(built.values())
    assert public.mover == LEARNER
    assert len(public.sheets) == public.round - 1


def test_there_is_one_best_move(ada: RecordingClient) -> None:
    """Others are nearly as good, so that it is worth looking for."""
    places = ada.call("GET", "/api/tutorial/8")["private"]["moves"]["placements"]
    gains = {move: gain[LEARNER] for move, gain in placement_gains(places).items()}
    assert sorted(gains, key=lambda move: -gains[move])[:2] == ["D7+4", "A7+4"]
    assert (gains["D7+4"], gains["A7+4"]) == (6, 4)
    for move in map(str, legal_moves(exercise_state(8))):
        assert (step_after(ada, 8, move)["outcome"] == "solved") is (move == "D7+4")


# Answers.


@pytest.mark.parametrize("number", EXERCISES)
def test_an_exercise_starts_with_the_learner_to_move(ada: RecordingClient, number: int) -> None:
    step = ada.call("GET", f"/api/tutorial/{number}")
    assert step == step_after(ada, number)
    assert (step["number"], step["steps"], step["outcome"]) == (number, len(EXERCISES), "open")
    assert step["private"]["player"] == step["position"]["mover"] == LEARNER
    assert step["private"]["moves"]["kind"] == ("select" if number == 6 else "build")
    assert step["players"][LEARNER]["side"] == "south"
    assert step["game_events"] == []


@pytest.mark.parametrize("number", EXERCISES)
def test_an_exercise_can_be_solved(ada: RecordingClient, number: int) -> None:
    step = step_after(ada, number, SOLUTIONS[number])
    assert step["outcome"] == "solved"
    assert step["game_events"][0]["move"] == SOLUTIONS[number]
    assert step["private"]["moves"] is None
    assert step["position"]["ply"] == 1


@pytest.mark.parametrize("number", MISSES)
def test_another_legal_move_misses_the_goal(ada: RecordingClient, number: int) -> None:
    step = step_after(ada, number, MISSES[number])
    assert step["outcome"] == "missed"
    assert step["game_events"][0]["move"] == MISSES[number]


def test_the_last_block_of_a_round_is_followed_by_its_score(ada: RecordingClient) -> None:
    [built, scored] = step_after(ada, 7, "D5+2")["game_events"]
    assert built["type"] == "build"
    assert scored["scores"] == [8, 6, 6, 5]
    assert scored["colours"]["orange"] == {"tallest": 0, "majorities": ["D", "E"], "towers": 4}
    assert scored["colours"]["purple"]["tallest"] == 3


@pytest.mark.parametrize("number", EXERCISES)
def test_hidden_cards_are_not_sent(ada: RecordingClient, number: int) -> None:
    _, hands, pile = exercise_state(number)
    for step in (step_after(ada, number), step_after(ada, number, SOLUTIONS[number])):
        text = json.dumps(step)
        for hidden in (*hands[1:], pile):
            assert json.dumps(list(hidden)) not in text
        assert set(step) == {
            *("number", "steps", "edition", "players", "rounds", "blocks"),
            *("position", "private", "game_events", "outcome", "problem"),
        }
        assert "clock" not in step["position"]


# Rejections.


@pytest.mark.parametrize(
    ("number", "moves", "reason"),
    [
        (5, ["C5+1"], "too_few_floors"),
        (9, ["B5+1o"], "too_few_floors"),
        (9, ["B5+2o"], "too_few_floors"),
        (9, ["B5+1"], "colour_missing"),
        (9, ["B5+1y"], "colour_not_yours"),
        (2, ["A1+1"], "no_such_card"),
        (4, ["C5+2"], "no_such_block"),
        (2, ["[112234]"], "already_selected"),
        (6, ["C5+1"], "select_first"),
        (6, ["[11223]"], "wrong_number_of_blocks"),
        (6, ["[444444]"], "supply_too_small"),
        (2, ["-1"], "can_build"),
        (2, ["F5+2", "F3+1"], "not_your_turn"),
    ],
)
def test_an_illegal_move_changes_nothing_and_is_explained(
    ada: RecordingClient, number: int, moves: list[str], reason: str
) -> None:
    step = step_after(ada, number, *moves)
    problem = step.pop("problem")
    assert problem["reason"] == reason
    assert problem["text"]
    before = step_after(ada, number, *moves[:-1])
    assert before.pop("problem") is None
    assert step == before


def test_moves_after_an_illegal_one_are_rejected(ada: RecordingClient) -> None:
    status, problem = rejection(ada, 5, "C5+1", "C5+2")
    assert (status, problem["reason"]) == (409, "too_few_floors")


def test_an_explanation_has_its_parameters(ada: RecordingClient) -> None:
    problem = step_after(ada, 5, "C5+1")["problem"]
    assert problem["params"] == {"site": "C5", "owner": "blue", "floors": 3, "yours": 2}


@pytest.mark.parametrize("number", ["0", "10", "-1", "1.5", "x", "", "1" * 400, "%00"])
def test_there_are_no_other_exercises(ada: RecordingClient, number: str) -> None:
    for method, body in (("GET", None), ("POST", {"moves": []})):
        answer = ada.request(method, f"/api/tutorial/{number}", body)
        assert answer.status_code in (404, 422)
        assert answer.json()["text"]


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=80)
moves = st.sampled_from([*SOLUTIONS.values(), *MISSES.values(), "C5+1", "-1"]) | texts
anything: st.SearchStrategy[Any] = st.none() | st.integers() | texts | st.lists(moves, max_size=12)


@settings(max_examples=100)
@given(st.sampled_from(list(EXERCISES)), st.lists(moves, max_size=12) | anything)
@example(1, ["x" * 61])
@example(1, ["D3+1"] * 11)
@example(1, ["Ｄ3+1"])
@example(1, [["D3+1"]])
@example(6, ["[" + "1" * 24 + "|" + "1" * 24 + "]"])
def test_any_body_gets_an_answer(ada: RecordingClient, number: int, sent: Any) -> None:
    answer = ada.request("POST", f"/api/tutorial/{number}", {"moves": sent})
    body = answer.json()
    if answer.status_code == 200:
        assert body["position"]["ply"] == len(sent) - (body["problem"] is not None)
    else:
        assert answer.status_code in (409, 422)
        assert body["reason"]
        assert body["text"]


def test_a_malformed_body_is_rejected(ada: RecordingClient) -> None:
    bodies: list[Any] = [{}, [], {"moves": [], "more": 1}, {"move": "C5+2"}]
    for body in bodies:
        answer = ada.request("POST", "/api/tutorial/5", body)
        assert (answer.status_code, answer.json()["reason"]) == (422, "bad_request")


@pytest.mark.parametrize("number", [number for number, move in SOLUTIONS.items() if "+" in move])
def test_the_learner_sees_the_card_that_they_draw(ada: RecordingClient, number: int) -> None:
    step = step_after(ada, number, SOLUTIONS[number])
    [built] = [event for event in step["game_events"] if event["type"] == "build"]
    assert built["drew"] in step["private"]["hand"]
