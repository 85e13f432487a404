"""The vocabulary of the project: conventional names and plain English.

Identifiers, file names, fields of messages, routes, options and keys of translations avoid words
that once were names with a private meaning here; docstrings begin with what they describe; no text
calls a player "he".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from support.project_files import ROOT, project_files

PRIVATE_WORD = re.compile(
    "(un)?told|happenings?|sittings?|houses?|mind(s|ed|ing)?|thinkers?|caretak.*|knowing"
    "|weigh(ed|s|ing)?"
)
"""A word that is no part of any name. (Weights are fine.)"""
ALLOWED = re.compile("house[ _-]?rules?", re.IGNORECASE)  # the game's word

THIS_FILE = Path(__file__)
FILES = [path for path in project_files() if path != THIS_FILE]


def files(*endings: str) -> list[Path]:
    return [path for path in FILES if path.name.endswith(endings)]


PYTHON = files(".py")
PAGE = files(".ts", ".svelte", ".mjs", ".cjs", ".js", ".css", ".html")
JSON = [path for path in files(".json", ".webmanifest") if path.name != "package-lock.json"]
SETTINGS = files(".toml", ".yml", ".yaml", ".cff", ".sql", "Makefile", "ci/run", "ci/step")
DOCUMENTS = files(".md")
CHANGELOG = ROOT / "CHANGELOG.md"  # names what was renamed
PROSE = [*PYTHON, *PAGE, *SETTINGS, *DOCUMENTS, *files("en.json")]

PYTHON_TOKEN = re.compile(
    r"""
      \#[^\n]*
    | (?P<prefix>[rbfu]{0,2}) (?P<quote>\"{3}|'{3}|\"|') (?P<string>(?:\\.|.)*?) (?P=quote)
    | (?P<name>[^\W\d]\w*)
    """,
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)
NAME_IN_TEXT = re.compile(r"`[^`\n]+`|(?<!\w)--?[a-z][\w-]*|\b\w+_\w+\b")
"""Code, an option of a command, or a name with an underscore."""
BEGINNING = re.compile(
    r"""
    (?: \"{3} | (?<!\S)\#\ ? | /\*\*?\s* | (?<!\S)//\s* | <!--\s* | (?:description|help)=f?" )
    (?: Who | Whoever | So\ many )\b .*
    """,
    re.VERBOSE,
)
"""A docstring, a comment or a description that begins without its subject."""
GENERIC_HE = re.compile(r"^.*\b(?:he|him|his|himself)\b.*$", re.MULTILINE | re.IGNORECASE)


def names_in_python(text: str) -> Iterator[str]:
    """Yield identifiers, strings without a space, and the names within other strings."""
    for token in PYTHON_TOKEN.finditer(text):
        if token["name"]:
            yield token["name"]
        elif (string := token["string"]) and len(token["quote"]) == 1:
            if " " not in string:  # a field, a route, an option
                yield string
            else:
                yield from NAME_IN_TEXT.findall(string)
                if "f" in token["prefix"].lower():
                    yield from re.findall(r"\{([^{}]+)\}", string)


def names_on_the_page(text: str) -> list[str]:
    """Return all words of TypeScript, Svelte, CSS and HTML outside of comments."""
    code = re.sub(r"/\*.*?\*/|<!--.*?-->|(?<!:)//[^\n]*", "", text, flags=re.DOTALL)
    return re.findall(r"[^\W\d][\w-]*", code)


def names_in_json(text: str) -> list[str]:
    return re.findall(r'"([^"\\]+)"\s*:', text)


def names_in_settings(text: str) -> list[str]:
    """Return all words of build files, workflows and SQL outside of comments."""
    return re.findall(r"[^\W\d][\w-]*", re.sub(r"(?m)(?<!\S)(#|--) .*$", "", text))


def names_in_documents(text: str) -> list[str]:
    """Return code, options and names with an underscore; and blocks of code."""
    return [*NAME_IN_TEXT.findall(text), *re.findall(r"(?s)```.*?```", text)]


def words(name: str) -> list[str]:
    """Split names in snake case, camel case or kebab case into words."""
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)]


def private_names(names: Iterable[str]) -> set[str]:
    return {
        name for name in {*names} if any(map(PRIVATE_WORD.fullmatch, words(ALLOWED.sub("", name))))
    }


def findings(paths: Iterable[Path], check: Callable[[str], Iterable[str]]) -> dict[str, set[str]]:
    """Return what a check finds in the texts of files, by file."""
    by_file = {str(path.relative_to(ROOT)): {*check(path.read_text("utf-8"))} for path in paths}
    return {path: names for path, names in by_file.items() if names}


def test_words_are_found_in_names() -> None:
    assert words("TableState") == words("table_state") == words("table-state") == ["table", "state"]
    names = ["who_told", "MindReader", "a.house", "caretaker", "weigh", "--thinkers", "/api/house"]
    fine = ["house_rules", "HouseRules", "--house-rule", "weights", "reminder", "font-weight"]
    assert private_names([*names, *fine]) == {*names}


def test_names_are_found_in_files() -> None:
    assert [*names_in_python("a.b = 'c'  # d")] == ["a", "b", "c"]
    assert [*names_in_python("""'It has `a`, --b, c_d and /e.', '/f/g'""")] == (
        ["`a`", "--b", "c_d", "/f/g"]
    )
    assert [*names_in_python("f'is {a.b}'")] == ["a.b"]
    assert names_on_the_page("a.b-c // d\n/* e */ f") == ["a", "b-c", "f"]
    assert names_in_json('{"a.b": "c"}') == ["a.b"]
    assert names_in_settings("a: b-c # d\n-- e") == ["a", "b-c"]
    assert names_in_documents("a `b` c_d --e f") == ["`b`", "c_d", "--e"]


@pytest.mark.parametrize(
    "text",
    ['"""Who moves."""', "# Whoever moves", "/** So many. */", "// Who", "<!-- Who", 'help="Who'],
)
def test_beginnings_without_a_subject_are_found(text: str) -> None:
    assert BEGINNING.search(text)
    assert not BEGINNING.search(text.replace("Who", "The player who").replace("So", "As"))


def test_generic_pronouns_are_found() -> None:
    assert GENERIC_HE.findall("A player\nmay pass; then he draws.\nShe") == [
        "may pass; then he draws."
    ]
    assert not GENERIC_HE.search("the history of this theme")


def test_files_have_conventional_names() -> None:
    assert private_names(str(path.relative_to(ROOT)) for path in FILES) == set()


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (PYTHON, names_in_python),
        (PAGE, names_on_the_page),
        (JSON, names_in_json),
        (SETTINGS, names_in_settings),
        ([path for path in DOCUMENTS if path != CHANGELOG], names_in_documents),
    ],
)
def test_identifiers_and_keys_have_conventional_names(
    paths: list[Path], names: Callable[[str], Iterable[str]]
) -> None:
    assert paths
    assert findings(paths, lambda text: private_names(names(text))) == {}


def test_docstrings_and_comments_begin_with_what_they_describe() -> None:
    assert findings([*PYTHON, *PAGE, *SETTINGS], BEGINNING.findall) == {}


def test_no_player_is_called_he() -> None:
    assert findings(PROSE, GENERIC_HE.findall) == {}
