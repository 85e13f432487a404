"""Replay: valid records are played again; for others the first error is reported."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from manhattan.record import RecordError
from manhattan.replay import replay, trace_record
from manhattan.rules import ChanceError
from support.corrupt_records import CORRUPTIONS, ExpectedError, event_location
from support.record_fixtures import (
    TABLES,
    Json,
    event_types,
    find,
    finished,
    record_json,
    recorded,
    stuck,
)

GAME = finished()


# --- valid records ----------------------------------------------------------------------------


@pytest.mark.parametrize(("edition", "players"), TABLES)
def test_a_valid_record_is_replayed(edition: str, players: int) -> None:
    game = finished(edition, players)
    again = replay(recorded(record_json(game)))
    assert again.state == game.state
    assert again.steps == game.steps


@pytest.mark.parametrize(("edition", "players"), TABLES)
def test_a_trace_starts_at_the_deal_and_has_every_step(edition: str, players: int) -> None:
    game = finished(edition, players)
    trace = trace_record(recorded(record_json(game)))
    assert trace.start == game.state_at(0).public
    assert trace.steps == game.steps


def test_a_record_without_a_seed_is_replayed_from_its_piles() -> None:
    """The record's deck and piles are the only source of the shuffles."""
    data = record_json() | {"seed": None, "commitment": None}
    again = replay(recorded(data))
    assert again.state == GAME.state
    assert (again.seed, again.commitment) == (None, None)
    assert record_json(again) == data


def test_a_commitment_without_a_seed_is_rejected() -> None:
    """Without the seed, the shuffles can't be verified."""
    with pytest.raises(RecordError, match="There is a commitment, but no seed"):
        replay(recorded(record_json() | {"seed": None}))


def test_a_game_with_a_redraw_and_a_removal_is_replayed() -> None:
    assert replay(recorded(record_json(stuck()))).steps == stuck().steps


@pytest.mark.parametrize("ply", range(0, 113, 7))
def test_the_record_of_an_unfinished_game_is_replayed(ply: int) -> None:
    assert replay(recorded(record_json(GAME.at(ply)))).state == GAME.state_at(ply)


# --- corrupt records --------------------------------------------------------------------------


def replay_error(data: Json) -> RecordError:
    """The error of the replay; the trace must report the same one."""
    with pytest.raises(RecordError) as caught:
        replay(recorded(data))
    with pytest.raises(RecordError) as again:
        trace_record(recorded(data))
    assert str(again.value) == str(caught.value)
    return caught.value


@pytest.mark.parametrize("corrupt", CORRUPTIONS, ids=lambda function: function.__name__)
def test_the_first_error_is_reported(corrupt: Callable[[Json], ExpectedError]) -> None:
    """The location has the number, type and player of the event; the problem is a sentence."""
    data = record_json()
    location, problem = corrupt(data)
    error = replay_error(data)
    assert error.location == location
    assert problem in error.problem
    assert str(error) == f"{location}: {error.problem}"


def test_the_earlier_of_two_errors_is_reported() -> None:
    data = record_json()
    for index in (find(data, "build", 9), find(data, "build", 4)):
        data["events"][index]["drew"] = data["events"][index]["drew"] % 9 + 1
    assert replay_error(data).location == event_location(data, find(data, "build", 4))


def test_every_truncation_is_detected() -> None:
    """A record without its last events is not that of a finished game."""
    for length in range(len(record_json()["events"])):
        data = record_json()
        del data["events"][length:]
        assert replay_error(data).location in ("result", f"after event {length}")


def test_every_missing_event_is_detected() -> None:
    for index in range(len(record_json()["events"])):
        data = record_json()
        del data["events"][index]
        replay_error(data)


# --- corrupt records without a seed -----------------------------------------------------------


def seedless() -> Json:
    """A record without a seed."""
    return record_json() | {"seed": None, "commitment": None}


def test_without_a_seed_the_deck_must_have_five_of_each_card() -> None:
    data = seedless()
    data["deck"][0] = data["deck"][0] % 9 + 1
    assert replay_error(data).location == "deck"


def test_without_a_seed_a_pile_must_contain_the_played_cards() -> None:
    data = seedless()
    index = find(data, "shuffle", 1)
    data["events"][index]["pile"].pop()
    error = replay_error(data)
    assert error.location == event_location(data, index + 1)
    assert error.problem.startswith("Shuffle 2 must return the 30 cards that it was given")


def test_without_a_seed_the_draws_must_follow_the_pile() -> None:
    """Any order is valid, but the next card drawn must be the first."""
    data = seedless()
    index = find(data, "shuffle")
    data["events"][index]["pile"].sort()
    assert data["events"][index + 1]["drew"] != 1
    error = replay_error(data)
    assert error.location == event_location(data, index + 1)
    assert error.problem.endswith("but by the rules it is 1.")


def test_without_a_seed_a_missing_shuffle_is_detected() -> None:
    data = seedless()
    index = find(data, "shuffle", -1)
    del data["events"][index]
    error = replay_error(data)
    assert error.location == event_location(data, index)
    assert "the record has no shuffle of the played cards" in error.problem


def test_without_a_seed_a_game_can_continue_until_the_next_shuffle() -> None:
    """It has no source for further shuffles."""
    game = replay(recorded(record_json(GAME.at(20)) | {"seed": None, "commitment": None}))
    while game.state.pile or game.public.phase != "build":
        game.play(game.legal_moves()[0])
    with pytest.raises(ChanceError, match="no shuffle"):
        game.play(game.legal_moves()[0])


# --- corrupt redraws and removals -------------------------------------------------------------


def test_a_missing_redraw_is_detected() -> None:
    data = record_json(stuck())
    index = find(data, "redraw")
    del data["events"][index]
    assert replay_error(data).location == event_location(data, index)


def test_an_unnecessary_redraw_is_detected() -> None:
    data = record_json()
    index = find(data, "build", 6)
    event = {"type": "redraw", "player": 0, "hand": [1, 1, 1, 1], "drew": [2, 2, 2, 2]}
    data["events"].insert(index, event)
    error = replay_error(data)
    assert (error.location, error.problem) == (
        event_location(data, index),
        "A redraw can't happen here.",
    )


@pytest.mark.parametrize(("key", "value"), [("hand", [1, 1, 1, 3]), ("drew", [2, 2, 2, 3])])
def test_a_redraw_of_other_cards_is_detected(key: str, value: list[int]) -> None:
    data = record_json(stuck())
    index = find(data, "redraw")
    data["events"][index][key] = value
    error = replay_error(data)
    assert error.location == event_location(data, index)
    assert error.problem.startswith(f"{key} is {value}, but by the rules it is [")


def test_a_build_instead_of_a_removal_is_detected() -> None:
    data = record_json(stuck())
    index = find(data, "remove")
    data["events"][index] = {"type": "build", "player": 0, "move": "A5+1", "card": 5, "drew": 1}
    error = replay_error(data)
    assert error.location == event_location(data, index)
    assert "take one out of the game" in error.problem


def test_the_removal_of_an_unavailable_block_is_detected() -> None:
    data = record_json(stuck())
    index = find(data, "remove")
    data["events"][index]["move"] = "-4"
    assert replay_error(data).location == event_location(data, index)


def test_the_original_records_are_valid() -> None:
    assert event_types(record_json(stuck())).count("remove") == 1
    replay(recorded(record_json(stuck())))
    replay(recorded(record_json()))
