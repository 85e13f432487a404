"""The built documentation: every link and anchor leads somewhere, every page can be reached,
nothing is loaded from elsewhere, and the code of the tutorials does what they say."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import jsonschema_rs
import pytest

from manhattan.server.protocol.schema import message_schema
from manhattan.server.transport.http.documentation import SITE_FOLDER as SITE
from support.cli_runner import run_process
from support.project_files import ROOT
from support.reference_pages import FOLDER, PAGES, sample

pytestmark = pytest.mark.process

DOCS = ROOT / "docs"
MAX_FILM_BYTES = 600_000
LOADED = {
    ("img", "src"),
    ("img", "srcset"),
    ("source", "srcset"),
    ("script", "src"),
    ("link", "href"),
}
"""Attributes whose files a browser loads by itself."""


@dataclass
class Page(HTMLParser):
    """The links and anchors of a page."""

    path: Path
    anchors: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            if value is None:
                continue
            if name == "id" or (tag == "a" and name == "name"):
                self.anchors.add(value)
            if (tag, name) in LOADED:
                self.loaded.append(value)
            elif name == "href":
                self.links.append(value)


@cache
def pages() -> dict[Path, Page]:
    found = {path: Page(path) for path in SITE.rglob("*.html")}
    assert found, "the documentation is not built: run `make docs`"
    return found


def links() -> Iterator[tuple[Page, str]]:
    for page in pages().values():
        yield from ((page, link) for link in [*page.links, *page.loaded])


def target_of(page: Page, link: str) -> Path:
    path = unquote(urlsplit(link).path)
    target = (page.path.parent / path).resolve() if path else page.path
    return target / "index.html" if target.is_dir() else target


def test_every_link_and_anchor_leads_somewhere() -> None:
    wrong = []
    checked = 0
    for page, link in links():
        parts = urlsplit(link)
        if parts.scheme in ("http", "https", "mailto"):
            continue
        checked += 1
        target = target_of(page, link)
        if not target.is_file() or not target.is_relative_to(SITE):
            wrong.append(f"{page.path.relative_to(SITE)}: {link}: no such file")
        elif parts.fragment and target.suffix == ".html":
            anchor = unquote(parts.fragment)
            if anchor not in pages()[target].anchors and anchor != "__skip":
                wrong.append(f"{page.path.relative_to(SITE)}: {link}: no such anchor")
    assert checked > 2000
    assert sorted(set(wrong)) == []


def test_every_page_is_in_the_navigation() -> None:
    home = pages()[SITE / "index.html"]
    reachable = {target_of(home, link) for link in home.links if "://" not in link}
    assert set(pages()) - reachable == set()


def test_the_site_is_that_of_these_sources() -> None:
    """Otherwise the tests would check an old one."""
    expected = {
        SITE / path.relative_to(DOCS).with_suffix("") / "index.html"
        if path.name != "index.md"
        else SITE / path.relative_to(DOCS).parent / "index.html"
        for path in DOCS.rglob("*.md")
    }
    assert set(pages()) == expected, "run `make docs`"


def test_no_markdown_is_left() -> None:
    """A list or table without an empty line before it would be shown as text."""
    left = re.compile(r"\n\s*(- |\d+\. |\||#+ )|\|---|```|\*\*|\]\(")
    for page in pages().values():
        texts = re.findall(r"<(?:p|li)>(.*?)</(?:p|li)>", page.path.read_text("utf-8"), re.DOTALL)
        plain = [re.sub(r"<code>.*?</code>", "", text, flags=re.DOTALL) for text in texts]
        assert not [text[:90] for text in plain if left.search(text)], page.path


def test_nothing_is_loaded_from_elsewhere() -> None:
    for page in pages().values():
        assert not [file for file in page.loaded if re.match(r"(https?:)?//", file)]
        assert "<iframe" not in page.path.read_text("utf-8")
    styles = list(SITE.rglob("*.css"))
    assert styles
    for style in styles:
        text = style.read_text("utf-8")
        assert not re.search(r"""(@import|url\()\s*["']?(https?:)?//""", text), style.name


def test_the_moving_pictures_are_small() -> None:
    films = list((DOCS / "pictures").glob("turn-*.webp"))
    assert {film.stem for film in films} == {
        f"turn{device}-{theme}{still}"
        for device in ("", "-phone")
        for theme in ("dark", "light")
        for still in ("", "-still")
    }
    assert all(10_000 < film.stat().st_size < MAX_FILM_BYTES for film in films)


# --- generated pages ---


@pytest.mark.parametrize("name", PAGES)
def test_a_generated_page_is_up_to_date(name: str) -> None:
    assert (FOLDER / name).read_text("utf-8") == PAGES[name](), "run `make reference`"


def test_the_samples_on_the_websocket_page_follow_the_schema() -> None:
    schema = message_schema()
    validator = jsonschema_rs.validator_for(schema)
    page = (FOLDER / "websocket.md").read_text("utf-8")
    samples = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    kinds = [
        kind
        for union in ("Command", "Message")
        for kind in schema["$defs"][union]["discriminator"]["mapping"]
    ]
    assert [json.loads(text)["type"] for text in samples] == kinds
    for text in samples:
        validator.validate(json.loads(text))


def test_a_sample_has_every_required_field() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "integer", "minimum": 3}, "b": {}}}
    assert sample({**schema, "required": ["a"]}, {}) == {"a": 3}


