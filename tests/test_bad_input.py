"""Reading any file gives a record or one error sentence, within a bounded time."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from manhattan.record import RecordError, parse, read, to_line
from manhattan.replay import replay
from support.record_fixtures import Json, find, finished, record_json, stuck

GAME = finished()
LINE = to_line(record_json()).encode()
TIMEOUT_S = 60.0
"""Not a measure of speed: it detects work that grows with the square of the input."""


T = TypeVar("T")


def outcome(read_record: Callable[[], T]) -> T | str:
    """The result, or the error sentence. Any other exception fails, and so does a timeout."""
    start = time.monotonic()
    try:
        return read_record()
    except RecordError as error:
        assert time.monotonic() - start < TIMEOUT_S
        message = str(error)
        assert message.isprintable(), f"not printable: {message!a}"
        assert 10 < len(message) < 1000
        return message


def rejected(content: bytes, directory: Path) -> str:
    """Check that a file and its text are rejected; return the error of the text."""
    path = directory / "bad.jsonl"
    path.write_bytes(content)
    file_error = outcome(lambda: next(read(path)))
    assert isinstance(file_error, str)
    assert "bad.jsonl" in file_error
    text = content.decode("utf-8", errors="replace")
    text_error = outcome(lambda: parse(text))
    assert isinstance(text_error, str)
    return text_error


def changed(**keys: object) -> str:
    """The line of a valid record with some keys changed."""
    return json.dumps(record_json() | keys)


def renamed(name: str) -> str:
    """The line of a valid record with another name of the first player."""
    players = record_json()["players"]
    players[0]["name"] = name
    return changed(players=players)


# --- one wrong byte ---------------------------------------------------------------------------


def without_names(data: Json) -> Json:
    players = [{**player, "name": "?"} for player in data["players"]]
    return data | {"players": players}


def is_detected(content: bytes, original: Json) -> bool:
    """Return whether the error is detected. An undetected one may change only a name."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return True
    game = outcome(lambda: replay(parse(text)))
    if isinstance(game, str):
        return True
    assert without_names(record_json(game)) == without_names(original)
    return False


@pytest.mark.parametrize("part", range(4))
def test_a_replaced_byte_is_detected(part: int) -> None:
    """None of 1,200 records with one replaced byte is accepted as another game."""
    rng = random.Random(part)
    line = (LINE, to_line(record_json(stuck())).encode())[part % 2]
    original = json.loads(line)
    detected = 0
    for _ in range(300):
        at = rng.randrange(len(line))
        byte = rng.choice([rng.randrange(256), rng.choice(b'0123456789"[]{},: -ABCDEF+')])
        if byte != line[at]:
            detected += is_detected(line[:at] + bytes([byte]) + line[at + 1 :], original)
    assert detected > 250


@pytest.mark.parametrize("part", range(2))
def test_a_flipped_bit_is_detected(part: int) -> None:
    rng = random.Random(100 + part)
    detected = 0
    for _ in range(300):
        at, bit = rng.randrange(len(LINE)), 1 << rng.randrange(8)
        detected += is_detected(LINE[:at] + bytes([LINE[at] ^ bit]) + LINE[at + 1 :], record_json())
    assert detected > 270


def test_a_missing_or_doubled_byte_does_not_change_the_game() -> None:
    rng = random.Random(7)
    for _ in range(150):
        at = rng.randrange(len(LINE))
        is_detected(LINE[:at] + LINE[at + 1 :], record_json())
        is_detected(LINE[:at] + LINE[at : at + 1] + LINE[at:], record_json())


def test_a_changed_digit_of_an_event_is_always_detected() -> None:
    """Every digit after the word "events" matters."""
    text = LINE.decode()
    rng = random.Random(8)
    places = [n for n in range(text.index('"events"'), len(text)) if text[n].isdigit()]
    for at in rng.sample(places, 300):
        other = rng.choice([digit for digit in "0123456789" if digit != text[at]])
        assert is_detected(f"{text[:at]}{other}{text[at + 1 :]}".encode(), record_json())


def test_a_truncated_text_is_rejected(tmp_path: Path) -> None:
    rng = random.Random(9)
    for length in [0, 1, 2, len(LINE) - 1, *rng.sample(range(len(LINE)), 100)]:
        rejected(LINE[:length], tmp_path)


# --- invalid files ----------------------------------------------------------------------------

