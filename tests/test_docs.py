"""The documentation is correct: its examples run, its links and paths exist, and the pages that
are generated from the code are up to date."""

from __future__ import annotations

import doctest
import json
import re
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import manhattan.rules.moves
import manhattan.rules.setup
from manhattan import Game, rulebook
from manhattan.record import to_json
from manhattan.rules import (
    DECK,
    EDITIONS,
    HOUSE_RULES,
    SITES,
    JointSeed,
    Side,
    card_for,
    commitment,
    draw_start_player,
    set_up,
)
from manhattan.rules import shuffle as our_shuffle
from support.project_files import ROOT

pytestmark = pytest.mark.process

SOURCE = ROOT / "src/manhattan"
BUILT = {"src/manhattan/page/", "src/manhattan/docs/"}
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


@pytest.mark.parametrize(
    ("page", "lines"),
    [
        ("README.md", 7),
        ("docs/how-to/write-a-bot.md", 7),
        ("docs/reference/python/index.md", 20),
    ],
)
def test_interactive_examples_run(page: str, lines: int) -> None:
    result = doctest.testfile(str(ROOT / page), module_relative=False)
    assert result.attempted > lines
    assert result.failed == 0


@pytest.mark.parametrize("module", [manhattan.rules.moves, manhattan.rules.setup])
def test_examples_in_docstrings_run(module: ModuleType) -> None:
    result = doctest.testmod(module)
    assert result.attempted > 0
    assert result.failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files(page: Path) -> None:
    for target in re.findall(r"\]\((?!https://)([^)#]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize("name", ["architecture.md", "reference/glossary.md"])
def test_paths_and_names_in_code_spans_exist(name: str) -> None:
    """A path is relative to the repository, to the package or to the page's sources.

    ``path.py:name`` is a function or class in that file.
    """
    page = (ROOT / "docs" / name).read_text("utf-8")
    spans = re.findall(r"`([\w.-]+/[\w./-]*|[\w.-]+\.(?:py|ts|svelte))(?::(\w+))?`", page)
    assert len(spans) > 10
    for path, symbol in spans:
        files = [base / path for base in (ROOT, SOURCE, ROOT / "web/src") if (base / path).exists()]
        assert files or path in BUILT, path
        if symbol:
            text = files[0].read_text("utf-8")
            assert re.search(rf"\b(def|class|function|const) {symbol}\b", text), symbol


def test_pages_install_extras_that_exist() -> None:
    """The package is in no index, so extras are installed from the project's folder or a wheel."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    texts = [page.read_text("utf-8") for page in [*PAGES, *(ROOT / "examples").glob("*.py")]]
    commands = [c for text in texts for c in re.findall(r"pip install [^`\n]+", text)]
    extras = {
        extra for command in commands for extra in re.findall(r"(?:'\.|WHEEL)\[(\w+)\]", command)
    }
    assert {"rl", "learn", "cluster"} <= extras <= set(project["optional-dependencies"])
    assert not [command for command in commands if "manhattan" in command]


def test_the_editions_page_is_up_to_date() -> None:
    parts = [rulebook.rulebook("hig-2017"), rulebook.differences(), rulebook.house_rules()]
    page = (ROOT / "docs/reference/editions.md").read_text("utf-8")
    command = "manhattan rules --markdown > docs/reference/editions.md"
    assert page == "\n\n".join(parts) + "\n", f"run: {command}"


def test_the_sample_round_of_the_strategy_page_is_legal() -> None:
    page = (ROOT / "docs/how-to/strategy.md").read_text("utf-8")
    turns = re.findall(r"^\| \d+ \| (\w+) \| `([^`]+)` \|", page, re.MULTILINE)
    game = Game.new(["Ann", "Ben", "Cleo"], seed=bytes([11]) * 32)
    for name, move in turns:
        assert game.setup.players[game.public.mover].name == name
        game.play(move)
    (sheet,) = game.public.sheets  # the round is complete
    points = re.findall(r"^\| (\w+) \|.*\| (\d+) \|$", page, re.MULTILINE)
    assert {name: int(total) for name, total in points} == dict(
        zip(("Ann", "Ben", "Cleo"), sheet.scores, strict=True)
    )
    assert f"E2, {sheet.height} floors" in page


@pytest.mark.parametrize("edition", EDITIONS)
def test_the_rulebook_has_worked_examples_and_rulings(edition: str) -> None:
    """The engine computes the numbers; these are those of RULES 10."""
    text = rulebook.rulebook(edition)
    for sentence in (
        "(1 + 2 against 3)",
        "with 1 floor: 4 + 1 against 4.",
        "scores 4 (3 for the tallest, 1 for the tower)",
        "one redraw per turn",
        "two players sit South and North, and three sit South, West and North",
    ):
        assert sentence in text


def test_the_shuffle_on_the_record_page_equals_ours() -> None:
    """A program that copies the page's code gets our cards."""
    page = (ROOT / "docs/reference/record.md").read_text("utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    theirs: dict[str, Any] = {}
    exec(code, theirs)
    for seed in (bytes(32), bytes(range(32))):
        for number in range(4):
            assert tuple(theirs["shuffle"](seed, number, DECK)) == our_shuffle(seed, number, DECK)
    zero = bytes(32)
    assert commitment(zero) in page
    assert " ".join(map(str, our_shuffle(zero, 0, DECK))) in page
    assert f"among four players is {draw_start_player(zero, 4)}." in page


def test_the_check_on_the_fairness_page_accepts_fair_deals_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (ROOT / "docs/explanation/fairness.md").read_text("utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    joint = JointSeed(bytes(32), (b"\1" * 32, None, b"\2" * 32))
    assert joint.seed.hex() in (ROOT / "docs/reference/record.md").read_text("utf-8")
    game = to_json(Game.from_seed(set_up(3), joint))
    hashes = [hash and commitment(hash) for hash in joint.nonces]
    seen = {
        "commitment": joint.commitment,
        "nonce_hashes": hashes,
        "my_nonce": game["nonces"][0],
    }
    monkeypatch.chdir(tmp_path)
    Path("seen.json").write_text(json.dumps(seen), "utf-8")
    Path("game.json").write_text(json.dumps(game), "utf-8")
    exec(code, {})
    for change in ({"seed": "0" * 64}, {"server_seed": "1" * 64}, {"nonces": [None] * 3}):
        Path("game.json").write_text(json.dumps(game | change), "utf-8")
        with pytest.raises(AssertionError):
            exec(code, {})


def test_the_code_on_the_kernel_page_runs() -> None:
    page = (ROOT / "docs/reference/kernel.md").read_text("utf-8")
    code = "".join(re.findall(r"```python\n(.*?)```", page, re.DOTALL))
    exec(code.replace("0_000", "0").replace("1024", "8"), {})


def test_the_rules_page_names_every_edition_and_house_rule() -> None:
    page = (ROOT / "docs/reference/rules.md").read_text("utf-8")
    for name in [
        *EDITIONS,
        *HOUSE_RULES,
        *(value for values in HOUSE_RULES.values() for value in values),
    ]:
        assert f"`{name}`" in page


def test_the_side_table_on_the_rules_page_equals_ours() -> None:
    """Each line of the table has a formula that gives the sites named by our cards."""
    page = (ROOT / "docs/reference/rules.md").read_text("utf-8")
    lines = re.findall(r"\| (\w+) \| \w+ \| (\([^|]*\)) \|", page)
    assert [side.lower() for side, _ in lines] == [side.value for side in Side]
    for side, formula in lines:
        for site in SITES:
            r, c = divmod(card_for(Side(side.lower()), site) - 1, 3)
            row, column = eval(formula.replace("−", "-"), {"r": r, "c": c})
            assert site.position == row * 3 + column + 1


def test_every_value_of_a_house_rule_is_described() -> None:
    described = set(rulebook.VALUES)
    assert described == {(row, value) for row, values in HOUSE_RULES.items() for value in values}
