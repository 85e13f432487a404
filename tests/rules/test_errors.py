"""Error messages about unexpected text: look-alikes are named, control characters escaped."""

from __future__ import annotations

import pytest

from manhattan.rules import (
    ChanceError,
    IllegalMove,
    ManhattanError,
    NotationError,
    SetupError,
    parse_move,
)
from manhattan.rules.errors import describe_characters


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("C5+3", "'C5+3'"),
        ("", "''"),
        (" ", "' '"),
        ("it's", '"it\'s"'),
        ("a\\b", "'a\\\\b'"),
        ("~ !", "'~ !'"),
    ],
)
def test_plain_text_is_quoted(text: str, shown: str) -> None:
    assert describe_characters(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\u04215+3", "'С5+3' ('С' is U+0421 CYRILLIC CAPITAL LETTER ES)"),
        ("\u03915+3", "'Α5+3' ('Α' is U+0391 GREEK CAPITAL LETTER ALPHA)"),
        ("C\uff15+3", "'C５+3' ('５' is U+FF15 FULLWIDTH DIGIT FIVE)"),
        ("C5+\u0663", "'C5+٣' ('٣' is U+0663 ARABIC-INDIC DIGIT THREE)"),
        ("\u22122", "'−2' ('−' is U+2212 MINUS SIGN)"),
        ("🏙", "'🏙' ('🏙' is U+1F3D9 CITYSCAPE)"),
        ("e\u0301", "'e\u0301' ('\u0301' is U+0301 COMBINING ACUTE ACCENT)"),
    ],
)
def test_a_look_alike_is_named(text: str, shown: str) -> None:
    """It looks like a correct move."""
    assert describe_characters(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("C5\u200f+3", r"'C5\u200f+3' ('\u200f' is U+200F RIGHT-TO-LEFT MARK)"),
        ("\u202eC5", r"'\u202eC5' ('\u202e' is U+202E RIGHT-TO-LEFT OVERRIDE)"),
        ("C5\u200b", r"'C5\u200b' ('\u200b' is U+200B ZERO WIDTH SPACE)"),
        ("\ufeffC5", r"'\ufeffC5' ('\ufeff' is U+FEFF ZERO WIDTH NO-BREAK SPACE)"),
        ("C5\u00a0", r"'C5\xa0' ('\xa0' is U+00A0 NO-BREAK SPACE)"),
        ("C5\n", r"'C5\n' ('\n' is U+000A without a name)"),
        ("\x00", r"'\x00' ('\x00' is U+0000 without a name)"),
        ("\x1b[2J", r"'\x1b[2J' ('\x1b' is U+001B without a name)"),
        ("\x7f", r"'\x7f' ('\x7f' is U+007F without a name)"),
        ("\ud83c", r"'\ud83c' ('\ud83c' is U+D83C without a name)"),
        ("\ue000", r"'\ue000' ('\ue000' is U+E000 without a name)"),
        ("\U0010ffff", r"'\U0010ffff' ('\U0010ffff' is U+10FFFF without a name)"),
    ],
)
def test_invisible_characters_are_escaped(text: str, shown: str) -> None:
    """Control characters, direction marks and lone surrogates never reach a terminal raw."""
    assert describe_characters(text) == shown


def test_only_the_first_three_look_alikes_are_named() -> None:
    """In the order of their code points, each once."""
    assert describe_characters("ДГВБАА") == (
        "'ДГВБАА' ('А' is U+0410 CYRILLIC CAPITAL LETTER A, "
        "'Б' is U+0411 CYRILLIC CAPITAL LETTER BE, 'В' is U+0412 CYRILLIC CAPITAL LETTER VE)"
    )


@pytest.mark.parametrize(
    ("length", "shown"),
    [(39, "x" * 39), (40, "x" * 40), (41, "x" * 39 + "…"), (1_000_000, "x" * 39 + "…")],
)
def test_a_long_text_is_shortened(length: int, shown: str) -> None:
    """It has at most 40 characters and then ends with dots."""
    assert describe_characters("x" * length) == f"'{shown}'"


def test_the_limit_is_a_parameter() -> None:
    assert describe_characters("112233", limit=4) == "'112…'"


def test_a_look_alike_in_the_omitted_part_is_not_named() -> None:
    """It is not visible, so it needs no explanation."""
    assert describe_characters("x" * 50 + "С") == "'" + "x" * 39 + "…'"
    assert describe_characters("x" * 39 + "С" + "x" * 10) == "'" + "x" * 39 + "…'"


@pytest.mark.parametrize("text", ["\u04215+3", "\ud800", "\x1b[31mC5", "\u202e3+5C", "🏙" * 100_000])
def test_every_error_message_is_printable(text: str) -> None:
    """For any text, the message is valid UTF-8 with printable characters only."""
    with pytest.raises(NotationError) as error:
        parse_move(text)
    sentence = str(error.value)
    assert sentence.isprintable()
    assert sentence.encode()
    assert len(sentence) < 500


@pytest.mark.parametrize("kind", [NotationError, SetupError, ChanceError, IllegalMove])
def test_all_errors_have_one_base_class(kind: type[Exception]) -> None:
    """A program that catches ManhattanError has caught them all."""
    assert issubclass(kind, ManhattanError)


@pytest.mark.parametrize("kind", [NotationError, SetupError, ChanceError])
def test_an_invalid_text_or_table_is_a_value_error(kind: type[Exception]) -> None:
    """This is the convention in Python."""
    assert issubclass(kind, ValueError)
