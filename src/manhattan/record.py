"""The saved game: writing it, and reading it back as data.

A record is one JSON object; a file holds one, or many, one a line. The format is described in
``docs/record.md`` and by ``record.schema.json``. Whether what a record tells is true to the
rules is the business of ``manhattan.replay``.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Final, NoReturn

import jsonschema_rs

from manhattan.game import Game
from manhattan.rules import (
    Built,
    Colour,
    Ended,
    Event,
    ManhattanError,
    NotationError,
    Player,
    Redrew,
    Removed,
    Result,
    Scored,
    Seat,
    Selected,
    Setup,
    SetupError,
    Shuffled,
    parse_move,
)
from manhattan.rules.errors import describe_characters
from manhattan.view import all_seen_by

FORMAT: Final = "manhattan-record"
VERSION: Final = 1
LONGEST: Final = 1_000_000
"""Characters. A whole game has about 10,000, so a longer text is something else."""

Json = dict[str, Any]


class RecordError(ManhattanError, ValueError):
    """A text that is no record, or a record that is not true to the rules."""

    def __init__(self, what: str, where: str = "") -> None:
        super().__init__(f"{where}: {what}" if where else what)
        self.what = what
        self.where = where

    def __reduce__(self) -> tuple[type[RecordError], tuple[str, str]]:
        return RecordError, (self.what, self.where)

    def inside(self, outer: str) -> RecordError:
        """The same error, with the place in which its place lies."""
        return RecordError(self.what, ", ".join(filter(None, (outer, self.where))))


@dataclass(frozen=True, slots=True)
class Record:
    """A saved game as data: in the right form, but not yet checked against the rules."""

    setup: Setup
    seed: bytes | None
    commitment: str | None
    deck: tuple[int, ...] | None
    """None in what others may see of an unfinished game."""
    events: tuple[Json, ...]
    result: Json | None


def to_json(game: Game, *, whole: bool = True) -> Json:
    """The record of a game.

    A whole record of an unfinished game holds its hidden cards: it is for whoever owns the game.
    What others may see of it is the one with ``whole=False``. A finished game has no secrets.
    """
    whole = whole or game.over
    events = game.events if whole else all_seen_by(None, game.events)
    setup = game.setup
    return {
        "format": FORMAT,
        "version": VERSION,
        "edition": setup.edition,
        "house_rules": dict(setup.house_rules),
        "players": [
            {"name": p.name, "seat": p.seat.value, "colours": [c.value for c in p.colours]}
            for p in setup.players
        ],
        "first": setup.first,
        "seed": game.seed.hex() if game.seed is not None and whole else None,
        "commitment": game.commitment,
        "deck": list(game.deck) if whole else None,
        "events": [e for event in events if (e := event_json(event, setup)) is not None],
        "result": result_json(game.result),
    }


def event_json(event: Event, setup: Setup) -> Json | None:
    """An event as a record tells it; the end is told by the record's result instead."""
    match event:
        case Selected(player, move):
            return {"type": "select", "player": player, "move": str(move)}
        case Built(player, move):
            told: Json = {"type": "build", "player": player, "move": str(move), "card": event.card}
            return told if event.drew is None else told | {"drew": event.drew}
        case Shuffled():
            return {"type": "shuffle"} | ({"pile": list(event.pile)} if event.pile else {})
        case Redrew(player, hand, drew):
            told = {"type": "redraw", "player": player, "hand": list(hand)}
            return told if drew is None else told | {"drew": list(drew)}
        case Removed(player, move):
            return {"type": "remove", "player": player, "move": str(move)}
        case Scored(sheet):
            colours = {
                colour.value: {
                    "tallest": score.tallest,
                    "majorities": list(score.majorities),
                    "towers": score.towers,
                }
                for colour, score in zip(setup.colours, sheet.colours, strict=True)
            }
            scores = list(sheet.scores)
            return {"type": "score", "round": sheet.round, "colours": colours, "scores": scores}
        case Ended():
            return None


def result_json(result: Result | None) -> Json | None:
    if result is None:
        return None
    return {
        "scores": list(result.scores),
        "winners": list(result.winners),
        "decided_by": result.decided_by,
    }


def to_line(record: Json) -> str:
    """A record as one line of text, without the line's end."""
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"))


def write(path: str | Path, records: Iterable[Json]) -> int:
    """Write records to a file, one a line, and tell how many. The file is there whole or not at
    all: whatever goes wrong on the way, an older file of that name stays as it was."""
    path = Path(path)
    count = 0
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise RecordError(f"The file can't be written: {error.strerror}.", str(path)) from error
    try:
        with open(handle, "w", encoding="utf-8") as file:
            for record in records:
                file.write(to_line(record) + "\n")
                count += 1
        Path(name).chmod(0o666 & ~_umask())
        Path(name).replace(path)
    except OSError as error:
        raise RecordError(f"The file can't be written: {error.strerror}.", str(path)) from error
    finally:
        Path(name).unlink(missing_ok=True)
    return count


