"""The page's messages: complete in every language, with its plural forms and its punctuation."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import pytest

from manhattan.rules import EDITIONS, Reason
from manhattan.rules.setup import MAX_NAME_LENGTH
from manhattan.server.domain.clocks import Correspondence, RealTime
from manhattan.server.domain.errors import ErrorCode

I18N = Path(__file__).parent.parent.parent / "web/src/i18n"
LANGUAGES = ("en", "de", "fr", "nl", "pl")
TRANSLATIONS = LANGUAGES[1:]
BUNDLES = sorted({path.parent for path in I18N.rglob("en.json")})

PLURALS = {
    "en": {"one", "other"},
    "de": {"one", "other"},
    "fr": {"one", "other"},
    "nl": {"one", "other"},
    "pl": {"one", "few", "many", "other"},
}
OPTIONAL = {"fr": {"many"}}
"""French has a form for millions, which no message needs."""
ORDINALS = {
    "en": {"one", "two", "few", "other"},
    "de": {"other"},
    "fr": {"one", "other"},
    "nl": {"other"},
    "pl": {"other"},
}

SAME_AS_ENGLISH = {
    "{days} d {hours} h": {"pl"},
    "{name} ({level})": {"de", "fr", "nl", "pl"},
    "{names} · Manhattan": {"de", "fr", "nl", "pl"},
    "{points, plural, one {# point} other {# points}}": {"fr"},
    "{signed} {points, plural, one {point} other {points}}": {"fr"},
    "Animations": {"fr"},
    "Champion": {"de", "fr"},
    "Chat": {"de", "nl"},
    "Expert": {"fr", "nl"},
    "Frankfurt": {"de", "nl", "pl"},
    "Hong Kong": {"fr"},
    "Manhattan": {"de", "fr", "nl", "pl"},
    "Minutes": {"fr"},
    "Normal": {"de", "fr"},
    "Notifications": {"fr"},
    "Passkeys": {"de", "nl"},
    "Pause": {"fr"},
    "Plan": {"de", "fr", "pl"},
    "Skyline": {"de", "fr", "nl"},
    "Sydney": {"de", "fr", "nl", "pl"},
    "System": {"de"},
    "São Paulo": {"de", "fr", "nl", "pl"},
    "Total": {"fr"},
    "West": {"nl"},
    "centre": {"fr"},
    "offline": {"nl", "pl"},
    "orange": {"de", "fr"},
}
"""Messages that are the same in English and in these languages."""
PLACEHOLDER = "\ufffc"
"""Replaces an argument in the text of a message."""


@dataclass
class Message:
    """The parts of a message."""

    arguments: set[str] = field(default_factory=set)
    tags: set[str] = field(default_factory=set)
    plurals: list[tuple[str, str, set[str]]] = field(default_factory=list)
    """Argument, `plural` or `selectordinal`, and the forms without exact numbers (`=0`)."""
    selects: set[tuple[str, frozenset[str]]] = field(default_factory=set)
    text: str = ""
    """The text of all forms."""


class Parser:
    """Parser of ICU MessageFormat; an invalid message raises an AssertionError."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.message = Message()

    def parse(self) -> Message:
        self.branch(inner=False)
        assert self.at == len(self.text), f"unexpected brace at {self.at}"
        return self.message

    def branch(self, *, inner: bool) -> None:
        open_tags: list[str] = []
        while self.at < len(self.text):
            if self.text[self.at] == "}":
                assert inner, f"unexpected brace at {self.at}"
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
                assert self.text[self.at] != "<", f"unexpected < at {self.at}"
                self.message.text += self.text[self.at]
                self.at += 1
        assert not open_tags, f"not closed: {open_tags}"

    def argument(self) -> None:
        start = self.take(r"\{\s*(\w+)\s*([,}])")
        assert start, f"argument expected at {self.at}"
        name = start[1]
        self.message.arguments.add(name)
        if start[2] == "}":
            self.message.text += PLACEHOLDER
            return
        kind = self.take(r"\s*(plural|selectordinal|select)\s*,")
        assert kind, f"kind of argument expected at {self.at}"
        forms: list[str] = []
        while form := self.take(r"\s*(=\d+|\w+)\s*\{"):
            forms.append(form[1])
            self.branch(inner=True)
            assert self.take(r"\}"), "brace expected"
        assert self.take(r"\s*\}"), f"brace expected at {self.at}"
        assert len(forms) == len(set(forms)), "duplicate form"
        assert "other" in forms, f"{name} has no form `other`"
        if kind[1] == "select":
            self.message.selects.add((name, frozenset(forms)))
        else:
            keywords = {form for form in forms if not form.startswith("=")}
            self.message.plurals.append((name, kind[1], keywords))

    def take(self, pattern: str) -> re.Match[str] | None:
        match = re.compile(pattern).match(self.text, self.at)
        if match:
            self.at = match.end()
        return match