# --- tutorials ---


def code_of(tutorial: str) -> list[str]:
    text = (DOCS / "tutorials" / tutorial).read_text("utf-8")
    return re.findall(r"```python\n(.*?)```", text, re.DOTALL)


def test_the_bot_of_the_tutorial_beats_random_players(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As it is printed there, by the command that is printed there."""
    monkeypatch.chdir(tmp_path)
    smallest, bot = code_of("build-a-bot.md")
    assert len(bot.splitlines()) <= 20
    page = (DOCS / "tutorials/build-a-bot.md").read_text("utf-8")
    _, command = re.findall(r"\.venv/bin/manhattan (arena --bots .*)", page)
    Path("my_bot.py").write_text(bot, "utf-8")
    Path("smallest.py").write_text(smallest, "utf-8")
    done = run_process(*command.split(), "--workers", "1", "--json", "report.json")
    assert done.code == 0, done.err
    first, second = json.loads(Path("report.json").read_text("utf-8"))["bots"]
    assert first["name"] == "my_bot:builder"
    assert first["win_share"] > 0.9 > 0.1 > second["win_share"]
    assert f"│ {100 * first['win_share']:.1f} % │" in page
    done = run_process("arena", "--bots", "smallest:anything,random", "--games", "2")
    assert done.code == 0, done.err


@pytest.mark.parametrize(("tutorial", "count"), [("first-game.md", 4), ("host-a-game.md", 5)])
def test_the_tutorials_name_buttons_that_exist(tutorial: str, count: int) -> None:
    messages = json.loads((ROOT / "web/src/i18n/en.json").read_text("utf-8"))
    text = (DOCS / "tutorials" / tutorial).read_text("utf-8")
    buttons = re.findall(r"[Cc]hoose \*\*([^*]+)\*\*|(?<!\*)\*([A-Z][^*]+)\*(?!\*)", text)
    names = {bold or italic for bold, italic in buttons}
    assert len(names) >= count
    assert not names - set(messages.values())


def test_the_tutorial_for_hosts_starts_a_server_that_others_can_reach() -> None:
    """If serving the network takes an option, the tutorial has to give it."""
    tutorial = (DOCS / "tutorials/host-a-game.md").read_text("utf-8")
    has_option = "`--lan`" in PAGES["cli.md"]()
    assert ("make play ARGS=--lan" in tutorial) == has_option


@pytest.mark.xdist_group("envs-4")
def test_the_environments_of_the_tutorial_run(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {}
    for code in code_of("try-an-environment.md"):
        exec(code.replace("GAMES = 1000", "GAMES = 10"), names)
    output = capsys.readouterr().out
    assert re.search(r"points: .*\d+.* reward: [\d.]+\n", output)
    assert re.search(r"\d+ games, [\d,]+ decisions a second", output)
    assert "gymnasium" in sys.modules
