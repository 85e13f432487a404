"""The documentation tells the truth: its examples run, its links lead somewhere, and what is
made from the code is fresh."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import manhattan.rules.moves
import manhattan.rules.setup
from manhattan import rulebook
from manhattan.rules import DECK, EDITIONS, ROWS, SITES, Seat, card_for, commitment, lot
from manhattan.rules import shuffle as our_shuffle

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])


@pytest.mark.parametrize(("page", "lines"), [("README.md", 10), ("docs/bots.md", 7)])
def test_sessions_on_the_pages_run(page: str, lines: int) -> None:
    result = doctest.testfile(str(ROOT / page), module_relative=False)
    assert result.attempted > lines
    assert result.failed == 0


@pytest.mark.parametrize("module", [manhattan.rules.moves, manhattan.rules.setup])
def test_the_examples_in_docstrings_run(module: ModuleType) -> None:
    result = doctest.testmod(module)
    assert result.attempted > 0
    assert result.failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text("utf-8")):
        assert (page.parent / target).exists(), target


def test_what_is_to_be_installed_is_there() -> None:
    """We are in no package index: extras are those of the folder that one has."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    texts = [page.read_text("utf-8") for page in [*PAGES, *(ROOT / "examples").glob("*.py")]]
    commands = [c for text in texts for c in re.findall(r"pip install [^`\n]+", text)]
    named = {extra for command in commands for extra in re.findall(r"'\.\[(\w+)\]'", command)}
    assert {"rl", "learn", "cluster"} <= named <= set(extras["optional-dependencies"])
    assert not [command for command in commands if "manhattan" in command]


def test_the_editions_page_is_fresh() -> None:
    made = [rulebook.rulebook("hig-2017"), rulebook.differences(), rulebook.house_rules()]
    page = (ROOT / "docs/editions.md").read_text("utf-8")
    assert page == "\n\n".join(made) + "\n", "run: manhattan rules --markdown > docs/editions.md"


def test_the_shuffle_in_the_record_page_is_ours() -> None:
    """Whoever copies the page's code gets our cards."""
    page = (ROOT / "docs/record.md").read_text("utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    theirs: dict[str, Any] = {}
    exec(code, theirs)
    for seed in (bytes(32), bytes(range(32))):
        for number in range(4):
            assert tuple(theirs["shuffle"](seed, number, DECK)) == our_shuffle(seed, number, DECK)
    zero = bytes(32)
    assert commitment(zero) in page
    assert " ".join(map(str, our_shuffle(zero, 0, DECK))) in page
    assert f"among four players is {lot(zero, 4)}." in page


def test_the_code_in_the_kernel_page_runs() -> None:
    page = (ROOT / "docs/kernel.md").read_text("utf-8")
    code = "".join(re.findall(r"```python\n(.*?)```", page, re.DOTALL))
    exec(code.replace("0_000", "0").replace("1024", "8"), {})


def test_the_rules_page_names_every_edition_and_row() -> None:
    page = (ROOT / "docs/rules.md").read_text("utf-8")
    for name in [*EDITIONS, *ROWS, *(value for values in ROWS.values() for value in values)]:
        assert f"`{name}`" in page


def test_the_seat_table_in_the_rules_page_is_ours() -> None:
    """Each line of the table is a formula; it must give the sites that our cards name."""
    page = (ROOT / "docs/rules.md").read_text("utf-8")
    lines = re.findall(r"\| (\w+) \| \w+ \| (\([^|]*\)) \|", page)
    assert [seat.lower() for seat, _ in lines] == [seat.value for seat in Seat]
    for seat, formula in lines:
        for site in SITES:
            r, c = divmod(card_for(Seat(seat.lower()), site) - 1, 3)
            row, column = eval(formula.replace("−", "-"), {"r": r, "c": c})
            assert site.position == row * 3 + column + 1


def test_every_value_of_a_house_rule_is_told_in_words() -> None:
    told = set(rulebook.VALUES)
    assert told == {(row, value) for row, values in ROWS.items() for value in values}


def test_the_bench_runs() -> None:
    """Not how fast: only that it works."""
    bench = str(ROOT / "bench/rules_speed.py")
    command = [sys.executable, bench, "--games", "1", "--runs", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.count("games a second") == 3
