"""Replaying: true records are played again; in false ones the first wrong thing is named."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lies import LIES, Lie, at
from manhattan.record import RecordError
from manhattan.replay import replay, walk
from manhattan.rules import ChanceError
from saved import TABLES, Json, find, finished, kinds, recorded, stuck, told

GAME = finished()


# --- true ones --------------------------------------------------------------------------------


@pytest.mark.parametrize(("edition", "players"), TABLES)
def test_a_true_record_is_played_again(edition: str, players: int) -> None:
    game = finished(edition, players)
    again = replay(recorded(told(game)))
    assert again.state == game.state
    assert again.steps == game.steps


@pytest.mark.parametrize(("edition", "players"), TABLES)
def test_a_walk_starts_at_the_deal_and_goes_through_every_step(edition: str, players: int) -> None:
    game = finished(edition, players)
    walked = walk(recorded(told(game)))
    assert walked.start == game.state_at(0).table
    assert walked.steps == game.steps


def test_a_record_without_a_seed_is_played_again_from_its_piles() -> None:
    """Where the shuffles came from elsewhere, the record's deck and piles are all there is."""
    data = told() | {"seed": None, "commitment": None}
    again = replay(recorded(data))
    assert again.state == GAME.state
    assert (again.seed, again.commitment) == (None, None)
    assert told(again) == data


def test_a_commitment_to_a_seed_that_is_missing_is_found() -> None:
    """Who takes the seed out of a record takes the proof of its shuffles out."""
    with pytest.raises(RecordError, match="the seed that it is to is missing"):
        replay(recorded(told() | {"seed": None}))


def test_a_game_with_a_redraw_and_a_block_taken_out_is_played_again() -> None:
    assert replay(recorded(told(stuck()))).steps == stuck().steps


@pytest.mark.parametrize("ply", range(0, 113, 7))
def test_an_unfinished_record_is_played_again(ply: int) -> None:
    assert replay(recorded(told(GAME.at(ply)))).state == GAME.state_at(ply)


# --- false ones -------------------------------------------------------------------------------


def complaint(data: Json) -> RecordError:
    """What the replay says; the walk must say the same."""
    with pytest.raises(RecordError) as caught:
        replay(recorded(data))
    with pytest.raises(RecordError) as again:
        walk(recorded(data))
    assert str(again.value) == str(caught.value)
    return caught.value


@pytest.mark.parametrize("lie", LIES, ids=lambda lie: lie.__name__)
def test_the_first_wrong_thing_is_named(lie: Callable[[Json], Lie]) -> None:
    """Where it is: the event's number, kind and player. What it is: in a sentence."""
    data = told()
    where, what = lie(data)
    error = complaint(data)
    assert error.where == where
    assert what in error.what
    assert str(error) == f"{where}: {error.what}"


def test_of_two_lies_the_earlier_is_named() -> None:
    data = told()
    for index in (find(data, "build", 9), find(data, "build", 4)):
        data["events"][index]["drew"] = data["events"][index]["drew"] % 9 + 1
    assert complaint(data).where == at(data, find(data, "build", 4))


def test_every_cut_is_found() -> None:
    """A record that lacks its last events, however many, is not the record of a finished game."""
    for length in range(len(told()["events"])):
        data = told()
        del data["events"][length:]
        assert complaint(data).where in ("result", f"after event {length}")


def test_every_event_counts() -> None:
    """Leaving out any single event is found."""
    for index in range(len(told()["events"])):
        data = told()
        del data["events"][index]
        complaint(data)


# --- false ones without a seed ----------------------------------------------------------------


def seedless() -> Json:
    """The record of a game whose shuffles came from elsewhere."""
    return told() | {"seed": None, "commitment": None}


def test_without_a_seed_the_deck_still_holds_five_of_each() -> None:
    data = seedless()
    data["deck"][0] = data["deck"][0] % 9 + 1
    assert complaint(data).where == "deck"


def test_without_a_seed_a_pile_still_holds_the_played_cards() -> None:
    data = seedless()
    index = find(data, "shuffle", 1)
    data["events"][index]["pile"].pop()
    error = complaint(data)
    assert error.where == at(data, index + 1)
    assert error.what.startswith("Shuffle 2 must give back the 30 cards that it was given")


def test_without_a_seed_another_order_of_the_pile_gives_other_cards() -> None:
    """Any order may be true, but then the next card drawn must be its first."""
    data = seedless()
    index = find(data, "shuffle")
    data["events"][index]["pile"].sort()
    assert data["events"][index + 1]["drew"] != 1
    error = complaint(data)
    assert error.where == at(data, index + 1)
    assert error.what.endswith("but by the rules it is 1.")


def test_without_a_seed_a_shuffle_that_is_not_told_can_not_be_made_up() -> None:
    data = seedless()
    index = find(data, "shuffle", -1)
    del data["events"][index]
    error = complaint(data)
    assert error.where == at(data, index)
    assert "no shuffle of the played cards is told" in error.what


def test_without_a_seed_a_game_goes_on_until_cards_are_missing() -> None:
    """Resumed before the first shuffle, it can be played on for as long as the pile lasts."""
    game = replay(recorded(told(GAME.at(20)) | {"seed": None, "commitment": None}))
    while game.state.pile or game.table.phase != "build":
        game.play(game.legal_moves()[0])
    with pytest.raises(ChanceError, match="no shuffle"):
        game.play(game.legal_moves()[0])


# --- false ones: nowhere to build -------------------------------------------------------------


def test_a_redraw_that_is_left_out_is_found() -> None:
    data = told(stuck())
    index = find(data, "redraw")
    del data["events"][index]
    assert complaint(data).where == at(data, index)


def test_a_redraw_that_nobody_needed_is_found() -> None:
    data = told()
    index = find(data, "build", 6)
    event = {"type": "redraw", "player": 0, "hand": [1, 1, 1, 1], "drew": [2, 2, 2, 2]}
    data["events"].insert(index, event)
    error = complaint(data)
    assert (error.where, error.what) == (at(data, index), "A redraw can't happen here.")


@pytest.mark.parametrize(("key", "value"), [("hand", [1, 1, 1, 3]), ("drew", [2, 2, 2, 3])])
def test_a_redraw_of_other_cards_is_found(key: str, value: list[int]) -> None:
    data = told(stuck())
    index = find(data, "redraw")
    data["events"][index][key] = value
    error = complaint(data)
    assert error.where == at(data, index)
    assert error.what.startswith(f"{key} is {value}, but by the rules it is [")


def test_building_when_a_block_must_go_is_found() -> None:
    data = told(stuck())
    index = find(data, "remove")
    data["events"][index] = {"type": "build", "player": 0, "move": "A5+1", "card": 5, "drew": 1}
    error = complaint(data)
    assert error.where == at(data, index)
    assert "take one out of the game" in error.what


def test_taking_out_a_block_that_is_not_there_is_found() -> None:
    data = told(stuck())
    index = find(data, "remove")
    data["events"][index]["move"] = "-4"
    assert complaint(data).where == at(data, index)


def test_the_game_without_lies_that_these_are_made_from_is_true() -> None:
    assert kinds(told(stuck())).count("remove") == 1
    replay(recorded(told(stuck())))
    replay(recorded(told()))