PRINTABLE = bytes(range(32, 127))
LARGE: dict[str, Callable[[], bytes]] = {
    "random bytes": lambda: random.Random(10).randbytes(10_000_000),
    "random letters": lambda: bytes(random.Random(11).choices(PRINTABLE, k=200_000)) * 50,
    "random lines": lambda: bytes(random.Random(12).choices(PRINTABLE + b"\n", k=200_000)) * 50,
    "five million brackets": lambda: b"[" * 5_000_000,
    "brackets, all closed": lambda: b"[" * 400_000 + b"]" * 400_000,
    "digits": lambda: b"9" * 10_000_000,
    "fewer digits": lambda: b"9" * 900_000,
    "objects in objects": lambda: b'{"a":' * 100_000,
    "objects in objects, closed": lambda: b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    "a text without an end": lambda: b'"' + b"a" * 10_000_000,
    "spaces": lambda: b" " * 10_000_000,
    "line ends": lambda: b"\n" * 10_000_000,
    "NUL bytes": lambda: b"\0" * 10_000_000,
}
SMALL: dict[str, bytes] = {
    "nothing": b"",
    "digits with a sign": b"-" + b"1" * 5000,
    "a NUL before the record": b"\0" + LINE,
    "a NUL after the record": LINE + b"\0",
    "a byte order mark": b"\xef\xbb\xbf" + LINE,
    "null": b"null",
    "a number": b"1",
    "a text": b'"manhattan-record"',
    "an empty list": b"[]",
    "an empty object": b"{}",
    "a list of a record": b"[" + LINE + b"]",
    "two records in a line": LINE + LINE,
    "a record of another game": b'{"format": "chess-record", "version": 1}',
    "a record of tomorrow": LINE.replace(b'"version":1', b'"version":2'),
    "single quotes": LINE.replace(b'"', b"'"),
    "a comma too many": LINE[:-1] + b",}",
    "a comment": b"// hello\n" + LINE,
    "a page of HTML": b"<!DOCTYPE html><html><body>404</body></html>",
}


@pytest.mark.parametrize("make", LARGE.values(), ids=LARGE.keys())
def test_a_large_invalid_file_is_rejected_in_time(
    make: Callable[[], bytes], tmp_path: Path
) -> None:
    rejected(make(), tmp_path)


@pytest.mark.parametrize("content", SMALL.values(), ids=SMALL.keys())
def test_a_small_invalid_file_is_rejected(content: bytes, tmp_path: Path) -> None:
    rejected(content, tmp_path)


