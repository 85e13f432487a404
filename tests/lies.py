"""Lies that a record may tell: each spoils a true record and says what has to be found out.

Every one is a function that changes the record of ``saved.finished()`` and returns where the
first wrong thing then is and what is said about it.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import isfunction

from saved import Json, find, finished, told

GAME = finished()
SITE_OF = {"south": "123456789", "west": "369258147", "north": "987654321", "east": "741852963"}
"""The site of each card 1 to 9, seen from a seat (RULES 3)."""

Lie = tuple[str, str]
"""Where, and what."""


def at(data: Json, index: int) -> str:
    """How an error names an event: its number, its kind, its player."""
    event = data["events"][index]
    who = f" by {data['players'][event['player']]['name']}" if "player" in event else ""
    return f"event {index + 1} of {len(data['events'])} ({event['type']}{who})"


# --- who and what -----------------------------------------------------------------


def it_is_another_players_turn(data: Json) -> Lie:
    index = find(data, "build", 5)
    event = data["events"][index]
    event["player"] = (event["player"] + 1) % 4
    return at(data, index), "turn, not"


def there_is_no_such_player(data: Json) -> Lie:
    index = find(data, "select")
    data["events"][index]["player"] = 3
    data["players"].pop()
    data["first"] = 0
    return f"event {index + 1} of {len(data['events'])} (select)", "There is no player 3"


def the_card_does_not_name_the_site(data: Json) -> Lie:
    index = find(data, "build", 7)
    true = data["events"][index]["card"]
    data["events"][index]["card"] = true % 9 + 1
    return at(data, index), f"card is {true % 9 + 1}, but by the rules it is {true}."


def the_card_was_not_in_the_hand(data: Json) -> Lie:
    """The first builder holds four cards, so there are positions that he can't name."""
    index = find(data, "build")
    hand = GAME.state_at(4).hand
    missing = next(card for card in range(1, 10) if card not in hand)
    seat = GAME.state_at(4).table.seat
    position = SITE_OF[seat][missing - 1]
    event = data["events"][index]
    event["move"], event["card"] = f"A{position}{event['move'][2:]}", missing
    return at(data, index), f"A{position} takes card {missing} from your seat, which is not in"


def the_block_is_not_on_the_tableau(data: Json) -> Lie:
    index = find(data, "build")
    event = data["events"][index]
    sizes = next(e["move"] for e in data["events"] if e["player"] == event["player"])
    event["move"] = event["move"][:3] + next(size for size in "4321" if size not in sizes)
    return at(data, index), "on your tableau"


def another_card_was_drawn(data: Json) -> Lie:
    index = find(data, "build", 3)
    true = data["events"][index]["drew"]
    data["events"][index]["drew"] = true % 9 + 1
    return at(data, index), f"drew is {true % 9 + 1}, but by the rules it is {true}."


def the_card_drawn_is_left_out(data: Json) -> Lie:
    index = find(data, "build", 3)
    del data["events"][index]["drew"]
    return at(data, index), "drew is not told."


def two_turns_are_swapped(data: Json) -> Lie:
    index = find(data, "build", 10)
    events = data["events"]
    events[index], events[index + 1] = events[index + 1], events[index]
    return at(data, index), "turn, not"


def a_turn_is_left_out(data: Json) -> Lie:
    index = find(data, "build", 10)
    del data["events"][index]
    return at(data, index), "turn, not"


def a_turn_is_told_twice(data: Json) -> Lie:
    index = find(data, "build", 10)
    data["events"].insert(index, dict(data["events"][index]))
    return at(data, index + 1), "turn, not"


def a_choice_comes_after_building_began(data: Json) -> Lie:
    index = find(data, "build", 2)
    event = {"type": "select", "player": data["events"][index]["player"], "move": "[111111]"}
    data["events"][index] = event
    return at(data, index), "already"


def a_choice_is_written_out_of_order(data: Json) -> Lie:
    data["events"][0]["move"] = "[432211]"
    return at(data, 0), "lists sizes out of order: write [112234]."


def a_choice_has_too_many_large_blocks(data: Json) -> Lie:
    data["events"][0]["move"] = "[444444]"
    return at(data, 0), "has 3 left of size 4; 6 were chosen."


def a_choice_has_too_few_blocks(data: Json) -> Lie:
    data["events"][0]["move"] = "[1111]"
    return at(data, 0), "not 4."


def a_block_is_taken_out_although_one_can_be_placed(data: Json) -> Lie:
    index = find(data, "build")
    event = {"type": "remove", "player": data["events"][index]["player"], "move": "-1"}
    data["events"][index] = event
    return at(data, index), "A block is taken out only when none can be placed"


def a_tower_is_taken_with_too_few_floors(data: Json) -> Lie:
    """The first of many builds that would have been legal, had the tower been less strong."""
    for ply, step in enumerate(GAME.steps):
        state = GAME.state_at(ply)
        for size in "1234":
            move = f"{str(step.move)[:3]}{size}"
            refused = GAME.at(ply).why_not(move) if "+" in move else None
            if refused is not None and refused.reason == "too_few_floors":
                index = len(told(GAME.at(ply))["events"])
                index += data["events"][index]["type"] == "shuffle"
                data["events"][index]["move"] = move
                assert state.table.mover == data["events"][index]["player"]
                return at(data, index), "floors; you would have"
    raise AssertionError("no such build in this game")


# --- shuffles ---------------------------------------------------------------------


def a_shuffle_is_left_out(data: Json) -> Lie:
    index = find(data, "shuffle")
    del data["events"][index]
    return at(data, index), "This is a build, but by the rules it is a shuffle."


