"""Corruptions of a record, each with the error that the replay must report.

Every function changes the record of ``record_fixtures.finished()``, and returns the location of the
first error and a part of its message.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import isfunction

from support.record_fixtures import Json, find, finished, record_json

GAME = finished()
SITE_OF = {"south": "123456789", "west": "369258147", "north": "987654321", "east": "741852963"}
"""The site of each card 1 to 9, from a side (RULES 3)."""

ExpectedError = tuple[str, str]
"""The location and a part of the message."""


def event_location(data: Json, index: int) -> str:
    """How an error describes an event: its number, its type and its player."""
    event = data["events"][index]
    player = f" by {data['players'][event['player']]['name']}" if "player" in event else ""
    return f"event {index + 1} of {len(data['events'])} ({event['type']}{player})"


# --- moves ------------------------------------------------------------------------


def it_is_another_players_turn(data: Json) -> ExpectedError:
    index = find(data, "build", 5)
    event = data["events"][index]
    event["player"] = (event["player"] + 1) % 4
    return event_location(data, index), "turn, not"


def there_is_no_such_player(data: Json) -> ExpectedError:
    index = find(data, "select")
    data["events"][index]["player"] = 3
    data["players"].pop()
    data["first"] = 0
    return f"event {index + 1} of {len(data['events'])} (select)", "There is no player 3"


def the_card_does_not_name_the_site(data: Json) -> ExpectedError:
    index = find(data, "build", 7)
    true = data["events"][index]["card"]
    data["events"][index]["card"] = true % 9 + 1
    return event_location(data, index), f"card is {true % 9 + 1}, but by the rules it is {true}."


def the_card_was_not_in_the_hand(data: Json) -> ExpectedError:
    """The first builder has four cards, so there are positions that they can't name."""
    index = find(data, "build")
    hand = GAME.state_at(4).hand
    missing = next(card for card in range(1, 10) if card not in hand)
    seat = GAME.state_at(4).public.side
    position = SITE_OF[seat][missing - 1]
    event = data["events"][index]
    event["move"], event["card"] = f"A{position}{event['move'][2:]}", missing
    return event_location(data, index), f"From your side, A{position} needs card {missing} ("


def the_block_is_not_on_the_tableau(data: Json) -> ExpectedError:
    index = find(data, "build")
    event = data["events"][index]
    sizes = next(e["move"] for e in data["events"] if e["player"] == event["player"])
    event["move"] = event["move"][:3] + next(size for size in "4321" if size not in sizes)
    return event_location(data, index), "on your tableau"


def another_card_was_drawn(data: Json) -> ExpectedError:
    index = find(data, "build", 3)
    true = data["events"][index]["drew"]
    data["events"][index]["drew"] = true % 9 + 1
    return event_location(data, index), f"drew is {true % 9 + 1}, but by the rules it is {true}."


def the_card_drawn_is_left_out(data: Json) -> ExpectedError:
    index = find(data, "build", 3)
    del data["events"][index]["drew"]
    return event_location(data, index), "drew is missing."


def two_turns_are_swapped(data: Json) -> ExpectedError:
    index = find(data, "build", 10)
    events = data["events"]
    events[index], events[index + 1] = events[index + 1], events[index]
    return event_location(data, index), "turn, not"


def a_turn_is_left_out(data: Json) -> ExpectedError:
    index = find(data, "build", 10)
    del data["events"][index]
    return event_location(data, index), "turn, not"


def a_turn_is_repeated(data: Json) -> ExpectedError:
    index = find(data, "build", 10)
    data["events"].insert(index, dict(data["events"][index]))
    return event_location(data, index + 1), "turn, not"


def a_choice_comes_after_building_began(data: Json) -> ExpectedError:
    index = find(data, "build", 2)
    event = {"type": "select", "player": data["events"][index]["player"], "move": "[111111]"}
    data["events"][index] = event
    return event_location(data, index), "already"


def a_choice_is_written_out_of_order(data: Json) -> ExpectedError:
    data["events"][0]["move"] = "[432211]"
    return event_location(data, 0), "lists the sizes out of order: write [112234]."


