"""The page's words: complete in every language, with the plurals and the signs that it has."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from manhattan.rules import Reason
from manhattan.server.denials import Denial

SHELF = Path(__file__).parent.parent.parent / "web/src/i18n"
LANGUAGES = ("en", "de", "fr", "nl", "pl")
OTHERS = LANGUAGES[1:]
BOOKS = sorted({path.parent for path in SHELF.rglob("en.json")})

PLURALS = {
    "en": {"one", "other"},
    "de": {"one", "other"},
    "fr": {"one", "other"},
    "nl": {"one", "other"},
    "pl": {"one", "few", "many", "other"},
}
ALLOWED = {"fr": {"many"}}
"""French has a form for millions, which nobody builds."""
ORDINALS = {
    "en": {"one", "two", "few", "other"},
    "de": {"other"},
    "fr": {"one", "other"},
    "nl": {"other"},
    "pl": {"other"},
}

SAME = {
    "{names} · Manhattan",
    "{points, plural, one {# point} other {# points}}",
    "{signed} {points, plural, one {point} other {points}}",
    "Animations",
    "Expert",
    "Manhattan",
    "Minutes",
    "Pause",
    "Plan",
    "Skyline",
    "Suggestion",
    "Total",
    "West",
    "centre",
    "orange",
}
"""What is the same in English and another language."""
PUT_IN = "\ufffc"
"""Stands among the words for what is put in."""


@dataclass
class Message:
    """What a message is made of."""

    arguments: set[str] = field(default_factory=set)
    tags: set[str] = field(default_factory=set)
    plurals: list[tuple[str, str, set[str]]] = field(default_factory=list)
    """Argument, `plural` or `selectordinal`, the forms; numbers (`=0`) left out."""
    selects: set[tuple[str, frozenset[str]]] = field(default_factory=set)
    words: str = ""
    """What is written, in all forms."""


class Reader:
    """Reads a message as ICU MessageFormat; an error where it is none."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.message = Message()

    def read(self) -> Message:
        self.branch(inner=False)
        assert self.at == len(self.text), f"a brace too many at {self.at}"
        return self.message

    def branch(self, *, inner: bool) -> None:
        open_tags: list[str] = []
        while self.at < len(self.text):
            if self.text[self.at] == "}":
                assert inner, f"a brace too many at {self.at}"
                break
            if self.text[self.at] == "{":
                self.argument()
            elif tag := self.take(r"<(/?)(\w+)>"):
                if tag[1]:
                    assert open_tags, f"{tag[0]} closes nothing"
                    assert open_tags.pop() == tag[2]
                else:
                    open_tags.append(tag[2])
                    self.message.tags.add(tag[2])
            else:
                assert self.text[self.at] != "<", f"a lone < at {self.at}"
                self.message.words += self.text[self.at]
                self.at += 1
        assert not open_tags, f"not closed: {open_tags}"

    def argument(self) -> None:
        start = self.take(r"\{\s*(\w+)\s*([,}])")
        assert start, f"no argument at {self.at}"
        name = start[1]
        self.message.arguments.add(name)
        if start[2] == "}":
            self.message.words += PUT_IN
            return
        kind = self.take(r"\s*(plural|selectordinal|select)\s*,")
        assert kind, f"no kind at {self.at}"
        forms: list[str] = []
        while form := self.take(r"\s*(=\d+|\w+)\s*\{"):
            forms.append(form[1])
            self.branch(inner=True)
            assert self.take(r"\}"), "a brace is missing"
        assert self.take(r"\s*\}"), f"a brace is missing at {self.at}"
        assert len(forms) == len(set(forms)), "a form twice"
        assert "other" in forms, f"{name} has no other"
        if kind[1] == "select":
            self.message.selects.add((name, frozenset(forms)))
        else:
            named = {one for one in forms if not one.startswith("=")}
            self.message.plurals.append((name, kind[1], named))

    def take(self, pattern: str) -> re.Match[str] | None:
        found = re.compile(pattern).match(self.text, self.at)
        if found:
            self.at = found.end()
        return found