@pytest.mark.parametrize(
    "content",
    [
        LINE.decode().encode("utf-16"),
        LINE.decode().encode("utf-32"),
        LINE.replace(b"Ada", b"Ad\xe9"),
        LINE.replace(b"Ada", b"\xed\xa0\x80"),
        LINE + b"\n" + LINE.replace(b"Ada", b"\xff"),
    ],
    ids=["UTF-16", "UTF-32", "Latin-1", "a surrogate", "in the second line"],
)
def test_a_file_that_is_not_utf8_is_rejected(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_bytes(content)
    message = outcome(lambda: list(read(path)))
    assert isinstance(message, str)
    assert "it is not UTF-8 text" in message


@pytest.mark.parametrize("depth", [10, 250, 260, 950, 1000, 5000])
@pytest.mark.parametrize("key", ["version", "edition", "events", "result", "unknown"])
def test_deep_nesting_is_rejected(key: str, depth: int, tmp_path: Path) -> None:
    """The depths are around the limits of the libraries."""
    value = "[" * depth + "]" * depth
    text = changed(**{key: "HERE"}).replace('"HERE"', value)
    assert "Unicode" not in rejected(text.encode(), tmp_path)


def test_a_repeated_key_among_many_is_rejected_in_time(tmp_path: Path) -> None:
    """Comparing all pairs of 20,000 keys takes seconds, and of 100,000, which fit, minutes."""
    keys = ",".join(f'"{number}":0' for number in range(20_000))
    assert "'19999' appears twice" in rejected(f'{{{keys},"19999":0}}'.encode(), tmp_path)


def test_a_line_that_is_too_long_is_rejected_after_a_valid_one(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_bytes(LINE + b"\n" + b"x" * 20_000_000)
    records = read(path)
    next(records)
    message = outcome(lambda: next(records))
    assert isinstance(message, str)
    assert "line 2" in message


# --- numbers ----------------------------------------------------------------------------------

NUMBERS = ["NaN", "Infinity", "-Infinity", "1e999", "1.0", "1e0", "1.5", "-1", "true", "null"]
NUMBERS += ['"1"', "[1]", "1" * 4000, "1" * 5000, "18446744073709551616", "-9223372036854775809"]


@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: number[:12])
@pytest.mark.parametrize("key", ["version", "first", "deck", "player", "card", "round", "tallest"])
def test_only_a_whole_number_is_accepted_as_a_number(key: str, number: str, tmp_path: Path) -> None:
    data: dict[str, Any] = record_json()
    match key:
        case "version" | "first":
            data[key] = "HERE"
        case "deck":
            data["deck"][0] = "HERE"
        case "player" | "card":
            data["events"][find(data, "build")][key] = "HERE"
        case "round":
            data["events"][find(data, "score")][key] = "HERE"
        case "tallest":
            data["events"][find(data, "score")]["colours"]["blue"][key] = "HERE"
    rejected(json.dumps(data).replace('"HERE"', number).encode(), tmp_path)


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e999", "1.0"])
def test_the_error_names_a_number_that_is_not_whole(number: str) -> None:
    message = outcome(lambda: parse(changed(first="HERE").replace('"HERE"', number)))
    assert message == f"'{number}' is not a whole number; a record has no other numbers."


@pytest.mark.parametrize("number", [2**31, 2**63, 2**64, 10**4000], ids=lambda n: str(n)[:9])
def test_the_error_about_a_huge_total_is_short(number: int) -> None:
    """The schema has no limit for points, so the replay detects it."""
    data = record_json()
    data["events"][find(data, "score")]["scores"][0] = number

    message = outcome(lambda: replay(parse(to_line(data))))
    assert isinstance(message, str)
    assert "(score)" in message


# --- texts ------------------------------------------------------------------------------------


@pytest.mark.parametrize("parent", ["{", '"house_rules": {', '"players": [{', '"events": [{'])
def test_a_repeated_key_is_rejected(parent: str, tmp_path: Path) -> None:
    """JSON readers differ in which of the two values they use."""
    at = json.dumps(record_json()).index(parent) + len(parent)
    text = json.dumps(record_json())
    twice = f'{text[:at]}"name": 1, "name": 1, {text[at:]}'.replace(", }", "}")
    assert "'name' appears twice" in rejected(twice.encode(), tmp_path)


UNUSUAL_TEXTS = {
    "half a surrogate pair": "\ud800",
    "the other half": "x\udfff",
    "right to left": "\u202eevil",
    "an isolate": "\u2066evil",
    "zero width": "A\u200bda",
    "an escape sequence": "\x1b[2J\x1b[31mred",
    "a bell": "\a",
    "a C1 control": "\x9b31m",
    "a line end": "Ada\nBob",
    "a line separator": "Ada\u2028Bob",
    "a NUL": "Ada\0",
    "nothing but spaces": "   ",
    "private use": "\ue000",
    "not a character": "\uffff",
    "too long": "x" * 61,
    "too long and right to left": "\u202e" * 61,
}


@pytest.mark.parametrize("name", UNUSUAL_TEXTS.values(), ids=UNUSUAL_TEXTS.keys())
def test_a_name_that_can_not_be_displayed_is_rejected(name: str, tmp_path: Path) -> None:
    rejected(renamed(name).encode(), tmp_path)


@pytest.mark.parametrize("text", UNUSUAL_TEXTS.values(), ids=UNUSUAL_TEXTS.keys())
@pytest.mark.parametrize("where", ["key", "rule", "edition", "side", "move", "colour", "version"])
def test_an_unusual_text_is_rejected_with_a_printable_error(
    where: str, text: str, tmp_path: Path
) -> None:
    """An error message must not contain the control characters of the file."""
    data = record_json()
    score = data["events"][find(data, "score")]
    match where:
        case "key":
            data[text] = 1
        case "rule":
            data["house_rules"] = {text: "free"}
        case "edition" | "version":
            data[where] = text
        case "side":
            data["players"][0]["side"] = text
        case "move":
            data["events"][0]["move"] = text
        case "colour":
            score["colours"][text] = score["colours"].pop("blue") | {"towers": 99}
    rejected(json.dumps(data).encode(), tmp_path)


@pytest.mark.parametrize(
    ("move", "named"),
    [
        ("\u04215+3", "CYRILLIC CAPITAL LETTER ES"),
        ("C\uff15+3", "FULLWIDTH DIGIT FIVE"),
        ("C\u0665+3", "ARABIC-INDIC DIGIT FIVE"),
        ("C5\uff0b3", "FULLWIDTH PLUS SIGN"),
        ("C5+3\u200b", "ZERO WIDTH SPACE"),
        ("\u22122", "MINUS SIGN"),
        ("C5+3\n", "U+000A"),
    ],
)
def test_the_error_names_a_look_alike_in_a_move(move: str, named: str, tmp_path: Path) -> None:
    data = record_json()
    data["events"][find(data, "build")]["move"] = move
    assert named in rejected(json.dumps(data).encode(), tmp_path)
