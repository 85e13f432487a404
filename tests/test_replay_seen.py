"""Walking through what others may see of an unfinished game: open cards only, lies found."""

from __future__ import annotations

import pytest

from lies import at
from manhattan.game import Game
from manhattan.record import RecordError
from manhattan.replay import replay, walk
from manhattan.rules import Phase
from manhattan.view import all_seen_by
from saved import TABLES, Json, find, finished, kinds, recorded, stuck, told

GAME = finished()
LAST = GAME.ply - 1


def seen(game: Game = GAME, ply: int = LAST) -> Json:
    """What others may see of a game after so many moves."""
    return told(game.at(ply), whole=False)


def complaint(data: Json) -> RecordError:
    with pytest.raises(RecordError) as caught:
        walk(recorded(data))
    return caught.value


# --- true ones --------------------------------------------------------------------------------


@pytest.mark.parametrize(("edition", "players"), TABLES)
def test_others_walk_through_the_same_tables(edition: str, players: int) -> None:
    """Board, blocks, points, played cards, whose turn it is: at every step as in the real game."""
    game = finished(edition, players)
    walked = walk(recorded(seen(game, game.ply - 1)))
    assert walked.start == game.state_at(0).table
    assert [step.table for step in walked.steps] == [step.table for step in game.steps[:-1]]
    assert [step.move for step in walked.steps] == list(game.moves[:-1])


REDRAWS = [1703, 1739, 5978]
"""Simulated games with a redraw: before a shuffle, after one, and after a build that had one."""


@pytest.mark.parametrize(
    "game",
    [GAME, stuck(), finished(players=2), *(finished(number=number) for number in REDRAWS)],
    ids=["four", "stuck", "two", *map(str, REDRAWS)],
)
def test_others_walk_to_every_point_of_a_game(game: Game) -> None:
    """However far the game is, its last table is the real one."""
    for ply in range(1, game.ply):
        table = walk(recorded(seen(game, ply))).steps[-1].table
        if game.state_at(ply).table.phase is not Phase.REMOVE:  # told by the next event
            assert table == game.state_at(ply).table


def test_in_those_games_there_are_redraws() -> None:
    assert all("redraw" in kinds(told(finished(number=number))) for number in REDRAWS)


def test_others_see_the_events_without_the_hidden_cards() -> None:
    walked = walk(recorded(seen(stuck(), stuck().ply - 1)))
    for real, step in zip(stuck().steps, walked.steps, strict=False):
        assert step.events == all_seen_by(None, real.events)


def test_a_game_nobody_has_moved_in_has_no_steps() -> None:
    walked = walk(recorded(seen(ply=0)))
    assert (walked.start, walked.steps) == (GAME.state_at(0).table, ())


def test_what_others_see_can_not_be_played_on() -> None:
    with pytest.raises(RecordError, match="not played on, since its hidden cards are not in it"):
        replay(recorded(seen()))


# --- false ones -------------------------------------------------------------------------------


def test_a_build_out_of_turn_is_found() -> None:
    data = seen()
    index = find(data, "build", 5)
    data["events"][index]["player"] = (data["events"][index]["player"] + 1) % 4
    error = complaint(data)
    assert error.where == at(data, index)
    assert "turn, not" in error.what


def test_a_player_who_is_not_there_is_found() -> None:
    data = seen(finished(players=2), 20)
    index = find(data, "build", 5)
    data["events"][index]["player"] = 3
    assert "There is no player 3" in complaint(data).what


def test_a_block_that_was_never_chosen_is_found() -> None:
    data = seen()
    index = find(data, "build")
    event = data["events"][index]
    chosen = next(e["move"] for e in data["events"] if e["player"] == event["player"])
    event["move"] = event["move"][:3] + next(size for size in "1234" if size not in chosen)
    error = complaint(data)
    assert error.where == at(data, index)
    assert "on your tableau" in error.what


def test_a_takeover_with_too_few_floors_is_found() -> None:
    """The last build is moved to a strong tower of another colour, card and all."""
    game = finished("hig-1994", 4)
    for ply in range(game.ply - 1, 0, -1):
        table = game.state_at(ply).table
        for city in "ABCDEF":
            move = f"{city}{str(game.moves[ply])[1:]}"
            refused = game.at(ply).why_not(move)
            if refused is not None and refused.reason == "too_few_floors":
                data = seen(game, ply + 1)
                index = max(n for n, kind in enumerate(kinds(data)) if kind == "build")
                data["events"][index]["move"] = move
                assert table.mover == data["events"][index]["player"]
                assert "floors; you would have" in complaint(data).what
                return
    raise AssertionError("no such build in this game")