def read(path: str | Path) -> Iterator[Record]:
    """The records of a file, one after the other: one a line, or a single one over many lines."""
    name = str(path)
    try:
        with open(path, encoding="utf-8") as file:
            first = file.readline(LONGEST + 1)
            if _is_whole(first):
                number = 1
                yield parse(first, f"{name}, line 1")
                while line := file.readline(LONGEST + 1):
                    number += 1
                    if line.strip():
                        yield parse(line, f"{name}, line {number}")
            else:
                yield parse(first + file.read(LONGEST), name)
    except UnicodeDecodeError as error:
        raise RecordError("This is not a text in UTF-8, so it is no record.", name) from error
    except OSError as error:
        raise RecordError(f"The file can't be read: {error.strerror}.", name) from error


def parse(text: str, where: str = "") -> Record:
    """The record that a text holds."""
    try:
        data = _loads(text)
        _check_form(data)
        return _from_json(data)
    except RecordError as error:
        raise error.inside(where) from None


def _from_json(data: Json) -> Record:
    try:
        setup = Setup(
            players=tuple(
                Player(p["name"], Seat(p["seat"]), tuple(map(Colour, p["colours"])))
                for p in data["players"]
            ),
            edition=data["edition"],
            house_rules=tuple(data["house_rules"].items()),
            first=data["first"],
        )
    except SetupError as error:
        raise RecordError(str(error), "the set-up") from error
    return Record(
        setup=setup,
        seed=None if data["seed"] is None else bytes.fromhex(data["seed"]),
        commitment=data["commitment"],
        deck=None if data["deck"] is None else tuple(data["deck"]),
        events=tuple(data["events"]),
        result=data["result"],
    )


def _loads(text: str) -> Json:
    if len(text) > LONGEST:
        raise RecordError(
            f"This is longer than {LONGEST:,} characters, so it is no record of a game."
        )
    if not text.strip():
        raise RecordError("There is nothing here; a record of a game was expected.")
    try:
        data = json.loads(
            text, parse_float=_refuse, parse_constant=_refuse, object_pairs_hook=_unique
        )
    except json.JSONDecodeError as error:
        raise RecordError(
            f"This is no JSON ({error.msg.lower()}), so it is no record, or one that was cut off.",
            f"line {error.lineno}, column {error.colno}",
        ) from error
    except RecursionError as error:
        raise RecordError("This is nested too deeply to be a record.") from error
    except ValueError as error:  # a number of thousands of digits
        raise (
            error
            if isinstance(error, RecordError)
            else RecordError("There is a number here that is far too long for a record.")
        ) from error
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise RecordError(f'This is no saved game: it has no "format": "{FORMAT}".')
    if data.get("version") != VERSION:
        raise RecordError(
            f"This record has the version {data.get('version')!r:.20}; "
            f"this program reads version {VERSION}."
        )
    return data


def _refuse(number: str) -> NoReturn:
    raise RecordError(f"{describe_characters(number)} is not a whole number, as all here are.")


def _unique(pairs: list[tuple[str, Any]]) -> Json:
    data = dict(pairs)
    if len(data) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise RecordError(f"{describe_characters(twice)} is said twice in one object.")
    return data


@cache
def schema() -> Json:
    """The JSON Schema of a record."""
    text = resources.files("manhattan").joinpath("record.schema.json").read_text("utf-8")
    loaded: Json = json.loads(text)
    return loaded


@cache
def _validator() -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator(schema())


def _check_form(data: Json) -> None:
    try:
        _validator().validate(data)
    except jsonschema_rs.ValidationError as error:
        where = _json_path(error.instance_path)
        raise RecordError(_sentence(data, error), where) from None
    except ValueError as error:  # half a surrogate pair, which is no character
        raise RecordError("There is a text here that is not valid Unicode.") from error


def _sentence(data: Json, error: jsonschema_rs.ValidationError) -> str:
    value: Any = data
    for key in error.instance_path:
        value = value[key]
    if error.instance_path and error.instance_path[-1] == "move" and isinstance(value, str):
        try:  # the notation explains itself better than a pattern does
            parse_move(value)
        except NotationError as reason:
            return str(reason)
    message = error.message
    return (message if len(message) <= 200 else message[:199] + "…").rstrip(".") + "."


def _json_path(path: Iterable[str | int]) -> str:
    text = ""
    for key in path:
        text += f"[{key}]" if isinstance(key, int) else f".{key}" if text else key
    return text


def _is_whole(line: str) -> bool:
    """Is a file's first line a record of its own?"""
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
