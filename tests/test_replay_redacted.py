"""Traces of the redacted records of unfinished games, and detection of errors in them."""

from __future__ import annotations

import pytest

from manhattan.game import Game
from manhattan.record import RecordError
from manhattan.replay import replay, trace_record
from manhattan.rules import Phase
from manhattan.view import redact_events
from support.corrupt_records import event_location
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
LAST = GAME.ply - 1


def redacted(game: Game = GAME, ply: int = LAST) -> Json:
    """The redacted record of a game after a number of moves."""
    return record_json(game.at(ply), redacted=True)


def replay_error(data: Json) -> RecordError:
    with pytest.raises(RecordError) as caught:
        trace_record(recorded(data))
    return caught.value


# --- valid records ----------------------------------------------------------------------------


@pytest.mark.parametrize(("edition", "players"), TABLES)
def test_the_trace_has_the_public_states_of_the_game(edition: str, players: int) -> None:
    """Board, blocks, points, played cards and mover are the same at every step."""
    game = finished(edition, players)
    trace = trace_record(recorded(redacted(game, game.ply - 1)))
    assert trace.start == game.state_at(0).public
    assert [step.public for step in trace.steps] == [step.public for step in game.steps[:-1]]
    assert [step.move for step in trace.steps] == list(game.moves[:-1])


REDRAWS = [1703, 1739, 5978]
"""Simulated games with a redraw: before a shuffle, after one, and after a build with one."""


@pytest.mark.parametrize(
    "game",
    [GAME, stuck(), finished(players=2), *(finished(number=number) for number in REDRAWS)],
    ids=["four", "stuck", "two", *map(str, REDRAWS)],
)
def test_the_trace_of_a_record_at_every_ply(game: Game) -> None:
    """Its last public state is that of the game."""
    for ply in range(1, game.ply):
        public = trace_record(recorded(redacted(game, ply))).steps[-1].public
        if game.state_at(ply).public.phase is not Phase.REMOVE:  # which the next event shows
            assert public == game.state_at(ply).public


def test_these_games_have_redraws() -> None:
    assert all("redraw" in event_types(record_json(finished(number=number))) for number in REDRAWS)


def test_the_events_have_no_hidden_cards() -> None:
    trace = trace_record(recorded(redacted(stuck(), stuck().ply - 1)))
    for real, step in zip(stuck().steps, trace.steps, strict=False):
        assert step.events == redact_events(None, real.events)


def test_a_game_without_moves_has_no_steps() -> None:
    trace = trace_record(recorded(redacted(ply=0)))
    assert (trace.start, trace.steps) == (GAME.state_at(0).public, ())


def test_a_redacted_record_can_not_be_continued() -> None:
    with pytest.raises(
        RecordError, match="not continued, because it does not contain the hidden cards"
    ):
        replay(recorded(redacted()))


# --- corrupt records --------------------------------------------------------------------------


def test_a_build_out_of_turn_is_detected() -> None:
    data = redacted()
    index = find(data, "build", 5)
    data["events"][index]["player"] = (data["events"][index]["player"] + 1) % 4
    error = replay_error(data)
    assert error.location == event_location(data, index)
    assert "turn, not" in error.problem


def test_an_unknown_player_is_detected() -> None:
    data = redacted(finished(players=2), 20)
    index = find(data, "build", 5)
    data["events"][index]["player"] = 3
    assert "There is no player 3" in replay_error(data).problem


def test_a_block_that_was_never_chosen_is_detected() -> None:
    data = redacted()
    index = find(data, "build")
    event = data["events"][index]
    chosen = next(e["move"] for e in data["events"] if e["player"] == event["player"])
    event["move"] = event["move"][:3] + next(size for size in "1234" if size not in chosen)
    error = replay_error(data)
    assert error.location == event_location(data, index)
    assert "on your tableau" in error.problem


def test_a_takeover_with_too_few_floors_is_detected() -> None:
    """A build is moved to a strong tower of another colour, with the same card."""
    game = finished("hig-1994", 4)
    for ply in range(game.ply - 1, 0, -1):
        public = game.state_at(ply).public
        for city in "ABCDEF":
            move = f"{city}{str(game.moves[ply])[1:]}"
            refusal = game.at(ply).why_not(move)
            if refusal is not None and refusal.reason == "too_few_floors":
                data = redacted(game, ply + 1)
                index = max(n for n, kind in enumerate(event_types(data)) if kind == "build")
                data["events"][index]["move"] = move
                assert public.mover == data["events"][index]["player"]
                assert "floors; you would have" in replay_error(data).problem
                return
    raise AssertionError("no such build in this game")


def test_a_card_that_does_not_name_the_site_is_detected() -> None:
    data = redacted()
    index = find(data, "build", 3)
    data["events"][index]["card"] = data["events"][index]["card"] % 9 + 1
    error = replay_error(data)
    assert error.location == event_location(data, index)
    assert "needs card" in error.problem


