"""RECORD, the form: the JSON Schema takes every true record and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import pytest

from manhattan.record import RecordError, schema
from saved import TABLES, Json, find, finished, recorded, stuck, told

Path = tuple[str | int, ...]

STUCK = told(stuck())
"""A record with every kind of event."""

SAMPLE: dict[str, Path] = {
    kind: ("events", find(STUCK, kind))
    for kind in ("select", "build", "shuffle", "redraw", "remove", "score")
}
SCORED: Path = (*SAMPLE["score"], "colours", "orange")


def at(data: Any, path: Path) -> Any:
    for key in path:
        data = data[key]
    return data


def spoiled(path: Path, value: object) -> Json:
    """The record with one value changed."""
    data = told(stuck())
    at(data, path[:-1])[path[-1]] = value
    return data


def refused(data: Json) -> str:
    """Both the schema alone and the reader refuse it; what the reader says."""
    assert not jsonschema_rs.is_valid(schema(), data)
    with pytest.raises(RecordError) as caught:
        recorded(data)
    return str(caught.value)


# --- what is taken ----------------------------------------------------------------------------


def test_the_schema_is_itself_valid() -> None:
    """By the rules of the draft that it names."""
    assert schema()["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    jsonschema_rs.meta.validate(schema())


@pytest.mark.parametrize(("edition", "players"), TABLES)
def test_every_simulated_game_has_the_form(edition: str, players: int) -> None:
    """Finished, unfinished and as others may see it, with any validator of JSON Schema."""
    game = finished(edition, players)
    for ply in (0, 1, game.ply // 2, game.ply - 1, game.ply):
        for whole in (True, False):
            jsonschema_rs.validate(schema(), told(game.at(ply), whole=whole))


@pytest.mark.parametrize("whole", [True, False])
def test_a_game_with_every_kind_of_event_has_the_form(whole: bool) -> None:
    game = stuck()
    for ply in range(34, 45):
        jsonschema_rs.validate(schema(), told(game.at(ply), whole=whole))


# --- what is refused --------------------------------------------------------------------------

OBJECTS: dict[Path, list[str]] = {
    (): list(STUCK),
    ("players", 0): ["name", "seat", "colours"],
    ("result",): ["scores", "winners", "decided_by"],
    SAMPLE["select"]: ["type", "player", "move"],
    SAMPLE["build"]: ["type", "player", "move", "card"],
    SAMPLE["shuffle"]: ["type"],
    SAMPLE["redraw"]: ["type", "player", "hand"],
    SAMPLE["remove"]: ["type", "player", "move"],
    SAMPLE["score"]: ["type", "round", "colours", "scores"],
    SCORED: ["tallest", "majorities", "towers"],
}


def named(path: Path) -> str:
    return ".".join(map(str, path)) or "record"


def required() -> Iterator[Any]:
    for path, keys in OBJECTS.items():
        for key in keys:
            yield pytest.param(path, key, id=f"{named(path)}.{key}")


@pytest.mark.parametrize(("path", "key"), list(required()))
def test_nothing_that_is_required_may_be_missing(path: Path, key: str) -> None:
    data = told(stuck())
    del at(data, path)[key]
    refused(data)


@pytest.mark.parametrize("path", [*OBJECTS, ("house_rules",), (*SAMPLE["score"], "colours")])
def test_nothing_unknown_may_be_said(path: Path) -> None:
    """A misspelt key must not pass as one that was left out."""
    data = told(stuck())
    at(data, path)["remark"] = 1
    refused(data)


WRONG: list[tuple[Path, list[object]]] = [
    (("format",), ["chess-record", 1, None]),
    (("version",), [0, 2, "1", None, True]),
    (("edition",), ["hig-2018", "", None, 1994]),
    (("house_rules",), [None, [], {"sides": "both"}, {"start": "oldest"}, {"sides": 1}]),
    (("house_rules",), [{"three_players": "6x6"}, {"two_players": "6x4"}, {"final_tie": ""}]),
    (("players",), [None, {}, [], STUCK["players"][:1], STUCK["players"] * 2]),
    (("players", 0, "name"), ["", "x" * 61, None, 7]),
    (("players", 0, "seat"), ["South", "centre", None, 0]),
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
            yield pytest.param(path, value, id=f"{named(path)}={value!r:.30}")


@pytest.mark.parametrize(("path", "value"), list(wrong_values()))
def test_no_wrong_value_is_taken(path: Path, value: object) -> None:
    refused(spoiled(path, value))


@pytest.mark.parametrize(
    ("path", "value", "where"),
    [
        ((*SAMPLE["build"], "card"), 10, "events[4].card: 10 is greater than"),
        ((*SAMPLE["build"], "move"), "G5+3", "events[4].move: 'G5+3' is not a move."),
        (("players", 2, "seat"), "up", 'players[2].seat: "up" is not one of'),
        ((*SCORED, "towers"), 55, "events[28].colours.orange.towers: 55 is greater than"),
        (("first",), 4, "first: 4 is greater than"),
    ],
)
def test_the_error_names_the_place_and_the_value(path: Path, value: object, where: str) -> None:
    assert refused(spoiled(path, value)).startswith(where)


@pytest.mark.parametrize(
    ("path", "what"),
    [
        (("players", 0, "name"), "longer than 60"),
        (("edition",), "not one of"),
        ((*SAMPLE["build"], "move"), "is not a move"),
    ],
)
def test_the_error_about_a_very_long_value_is_short_and_still_says_what_is_wrong(
    path: Path, what: str
) -> None:
    message = refused(spoiled(path, "x" * 100_000))
    assert len(message) < 400
    assert what in message