def test_a_card_that_does_not_name_the_site_is_found() -> None:
    data = seen()
    index = find(data, "build", 3)
    data["events"][index]["card"] = data["events"][index]["card"] % 9 + 1
    error = complaint(data)
    assert error.where == at(data, index)
    assert "takes card" in error.what


def test_a_sixth_copy_of_a_card_is_found() -> None:
    """Everybody plays the centre, whichever cards they hold: there are five of those."""
    data = seen(ply=4)
    sizes = {event["player"]: event["move"][1] for event in data["events"]}
    order = [event["player"] for event in data["events"]]
    for number, city in enumerate("ABCDEF"):
        player = order[number % 4]
        size = sizes[player] if number < 4 else data["events"][number % 4]["move"][2]
        data["events"].append(
            {"type": "build", "player": player, "move": f"{city}5+{size}", "card": 5}
        )
    error = complaint(data)
    assert error.where == at(data, 9)
    assert error.what == "There are only 5 cards 5, but more were played."


def test_a_missing_shuffle_is_found() -> None:
    data = seen()
    index = find(data, "shuffle")
    del data["events"][index]
    error = complaint(data)
    assert error.where == at(data, index)
    assert error.what == "This is a build, but by the rules it is a shuffle."


@pytest.mark.parametrize("nth", [0, 3, 25, 40])
def test_a_shuffle_that_nobody_needed_is_found(nth: int) -> None:
    data = seen()
    index = find(data, "build", nth)
    data["events"].insert(index, {"type": "shuffle"})
    error = complaint(data)
    assert error.where == at(data, index)
    assert error.what == "This is a shuffle, but by the rules it is a build."


@pytest.mark.parametrize("key", ["drew", "pile"])
def test_a_hidden_card_has_no_place_here(key: str) -> None:
    """Half of a secret can't be checked, so it is refused."""
    data = seen()
    index = find(data, "build" if key == "drew" else "shuffle")
    data["events"][index][key] = 5 if key == "drew" else [1, 2, 3]
    error = complaint(data)
    assert (error.where, error.what) == (at(data, index), f"{key} has no place here.")


def test_a_seed_without_a_deck_is_found() -> None:
    data = seen() | {"seed": "0" * 64}
    assert str(complaint(data)) == "deck: There is a seed, but no deck."


def test_a_wrong_score_is_found() -> None:
    data = seen()
    index = find(data, "score", 1)
    data["events"][index]["scores"][2] += 1
    error = complaint(data)
    assert error.where == at(data, index)
    assert error.what.startswith("scores is [")


def test_a_missing_score_is_found() -> None:
    data = seen()
    index = find(data, "score", 1)
    del data["events"][index]
    assert complaint(data).what == "This is a select, but by the rules it is a score."


def test_a_result_that_comes_early_is_found() -> None:
    data = seen() | {"result": told()["result"]}
    assert str(complaint(data)) == "result: There is a result, but the game is not over."


# --- false ones: nowhere to build -------------------------------------------------------------


def test_a_redraw_with_a_hand_that_can_build_is_found() -> None:
    data = seen(ply=10)
    player = GAME.state_at(10).table.mover
    data["events"].append({"type": "redraw", "player": player, "hand": [1, 2, 3, 4]})
    assert "can build" in complaint(data).what


def test_a_redraw_by_somebody_else_is_found() -> None:
    data = seen(stuck(), 36)
    index = find(data, "redraw")
    data["events"][index]["player"] = 1
    error = complaint(data)
    assert (error.where, error.what) == (at(data, index), "player is 1, but by the rules it is 0.")


def test_a_redraw_between_a_scoring_and_the_next_choice_is_found() -> None:
    """Nobody builds then. The sentence must not say that a hand can build which can't."""
    data = seen(stuck(), 28)
    assert kinds(data)[-1] == "score"
    data["events"].append({"type": "redraw", "player": 2, "hand": [1, 1, 1, 2]})
    error = complaint(data)
    assert "can build" not in error.what


def test_a_missing_shuffle_before_a_redraw_is_found() -> None:
    data = seen(stuck(), 36)
    index = find(data, "shuffle")
    del data["events"][index]
    error = complaint(data)
    assert error.where == at(data, index)
    assert error.what == "This is a redraw, but by the rules it is a shuffle."


def test_a_block_taken_out_without_a_redraw_is_found() -> None:
    data = seen(stuck(), 36)
    index = find(data, "redraw")
    del data["events"][index - 1 : index + 1]
    error = complaint(data)
    assert error.where == at(data, index - 1)
    assert "taken out only when none can be placed" in error.what


def test_a_second_redraw_in_one_turn_is_found() -> None:
    data = seen(stuck(), 36)
    index = find(data, "redraw")
    data["events"].insert(index + 1, dict(data["events"][index]))
    error = complaint(data)
    assert (error.where, error.what) == (at(data, index + 1), "A redraw can't happen here.")
