"""``manhattan replay``: pages, logs and verification."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from manhattan.game import Game
from manhattan.record import write
from manhattan.rules import Side
from support.cli_runner import SCRIPT, Terminal, run_cli, run_process
from support.corrupt_records import event_location
from support.record_fixtures import NAMES, find, finished, record_json, stuck


def test_in_a_pipe_the_replay_is_a_log_of_every_move(games: Path) -> None:
    lines = run_cli("replay", games).out.splitlines()
    assert lines[0].startswith("Hans im Glück 2017 · round 1 of 4 · ")
    numbers = [int(match[1]) for line in lines if (match := re.match(r" *(\d+)  \w", line))]
    assert sorted(set(numbers)) == list(range(1, finished().ply + 1))
    assert sum("is scored" in line for line in lines) == 4
    assert sum("cards are shuffled" in line for line in lines) == 3
    assert lines[-1] == " 112  Bob wins with the most points."


def test_a_game_of_the_file_is_chosen_by_its_number(games: Path) -> None:
    assert "round 1 of 6" in run_cli("replay", games, "--game", "2").out


@pytest.mark.parametrize("ply", [0, 1, 30, 112])
def test_the_position_after_a_move_is_shown(ply: int, games: Path) -> None:
    shown = run_cli("replay", games, "--at", str(ply)).out
    assert f"move {ply} of 112" in shown
    state = finished().state_at(ply)
    for tower in state.public.board:
        assert tower.owner is None or f"{tower.height:>2}{tower.owner.letter} " in shown


def test_the_last_build_is_marked_with_a_star(games: Path) -> None:
    assert str(finished().moves[27]) == "E5+4"
    assert run_cli("replay", games, "--at", "28").out.count("*") == 1
    assert " 5* 4b " in run_cli("replay", games, "--at", "28").out


def test_on_a_terminal_the_keys_walk_through_the_game(games: Path, tmp_path: Path) -> None:
    pages = [
        *(("\x1b[C", 1), (" ", 2), ("p", 1), ("\x1b[D", 0), ("\x1b[D", 0)),
        *(("r", 28), ("r", 56), ("R", 28), ("x", 28)),
        *(("G", 112), ("n", 112), ("r", 112), ("g", 0), ("R", 0)),
    ]
    with Terminal(SCRIPT, "replay", games, folder=tmp_path) as terminal:
        terminal.wait_for("move 0 of 112")
        for key, ply in pages:
            terminal.wait_for("q quit")
            terminal.press_key(key)
            terminal.wait_for(f"move {ply} of 112")
        terminal.wait_for("q quit")
        terminal.press_key("q")
        assert terminal.wait() == 0


@pytest.mark.parametrize(
    ("side", "cities", "far_row"),
    [
        (Side.SOUTH, ["ABC", "DEF"], "123"),
        (Side.NORTH, ["FED", "CBA"], "987"),
        (Side.WEST, ["CF", "BE", "AD"], "369"),
        (Side.EAST, ["DA", "EB", "FC"], "741"),
    ],
)
def test_the_board_is_turned_to_the_chosen_side(
    side: Side, cities: list[str], far_row: str, games: Path
) -> None:
    lines = run_cli("replay", games, "--at", "0", "--side", side).out.splitlines()
    headings = [line for line in lines if "City" in line]
    assert ["".join(re.findall(r"City (.)", line)) for line in headings] == cities
    first = lines[lines.index(headings[0]) + 1]
    assert "".join(re.findall(r"\d", first)) == far_row * len(cities[0])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--at", "113"], "There is no move 113: this game has moves 0 to 112."),
        (["--at", "-1"], "There is no move -1: this game has moves 0 to 112."),
        (["--game", "3"], "There is no game 3 in this file."),
        (["--game", "0"], "--game"),
        (["--side", "up"], "--side"),
    ],
)
def test_a_missing_move_game_or_side_is_an_error(
    arguments: list[str], message: str, games: Path
) -> None:
    outcome = run_cli("replay", games, *arguments)
    assert outcome.code != 0
    assert message in outcome.error


def test_a_correct_file_verifies(games: Path) -> None:
    expected = f"{games}: 2 games verified: rules, shuffles and scores.\n"
    assert run_process("replay", "--verify", games) == (0, expected, "")


@pytest.mark.parametrize("option", [["--verify"], ["--game", "2", "--at", "3"]])
def test_a_dash_reads_stdin(option: list[str], games: Path) -> None:
    piped = run_process("replay", "-", *option, typed=games.read_bytes())
    assert (piped.code, piped.err) == (0, "")
    assert piped.out == run_cli("replay", games, *option).out.replace(str(games), "stdin")


def test_an_error_in_stdin_is_reported_like_that_of_a_file() -> None:
    outcome = run_process("replay", "--verify", "-", typed=b"\xff\xfe\n")
    assert outcome.err == "Error: stdin: This is not a record: it is not UTF-8 text.\n"


def test_an_interrupted_verification_reports_its_progress(
    games: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked = iter([None])

    def trace_record(_: object) -> None:
        if next(checked, "over") is not None:
            raise KeyboardInterrupt

    monkeypatch.setattr(sys.modules["manhattan.cli.commands.replay"], "trace_record", trace_record)
    outcome = run_cli("replay", "--verify", games)
    assert (outcome.code, outcome.out) == (130, "")
    assert "Interrupted after 1 game, without errors so far." in outcome.error


def test_verification_reports_what_it_could_not_check(games: Path) -> None:
    write(games, [record_json(), record_json(finished().at(40), redacted=True)])
    shown = run_cli("replay", games, "--verify").out
    assert "(1 unfinished; 1 without the hidden cards)" in shown
    write(games, [record_json() | {"seed": None, "commitment": None}])
    assert (
        "without a seed, so the shuffles can't be checked"
        in run_cli("replay", games, "--verify").out
    )


def test_options_that_verify_would_ignore_are_rejected(games: Path) -> None:
    outcome = run_cli("replay", games, "--verify", "--game", "2")
    assert outcome.code == 1
    assert "Remove --game and --at" in outcome.error


def test_a_false_record_is_reported_with_its_first_error(games: Path) -> None:
    """With file, game, event and player; what the record says and what it should say."""
    false = record_json(stuck())
    index = find(false, "build", 12)
    true = false["events"][index]["drew"]
    false["events"][index]["drew"] = true % 9 + 1
    write(games, [record_json(), false, record_json()])
    outcome = run_cli("replay", "--verify", games)
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.error == (
        f"Error: {games}, game 2, {event_location(false, index)}: "
        f"drew is {true % 9 + 1}, but by the rules it is {true}."
    )


def test_the_first_error_is_the_same_in_every_run(games: Path) -> None:
    """An event has two errors, and Python orders sets differently in every process."""
    false = record_json()
    event = false["events"][find(false, "build", 12)]
    event["drew"], event["card"] = event["drew"] % 9 + 1, event["card"] % 9 + 1
    write(games, [false])
    runs = (run_process("replay", games, "--verify", env={"PYTHONHASHSEED": n}) for n in "012345")
    assert len({outcome.err for outcome in runs}) == 1


@pytest.mark.parametrize("option", [[], ["--verify"], ["--at", "3"]])
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "The file can't be read: No such file or directory."),
        ("directory", "The file can't be read: Is a directory."),
        (b"", "This is not a record: it is empty."),
        (b"\x7fELF\xff\xfe\x00", "This is not a record: it is not UTF-8 text."),
        (b"hello\n", "it is not valid JSON"),
        (b"{}\n", 'This is not a record: it has no "format": "manhattan-record".'),
    ],
)
def test_a_file_that_is_not_a_record_is_an_error(
    option: list[str], content: bytes | str | None, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "game"
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif content:
        path.mkdir()
    outcome = run_cli("replay", path, *option)
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.error.startswith(f"Error: {path}")
    assert message in outcome.error


@pytest.mark.parametrize("name", ["[bold]Ada", "[/b]Ada", ":smile:", "Ada [red]"])
@pytest.mark.parametrize(
    ("option", "after"), [([], " chooses"), (["--at", "4"], " (south"), (["--at", "28"], " │")]
)
def test_player_names_are_printed_literally(
    name: str, option: list[str], after: str, tmp_path: Path
) -> None:
    """Brackets and colons are not markup: in a log, a table, a score sheet."""
    game = Game.new([name, *NAMES[1:]], seed=bytes(32))
    for _ in range(28):
        game.play(game.legal_moves()[0])
    write(tmp_path / "game", [record_json(game)])
    outcome = run_cli("replay", tmp_path / "game", *option)
    assert f"{name}{after}" in outcome.out