def messages(book: Path, language: str) -> dict[str, str]:
    """A book's messages; a key that is there twice is an error."""

    def once(pairs: list[tuple[str, str]]) -> dict[str, str]:
        keys = [key for key, _ in pairs]
        assert len(keys) == len(set(keys)), "a key twice"
        return dict(pairs)

    text = (book / f"{language}.json").read_text("utf-8")
    told: dict[str, str] = json.loads(text, object_pairs_hook=once)
    return told


each_book = pytest.mark.parametrize("book", BOOKS, ids=lambda book: book.name)
each_language = pytest.mark.parametrize("language", LANGUAGES)
each_other = pytest.mark.parametrize("language", OTHERS)


def test_the_languages_are_those_that_the_page_offers() -> None:
    page = (SHELF / "language.svelte.ts").read_text("utf-8")
    (offered,) = re.findall(r"LANGUAGES = \{(.*?)\}", page, re.DOTALL)
    assert tuple(re.findall(r"(\w\w): '", offered)) == LANGUAGES
    for book in BOOKS:
        assert {path.stem for path in book.glob("*.json")} == set(LANGUAGES)


def test_every_reason_to_refuse_something_has_a_sentence() -> None:
    named = {reason.value for reason in (*Reason, *Denial)} | {"record", "setup"}
    told = {key.removeprefix("reason.") for key in messages(SHELF, "en")}
    assert named <= told


@each_other
@each_book
def test_every_language_has_the_same_keys(book: Path, language: str) -> None:
    assert list(messages(book, language)) == list(messages(book, "en"))


@each_language
@each_book
def test_every_message_can_be_read_and_has_the_plurals_of_its_language(
    book: Path, language: str
) -> None:
    for key, text in messages(book, language).items():
        try:
            message = Reader(text).read()
        except AssertionError as error:
            raise AssertionError(f"{key}: {error}") from None
        for name, kind, forms in message.plurals:
            wanted = (PLURALS if kind == "plural" else ORDINALS)[language]
            assert forms - ALLOWED.get(language, set()) == wanted, (key, name)


@each_other
@each_book
def test_every_translation_has_the_same_parts(book: Path, language: str) -> None:
    english = messages(book, "en")
    for key, text in messages(book, language).items():
        ours, theirs = Reader(text).read(), Reader(english[key]).read()
        assert ours.arguments == theirs.arguments, key
        assert ours.tags == theirs.tags, key
        assert ours.selects == theirs.selects, key


@each_other
@each_book
def test_everything_is_translated(book: Path, language: str) -> None:
    english = messages(book, "en")
    left = {
        key: text
        for key, text in messages(book, language).items()
        if text == english[key] and text not in SAME and re.search(r"\w", Reader(text).read().words)
    }
    assert not left


@each_language
@each_book
def test_signs_are_those_of_the_language(book: Path, language: str) -> None:
    for key, text in messages(book, language).items():
        words = Reader(text).read().words
        assert "'" not in words, key  # and MessageFormat reads more into it
        assert '"' not in words, key
        assert "..." not in words, key
        assert words == words.strip() or "{" in text, key
        if language == "fr":
            assert not re.search(r"[^\u00a0\u202f\d][:;!?](?!\d)", words), key
        else:
            assert not re.search(r"\s[:;!?]", words), key


def test_plurals_of_small_numbers_are_the_browsers() -> None:
    """They are known without asking the browser, which a phone takes long for."""
    script = """
      import { plural } from './web/src/i18n/plurals.ts'
      for (const code of ['en', 'de', 'fr', 'nl', 'pl'])
        for (const type of ['cardinal', 'ordinal'])
          for (let n = 0; n < 1000; n++)
            if (plural(code, type, n) !== new Intl.PluralRules(code, { type }).select(n))
              throw new Error(`${code} ${type} ${n}`)
      if (plural('en', 'cardinal', 1.5) !== null || plural('en', 'cardinal', 1000) !== null)
        throw new Error('others are left to the browser')
    """
    node = Path(sys.executable).parent / "node"
    command = [str(node), "--input-type=module", "--eval", script]
    done = subprocess.run(
        command, check=False, cwd=SHELF.parents[2], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