def messages(bundle: Path, language: str) -> dict[str, str]:
    """Load a bundle's messages; a duplicate key is an error."""

    def unique(pairs: list[tuple[str, str]]) -> dict[str, str]:
        keys = [key for key, _ in pairs]
        assert len(keys) == len(set(keys)), "duplicate key"
        return dict(pairs)

    text = (bundle / f"{language}.json").read_text("utf-8")
    loaded: dict[str, str] = json.loads(text, object_pairs_hook=unique)
    return loaded


each_bundle = pytest.mark.parametrize("bundle", BUNDLES, ids=lambda bundle: bundle.name)
each_language = pytest.mark.parametrize("language", LANGUAGES)
each_translation = pytest.mark.parametrize("language", TRANSLATIONS)


def test_every_bundle_has_all_languages_that_the_page_offers() -> None:
    source = (I18N / "language.svelte.ts").read_text("utf-8")
    (offered,) = re.findall(r"LANGUAGES = \{(.*?)\}", source, re.DOTALL)
    assert tuple(re.findall(r"(\w\w): '", offered)) == LANGUAGES
    for bundle in BUNDLES:
        assert {path.stem for path in bundle.glob("*.json")} == set(LANGUAGES)


def test_every_error_code_has_a_message() -> None:
    codes = {reason.value for reason in (*Reason, *ErrorCode)} | {"record", "setup"}
    translated = {key.removeprefix("reason.") for key in messages(I18N, "en")}
    assert codes <= translated


def test_every_named_city_has_a_translation() -> None:
    named = {city for edition in EDITIONS.values() for city in edition.cities if len(city) > 1}
    translated = {text for key, text in messages(I18N, "en").items() if key.startswith("city.")}
    assert translated == named


def test_forms_and_messages_have_the_limits_of_the_server() -> None:
    def most(clock: type[msgspec.Struct], name: str) -> int:
        (properties,) = (d["properties"] for d in msgspec.json.schema(clock)["$defs"].values())
        return int(properties[name]["maximum"])

    source = (I18N.parent / "model/limits.ts").read_text("utf-8")
    limits = {name: int(value) for name, value in re.findall(r"(\w+): (\d+)", source)}
    assert limits == {
        "name_length": MAX_NAME_LENGTH,
        "minutes": most(RealTime, "bank") // 60,
        "seconds": most(RealTime, "increment"),
        "days": most(Correspondence, "days"),
    }
    for language in LANGUAGES:
        texts = messages(I18N, language)
        named = Parser(texts["reason.bad_name"]).parse().arguments
        named |= Parser(texts["reason.bad_clock"]).parse().arguments
        assert named == limits.keys()


@each_translation
@each_bundle
def test_every_language_has_the_same_keys(bundle: Path, language: str) -> None:
    assert list(messages(bundle, language)) == list(messages(bundle, "en"))


@each_language
@each_bundle
def test_every_message_is_valid_and_has_the_plural_forms_of_its_language(
    bundle: Path, language: str
) -> None:
    for key, text in messages(bundle, language).items():
        try:
            message = Parser(text).parse()
        except AssertionError as error:
            raise AssertionError(f"{key}: {error}") from None
        for name, kind, forms in message.plurals:
            expected = (PLURALS if kind == "plural" else ORDINALS)[language]
            assert forms - OPTIONAL.get(language, set()) == expected, (key, name)


