"""RECORD, the format: the JSON Schema accepts every valid record and no other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import pytest

from manhattan.record import RecordError, schema
from manhattan.rules import EDITIONS
from manhattan.rules.editions import HOUSE_RULES
from support.record_fixtures import TABLES, Json, find, finished, record_json, recorded, stuck

Path = tuple[str | int, ...]

STUCK = record_json(stuck())
"""A record with every type of event."""

SAMPLE: dict[str, Path] = {
    event_type: ("events", find(STUCK, event_type))
    for event_type in ("select", "build", "shuffle", "redraw", "remove", "score")
}
SCORED: Path = (*SAMPLE["score"], "colours", "orange")


def at(data: Any, path: Path) -> Any:
    for key in path:
        data = data[key]
    return data


def with_value(path: Path, value: object) -> Json:
    """The record with one value changed."""
    data = record_json(stuck())
    at(data, path[:-1])[path[-1]] = value
    return data


def rejected(data: Json) -> str:
    """Check that the schema and the reader reject a record; return the reader's error."""
    assert not jsonschema_rs.is_valid(schema(), data)
    with pytest.raises(RecordError) as caught:
        recorded(data)
    return str(caught.value)


# --- accepted records -------------------------------------------------------------------------


def test_the_schema_is_itself_valid() -> None:
    """It follows the draft that it names."""
    assert schema()["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    jsonschema_rs.meta.validate(schema())


def test_the_schema_lists_the_editions_and_house_rules() -> None:
    properties = schema()["properties"]
    assert set(properties["edition"]["enum"]) == set(EDITIONS)
    rules = properties["house_rules"]["properties"]
    listed = {name: set(rule["enum"]) for name, rule in rules.items()}
    assert listed == {name: set(values) for name, values in HOUSE_RULES.items()}


@pytest.mark.parametrize(("edition", "players"), TABLES)
def test_every_simulated_game_is_accepted(edition: str, players: int) -> None:
    """Finished, unfinished and redacted."""
    game = finished(edition, players)
    for ply in (0, 1, game.ply // 2, game.ply - 1, game.ply):
        for redacted in (False, True):
            jsonschema_rs.validate(schema(), record_json(game.at(ply), redacted=redacted))


@pytest.mark.parametrize("redacted", [False, True])
def test_a_game_with_every_type_of_event_is_accepted(redacted: bool) -> None:
    game = stuck()
    for ply in range(34, 45):
        jsonschema_rs.validate(schema(), record_json(game.at(ply), redacted=redacted))


# --- rejected records -------------------------------------------------------------------------

OBJECTS: dict[Path, list[str]] = {
    (): list(STUCK),
    ("players", 0): ["name", "side", "colours"],
    ("result",): ["scores", "winners", "decided_by"],
    SAMPLE["select"]: ["type", "player", "move"],
    SAMPLE["build"]: ["type", "player", "move", "card"],
    SAMPLE["shuffle"]: ["type"],
    SAMPLE["redraw"]: ["type", "player", "hand"],
    SAMPLE["remove"]: ["type", "player", "move"],
    SAMPLE["score"]: ["type", "round", "colours", "scores"],
    SCORED: ["tallest", "majorities", "towers"],
}


def path_text(path: Path) -> str:
    return ".".join(map(str, path)) or "record"


def required_keys() -> Iterator[Any]:
    for path, keys in OBJECTS.items():
        for key in keys:
            yield pytest.param(path, key, id=f"{path_text(path)}.{key}")


@pytest.mark.parametrize(("path", "key"), list(required_keys()))
def test_a_missing_key_is_rejected(path: Path, key: str) -> None:
    data = record_json(stuck())
    del at(data, path)[key]
    rejected(data)


@pytest.mark.parametrize("path", [*OBJECTS, ("house_rules",), (*SAMPLE["score"], "colours")])
def test_an_unknown_key_is_rejected(path: Path) -> None:
    """It may be a misspelt key."""
    data = record_json(stuck())
    at(data, path)["remark"] = 1
    rejected(data)


WRONG: list[tuple[Path, list[object]]] = [
    (("format",), ["chess-record", 1, None]),
    (("version",), [0, 2, "1", None, True]),
    (("edition",), ["hig-2018", "", None, 1994]),
    (("house_rules",), [None, [], {"sides": "both"}, {"start": "oldest"}, {"sides": 1}]),
    (("house_rules",), [{"three_players": "6x6"}, {"two_players": "6x4"}, {"final_tie": ""}]),
    (("players",), [None, {}, [], STUCK["players"][:1], STUCK["players"] * 2]),
    (("players", 0, "name"), ["", "x" * 61, None, 7]),
    (("players", 0, "side"), ["South", "centre", None, 0]),
    (("players", 0, "colours"), [[], ["pink"], ["o"], "orange", ["orange", "red", "black"]]),
    (("first",), [-1, 4, None, "0", True]),
    (("seed",), ["", "0" * 63, "0" * 65, "g" * 64, "A" * 64, 0, "0" * 64 + "\n"]),
    (("commitment",), ["", "0" * 63, "0" * 65, "G" * 64, 0, False]),
    (("deck",), [[], [1] * 44, [1] * 46, [0] * 45, [10] * 45, ["1"] * 45, "1" * 45]),
    (("events",), [None, {}, "", STUCK["events"] * 10]),
    (("events", 0), [None, "A1+1", [], {}]),
    ((*SAMPLE["select"], "type"), ["choose", "Select", None, 1]),
    ((*SAMPLE["select"], "player"), [-1, 4, None, "0", True]),
    ((*SAMPLE["select"], "move"), ["[111]", "[1111111]", "[111115]", "111111", "C5+3", "[1111|]"]),
    ((*SAMPLE["build"], "player"), [-1, 4, None, "0", False]),
    ((*SAMPLE["build"], "move"), ["G5+3", "C0+3", "C5+5", "C5+0", "c5+3", "C5+3x", "C5+3\n", 5]),
    ((*SAMPLE["build"], "card"), [0, 10, None, "5", True]),
    ((*SAMPLE["build"], "drew"), [0, 10, None, "5", [5]]),
    ((*SAMPLE["shuffle"], "pile"), [None, [0], [10], ["1"], [1] * 46, 5]),
    ((*SAMPLE["redraw"], "player"), [-1, 4, None]),
    ((*SAMPLE["redraw"], "hand"), [None, [1, 1, 1], [1] * 5, [0, 1, 1, 1], [10, 1, 1, 1]]),
    ((*SAMPLE["redraw"], "drew"), [None, [1, 1, 1], [1] * 5, 4]),
    ((*SAMPLE["remove"], "player"), [-1, 4, None]),
    ((*SAMPLE["remove"], "move"), ["-0", "-5", "2", "C5+3", "-2x", "\u22122"]),
    ((*SAMPLE["score"], "round"), [0, 7, None, "1"]),
    ((*SAMPLE["score"], "colours"), [None, [], {"pink": STUCK["events"][28]["colours"]["blue"]}]),
    ((*SAMPLE["score"], "scores"), [None, [], [1], [1] * 5, [-1, 0, 0, 0], ["1", "2"]]),
    ((*SCORED, "tallest"), [1, 2, 6, -3, None, "3"]),
    ((*SCORED, "majorities"), [None, "A", ["G"], ["a"], ["A"] * 7]),
    ((*SCORED, "towers"), [-1, 55, None, "5"]),
    (("result",), [[], "points", False, {}]),
    (("result", "scores"), [None, [], [1], [1] * 5, [-1, 1, 1, 1]]),
    (("result", "winners"), [None, [], [-1], [4], [0] * 5, 0]),
    (("result", "decided_by"), ["luck", "", None]),
]


def wrong_values() -> Iterator[Any]:
    for path, values in WRONG:
        for value in values:
            yield pytest.param(path, value, id=f"{path_text(path)}={value!r:.30}")


@pytest.mark.parametrize(("path", "value"), list(wrong_values()))
def test_a_wrong_value_is_rejected(path: Path, value: object) -> None:
    rejected(with_value(path, value))


@pytest.mark.parametrize(
    ("path", "value", "start"),
    [
        ((*SAMPLE["build"], "card"), 10, "events[4].card: 10 is greater than"),
        ((*SAMPLE["build"], "move"), "G5+3", "events[4].move: 'G5+3' is not a move."),
        (("players", 2, "side"), "up", 'players[2].side: "up" is not one of'),
        ((*SCORED, "towers"), 55, "events[28].colours.orange.towers: 55 is greater than"),
        (("first",), 4, "first: 4 is greater than"),
    ],
)
def test_the_error_names_the_location_and_the_value(path: Path, value: object, start: str) -> None:
    assert rejected(with_value(path, value)).startswith(start)


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        (("players", 0, "name"), "longer than 60"),
        (("edition",), "not one of"),
        ((*SAMPLE["build"], "move"), "is not a move"),
    ],
)
def test_the_error_about_a_very_long_value_is_short(path: Path, problem: str) -> None:
    message = rejected(with_value(path, "x" * 100_000))
    assert len(message) < 400
    assert problem in message
