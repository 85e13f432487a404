"""Saved games: write them, and read them back as data.

A record is one JSON object. A file contains one record, or several as JSON Lines. The format is
described in ``docs/reference/record.md`` and ``record.schema.json``. ``manhattan.replay`` checks a
record against the rules.
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
    Selected,
    Setup,
    SetupError,
    Shuffled,
    Side,
    parse_move,
)
from manhattan.rules.errors import describe_characters, printable
from manhattan.view import redact_events

if TYPE_CHECKING:
    import jsonschema_rs

FORMAT: Final = "manhattan-record"
VERSION: Final = 1
MAX_LENGTH: Final = 1_000_000
"""Characters. A game has about 10,000, so a longer text is not a record."""

Json = dict[str, Any]

_EMPTY: Final = "This is not a record: it is empty."
_TOO_DEEP: Final = "This is not a record: it is nested too deeply."


class RecordError(ManhattanError, ValueError):
    """A text is not a record, or a record breaks the rules."""

    def __init__(self, problem: str, location: str = "") -> None:
        self.problem = printable(problem)
        self.location = printable(location)
        super().__init__(f"{self.location}: {self.problem}" if location else self.problem)

    def __reduce__(self) -> tuple[type[RecordError], tuple[str, str]]:
        return RecordError, (self.problem, self.location)

    def inside(self, outer: str) -> RecordError:
        """The same error, with an outer location before its own."""
        return RecordError(self.problem, ", ".join(filter(None, (outer, self.location))))


@dataclass(frozen=True, slots=True)
class Record:
    """A saved game as data: in the right format, but not yet checked against the rules."""

    setup: Setup
    seed: bytes | None = field(repr=False)
    commitment: str | None
    deck: tuple[int, ...] | None = field(repr=False)
    """None in the redacted record of an unfinished game."""
    events: tuple[Json, ...] = field(repr=False)
    result: Json | None
    server_seed: bytes | None = field(repr=False, default=None)
    """The server's part of a seed that it drew together with the players' clients."""
    nonces: tuple[bytes | None, ...] | None = None
    """The parts of the clients, by player; None if one party alone drew the seed."""


def to_json(game: Game, *, redacted: bool = False) -> Json:
    """Make the record of a game.

    The record of an unfinished game contains its hidden cards, for the owner of the game. The
    redacted one contains only what spectators may know. A finished game has no secrets.
    """
    redacted = redacted and not game.is_over
    events = redact_events(None, game.events) if redacted else game.events
    setup = game.setup
    return {
        "format": FORMAT,
        "version": VERSION,
        "edition": setup.edition,
        "house_rules": dict(setup.house_rules),
        "players": [
            {"name": p.name, "side": p.side.value, "colours": [c.value for c in p.colours]}
            for p in setup.players
        ],
        "first": setup.first,
        "seed": None if game.seed is None or redacted else game.seed.hex(),
        "commitment": game.commitment,
        **_joint_seed_json(game, redacted=redacted),
        "deck": None if redacted else list(game.deck),
        "events": [e for event in events if (e := event_json(event, setup)) is not None],
        "result": result_json(game.result),
    }


def _joint_seed_json(game: Game, *, redacted: bool) -> Json:
    """Write who contributed what to the seed, if several parties did."""
    if game.joint is None:
        return {}
    return {
        "server_seed": None if redacted else game.joint.server_seed.hex(),
        "nonces": [None if nonce is None else nonce.hex() for nonce in game.joint.nonces],
    }


def event_json(event: Event, setup: Setup) -> Json | None:
    """Write an event; None for the end of the game, which the record's result describes."""
    match event:
        case Selected(player, move):
            return {"type": "select", "player": player, "move": str(move)}
        case Built(player, move):
            build: Json = {"type": "build", "player": player, "move": str(move), "card": event.card}
            return build if event.drew is None else build | {"drew": event.drew}
        case Shuffled():
            return {"type": "shuffle"} | ({"pile": list(event.pile)} if event.pile else {})
        case Redrew(player, hand, drew):
            redraw: Json = {"type": "redraw", "player": player, "hand": list(hand)}
            return redraw if drew is None else redraw | {"drew": list(drew)}
        case Removed(player, move):
            return {"type": "remove", "player": player, "move": str(move)}
        case Scored(sheet):
            colours = {
                colour.value: {
                    "tallest": score.tallest_points,
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
    """Write the result of a game; None while it is unfinished."""
    if result is None:
        return None
    return {
        "scores": list(result.scores),
        "winners": list(result.winners),
        "decided_by": result.decided_by,
    }


def to_line(record: Json) -> str:
    """Write a record as one line of text, without a line break."""
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"))


def write(path: str | Path, records: Iterable[Json]) -> int:
    """Write records to a file, one a line, and return their number.

    The write is atomic: if it fails, an older file of that name stays as it was. A pipe or another
    special file is written to directly.
    """
    path = Path(path)
    with _file_errors("written", path):
        if path.exists() and not path.is_file():
            target: TextIO = open(path, "w", encoding="utf-8")  # noqa: SIM115 - closed below
            temporary = None
        else:
            path = path.resolve()  # keeps a symbolic link, and replaces its target
            handle, name = tempfile.mkstemp(prefix=f".{path.name[:50]}.", dir=path.parent)
            target = open(handle, "w", encoding="utf-8")  # noqa: SIM115 - closed below
            temporary = Path(name)
    try:
        with target:
            count = _write_lines(target, path, records)
        if temporary is not None:
            with _file_errors("written", path):
                temporary.chmod(0o666 & ~_umask())
                temporary.replace(path)
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
    return count


@contextmanager
def _file_errors(action: str, path: str | Path) -> Iterator[None]:
    """Turn the errors of a file system into a ``RecordError``."""
    try:
        yield
    except OSError as error:
        raise RecordError(f"The file can't be {action}: {error.strerror}.", str(path)) from error
    except UnicodeDecodeError as error:
        raise RecordError("This is not a record: it is not UTF-8 text.", str(path)) from error
    except ManhattanError:
        raise
    except ValueError as error:  # a NUL in its name
        problem = f"The file can't be {action}: no file can have this name."
        raise RecordError(problem, str(path)) from error


def _write_lines(file: TextIO, path: Path, records: Iterable[Json]) -> int:
    count = 0
    for record in records:  # outside the block: an error of the iterator is not one of the file
        with _file_errors("written", path):
            file.write(to_line(record) + "\n")
        count += 1
    with _file_errors("written", path):
        file.flush()
    return count


def read(path: str | Path) -> Iterator[Record]:
    """Read the records of a file: one a line, or a single one on several lines."""
    with _file_errors("read", path):
        file = open(path, encoding="utf-8")  # noqa: SIM115 - closed below
    with file:
        yield from read_open(file, str(path))


def read_open(file: TextIO, name: str) -> Iterator[Record]:
    """Read the records of an open file. The name appears in error messages."""
    with _file_errors("read", name):
        yield from _records(file, name)


def _records(file: TextIO, name: str) -> Iterator[Record]:
    number = count = 0
    while line := file.readline(MAX_LENGTH + 1):
        number += 1
        if not line.strip():
            continue
        if count == 0 and not line.rstrip().endswith("}"):
            # One record on several lines: with one record a line, every line ends in a brace.
            line += file.read(MAX_LENGTH + 1 - len(line))
        count += 1
        yield parse(line, name, number)
    if count == 0:
        raise RecordError(_EMPTY, name)


def parse(text: str, location: str = "", line: int | None = None) -> Record:
    """Read a record from a text.

    An error names the location that the caller gives, and the line of the file on which the text
    begins.
    """
    try:
        data = _loads(text, line or 1)
        _check_format(data)
        return _from_json(data)
    except _InvalidJson as error:
        raise error.inside(location) from None
    except RecordError as error:
        outer = f"{location}, line {line}" if line else location
        raise error.inside(outer) from None


class _InvalidJson(RecordError):
    """The text is not JSON. The location of the error includes the line."""


def _from_json(data: Json) -> Record:
    try:
        setup = Setup(
            players=tuple(
                Player(p["name"], Side(p["side"]), tuple(map(Colour, p["colours"])))
                for p in data["players"]
            ),
            edition=data["edition"],
            house_rules=tuple(data["house_rules"].items()),
            first=data["first"],
        )
    except SetupError as error:
        raise RecordError(str(error), "set-up") from error
    return Record(
        setup=setup,
        seed=_optional_bytes(data["seed"]),
        commitment=data["commitment"],
        deck=None if data["deck"] is None else tuple(data["deck"]),
        events=tuple(data["events"]),
        result=data["result"],
        server_seed=_optional_bytes(data.get("server_seed")),
        nonces=tuple(map(_optional_bytes, data["nonces"])) if "nonces" in data else None,
    )


def _optional_bytes(text: str | None) -> bytes | None:
    return None if text is None else bytes.fromhex(text)


def _loads(text: str, line: int) -> Json:
    if len(text) > MAX_LENGTH:
        raise RecordError(f"This is not a record: it is longer than {MAX_LENGTH:,} characters.")
    if not text.strip():
        raise RecordError(_EMPTY)
    try:
        data = json.loads(
            text,
            parse_float=_reject_number,
            parse_constant=_reject_number,
            object_pairs_hook=_unique,
        )
    except json.JSONDecodeError as error:
        raise _InvalidJson(
            f"This is not a complete record: it is not valid JSON ({error.msg.lower()}).",
            f"line {error.lineno + line - 1}, column {error.colno}",
        ) from error
    except RecursionError as error:
        raise RecordError(_TOO_DEEP) from error
    except RecordError:
        raise
    except ValueError as error:  # a number of thousands of digits
        raise RecordError("This is not a record: it contains a number that is too long.") from error
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise RecordError(f'This is not a record: it has no "format": "{FORMAT}".')
    if data.get("version") != VERSION:
        raise RecordError(
            f"This record has version {data.get('version')!r:.20}; "
            f"this program reads version {VERSION}."
        )
    return data


def _reject_number(number: str) -> NoReturn:
    raise RecordError(
        f"{describe_characters(number)} is not a whole number; a record has no other numbers."
    )


def _unique(pairs: list[tuple[str, Any]]) -> Json:
    data: Json = {}
    for key, value in pairs:
        if key in data:
            raise RecordError(f"The key {describe_characters(key)} appears twice in one object.")
        data[key] = value
    return data


@cache
def schema() -> Json:
    """Load the JSON Schema of a record."""
    text = resources.files("manhattan").joinpath("record.schema.json").read_text("utf-8")
    loaded: Json = json.loads(text)
    return loaded


@cache
def _validator() -> jsonschema_rs.Draft202012Validator:
    import jsonschema_rs  # slow to import, and needed only to read records

    return jsonschema_rs.Draft202012Validator(schema())


def _check_format(data: Json) -> None:
    import jsonschema_rs

    try:
        _validator().validate(data)
    except jsonschema_rs.ValidationError as error:
        raise RecordError(_sentence(data, error), _json_path(error.instance_path)) from None
    except ValueError as error:  # a value that the validator can't process
        raise RecordError(_unprocessable(data)) from error


def _unprocessable(data: Json) -> str:
    try:
        to_line(data).encode()
    except UnicodeEncodeError:  # half a surrogate pair, which is not a character
        return "This is not a record: it contains text that is not valid Unicode."
    except RecursionError:
        pass
    return _TOO_DEEP


def _sentence(data: Json, error: jsonschema_rs.ValidationError) -> str:
    value: Any = data
    for key in error.instance_path:
        value = value[key]
    if error.instance_path and error.instance_path[-1] == "move" and isinstance(value, str):
        try:  # the parser explains the error better than a regular expression
            parse_move(value)
        except NotationError as reason:
            return str(reason)
    message = error.message.rstrip(".") + "."
    # A long message begins with the value and ends with the problem.
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
