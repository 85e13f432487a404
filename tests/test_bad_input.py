"""Whatever a file holds, reading it ends in a record or in one sentence, and soon."""

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
from saved import Json, find, finished, stuck, told

GAME = finished()
LINE = to_line(told()).encode()
SOON = 60.0
"""Seconds. No measure of speed: it finds work that grows with the square of what is read."""


T = TypeVar("T")


def outcome(read_it: Callable[[], T]) -> T | str:
    """What was read, or the sentence; anything else that is raised fails, and so does waiting."""
    start = time.monotonic()
    try:
        return read_it()
    except RecordError as error:
        assert time.monotonic() - start < SOON
        message = str(error)
        assert message.isprintable(), f"not for a terminal: {message!a}"
        assert 10 < len(message) < 1000
        return message


def refused(content: bytes, directory: Path) -> str:
    """A file of this content is refused, and its text too; what is said of the text."""
    path = directory / "bad.jsonl"
    path.write_bytes(content)
    told_of_file = outcome(lambda: next(read(path)))
    assert isinstance(told_of_file, str)
    assert "bad.jsonl" in told_of_file
    text = content.decode("utf-8", errors="replace")
    told_of_text = outcome(lambda: parse(text))
    assert isinstance(told_of_text, str)
    return told_of_text


def changed(**keys: object) -> str:
    """The line of a true record with some keys changed."""
    return json.dumps(told() | keys)


def renamed(name: str) -> str:
    """The line of a true record with another first player, as escapes where that is needed."""
    players = told()["players"]
    players[0]["name"] = name
    return changed(players=players)


# --- one byte wrong ---------------------------------------------------------------------------


def without_names(data: Json) -> Json:
    players = [{**player, "name": "?"} for player in data["players"]]
    return data | {"players": players}


def check_one_byte(content: bytes, true: Json) -> bool:
    """A record with a wrong byte is found out, unless only a name is wrong. True if found."""
    try:
        text = content.decode()
    except UnicodeDecodeError:  # that is found before there is any text
        return True
    game = outcome(lambda: replay(parse(text)))
    if isinstance(game, str):
        return True
    assert without_names(told(game)) == without_names(true)
    return False


@pytest.mark.parametrize("part", range(4))
def test_a_wrong_byte_anywhere_is_found_out(part: int) -> None:
    """1,200 records with one byte replaced by another: none passes with another game in it."""
    rng = random.Random(part)
    line = (LINE, to_line(told(stuck())).encode())[part % 2]
    true = json.loads(line)
    found = 0
    for _ in range(300):
        at = rng.randrange(len(line))
        byte = rng.choice([rng.randrange(256), rng.choice(b'0123456789"[]{},: -ABCDEF+')])
        if byte != line[at]:
            found += check_one_byte(line[:at] + bytes([byte]) + line[at + 1 :], true)
    assert found > 250


@pytest.mark.parametrize("part", range(2))
def test_a_flipped_bit_anywhere_is_found_out(part: int) -> None:
    rng = random.Random(100 + part)
    found = 0
    for _ in range(300):
        at, bit = rng.randrange(len(LINE)), 1 << rng.randrange(8)
        found += check_one_byte(LINE[:at] + bytes([LINE[at] ^ bit]) + LINE[at + 1 :], told())
    assert found > 270


def test_a_missing_or_doubled_byte_anywhere_is_found_out() -> None:
    rng = random.Random(7)
    for _ in range(150):
        at = rng.randrange(len(LINE))
        check_one_byte(LINE[:at] + LINE[at + 1 :], told())
        check_one_byte(LINE[:at] + LINE[at : at + 1] + LINE[at:], told())


def test_a_digit_of_an_event_changed_is_always_found_out() -> None:
    """Every single digit behind the word "events" matters."""
    text = LINE.decode()
    rng = random.Random(8)
    places = [n for n in range(text.index('"events"'), len(text)) if text[n].isdigit()]
    for at in rng.sample(places, 300):
        other = rng.choice([digit for digit in "0123456789" if digit != text[at]])
        assert check_one_byte(f"{text[:at]}{other}{text[at + 1 :]}".encode(), told())


def test_a_text_cut_off_anywhere_is_refused(tmp_path: Path) -> None:
    rng = random.Random(9)
    for length in [0, 1, 2, len(LINE) - 1, *rng.sample(range(len(LINE)), 100)]:
        refused(LINE[:length], tmp_path)


# --- nonsense ---------------------------------------------------------------------------------

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
def test_megabytes_of_nonsense_are_refused_soon(make: Callable[[], bytes], tmp_path: Path) -> None:
    refused(make(), tmp_path)