@each_translation
@each_bundle
def test_every_translation_has_the_arguments_and_tags_of_the_original(
    bundle: Path, language: str
) -> None:
    english = messages(bundle, "en")
    for key, text in messages(bundle, language).items():
        translation, original = Parser(text).parse(), Parser(english[key]).parse()
        assert translation.arguments == original.arguments, key
        assert translation.tags == original.tags, key
        assert translation.selects == original.selects, key


@each_translation
@each_bundle
def test_every_message_is_translated(bundle: Path, language: str) -> None:
    english = messages(bundle, "en")
    untranslated = {
        key: text
        for key, text in messages(bundle, language).items()
        if text == english[key]
        and language not in SAME_AS_ENGLISH.get(text, ())
        and re.search(r"\w", Parser(text).parse().text)
    }
    assert not untranslated


@pytest.mark.parametrize(("text", "languages"), SAME_AS_ENGLISH.items(), ids=list(SAME_AS_ENGLISH))
def test_every_exception_is_needed(text: str, languages: set[str]) -> None:
    """A text that is listed above is the same in these languages, and in no other."""
    equal = {
        language
        for bundle in BUNDLES
        for language in TRANSLATIONS
        for key, english in messages(bundle, "en").items()
        if english == text == messages(bundle, language)[key]
    }
    assert equal == languages


OPTIONS = re.compile(
    r"house_rule\.\w+\.|clock\.(none|real_time|correspondence)$|level\.|bot_delay\."
    r"|new\.occupant\.|new\.first\."
)
"""Texts of ``<option>`` elements."""
MAX_OPTION_LENGTH = 32


@each_language
def test_options_are_short_enough_for_a_phone(language: str) -> None:
    options = {key: text for key, text in messages(I18N, language).items() if OPTIONS.match(key)}
    assert len(options) > 25
    assert not {key: text for key, text in options.items() if len(text) > MAX_OPTION_LENGTH}


def _glossary() -> list[tuple[str, str, str]]:
    """The terms of the translator's guide: in English, a language, and its words."""
    guide = (I18N.parents[2] / "docs/how-to/translating.md").read_text("utf-8")
    terms = []
    for line in re.findall(r"^\|(.+)\|$", guide, re.MULTILINE):
        english, *translations = (cell.strip() for cell in line.split("|"))
        if len(translations) == len(TRANSLATIONS) and english not in ("English", "---"):
            terms += [(english, *pair) for pair in zip(TRANSLATIONS, translations, strict=True)]
    return terms


@each_translation
def test_the_page_uses_the_words_of_the_glossary(language: str) -> None:
    texts = [Parser(t).parse().text for b in BUNDLES for t in messages(b, language).values()]
    page = " ".join(texts).casefold()
    terms = [(english, words) for english, code, words in _glossary() if code == language]
    assert len(terms) > 40
    missing = [
        (english, words)
        for english, words in terms
        if not any(word.casefold() in page for word in words.split(", "))
    ]
    assert not missing


@each_language
@each_bundle
def test_punctuation_is_that_of_the_language(bundle: Path, language: str) -> None:
    for key, text in messages(bundle, language).items():
        written = Parser(text).parse().text
        assert "'" not in written, key  # MessageFormat uses it for quoting
        assert '"' not in written, key
        assert "..." not in written, key
        assert written == written.strip() or "{" in text, key
        if language == "fr":
            assert not re.search(r"[^\u00a0\u202f\d][:;!?](?!\d)", written), key
        else:
            assert not re.search(r"\s[:;!?]", written), key


def test_the_table_of_plural_forms_agrees_with_the_javascript_engine() -> None:
    script = """
      import { plural } from './web/src/i18n/plurals.ts'
      for (const code of ['en', 'de', 'fr', 'nl', 'pl'])
        for (const type of ['cardinal', 'ordinal'])
          for (let n = 0; n < 1000; n++)
            if (plural(code, type, n) !== new Intl.PluralRules(code, { type }).select(n))
              throw new Error(`${code} ${type} ${n}`)
      if (plural('en', 'cardinal', 1.5) !== null || plural('en', 'cardinal', 1000) !== null)
        throw new Error('other numbers are left to the browser')
    """
    node = Path(sys.executable).parent / "node"
    command = [str(node), "--input-type=module", "--eval", script]
    result = subprocess.run(
        command, check=False, cwd=I18N.parents[2], capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