def a_choice_has_too_many_large_blocks(data: Json) -> ExpectedError:
    data["events"][0]["move"] = "[444444]"
    return event_location(data, 0), "blocks of size 4: 3 left, 6 chosen."


def a_choice_has_too_few_blocks(data: Json) -> ExpectedError:
    data["events"][0]["move"] = "[1111]"
    return event_location(data, 0), "not 4."


def a_block_is_taken_out_although_one_can_be_placed(data: Json) -> ExpectedError:
    index = find(data, "build")
    event = {"type": "remove", "player": data["events"][index]["player"], "move": "-1"}
    data["events"][index] = event
    return event_location(data, index), "You can place a block, so you can't take one out"


def a_tower_is_taken_with_too_few_floors(data: Json) -> ExpectedError:
    """The first build that would have been legal on a tower with fewer floors of the owner."""
    for ply, step in enumerate(GAME.steps):
        state = GAME.state_at(ply)
        for size in "1234":
            move = f"{str(step.move)[:3]}{size}"
            refusal = GAME.at(ply).why_not(move) if "+" in move else None
            if refusal is not None and refusal.reason == "too_few_floors":
                index = len(record_json(GAME.at(ply))["events"])
                index += data["events"][index]["type"] == "shuffle"
                data["events"][index]["move"] = move
                assert state.public.mover == data["events"][index]["player"]
                return event_location(data, index), "floors; you would have"
    raise AssertionError("no such build in this game")


# --- shuffles ---------------------------------------------------------------------


def a_shuffle_is_left_out(data: Json) -> ExpectedError:
    index = find(data, "shuffle")
    del data["events"][index]
    return event_location(data, index), "This is a build, but by the rules it is a shuffle."


def a_shuffle_is_added(data: Json) -> ExpectedError:
    index = find(data, "build", 3)
    data["events"].insert(index, {"type": "shuffle", "pile": [1, 2, 3]})
    return event_location(data, index), "This is a shuffle, but by the rules it is a build."


def a_shuffle_is_repeated(data: Json) -> ExpectedError:
    index = find(data, "shuffle")
    data["events"].insert(index, data["events"][index])
    return event_location(data, index + 1), "A shuffle can't happen here."


def a_shuffle_comes_an_event_late(data: Json) -> ExpectedError:
    index = find(data, "shuffle")
    events = data["events"]
    events[index], events[index + 1] = events[index + 1], events[index]
    return event_location(data, index), "This is a build, but by the rules it is a shuffle."


def a_pile_has_another_order(data: Json) -> ExpectedError:
    index = find(data, "shuffle")
    data["events"][index]["pile"].reverse()
    return event_location(data, index), "pile is ["


def a_pile_has_other_cards(data: Json) -> ExpectedError:
    index = find(data, "shuffle", 1)
    data["events"][index]["pile"][0] = data["events"][index]["pile"][0] % 9 + 1
    return event_location(data, index), "pile is ["


def the_pile_is_left_out(data: Json) -> ExpectedError:
    index = find(data, "shuffle")
    del data["events"][index]["pile"]
    return event_location(data, index), "pile is missing."


def the_record_ends_after_a_shuffle(data: Json) -> ExpectedError:
    index = find(data, "shuffle")
    del data["events"][index + 1 :]
    data["result"] = None
    return f"after event {index + 1}", "The record ends after a shuffle."


# --- scores -----------------------------------------------------------------------


def a_scoring_is_left_out(data: Json) -> ExpectedError:
    index = find(data, "score")
    del data["events"][index]
    return event_location(data, index), "This is a select, but by the rules it is a score."


def a_scoring_is_added(data: Json) -> ExpectedError:
    index = find(data, "build", 3)
    data["events"].insert(index, dict(data["events"][find(data, "score")]))
    return event_location(data, index), "A score can't happen here."


def a_scoring_has_the_wrong_round(data: Json) -> ExpectedError:
    index = find(data, "score", 1)
    data["events"][index]["round"] = 3
    return event_location(data, index), "round is 3, but by the rules it is 2."


