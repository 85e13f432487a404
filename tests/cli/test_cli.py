"""The command itself, ``manhattan rules``, and how all commands treat their streams."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

import manhattan
from manhattan.rules import EDITIONS
from support.cli_runner import run_cli, run_process, run_shell

# --- the command itself --------------------------------------------------------------------------


def test_the_installed_command_shows_its_version() -> None:
    assert run_process("--version") == (0, f"manhattan {manhattan.__version__}\n", "")


def test_python_dash_m_runs_the_same_command() -> None:
    outcome = run_shell('"$python" -m manhattan --version', python=sys.executable)
    assert outcome == run_process("--version")


@pytest.mark.parametrize("command", ["play", "simulate", "replay", "rules"])
def test_every_command_has_help_and_appears_in_the_main_help(command: str) -> None:
    assert f"manhattan {command}" in run_cli(command, "--help").out
    assert command in run_cli("--help").out
    assert command in run_cli().out


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ([], ["[OPTIONS] COMMAND"]),
        (
            ["play"],
            ["--players -p NUMBER Number", "--name -n TEXT Name", "--load -l FILE Continue"],
        ),
        (["serve"], ["--host ADDRESS Address", "--no-public-metrics Serve"]),
        (["backup"], ["manhattan backup [OPTIONS] TO ", "* TO New file", "--games Export"]),
        (["replay"], ["manhattan replay [OPTIONS] FILE ", "--side south|west|north|east Side"]),
        (["bench"], ["--help Show"]),
        (["bench", "kernel"], ["--players -p NUMBER Number", "--json FILE Write"]),
    ],
)
def test_help_shows_no_python_types(command: list[str], expected: list[str]) -> None:
    shown = run_cli(*command, "--help", size=(160, 50)).out.replace("│", " ")
    assert not re.search(r"[<{}]\w|list\[|\bbool\b|\bstr\b|\bint\b", shown), shown
    assert [words for words in expected if words not in " ".join(shown.split())] == []


def test_an_unknown_command_is_an_error_message() -> None:
    outcome = run_cli("simulat")
    assert outcome.code == 2
    assert "No such command 'simulat'" in outcome.error


# --- rules ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("edition", EDITIONS)
def test_the_rules_of_an_edition_are_shown(edition: str) -> None:
    shown = run_cli("rules", "--edition", edition).out
    assert f"Manhattan: {EDITIONS[edition].title}" in shown
    assert all(colour in shown for colour in EDITIONS[edition].colours)
    assert "How the editions differ" not in shown
    assert max(map(len, shown.splitlines())) <= 100


def test_the_rules_show_how_the_editions_differ_by_default() -> None:
    shown = run_cli("rules").out
    assert "How the editions differ" in shown
    assert "House rules" in shown
    assert all(title in shown for title in ("999 Games", "FoxGames", "1994", "2017"))


def test_the_rules_are_available_as_markdown() -> None:
    lines = run_cli("rules", "--markdown").out.splitlines()
    headings = ["Manhattan: Hans im Glück 2017", "How the editions differ", "House rules"]
    assert [line for line in lines if line.startswith("# ")] == [f"# {h}" for h in headings]


def test_the_rules_of_an_unknown_edition_are_an_error() -> None:
    outcome = run_cli("rules", "--edition", "x")
    assert (outcome.code, outcome.out) == (1, "")
    assert "There is no edition 'x'." in outcome.error


# --- streams -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command", ["simulate --games 300 --out -", 'replay "$file"', "rules --markdown"]
)
def test_a_closed_pipe_is_not_an_error(command: str, games: Path) -> None:
    """The reader may be ``head``."""
    outcome = run_shell(f"$manhattan {command} | head -n 1", file=str(games))
    assert outcome.out.count("\n") == 1
    assert "Traceback" not in outcome.err
    assert "rror" not in outcome.err


@pytest.mark.parametrize("command", ["simulate --games 9 --out -", "--version"])
def test_a_full_disk_is_an_error_message(command: str) -> None:
    """In the middle of the output, or in the last flush."""
    outcome = run_shell(f"$manhattan {command} >/dev/full")
    assert outcome.code == 1
    assert outcome.err.endswith("Error: Can't write the output: No space left on device.\n")
    assert "Traceback" not in outcome.err


def test_closed_streams_are_not_an_error() -> None:
    outcome = run_shell("$manhattan rules >&- && $manhattan play <&-")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.endswith("Goodbye.\n")


def test_without_unicode_the_output_falls_back_to_ascii(games: Path) -> None:
    """No character becomes a question mark, and columns stay aligned."""
    command = '$manhattan replay "$file" --at 30 && $manhattan play </dev/null && $manhattan rules'
    outcome = run_shell(command, file=str(games), PYTHONIOENCODING="ascii")
    assert (outcome.code, outcome.err) == (0, "")
    assert "Hans im Gluck 2017 . round 2 of 4 . " in outcome.out
    assert "\n> " in outcome.out  # whose turn it is
    assert " 1   .   2   .  " in outcome.out
    assert re.search(r" # \. \. | \. # \. | \. \. # ", outcome.out)  # a card
    assert "?" not in outcome.out.replace("(? for help)", "")