def a_shuffle_is_told_where_none_was(data: Json) -> Lie:
    index = find(data, "build", 3)
    data["events"].insert(index, {"type": "shuffle", "pile": [1, 2, 3]})
    return at(data, index), "This is a shuffle, but by the rules it is a build."


def a_shuffle_is_told_twice(data: Json) -> Lie:
    index = find(data, "shuffle")
    data["events"].insert(index, data["events"][index])
    return at(data, index + 1), "A shuffle can't happen here."


def a_shuffle_comes_an_event_late(data: Json) -> Lie:
    index = find(data, "shuffle")
    events = data["events"]
    events[index], events[index + 1] = events[index + 1], events[index]
    return at(data, index), "This is a build, but by the rules it is a shuffle."


def a_pile_lies_in_another_order(data: Json) -> Lie:
    index = find(data, "shuffle")
    data["events"][index]["pile"].reverse()
    return at(data, index), "pile is ["


def a_pile_holds_other_cards(data: Json) -> Lie:
    index = find(data, "shuffle", 1)
    data["events"][index]["pile"][0] = data["events"][index]["pile"][0] % 9 + 1
    return at(data, index), "pile is ["


def the_pile_is_left_out(data: Json) -> Lie:
    index = find(data, "shuffle")
    del data["events"][index]["pile"]
    return at(data, index), "pile is not told."


def the_record_stops_after_a_shuffle(data: Json) -> Lie:
    index = find(data, "shuffle")
    del data["events"][index + 1 :]
    data["result"] = None
    return f"after event {index + 1}", "The record stops after a shuffle."


# --- points -----------------------------------------------------------------------


def a_scoring_is_left_out(data: Json) -> Lie:
    index = find(data, "score")
    del data["events"][index]
    return at(data, index), "This is a select, but by the rules it is a score."


def a_scoring_is_told_where_none_was(data: Json) -> Lie:
    index = find(data, "build", 3)
    data["events"].insert(index, dict(data["events"][find(data, "score")]))
    return at(data, index), "A score can't happen here."


def a_scoring_counts_the_wrong_round(data: Json) -> Lie:
    index = find(data, "score", 1)
    data["events"][index]["round"] = 3
    return at(data, index), "round is 3, but by the rules it is 2."


def a_colour_has_a_tower_too_many(data: Json) -> Lie:
    index = find(data, "score", 1)
    data["events"][index]["colours"]["blue"]["towers"] += 1
    return at(data, index), "colours is {"


def a_colour_has_a_majority_too_many(data: Json) -> Lie:
    index = find(data, "score", 1)
    held = data["events"][index]["colours"]["blue"]["majorities"]
    held.append(next(city for city in "ABCDEF" if city not in held))
    return at(data, index), "colours is {"


def a_colour_is_left_out_of_a_scoring(data: Json) -> Lie:
    index = find(data, "score")
    del data["events"][index]["colours"]["purple"]
    return at(data, index), "colours is {"


def a_total_is_wrong(data: Json) -> Lie:
    index = find(data, "score", 2)
    data["events"][index]["scores"][3] += 1
    return at(data, index), "scores is ["


# --- beginning and end ------------------------------------------------------------


def the_deck_is_not_five_of_each(data: Json) -> Lie:
    data["deck"][0] = data["deck"][0] % 9 + 1
    return "deck", "The deck must hold five of each of the nine cards."


def the_deck_is_not_the_seeds(data: Json) -> Lie:
    data["deck"].reverse()
    return "deck", "It is not the deck that the seed gives."


def the_commitment_is_anothers(data: Json) -> Lie:
    data["commitment"] = "0" * 64
    return "commitment", "It is not the SHA-256 of the seed."


def the_commitment_is_left_out(data: Json) -> Lie:
    data["commitment"] = None
    return "commitment", "It is not the SHA-256 of the seed."


def the_seed_is_anothers(data: Json) -> Lie:
    data["seed"] = "0" * 64
    return "commitment", "It is not the SHA-256 of the seed."


def the_start_player_is_another(data: Json) -> Lie:
    data["first"] = (data["first"] + 1) % 4
    return at(data, 0), "turn, not"


def the_result_is_left_out(data: Json) -> Lie:
    data["result"] = None
    return "result", "The game is over, but there is no result."


def the_result_comes_early(data: Json) -> Lie:
    del data["events"][find(data, "build", 3) :]
    return "result", "There is a result, but the game is not over."


def the_winner_is_another(data: Json) -> Lie:
    (true,) = data["result"]["winners"]
    data["result"]["winners"] = [(true + 1) % 4]
    return "result", f"winners is [{(true + 1) % 4}], but by the rules it is [{true}]."


def something_else_decided(data: Json) -> Lie:
    data["result"]["decided_by"] = "tallest"
    return "result", "decided_by is tallest, but by the rules it is points."


def the_final_points_are_wrong(data: Json) -> Lie:
    data["result"]["scores"][0] += 1
    return "result", "scores is ["


def the_last_scoring_is_cut_off(data: Json) -> Lie:
    data["events"].pop()
    return f"after event {len(data['events'])}", "The record stops where a score must follow."


def the_last_turns_are_cut_off(data: Json) -> Lie:
    del data["events"][-3:]
    return "result", "There is a result, but the game is not over."


def somebody_builds_after_the_end(data: Json) -> Lie:
    data["events"].append(dict(data["events"][-2]))
    return at(data, len(data["events"]) - 1), "The game is over."


def something_is_shuffled_after_the_end(data: Json) -> Lie:
    data["events"].append({"type": "shuffle", "pile": [1]})
    return f"after event {len(data['events'])}", "The record stops after a shuffle."


LIES: list[Callable[[Json], Lie]] = [
    function
    for function in list(globals().values())
    if isfunction(function) and function.__annotations__ == {"data": "Json", "return": "Lie"}
]