def a_colour_has_one_tower_too_many(data: Json) -> ExpectedError:
    index = find(data, "score", 1)
    data["events"][index]["colours"]["blue"]["towers"] += 1
    return event_location(data, index), "colours is {"


def a_colour_has_one_majority_too_many(data: Json) -> ExpectedError:
    index = find(data, "score", 1)
    held = data["events"][index]["colours"]["blue"]["majorities"]
    held.append(next(city for city in "ABCDEF" if city not in held))
    return event_location(data, index), "colours is {"


def a_colour_is_left_out_of_a_scoring(data: Json) -> ExpectedError:
    index = find(data, "score")
    del data["events"][index]["colours"]["purple"]
    return event_location(data, index), "colours is {"


def a_total_is_wrong(data: Json) -> ExpectedError:
    index = find(data, "score", 2)
    data["events"][index]["scores"][3] += 1
    return event_location(data, index), "scores is ["


# --- set-up and result ------------------------------------------------------------


def the_deck_is_not_five_of_each(data: Json) -> ExpectedError:
    data["deck"][0] = data["deck"][0] % 9 + 1
    return "deck", "The deck must hold five of each of the nine cards."


def the_deck_does_not_follow_from_the_seed(data: Json) -> ExpectedError:
    data["deck"].reverse()
    return "deck", "The deck does not follow from the seed."


def the_commitment_is_wrong(data: Json) -> ExpectedError:
    data["commitment"] = "0" * 64
    return "commitment", "The commitment is not the SHA-256 of the seed."


def the_commitment_is_left_out(data: Json) -> ExpectedError:
    data["commitment"] = None
    return "commitment", "The commitment is not the SHA-256 of the seed."


def the_seed_is_wrong(data: Json) -> ExpectedError:
    data["seed"] = "0" * 64
    return "commitment", "The commitment is not the SHA-256 of the seed."


def the_start_player_is_wrong(data: Json) -> ExpectedError:
    data["first"] = (data["first"] + 1) % 4
    return event_location(data, 0), "turn, not"


def the_result_is_left_out(data: Json) -> ExpectedError:
    data["result"] = None
    return "result", "The game is over, but there is no result."


def the_result_comes_too_early(data: Json) -> ExpectedError:
    del data["events"][find(data, "build", 3) :]
    return "result", "There is a result, but the game is not over."


def the_winner_is_wrong(data: Json) -> ExpectedError:
    (true,) = data["result"]["winners"]
    data["result"]["winners"] = [(true + 1) % 4]
    return "result", f"winners is [{(true + 1) % 4}], but by the rules it is [{true}]."


def the_deciding_criterion_is_wrong(data: Json) -> ExpectedError:
    data["result"]["decided_by"] = "tallest"
    return "result", "decided_by is tallest, but by the rules it is points."


def the_final_points_are_wrong(data: Json) -> ExpectedError:
    data["result"]["scores"][0] += 1
    return "result", "scores is ["


def the_last_scoring_is_cut_off(data: Json) -> ExpectedError:
    data["events"].pop()
    return f"after event {len(data['events'])}", "The record ends where a score must follow."


def the_last_turns_are_cut_off(data: Json) -> ExpectedError:
    del data["events"][-3:]
    return "result", "There is a result, but the game is not over."


def there_is_a_build_after_the_end(data: Json) -> ExpectedError:
    data["events"].append(dict(data["events"][-2]))
    return event_location(data, len(data["events"]) - 1), "The game is over."


def there_is_a_shuffle_after_the_end(data: Json) -> ExpectedError:
    data["events"].append({"type": "shuffle", "pile": [1]})
    return f"after event {len(data['events'])}", "The record ends after a shuffle."


CORRUPTIONS: list[Callable[[Json], ExpectedError]] = [
    function
    for function in list(globals().values())
    if isfunction(function)
    and function.__annotations__ == {"data": "Json", "return": "ExpectedError"}
]
