"""``manhattan play`` loses no game: neither one that is left nor one that was saved."""

from __future__ import annotations

import re
import shlex
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from manhattan.game import Game
from manhattan.record import write
from support.cli_runner import SCRIPT, Terminal, name_options, run_cli, typed_lines
from support.record_fixtures import NAMES, finished, record_json, saved_game

SEED = "0" * 64
NEW = ("play", "--name", "Ada", "--seed", SEED)
OTHER = ("play", "--name", "Ada", "--seed", "1" * 64)
PROMPT = "(? for help): "
SAVE_PROMPT = "Save the game? Type a file name, or press Enter to skip: "
AUTOSAVE = "manhattan-unfinished.json"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder of all games here."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


# --- autosave ---------------------------------------------------------------------------------


def play_on_terminal(folder: Path, *keys: str, play: tuple[str, ...] = NEW) -> str:
    """Press these keys on a real terminal, one group at each prompt, and return the output."""
    with Terminal(SCRIPT, *play, folder=folder) as terminal:
        for key in keys:
            terminal.wait_for(PROMPT)
            if not key.endswith("\n"):  # unlike a line, it is lost if it comes before the prompt
                time.sleep(1)
            terminal.press(key)
        assert terminal.wait() == 0
    assert "Traceback" not in terminal.output
    assert terminal.output.endswith("Goodbye.\r\n")
    return terminal.output


@pytest.mark.parametrize("leave", ["quit\n", "\x03", "\x04"])
def test_a_game_that_is_left_is_saved_and_can_be_continued(leave: str, folder: Path) -> None:
    """Left by a word, by Ctrl-C, or by closing the input."""
    shown = play_on_terminal(folder, "112234\n", leave)
    assert [str(move) for move in saved_game(folder / AUTOSAVE).moves].count("[112234]") == 1
    (command,) = re.findall(
        r"Saved the unfinished game\. Continue with: \S*manhattan (.*)\r\n", shown
    )
    again = run_cli(*shlex.split(command), typed=typed_lines("quit")).out
    assert "Ada chooses 1 1 2 2 3 4." in again


def test_nothing_is_saved_if_nothing_would_be_lost(folder: Path) -> None:
    """Ada has not moved; she has saved; she has moved and undone it."""
    for keys in (["quit\n"], ["112234\n", "save game\n", "quit\n"], ["112234\n", "u\n", "quit\n"]):
        assert "Saved the unfinished game" not in play_on_terminal(folder, *keys)
    assert files(folder) == ["game"]


def test_there_is_no_autosave_without_a_terminal(folder: Path) -> None:
    shown = run_cli(*NEW, typed=typed_lines("112234", "quit")).out
    assert "Saved the unfinished game" not in shown
    assert files(folder) == []


def test_every_autosaved_game_has_a_file_of_its_own(folder: Path) -> None:
    """Another game gets a number; the same game, continued, replaces its own file."""
    (folder / AUTOSAVE).write_text("my notes")
    play_on_terminal(folder, "112234\n", "q\n")
    play_on_terminal(folder, "112234\n", "q\n", play=OTHER)
    saved = [folder / f"manhattan-unfinished-{number}.json" for number in (2, 3)]
    before = saved_game(saved[0])
    move = f"{before.legal_moves()[0]}\n"
    play_on_terminal(folder, move, "q\n", play=("play", "--load", saved[0].name))
    assert saved_game(saved[0]).ply > before.ply
    assert saved_game(saved[1]).seed == bytes.fromhex("1" * 64)
    assert files(folder) == sorted([AUTOSAVE, *(path.name for path in saved)])
    assert (folder / AUTOSAVE).read_text() == "my notes"


def test_leaving_a_hot_seat_game_shows_the_command_and_no_hand(folder: Path) -> None:
    play = ("play", "--seed", SEED, "--players", "2", *name_options("Ann", "Ben"))
    with Terminal(SCRIPT, *play, folder=folder) as terminal:
        for prompt, keys in (
            ("look away: ", "\n"),
            (PROMPT, "1124 1223\n"),
            ("look away: ", "quit\n"),
        ):
            terminal.wait_for(prompt)
            terminal.press(keys)
        assert terminal.wait() == 0
    last = terminal.output.split("\x1b[3J")[-1]
    assert last.startswith("Saved the unfinished game. Continue with: ")
    assert "--name Ann --name Ben\r\nGoodbye." in last
    assert (folder / AUTOSAVE).exists()


def test_a_failed_autosave_is_reported(folder: Path) -> None:
    """The folder has been removed during the game."""
    gone = folder / "gone"
    gone.mkdir()
    with Terminal(SCRIPT, *NEW, folder=gone) as terminal:
        terminal.wait_for(PROMPT)
        terminal.press("112234\n")
        terminal.wait_for(PROMPT)
        gone.rmdir()
        terminal.press("quit\n")
        assert terminal.wait() == 0
    assert "The game could not be saved. " in terminal.output
    assert "The file can't be written: No such file or directory." in terminal.output
    assert terminal.output.endswith("Goodbye.\r\n")