def test_a_sixth_copy_of_a_card_is_detected() -> None:
    """All players play centre cards, of which there are five."""
    data = redacted(ply=4)
    sizes = {event["player"]: event["move"][1] for event in data["events"]}
    order = [event["player"] for event in data["events"]]
    for number, city in enumerate("ABCDEF"):
        player = order[number % 4]
        size = sizes[player] if number < 4 else data["events"][number % 4]["move"][2]
        data["events"].append(
            {"type": "build", "player": player, "move": f"{city}5+{size}", "card": 5}
        )
    error = replay_error(data)
    assert error.location == event_location(data, 9)
    assert error.problem == "There are only 5 cards 5, but more were played."


def test_a_missing_shuffle_is_detected() -> None:
    data = redacted()
    index = find(data, "shuffle")
    del data["events"][index]
    error = replay_error(data)
    assert error.location == event_location(data, index)
    assert error.problem == "This is a build, but by the rules it is a shuffle."


@pytest.mark.parametrize("nth", [0, 3, 25, 40])
def test_an_unnecessary_shuffle_is_detected(nth: int) -> None:
    data = redacted()
    index = find(data, "build", nth)
    data["events"].insert(index, {"type": "shuffle"})
    error = replay_error(data)
    assert error.location == event_location(data, index)
    assert error.problem == "This is a shuffle, but by the rules it is a build."


@pytest.mark.parametrize("key", ["drew", "pile"])
def test_a_hidden_card_is_rejected(key: str) -> None:
    """A part of the hidden cards can't be checked."""
    data = redacted()
    index = find(data, "build" if key == "drew" else "shuffle")
    data["events"][index][key] = 5 if key == "drew" else [1, 2, 3]
    error = replay_error(data)
    assert (error.location, error.problem) == (
        event_location(data, index),
        f"{key} is not allowed here.",
    )


def test_a_seed_without_a_deck_is_detected() -> None:
    data = redacted() | {"seed": "0" * 64}
    assert str(replay_error(data)) == "deck: There is a seed, but no deck."


def test_a_wrong_score_is_detected() -> None:
    data = redacted()
    index = find(data, "score", 1)
    data["events"][index]["scores"][2] += 1
    error = replay_error(data)
    assert error.location == event_location(data, index)
    assert error.problem.startswith("scores is [")


def test_a_missing_score_is_detected() -> None:
    data = redacted()
    index = find(data, "score", 1)
    del data["events"][index]
    assert replay_error(data).problem == "This is a select, but by the rules it is a score."


def test_a_result_that_comes_early_is_detected() -> None:
    data = redacted() | {"result": record_json()["result"]}
    assert str(replay_error(data)) == "result: There is a result, but the game is not over."


# --- corrupt redraws and removals -------------------------------------------------------------


def test_a_redraw_with_a_hand_that_can_build_is_detected() -> None:
    data = redacted(ply=10)
    player = GAME.state_at(10).public.mover
    data["events"].append({"type": "redraw", "player": player, "hand": [1, 2, 3, 4]})
    assert "can build" in replay_error(data).problem


def test_a_redraw_by_another_player_is_detected() -> None:
    data = redacted(stuck(), 36)
    index = find(data, "redraw")
    data["events"][index]["player"] = 1
    error = replay_error(data)
    assert (error.location, error.problem) == (
        event_location(data, index),
        "player is 1, but by the rules it is 0.",
    )


def test_a_redraw_between_a_scoring_and_the_next_choice_is_detected() -> None:
    """The message must not say that this hand can build."""
    data = redacted(stuck(), 28)
    assert event_types(data)[-1] == "score"
    data["events"].append({"type": "redraw", "player": 2, "hand": [1, 1, 1, 2]})
    error = replay_error(data)
    assert "can build" not in error.problem


def test_a_missing_shuffle_before_a_redraw_is_detected() -> None:
    data = redacted(stuck(), 36)
    index = find(data, "shuffle")
    del data["events"][index]
    error = replay_error(data)
    assert error.location == event_location(data, index)
    assert error.problem == "This is a redraw, but by the rules it is a shuffle."


def test_a_removal_without_a_redraw_is_detected() -> None:
    data = redacted(stuck(), 36)
    index = find(data, "redraw")
    del data["events"][index - 1 : index + 1]
    error = replay_error(data)
    assert error.location == event_location(data, index - 1)
    assert "You can place a block" in error.problem


def test_a_second_redraw_in_one_turn_is_detected() -> None:
    data = redacted(stuck(), 36)
    index = find(data, "redraw")
    data["events"].insert(index + 1, dict(data["events"][index]))
    error = replay_error(data)
    assert (error.location, error.problem) == (
        event_location(data, index + 1),
        "A redraw can't happen here.",
    )