@pytest.mark.parametrize("content", SMALL.values(), ids=SMALL.keys())
def test_what_is_almost_a_record_is_refused(content: bytes, tmp_path: Path) -> None:
    refused(content, tmp_path)


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
def test_a_file_that_is_not_utf8_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_bytes(content)
    message = outcome(lambda: list(read(path)))
    assert isinstance(message, str)
    assert "not a text in UTF-8" in message


@pytest.mark.parametrize("depth", [10, 250, 260, 950, 1000, 5000])
@pytest.mark.parametrize("key", ["version", "edition", "events", "result", "unknown"])
def test_deep_nesting_anywhere_is_refused(key: str, depth: int, tmp_path: Path) -> None:
    """Around the depths at which one or the other library gives up."""
    value = "[" * depth + "]" * depth
    text = changed(**{key: "HERE"}).replace('"HERE"', value)
    assert "Unicode" not in refused(text.encode(), tmp_path)


def test_a_long_list_of_keys_with_the_last_said_twice_is_refused_soon(tmp_path: Path) -> None:
    """Comparing each of 20,000 keys with each takes seconds; 100,000, which fit, take minutes."""
    keys = ",".join(f'"{number}":0' for number in range(20_000))
    assert "'19999' is said twice" in refused(f'{{{keys},"19999":0}}'.encode(), tmp_path)


def test_a_line_that_is_too_long_behind_a_good_one_is_refused(tmp_path: Path) -> None:
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
def test_nothing_but_a_whole_number_is_a_number(key: str, number: str, tmp_path: Path) -> None:
    data: dict[str, Any] = told()
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
    refused(json.dumps(data).replace('"HERE"', number).encode(), tmp_path)


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e999", "1.0"])
def test_a_number_that_is_not_whole_is_named(number: str) -> None:
    said = outcome(lambda: parse(changed(first="HERE").replace('"HERE"', number)))
    assert said == f"'{number}' is not a whole number, as all here are."


@pytest.mark.parametrize("number", [2**31, 2**63, 2**64, 10**4000], ids=lambda n: str(n)[:9])
def test_a_huge_total_is_found_out_in_a_short_sentence(number: int) -> None:
    """The form sets no limit to points, so it is the replay that finds it."""
    data = told()
    data["events"][find(data, "score")]["scores"][0] = number

    message = outcome(lambda: replay(parse(to_line(data))))
    assert isinstance(message, str)
    assert "(score)" in message


# --- texts ------------------------------------------------------------------------------------


@pytest.mark.parametrize("where", ["{", '"house_rules": {', '"players": [{', '"events": [{'])
def test_a_key_said_twice_is_refused(where: str, tmp_path: Path) -> None:
    """Readers differ in which of the two they take, so neither is taken."""
    at = json.dumps(told()).index(where) + len(where)
    text = json.dumps(told())
    twice = f'{text[:at]}"name": 1, "name": 1, {text[at:]}'.replace(", }", "}")
    assert "'name' is said twice" in refused(twice.encode(), tmp_path)


STRANGE = {
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
    "too long and strange": "\u202e" * 61,
}


@pytest.mark.parametrize("name", STRANGE.values(), ids=STRANGE.keys())
def test_a_name_that_would_spoil_a_terminal_is_refused(name: str, tmp_path: Path) -> None:
    refused(renamed(name).encode(), tmp_path)


@pytest.mark.parametrize("text", STRANGE.values(), ids=STRANGE.keys())
@pytest.mark.parametrize("where", ["key", "rule", "edition", "seat", "move", "colour", "version"])
def test_a_strange_text_anywhere_is_refused_in_a_printable_sentence(
    where: str, text: str, tmp_path: Path
) -> None:
    """An error must not carry the file's control characters to the terminal."""
    data = told()
    score = data["events"][find(data, "score")]
    match where:
        case "key":
            data[text] = 1
        case "rule":
            data["house_rules"] = {text: "free"}
        case "edition" | "version":
            data[where] = text
        case "seat":
            data["players"][0]["seat"] = text
        case "move":
            data["events"][0]["move"] = text
        case "colour":
            score["colours"][text] = score["colours"].pop("blue") | {"towers": 99}
    refused(json.dumps(data).encode(), tmp_path)


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
def test_a_move_that_only_looks_right_is_refused_and_the_character_named(
    move: str, named: str, tmp_path: Path
) -> None:
    data = told()
    data["events"][find(data, "build")]["move"] = move
    assert named in refused(json.dumps(data).encode(), tmp_path)
