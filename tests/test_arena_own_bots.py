"""Bots of one's own in the arena, named by where they are."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from commandline import manhattan

OWN = """
def first_legal(view, rng, budget):
    return view.legal_moves()[0]

def cheat(view, rng, budget):
    return "A1+4"

def broken(view, rng, budget):
    return helped(view)

def helped(view):
    raise ValueError("oops")

def hasty(view, rng, budget):
    return view.legal_moves()["first"]

nobody = None
"""


@pytest.fixture
def own_bots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A module in the folder that one is in, under a name that no other test has loaded."""
    module = f"own_{tmp_path.name.replace('-', '_')}"
    (tmp_path / f"{module}.py").write_text(OWN, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry])
    yield module
    sys.modules.pop(module, None)


def test_a_bot_of_one_s_own_plays(own_bots: str, tmp_path: Path) -> None:
    """In the processes of the arena, too; and the journal knows it by what it is made of."""
    command = ["arena", "--bots", f"greedy,{own_bots}:first_legal", "--games", "4", "--workers"]
    command += ["2", "--journal", "j.jsonl", "--json", "a.json"]
    done = manhattan(*command)
    assert done.code == 0, done.err
    told = json.loads((tmp_path / "a.json").read_text("utf-8"))
    assert [bot["name"] for bot in told["bots"]] == ["greedy", f"{own_bots}:first_legal"]
    with (tmp_path / f"{own_bots}.py").open("a", encoding="utf-8") as file:
        file.write("# better now\n")
    changed = manhattan(*command)
    assert "begun by other versions of these bots" in changed.err


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("{}:missing", "There is no bot"),
        ("no_such_module:bot", "There is no bot 'no_such_module:bot': No module named"),
        ("{}:nobody", "is no bot: it can't be called"),
        ("{}:cheat", "cheat made an illegal move in deal 0, rotation 0"),
        ("{0}:broken", "ValueError: oops ({folder}/{0}.py, line 12, in helped)"),
        ("{0}:hasty", "indices must be integers or slices, not str ({folder}/{0}.py, line 15"),
        ("unfit:bot", "can't be loaded: ZeroDivisionError: division by zero ({folder}/unfit.py"),
        (":", "There is no bot ':'"),
    ],
)
def test_what_is_wrong_with_one_s_own_bot_is_told(
    own_bots: str, name: str, words: str, tmp_path: Path
) -> None:
    (tmp_path / "unfit.py").write_text("1 / 0\n", "utf-8")
    done = manhattan("arena", "-b", f"random,{name.format(own_bots)}", "-g", "2", "-w", "1")
    assert done.code != 0
    assert words.format(own_bots, folder=tmp_path) in done.err
    assert "Traceback" not in done.err


def test_the_name_of_one_s_own_bot_is_told_whole(own_bots: str) -> None:
    """However narrow the window is."""
    command = ["arena", "-b", f"random,{own_bots}:first_legal", "-g", "2", "-w", "1"]
    told = manhattan(*command, size=(80, 24)).out
    rows = [line.split("│")[1].strip() for line in told.splitlines() if line.startswith("│")]
    assert "".join(rows).replace("random", "", 1) == f"{own_bots}:first_legal"
