"""``manhattan simulate``: reproducible records, and nothing overwritten."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from manhattan.record import parse, read
from manhattan.replay import replay
from support.cli_runner import SCRIPT, Terminal, run_cli, run_process
from support.record_fixtures import TABLES


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    first, second, other = (tmp_path / name for name in "abc")
    for path, seed in ((first, "7"), (second, "7"), (other, "8")):
        assert run_cli("simulate", "--games", "3", "--seed", seed, "--out", path).code == 0
    assert first.read_bytes() == second.read_bytes()
    assert first.read_bytes() != other.read_bytes()


def test_a_longer_run_starts_with_the_games_of_a_shorter_one(tmp_path: Path) -> None:
    """A game depends only on the seed and its own number."""
    for games in ("2", "4"):
        run_cli("simulate", "--games", games, "--out", tmp_path / games)
    assert (tmp_path / "4").read_bytes().startswith((tmp_path / "2").read_bytes())


def test_stdout_holds_records_and_nothing_else() -> None:
    """Progress and summary go to stderr."""
    outcome = run_process("simulate", "--games", "3", "--out", "-")
    lines = outcome.out.splitlines()
    assert len(lines) == 3
    for line in lines:
        replay(parse(line))
    assert "3 games, hig-2017" in outcome.err


def test_without_a_file_only_the_summary_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = run_cli("simulate", "--games", "2")
    assert (outcome.code, outcome.out) == (0, "")
    assert "2 games, hig-2017" in outcome.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("edition", "players"), TABLES)
def test_records_of_every_kind_of_table_verify(edition: str, players: int, tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    run_cli(
        "simulate", "--edition", edition, "--players", str(players), "--games", "2", "--out", path
    )
    assert [(r.setup.edition, len(r.setup.players)) for r in read(path)] == [(edition, players)] * 2
    outcome = run_cli("replay", "--verify", path)
    assert outcome.out == f"{path}: 2 games verified: rules, shuffles and scores.\n"


def test_house_rules_are_recorded(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    rules = ("-r", "tallest_tie=one_owner", "--house-rule", "two_players=6x4-one-colour")
    run_cli("simulate", "--players", "2", *rules, "--games", "1", "--out", path)
    record = json.loads(path.read_text())
    assert record["house_rules"] == {"tallest_tie": "one_owner", "two_players": "6x4-one-colour"}
    assert [len(player["colours"]) for player in record["players"]] == [1, 1]


@pytest.mark.parametrize("name", ["games.jsonl", "[bold]games.jsonl", "a b.jsonl"])
def test_the_file_name_is_printed_literally(name: str, tmp_path: Path) -> None:
    outcome = run_cli("simulate", "--games", "1", "--out", tmp_path / name)
    assert (tmp_path / name).exists()
    assert f"Wrote 1 record to {tmp_path / name}." in outcome.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--players", "5"], "2 to 4 players; there are 5."),
        (["--players", "1"], "2 to 4 players; there are 1."),
        (["--players", "many"], "--players"),
        (["--games", "0"], "--games"),
        (["--seed", "x"], "--seed"),
        (["--edition", "hig-2018"], "There is no edition 'hig-2018'. The editions are: hig-2017"),
        (["-r", "sides"], "'sides' is not a house rule: write it like"),
        (["-r", "start=oldest"], "There is no house rule 'start'. The house rules are: sides"),
        (["-r", "sides=both"], "The house rule sides can't be 'both'. It can be: distinct, free."),
        (["--rounds", "5"], "--rounds"),
    ],
)
def test_a_wrong_option_is_an_error_and_nothing_is_written(
    arguments: list[str], message: str, tmp_path: Path
) -> None:
    outcome = run_cli("simulate", "--out", tmp_path / "games.jsonl", *arguments)
    assert outcome.code != 0
    assert message in outcome.error
    assert "Traceback" not in outcome.err
    assert outcome.out == ""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("no/games.jsonl", "Can't write games.jsonl: there is no folder {}/no."),
        (".", "{} is a folder. Name a file."),
        ("x" * 300, "The file can't be written: File name too long."),
    ],
)
def test_an_unwritable_file_is_an_error(name: str, message: str, tmp_path: Path) -> None:
    outcome = run_cli("simulate", "--games", "1", "--out", tmp_path / name)
    assert outcome.code == 1
    assert message.format(tmp_path) in outcome.error


def test_an_existing_file_is_not_overwritten(tmp_path: Path) -> None:
    """An empty file may be."""
    games, empty = tmp_path / "games.jsonl", tmp_path / "empty"
    games.write_text("mine")
    (tmp_path / "games-2.jsonl").touch()
    empty.touch()
    outcome = run_cli("simulate", "--games", "1", "--out", games)
    assert (outcome.code, outcome.out, games.read_text()) == (1, "", "mine")
    assert outcome.error == (
        f"Error: {games} already exists. Choose another name, for example "
        f"{tmp_path / 'games-3.jsonl'}."
    )
    assert run_cli("simulate", "--games", "1", "--out", empty).code == 0
    assert len(list(read(empty))) == 1


def test_an_interrupted_run_keeps_its_finished_games(tmp_path: Path) -> None:
    """By Ctrl-C on a real terminal: the games are those that a whole run starts with."""
    command = ("simulate", "--games", "100000", "--out", "games.jsonl")
    # Without coverage: an interrupt while it holds its lock could deadlock.
    env = ["/usr/bin/env", *(f"-u{key}" for key in os.environ if key.startswith("COVERAGE"))]
    with Terminal(*env, SCRIPT, *command, folder=tmp_path) as terminal:
        while not re.search(r" [1-9]\d*/100000", terminal.output):
            terminal.wait_for("/100000")
        terminal.press("\x03")
        assert terminal.wait() == 130
    (played,) = re.findall(r"Interrupted after (\d+) of 100000 games\.\r\n$", terminal.output)
    assert f"{played} record" in terminal.output
    kept = list(read(tmp_path / "games.jsonl"))
    assert len(kept) == int(played)
    assert [path.name for path in tmp_path.iterdir()] == ["games.jsonl"]
