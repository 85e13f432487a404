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
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn, TextIO

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
from manhattan.rules.errors import describe_characters, printable
from manhattan.view import all_seen_by

if TYPE_CHECKING:
    import jsonschema_rs

FORMAT: Final = "manhattan-record"
VERSION: Final = 1
LONGEST: Final = 1_000_000
"""Characters. A whole game has about 10,000, so a longer text is something else."""

Json = dict[str, Any]


class RecordError(ManhattanError, ValueError):
    """A text that is no record, or a record that is not true to the rules."""

    def __init__(self, what: str, where: str = "") -> None:
        self.what = printable(what)
        self.where = printable(where)
        super().__init__(f"{self.where}: {self.what}" if where else self.what)

    def __reduce__(self) -> tuple[type[RecordError], tuple[str, str]]:
        return RecordError, (self.what, self.where)

    def inside(self, outer: str) -> RecordError:
        """The same error, with the place in which its place lies."""
        return RecordError(self.what, ", ".join(filter(None, (outer, self.where))))


@dataclass(frozen=True, slots=True)
class Record:
    """A saved game as data: in the right form, but not yet checked against the rules."""

    setup: Setup
    seed: bytes | None = field(repr=False)
    commitment: str | None
    deck: tuple[int, ...] | None = field(repr=False)
    """None in what others may see of an unfinished game."""
    events: tuple[Json, ...] = field(repr=False)
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
    """Write records to a file, one a line, and tell how many.

    The file is there whole or not at all: whatever goes wrong on the way, an older file of that
    name stays as it was. What is no ordinary file, a pipe for one, is written to as it is.
    """
    path = Path(path)
    with _told_as("written", path):
        if path.exists() and not path.is_file():
            target: TextIO = open(path, "w", encoding="utf-8")  # noqa: SIM115 - closed below
            unfinished = None
        else:
            path = path.resolve()  # so that a link stays, and its target is replaced
            handle, name = tempfile.mkstemp(prefix=f".{path.name[:50]}.", dir=path.parent)
            target = open(handle, "w", encoding="utf-8")  # noqa: SIM115 - closed below
            unfinished = Path(name)
    try:
        with target:
            count = _write_lines(target, path, records)
        if unfinished is not None:
            with _told_as("written", path):
                unfinished.chmod(0o666 & ~_umask())
                unfinished.replace(path)
    finally:
        if unfinished is not None:
            unfinished.unlink(missing_ok=True)
    return count


@contextmanager
def _told_as(what: str, path: str | Path) -> Iterator[None]:
    """Whatever a file system refuses, in a sentence."""
    try:
        yield
    except OSError as error:
        raise RecordError(f"The file can't be {what}: {error.strerror}.", str(path)) from error
    except UnicodeDecodeError as error:
        raise RecordError("This is not a text in UTF-8, so it is no record.", str(path)) from error
    except ManhattanError:
        raise
    except ValueError as error:  # a NUL in its name
        told = f"The file can't be {what}: no file can have this name."
        raise RecordError(told, str(path)) from error


def _write_lines(file: TextIO, path: Path, records: Iterable[Json]) -> int:
    count = 0
    for record in records:  # what goes wrong in making them is not the file's fault
        with _told_as("written", path):
            file.write(to_line(record) + "\n")
        count += 1
    with _told_as("written", path):
        file.flush()
    return count


def read(path: str | Path) -> Iterator[Record]:
    """The records of a file, one after the other: one a line, or a single one over many lines."""
    with _told_as("read", path):
        file = open(path, encoding="utf-8")  # noqa: SIM115 - closed below
    with file:
        yield from read_open(file, str(path))


def read_open(file: TextIO, name: str) -> Iterator[Record]:
    """The same of a file that is open already, told by this name where something is wrong."""
    with _told_as("read", name):
        yield from _records(file, name)


def _records(file: TextIO, name: str) -> Iterator[Record]:
    number = found = 0
    while line := file.readline(LONGEST + 1):
        number += 1
        if not line.strip():
            continue
        if found == 0 and not line.rstrip().endswith("}"):
            # The beginning of one record over many lines: a line of many records ends in a brace.
            line += file.read(LONGEST + 1 - len(line))
        found += 1
        yield parse(line, name, number)
    if found == 0:
        raise RecordError("There is nothing here; a record of a game was expected.", name)


def parse(text: str, where: str = "", line: int | None = None) -> Record:
    """The record that a text holds. What is wrong is told with its place: whatever the caller
    says, and the line of a file on which the text begins."""
    try:
        data = _loads(text, line or 1)
        _check_form(data)
        return _from_json(data)
    except _NoJson as error:
        raise error.inside(where) from None
    except RecordError as error:
        outer = f"{where}, line {line}" if line else where
        raise error.inside(outer) from None


class _NoJson(RecordError):
    """Not even JSON; knows its line by itself."""


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


def _loads(text: str, line: int) -> Json:
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
        raise _NoJson(
            f"This is no JSON ({error.msg.lower()}), so it is no record, or one that was cut off.",
            f"line {error.lineno + line - 1}, column {error.colno}",
        ) from error
    except RecursionError as error:
        raise RecordError("This is nested too deeply to be a record.") from error
    except RecordError:
        raise
    except ValueError as error:  # a number of thousands of digits
        raise RecordError("There is a number here that is far too long for a record.") from error
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
    data: Json = {}
    for key, value in pairs:
        if key in data:
            raise RecordError(f"{describe_characters(key)} is said twice in one object.")
        data[key] = value
    return data


@cache
def schema() -> Json:
    """The JSON Schema of a record."""
    text = resources.files("manhattan").joinpath("record.schema.json").read_text("utf-8")
    loaded: Json = json.loads(text)
    return loaded


@cache
def _validator() -> jsonschema_rs.Draft202012Validator:
    import jsonschema_rs  # only who reads records has to wait for it

    return jsonschema_rs.Draft202012Validator(schema())


def _check_form(data: Json) -> None:
    import jsonschema_rs

    try:
        _validator().validate(data)
    except jsonschema_rs.ValidationError as error:
        where = _json_path(error.instance_path)
        raise RecordError(_sentence(data, error), where) from None
    except ValueError as error:  # what the validator can't take in
        raise RecordError(_strangeness(data)) from error


def _strangeness(data: Json) -> str:
    try:
        to_line(data).encode()
    except UnicodeEncodeError:  # half a surrogate pair, which is no character
        return "There is a text here that is not valid Unicode."
    except RecursionError:
        pass
    return "This is nested too deeply to be a record."


def _sentence(data: Json, error: jsonschema_rs.ValidationError) -> str:
    value: Any = data
    for key in error.instance_path:
        value = value[key]
    if error.instance_path and error.instance_path[-1] == "move" and isinstance(value, str):
        try:  # the notation explains itself better than a pattern does
            parse_move(value)
        except NotationError as reason:
            return str(reason)
    message = error.message.rstrip(".") + "."
    # A very long value stands at the front; what is wrong with it stands at the end.
    return message if len(message) <= 200 else f"{message[:60]}…{message[-130:]}"


def _json_path(path: Iterable[str | int]) -> str:
    text = ""
    for key in path:
        text += f"[{key}]" if isinstance(key, int) else f".{key}" if text else key
    return text


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
