"""The loader: bots of the user's own, named as module:function."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.cli_runner import run_cli

OWN_BOTS = """
def first_legal(view, rng, budget):
    return view.legal_moves()[0]

def cheat(view, rng, budget):
    return "A1+4"

def broken(view, rng, budget):
    return helper(view)

def helper(view):
    raise ValueError("oops")

def wrong_index(view, rng, budget):
    return view.legal_moves()["first"]

not_callable = None
"""


@pytest.fixture
def own_bots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Create a module in the working folder, under a name that no other test has loaded."""
    module = f"own_{tmp_path.name.replace('-', '_')}"
    (tmp_path / f"{module}.py").write_text(OWN_BOTS, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry])
    yield module
    sys.modules.pop(module, None)


def test_a_user_s_bot_plays(own_bots: str, tmp_path: Path) -> None:
    """It plays in the processes of the arena, and the journal depends on its source."""
    command = ["arena", "--bots", f"greedy,{own_bots}:first_legal", "--games", "4", "--workers"]
    command += ["2", "--journal", "j.jsonl", "--json", "a.json"]
    done = run_cli(*command)
    assert done.code == 0, done.err
    report = json.loads((tmp_path / "a.json").read_text("utf-8"))
    assert [bot["name"] for bot in report["bots"]] == ["greedy", f"{own_bots}:first_legal"]
    with (tmp_path / f"{own_bots}.py").open("a", encoding="utf-8") as file:
        file.write("# better now\n")
    changed = run_cli(*command)
    assert "games of other versions of these bots" in changed.err


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("{}:missing", "There is no bot"),
        ("no_such_module:bot", "There is no bot 'no_such_module:bot': No module named"),
        ("{}:not_callable", "is not a bot: it can't be called"),
        ("{}:cheat", "cheat made an illegal move in deal 0, rotation 0"),
        ("{0}:broken", "ValueError: oops ({folder}/{0}.py, line 12, in helper)"),
        (
            "{0}:wrong_index",
            "indices must be integers or slices, not str ({folder}/{0}.py, line 15",
        ),
        (
            "broken_module:bot",
            "can't be loaded: ZeroDivisionError: division by zero ({folder}/broken_module.py",
        ),
        (":", "There is no bot ':'"),
    ],
)
def test_the_error_says_what_is_wrong_with_a_user_s_bot(
    own_bots: str, name: str, message: str, tmp_path: Path
) -> None:
    (tmp_path / "broken_module.py").write_text("1 / 0\n", "utf-8")
    done = run_cli("arena", "-b", f"random,{name.format(own_bots)}", "-g", "2", "-w", "1")
    assert done.code != 0
    assert message.format(own_bots, folder=tmp_path) in done.err
    assert "Traceback" not in done.err


def test_the_full_name_of_a_bot_is_printed_on_a_narrow_terminal(own_bots: str) -> None:
    command = ["arena", "-b", f"random,{own_bots}:first_legal", "-g", "2", "-w", "1"]
    output = run_cli(*command, size=(80, 24)).out
    rows = [line.split("│")[1].strip() for line in output.splitlines() if line.startswith("│")]
    assert "".join(rows).replace("random", "", 1) == f"{own_bots}:first_legal"
