"""``manhattan simulate``, ``replay`` and ``rules``, as a user has them."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import pytest

import manhattan
from commandline import SCRIPT, Terminal, process, shell
from commandline import manhattan as run
from lies import at
from manhattan.game import Game
from manhattan.record import parse, read, write
from manhattan.replay import replay
from manhattan.rules import EDITIONS, Seat
from saved import NAMES, TABLES, find, finished, stuck, told

# --- the command itself -----------------------------------------------------------------------


def test_the_installed_command_tells_its_version() -> None:
    assert process("--version") == (0, f"manhattan {manhattan.__version__}\n", "")


def test_python_runs_the_package_as_the_same_command() -> None:
    outcome = shell('"$python" -m manhattan --version', python=sys.executable)
    assert outcome == process("--version")


@pytest.mark.parametrize("command", ["play", "simulate", "replay", "rules"])
def test_every_command_has_help_and_is_named_in_the_help_of_all(command: str) -> None:
    assert f"manhattan {command}" in run(command, "--help").out
    assert command in run("--help").out
    assert command in run().out


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ([], ["[OPTIONS] COMMAND"]),
        (["play"], ["--players -p NUMBER How", "--name -n TEXT A", "--load -l FILE Go"]),
        (["serve"], ["--host TEXT Who", "--public-metrics Show"]),
        (["backup"], ["manhattan backup [OPTIONS] TO ", "* TO A new file", "--games Only"]),
        (["replay"], ["manhattan replay [OPTIONS] FILE ", "--side south|west|north|east The"]),
        (["bench"], ["--help Show"]),
        (["bench", "kernel"], ["--players -p NUMBER Only", "--json FILE Write"]),
    ],
)
def test_the_help_speaks_no_python(command: list[str], told: list[str]) -> None:
    shown = run(*command, "--help", size=(160, 50)).out.replace("│", " ")
    assert not re.search(r"[<{}]\w|list\[|\bbool\b|\bstr\b|\bint\b", shown), shown
    assert [words for words in told if words not in " ".join(shown.split())] == []


def test_an_unknown_command_is_told_in_a_sentence() -> None:
    outcome = run("simulat")
    assert outcome.code == 2
    assert "No such command 'simulat'" in outcome.sentence


# --- simulate ---------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    first, second, other = (tmp_path / name for name in "abc")
    for path, seed in ((first, "7"), (second, "7"), (other, "8")):
        assert run("simulate", "--games", "3", "--seed", seed, "--out", path).code == 0
    assert first.read_bytes() == second.read_bytes()
    assert first.read_bytes() != other.read_bytes()


def test_a_longer_run_begins_like_a_shorter_one(tmp_path: Path) -> None:
    """A game depends on the seed and its own number only."""
    for games in ("2", "4"):
        run("simulate", "--games", games, "--out", tmp_path / games)
    assert (tmp_path / "4").read_bytes().startswith((tmp_path / "2").read_bytes())


def test_on_the_output_there_are_records_and_nothing_else() -> None:
    """Progress and sums go to the other stream."""
    outcome = process("simulate", "--games", "3", "--out", "-")
    lines = outcome.out.splitlines()
    assert len(lines) == 3
    for line in lines:
        replay(parse(line))
    assert "3 games, hig-2017" in outcome.err


def test_without_a_file_the_sums_are_all_there_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = run("simulate", "--games", "2")
    assert (outcome.code, outcome.out) == (0, "")
    assert "2 games, hig-2017" in outcome.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("edition", "players"), TABLES)
def test_every_table_is_simulated_and_the_records_are_true(
    edition: str, players: int, tmp_path: Path
) -> None:
    path = tmp_path / "games.jsonl"
    run("simulate", "--edition", edition, "--players", str(players), "--games", "2", "--out", path)
    assert [(r.setup.edition, len(r.setup.players)) for r in read(path)] == [(edition, players)] * 2
    outcome = run("replay", "--verify", path)
    assert outcome.out == f"{path}: 2 games are right: rules, shuffles and scores.\n"


def test_house_rules_are_played_and_told(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    rules = ("-r", "tallest_tie=one_owner", "--house-rule", "two_players=6x4-one-colour")
    run("simulate", "--players", "2", *rules, "--games", "1", "--out", path)
    told = json.loads(path.read_text())
    assert told["house_rules"] == {"tallest_tie": "one_owner", "two_players": "6x4-one-colour"}
    assert [len(player["colours"]) for player in told["players"]] == [1, 1]


@pytest.mark.parametrize("name", ["games.jsonl", "[bold]games.jsonl", "a b.jsonl"])
def test_the_file_is_named_as_it_is(name: str, tmp_path: Path) -> None:
    outcome = run("simulate", "--games", "1", "--out", tmp_path / name)
    assert (tmp_path / name).exists()
    assert f"1 record is in {tmp_path / name}." in outcome.err


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["--players", "5"], "2 to 4 players; there are 5."),
        (["--players", "1"], "2 to 4 players; there are 1."),
        (["--players", "many"], "--players"),
        (["--games", "0"], "--games"),
        (["--seed", "x"], "--seed"),
        (["--edition", "hig-2018"], "There is no edition 'hig-2018'. The editions are: hig-2017"),
        (["-r", "sides"], "'sides' is no house rule: write it like"),
        (["-r", "start=oldest"], "There is no house rule 'start'. What can be changed: sides"),
        (["-r", "sides=both"], "The house rule sides can't be 'both'. It can be: distinct, free."),
        (["--rounds", "5"], "--rounds"),
    ],
)
def test_a_wrong_option_is_told_in_a_sentence_and_nothing_is_written(
    arguments: list[str], what: str, tmp_path: Path
) -> None:
    outcome = run("simulate", "--out", tmp_path / "games.jsonl", *arguments)
    assert outcome.code != 0
    assert what in outcome.sentence
    assert "Traceback" not in outcome.err
    assert outcome.out == ""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("no/games.jsonl", "There is no folder {}/no to write games.jsonl into."),
        (".", "{} is a folder: name a file."),
        ("x" * 300, "The file can't be written: File name too long."),
    ],
)
def test_a_place_that_can_not_be_written_is_told_in_a_sentence(
    name: str, what: str, tmp_path: Path
) -> None:
    outcome = run("simulate", "--games", "1", "--out", tmp_path / name)
    assert outcome.code == 1
    assert what.format(tmp_path) in outcome.sentence


def test_games_that_were_simulated_before_are_not_replaced(tmp_path: Path) -> None:
    """Nor is anything else; an empty file has nothing to lose."""
    games, empty = tmp_path / "games.jsonl", tmp_path / "empty"
    games.write_text("mine")
    (tmp_path / "games-2.jsonl").touch()
    empty.touch()
    outcome = run("simulate", "--games", "1", "--out", games)
    assert (outcome.code, outcome.out, games.read_text()) == (1, "", "mine")
    assert outcome.sentence == (
        f"Error: {games}: There is a file of this name already; choose another name, like "
        f"{tmp_path / 'games-3.jsonl'}."
    )
    assert run("simulate", "--games", "1", "--out", empty).code == 0
    assert len(list(read(empty))) == 1


def test_games_that_are_broken_off_are_kept_as_far_as_they_came(tmp_path: Path) -> None:
    """By Ctrl-C on a real terminal; the same command without it would begin with them."""
    command = ("simulate", "--games", "100000", "--out", "games.jsonl")
    # Not measured: an interrupt that comes while coverage has its lock could wait for it for ever.
    env = ["/usr/bin/env", *(f"-u{key}" for key in os.environ if key.startswith("COVERAGE"))]
    with Terminal(*env, SCRIPT, *command, folder=tmp_path) as terminal:
        while not re.search(r" [1-9]\d*/100000", terminal.written):
            terminal.wait_for("/100000")
        terminal.press("\x03")
        assert terminal.wait() == 130
    (played,) = re.findall(r"Broken off after (\d+) of 100000 games\.\r\n$", terminal.written)
    assert f"{played} record" in terminal.written
    kept = list(read(tmp_path / "games.jsonl"))
    assert len(kept) == int(played)
    assert [path.name for path in tmp_path.iterdir()] == ["games.jsonl"]


# --- replay -----------------------------------------------------------------------------------


@pytest.fixture
def games(tmp_path: Path) -> Path:
    """A file of two games, of four players and of two."""
    path = tmp_path / "games.jsonl"
    write(path, [told(), told(finished(players=2))])
    return path


def test_in_a_pipe_a_replay_is_a_log_of_every_move(games: Path) -> None:
    lines = run("replay", games).out.splitlines()
    assert lines[0].startswith("Hans im Glück 2017 · round 1 of 4 · ")
    numbers = [int(match[1]) for line in lines if (match := re.match(r" *(\d+)  \w", line))]
    assert sorted(set(numbers)) == list(range(1, finished().ply + 1))
    assert sum("is scored" in line for line in lines) == 4
    assert sum("cards are shuffled" in line for line in lines) == 3
    assert lines[-1] == " 112  Bob wins, with the most points."


def test_a_later_game_of_the_file_is_chosen_by_its_number(games: Path) -> None:
    assert "round 1 of 6" in run("replay", games, "--game", "2").out


@pytest.mark.parametrize("ply", [0, 1, 30, 112])
def test_one_moment_is_shown(ply: int, games: Path) -> None:
    shown = run("replay", games, "--at", str(ply)).out
    assert f"move {ply} of 112" in shown
    state = finished().state_at(ply)
    for tower in state.table.board:
        assert tower.owner is None or f"{tower.height:>2}{tower.owner.letter} " in shown


def test_the_last_build_is_marked_with_a_star(games: Path) -> None:
    assert str(finished().moves[27]) == "E5+4"
    assert run("replay", games, "--at", "28").out.count("*") == 1
    assert " 5* 4b " in run("replay", games, "--at", "28").out


@pytest.mark.parametrize(
    ("side", "cities", "far_row"),
    [
        (Seat.SOUTH, ["ABC", "DEF"], "123"),
        (Seat.NORTH, ["FED", "CBA"], "987"),
        (Seat.WEST, ["CF", "BE", "AD"], "369"),
        (Seat.EAST, ["DA", "EB", "FC"], "741"),
    ],
)
def test_the_board_is_turned_to_the_side_asked_for(
    side: Seat, cities: list[str], far_row: str, games: Path
) -> None:
    lines = run("replay", games, "--at", "0", "--side", side).out.splitlines()
    headings = [line for line in lines if "City" in line]
    assert ["".join(re.findall(r"City (.)", line)) for line in headings] == cities
    first = lines[lines.index(headings[0]) + 1]
    assert "".join(re.findall(r"\d", first)) == far_row * len(cities[0])


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["--at", "113"], "This game has 0 to 112 moves, so no moment 113."),
        (["--at", "-1"], "This game has 0 to 112 moves, so no moment -1."),
        (["--game", "3"], "There is no game 3 in this file."),
        (["--game", "0"], "--game"),
        (["--side", "up"], "--side"),
    ],
)
def test_a_moment_a_game_or_a_side_that_is_not_there(
    arguments: list[str], what: str, games: Path
) -> None:
    outcome = run("replay", games, *arguments)
    assert outcome.code != 0
    assert what in outcome.sentence


def test_a_true_file_is_verified(games: Path) -> None:
    expected = f"{games}: 2 games are right: rules, shuffles and scores.\n"
    assert process("replay", "--verify", games) == (0, expected, "")


@pytest.mark.parametrize("option", [["--verify"], ["--game", "2", "--at", "3"]])
def test_a_dash_is_the_input(option: list[str], games: Path) -> None:
    piped = process("replay", "-", *option, typed=games.read_bytes())
    assert (piped.code, piped.err) == (0, "")
    assert piped.out == run("replay", games, *option).out.replace(str(games), "the input")


def test_what_is_wrong_with_the_input_is_told_like_a_file_s() -> None:
    outcome = process("replay", "--verify", "-", typed=b"\xff\xfe\n")
    assert outcome.err == "Error: the input: This is not a text in UTF-8, so it is no record.\n"


def test_whoever_stops_a_check_is_told_how_far_it_came(
    games: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked = iter([None])

    def walk(_: object) -> None:
        if next(checked, "over") is not None:
            raise KeyboardInterrupt

    monkeypatch.setattr(sys.modules["manhattan.cli.replay"], "walk", walk)
    outcome = run("replay", "--verify", games)
    assert (outcome.code, outcome.out) == (130, "")
    assert "Broken off after 1 game, which is right." in outcome.sentence


def test_what_could_not_be_checked_is_said(games: Path) -> None:
    write(games, [told(), told(finished().at(40), whole=False)])
    shown = run("replay", games, "--verify").out
    assert "(1 not over; 1 only as others may see it)" in shown
    write(games, [told() | {"seed": None, "commitment": None}])
    assert "without a seed: its shuffles are only as told" in run("replay", games, "--verify").out


def test_what_verify_would_ignore_is_refused(games: Path) -> None:
    outcome = run("replay", games, "--verify", "--game", "2")
    assert outcome.code == 1
    assert "leave --game and --at out" in outcome.sentence


def test_a_false_file_is_told_with_its_first_wrong_thing(games: Path) -> None:
    """Which file, which game, which event, whose; what it says and what it should say."""
    false = told(stuck())
    index = find(false, "build", 12)
    true = false["events"][index]["drew"]
    false["events"][index]["drew"] = true % 9 + 1
    write(games, [told(), false, told()])
    outcome = run("replay", "--verify", games)
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.sentence == (
        f"Error: {games}, game 2, {at(false, index)}: "
        f"drew is {true % 9 + 1}, but by the rules it is {true}."
    )


def test_the_first_wrong_thing_is_the_same_in_every_run(games: Path) -> None:
    """Python orders sets anew in every process; an event with two lies must not show that."""
    false = told()
    event = false["events"][find(false, "build", 12)]
    event["drew"], event["card"] = event["drew"] % 9 + 1, event["card"] % 9 + 1
    write(games, [false])
    runs = (process("replay", games, "--verify", env={"PYTHONHASHSEED": n}) for n in "012345")
    assert len({outcome.err for outcome in runs}) == 1


@pytest.mark.parametrize("option", [[], ["--verify"], ["--at", "3"]])
@pytest.mark.parametrize(
    ("content", "what"),
    [
        (None, "The file can't be read: No such file or directory."),
        ("directory", "The file can't be read: Is a directory."),
        (b"", "There is nothing here; a record of a game was expected."),
        (b"\x7fELF\xff\xfe\x00", "This is not a text in UTF-8, so it is no record."),
        (b"hello\n", "This is no JSON"),
        (b"{}\n", 'This is no saved game: it has no "format": "manhattan-record".'),
    ],
)
def test_a_file_that_is_no_record_is_told_in_a_sentence(
    option: list[str], content: bytes | str | None, what: str, tmp_path: Path
) -> None:
    path = tmp_path / "game"
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif content:
        path.mkdir()
    outcome = run("replay", path, *option)
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.sentence.startswith(f"Error: {path}")
    assert what in outcome.sentence


@pytest.mark.parametrize("name", ["[bold]Ada", "[/b]Ada", ":smile:", "Ada [red]"])
@pytest.mark.parametrize(
    ("option", "after"), [([], " chooses"), (["--at", "4"], " (south"), (["--at", "28"], " │")]
)
def test_a_name_is_shown_as_it_is_written(
    name: str, option: list[str], after: str, tmp_path: Path
) -> None:
    """Brackets and colons are no instructions to the terminal: in a log, a table, a score."""
    game = Game.new([name, *NAMES[1:]], seed=bytes(32))
    for _ in range(28):
        game.play(game.legal_moves()[0])
    write(tmp_path / "game", [told(game)])
    outcome = run("replay", tmp_path / "game", *option)
    assert f"{name}{after}" in outcome.out


# --- rules ------------------------------------------------------------------------------------


@pytest.mark.parametrize("edition", EDITIONS)
def test_the_rules_of_an_edition(edition: str) -> None:
    shown = run("rules", "--edition", edition).out
    assert f"Manhattan: {EDITIONS[edition].title}" in shown
    assert all(colour in shown for colour in EDITIONS[edition].colours)
    assert "How the editions differ" not in shown
    assert max(map(len, shown.splitlines())) <= 100


def test_the_rules_by_default_tell_how_the_editions_differ() -> None:
    shown = run("rules").out
    assert "How the editions differ" in shown
    assert "House rules" in shown
    assert all(title in shown for title in ("999 Games", "FoxGames", "1994", "2017"))


def test_the_rules_as_markdown_can_be_read_by_other_programs() -> None:
    lines = run("rules", "--markdown").out.splitlines()
    headings = ["Manhattan: Hans im Glück 2017", "How the editions differ", "House rules"]
    assert [line for line in lines if line.startswith("# ")] == [f"# {h}" for h in headings]


def test_the_rules_of_an_edition_that_is_not_there() -> None:
    outcome = run("rules", "--edition", "x")
    assert (outcome.code, outcome.out) == (1, "")
    assert "There is no edition 'x'." in outcome.sentence


# --- pipes ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command", ["simulate --games 300 --out -", 'replay "$file"', "rules --markdown"]
)
def test_whoever_stops_reading_gets_no_complaint(command: str, games: Path) -> None:
    """As ``head`` does: no traceback, no error."""
    outcome = shell(f"$manhattan {command} | head -n 1", file=str(games))
    assert outcome.out.count("\n") == 1
    assert "Traceback" not in outcome.err
    assert "rror" not in outcome.err


@pytest.mark.parametrize("command", ["simulate --games 9 --out -", "--version"])
def test_an_output_that_takes_nothing_is_told_in_a_sentence(command: str) -> None:
    """A full disk: in the middle of it, or with the last words."""
    outcome = shell(f"$manhattan {command} >/dev/full")
    assert outcome.code == 1
    assert outcome.err.endswith(
        "Error: What comes out can't be written: No space left on device.\n"
    )
    assert "Traceback" not in outcome.err


def test_nobody_needs_an_input_or_an_output() -> None:
    outcome = shell("$manhattan rules >&- && $manhattan play <&-")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.endswith("Goodbye.\n")


def test_a_terminal_that_knows_only_ascii_is_shown_what_looks_alike(games: Path) -> None:
    """Nothing becomes a question mark, and everything keeps its place."""
    command = '$manhattan replay "$file" --at 30 && $manhattan play </dev/null && $manhattan rules'
    outcome = shell(command, file=str(games), PYTHONIOENCODING="ascii")
    assert (outcome.code, outcome.err) == (0, "")
    assert "Hans im Gluck 2017 . round 2 of 4 . " in outcome.out
    assert "\n> " in outcome.out  # whose turn it is
    assert " 1   .   2   .  " in outcome.out
    assert re.search(r" # \. \. | \. # \. | \. \. # ", outcome.out)  # a card
    assert "?" not in outcome.out.replace("(? for help)", "")