SLOW_ADVICE = """
import importlib, sys, time
importlib.import_module("manhattan.cli.ui.bot_runner").evaluate = lambda view, rng: time.sleep(60)
from manhattan.cli import main
sys.argv[0] = "manhattan"
main()
"""


def test_ctrl_c_cancels_the_advice_and_not_the_game(folder: Path) -> None:
    with Terminal(sys.executable, "-c", SLOW_ADVICE, *NEW, folder=folder) as terminal:
        terminal.wait_for(PROMPT)
        terminal.press("advice\n")
        terminal.wait_for("Evaluating moves…")
        terminal.press("\x03")
        terminal.wait_for("Advice cancelled.")
        terminal.press("112234\n")
        terminal.wait_for("Build (?")
        terminal.press("save game\n")
        terminal.wait_for("Saved.")
        terminal.press("quit\n")
        assert terminal.wait() == 0


# --- the end ----------------------------------------------------------------------------------


def follow_hints(*answers: str) -> Callable[[str], str]:
    """Follow the hints, and give these answers when the game is over."""
    remaining = iter(answers)

    def typed(shown: str) -> str:
        if shown.endswith(SAVE_PROMPT):
            return f"{next(remaining)}\n"
        hint = re.search(r"(\S+) looks good\.[^\n]*\n[^\n]*: $", shown)
        return f"{hint[1]}\n" if hint else "hint\n"

    return typed


@pytest.mark.parametrize("leave", ["quit", "Q", " exit "])
def test_quit_at_the_end_is_not_a_file_name(leave: str, folder: Path) -> None:
    outcome = run_cli(*NEW, typed=follow_hints(leave))
    assert outcome.out.endswith("Goodbye.\n")
    assert files(folder) == []


@pytest.mark.parametrize(
    ("answer", "saved"),
    [("", []), ("no", []), ("Yes", ["manhattan-game.json"]), ("save", ["manhattan-game.json"])],
)
def test_the_save_prompt_accepts_yes_and_no(answer: str, saved: list[str], folder: Path) -> None:
    run_cli(*NEW, typed=follow_hints(answer))
    assert files(folder) == saved


def test_an_unwritable_name_is_asked_for_again(folder: Path) -> None:
    (folder / "notes").write_text("notes")
    write(folder / "other", [record_json()])
    names = ["/nowhere/game", "notes", "other", "save My Game"]
    shown = run_cli(*NEW, typed=follow_hints(*names)).out
    assert shown.count(SAVE_PROMPT) == len(names)
    assert "/nowhere/game: The file can't be written: No such file or directory." in shown
    assert "notes: This file is not a saved game. Choose another name." in shown
    assert "other: This file holds another game. Choose another name, for example other-2." in shown
    assert "Saved. Watch it with: manhattan replay 'My Game'\n" in shown
    assert saved_game(folder / "My Game").is_over
    assert (folder / "notes").read_text() == "notes"


# --- saving -----------------------------------------------------------------------------------


def test_a_saved_game_is_not_overwritten_by_another(folder: Path) -> None:
    """The error suggests a free name; the same game may be saved again."""
    path = folder / "game.json"
    run_cli(*NEW, typed=typed_lines("save game.json", "112234", "save game.json"))
    before = path.read_bytes()
    assert saved_game(path).ply
    shown = run_cli(*OTHER, typed=typed_lines("save game.json", "save game-2.json")).out
    assert (
        "game.json: This file holds another game. Choose another name, for example game-2.json.\n"
        in shown
    )
    assert path.read_bytes() == before
    assert saved_game(folder / "game-2.json").seed == bytes.fromhex("1" * 64)


def test_a_file_of_several_games_is_not_overwritten_by_one_of_them(folder: Path) -> None:
    game = Game.new(NAMES, seed=bytes(32))
    write(folder / "games", [record_json(game), record_json(finished())])
    shown = run_cli("play", "--load", "games", typed=typed_lines("save games")).out
    assert "games: This file holds another game" in shown


def test_without_a_name_every_game_gets_its_own(folder: Path) -> None:
    for game in (NEW, OTHER, NEW):
        run_cli(*game, typed=typed_lines("save", "save"))
    assert files(folder) == ["manhattan-game-2.json", "manhattan-game.json"]


def test_a_tilde_is_the_home_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(folder))
    shown = run_cli(*NEW, typed=typed_lines("save ~/x.json", "save ~no-such-user/x.json")).out
    assert f"play --load {folder / 'x.json'}\n" in shown
    assert files(folder) == ["x.json"]
    assert "~no-such-user/x.json: The file can't be written: there is no such user." in shown


@pytest.mark.parametrize("name", [".", "x" * 300])
def test_an_impossible_file_name_is_an_error(name: str) -> None:
    shown = run_cli(*NEW, typed=typed_lines(f"save {name}", "112234")).out
    assert "The file can't be written: " in shown
    assert "Ada chooses" in shown
