"""``manhattan play`` loses nobody's game: not the one that is left, and none that was saved."""

from __future__ import annotations

import re
import shlex
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from commandline import SCRIPT, Terminal, manhattan, people, typing
from manhattan.game import Game
from manhattan.record import write
from saved import NAMES, finished, saved_game, told

SEED = "0" * 64
NEW = ("play", "--name", "Ada", "--seed", SEED)
OTHER = ("play", "--name", "Ada", "--seed", "1" * 64)
ASKED = "(? for help): "
AT_THE_END = "Save the game? A file's name, or Enter: "
UNFINISHED = "manhattan-unfinished.json"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where everybody here plays."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


# --- a game that is left ----------------------------------------------------------------------


def left(folder: Path, *keys: str, play: tuple[str, ...] = NEW) -> str:
    """Press these keys on a real terminal, each when it is one's turn; what was written."""
    with Terminal(SCRIPT, *play, folder=folder) as terminal:
        for key in keys:
            terminal.wait_for(ASKED)
            if not key.endswith("\n"):  # no line, which would wait for whoever reads it
                time.sleep(1)
            terminal.press(key)
        assert terminal.wait() == 0
    assert "Traceback" not in terminal.written
    assert terminal.written.endswith("Goodbye.\r\n")
    return terminal.written


@pytest.mark.parametrize("leave", ["quit\n", "\x03", "\x04"])
def test_a_game_that_is_left_is_kept_and_goes_on_as_told(leave: str, folder: Path) -> None:
    """By a word, by Ctrl-C, or by closing the input."""
    shown = left(folder, "112234\n", leave)
    assert [str(move) for move in saved_game(folder / UNFINISHED).moves].count("[112234]") == 1
    (command,) = re.findall(r"The game is kept\. Go on with: \S*manhattan (.*)\r\n", shown)
    again = manhattan(*shlex.split(command), typed=typing("quit")).out
    assert "Ada chooses 1 1 2 2 3 4." in again


def test_nothing_is_kept_where_nothing_would_be_lost(folder: Path) -> None:
    """Ada has not moved; she has saved; she has moved and taken it back."""
    for keys in (["quit\n"], ["112234\n", "save game\n", "quit\n"], ["112234\n", "u\n", "quit\n"]):
        assert "kept" not in left(folder, *keys)
    assert files(folder) == ["game"]


def test_in_a_script_only_what_it_says_is_saved(folder: Path) -> None:
    shown = manhattan(*NEW, typed=typing("112234", "quit")).out
    assert "kept" not in shown
    assert files(folder) == []


def test_every_game_that_is_left_has_a_file_of_its_own(folder: Path) -> None:
    """Another game gets a number; the same one, played on, replaces what was kept of it."""
    (folder / UNFINISHED).write_text("somebody's notes")
    left(folder, "112234\n", "q\n")
    left(folder, "112234\n", "q\n", play=OTHER)
    kept = [folder / f"manhattan-unfinished-{number}.json" for number in (2, 3)]
    before = saved_game(kept[0])
    move = f"{before.legal_moves()[0]}\n"
    left(folder, move, "q\n", play=("play", "--load", kept[0].name))
    assert saved_game(kept[0]).ply > before.ply
    assert saved_game(kept[1]).seed == bytes.fromhex("1" * 64)
    assert files(folder) == sorted([UNFINISHED, *(path.name for path in kept)])
    assert (folder / UNFINISHED).read_text() == "somebody's notes"


def test_people_who_leave_see_the_line_and_no_hand(folder: Path) -> None:
    play = ("play", "--seed", SEED, "--players", "2", *people("Ann", "Ben"))
    with Terminal(SCRIPT, *play, folder=folder) as terminal:
        for asked, keys in (("looks: ", "\n"), (ASKED, "1124 1223\n"), ("looks: ", "quit\n")):
            terminal.wait_for(asked)
            terminal.press(keys)
        assert terminal.wait() == 0
    last = terminal.written.split("\x1b[3J")[-1]
    assert last.startswith("The game is kept. Go on with: ")
    assert "--name Ann --name Ben\r\nGoodbye." in last
    assert (folder / UNFINISHED).exists()


def test_where_nothing_can_be_kept_it_is_told(folder: Path) -> None:
    """Somebody has removed the folder meanwhile."""
    gone = folder / "gone"
    gone.mkdir()
    with Terminal(SCRIPT, *NEW, folder=gone) as terminal:
        terminal.wait_for(ASKED)
        terminal.press("112234\n")
        terminal.wait_for(ASKED)
        gone.rmdir()
        terminal.press("quit\n")
        assert terminal.wait() == 0
    assert "The game could not be kept. " in terminal.written
    assert "The file can't be written: No such file or directory." in terminal.written
    assert terminal.written.endswith("Goodbye.\r\n")


UNADVISED = """
import importlib, sys, time
importlib.import_module("manhattan.cli.play").evaluate = lambda view, rng: time.sleep(60)
from manhattan.cli import main
sys.argv[0] = "manhattan"
main()
"""


def test_ctrl_c_while_advice_is_thought_over_ends_the_advice_alone(folder: Path) -> None:
    with Terminal(sys.executable, "-c", UNADVISED, *NEW, folder=folder) as terminal:
        terminal.wait_for(ASKED)
        terminal.press("advice\n")
        terminal.wait_for("Thinking it over ...")
        terminal.press("\x03")
        terminal.wait_for("No advice, then.")
        terminal.press("112234\n")
        terminal.wait_for("Build (?")
        terminal.press("save game\n")
        terminal.wait_for("Saved.")
        terminal.press("quit\n")
        assert terminal.wait() == 0


# --- the end ----------------------------------------------------------------------------------


def to_the_end(*then: str) -> Callable[[str], str]:
    """Follow the hints, and type this when the game is over."""
    rest = iter(then)

    def typed(shown: str) -> str:
        if shown.endswith(AT_THE_END):
            return f"{next(rest)}\n"
        said = re.search(r"(\S+) looks good\.[^\n]*\n[^\n]*: $", shown)
        return f"{said[1]}\n" if said else "hint\n"

    return typed


@pytest.mark.parametrize("leave", ["quit", "Q", " exit "])
def test_at_the_end_the_words_for_leaving_are_no_file_names(leave: str, folder: Path) -> None:
    outcome = manhattan(*NEW, typed=to_the_end(leave))
    assert outcome.out.endswith("Goodbye.\n")
    assert files(folder) == []


@pytest.mark.parametrize(
    ("answer", "kept"),
    [("", []), ("no", []), ("Yes", ["manhattan-game.json"]), ("save", ["manhattan-game.json"])],
)
def test_the_last_question_may_be_answered_like_one(
    answer: str, kept: list[str], folder: Path
) -> None:
    manhattan(*NEW, typed=to_the_end(answer))
    assert files(folder) == kept


def test_a_name_that_can_not_be_written_is_asked_for_again(folder: Path) -> None:
    (folder / "notes").write_text("notes")
    write(folder / "other", [told()])
    names = ["/nowhere/game", "notes", "other", "save My Game"]
    shown = manhattan(*NEW, typed=to_the_end(*names)).out
    assert shown.count(AT_THE_END) == len(names)
    assert "/nowhere/game: The file can't be written: No such file or directory." in shown
    assert "notes: This file is no saved game; choose another name." in shown
    assert "other: Another game is saved here; choose another name, like other-2." in shown
    assert "Saved. Go on with: manhattan replay 'My Game'\n" in shown
    assert saved_game(folder / "My Game").over
    assert (folder / "notes").read_text() == "notes"


# --- saving -----------------------------------------------------------------------------------


def test_a_saved_game_is_not_replaced_by_another(folder: Path) -> None:
    """What is refused names a way out; the game itself may be saved again and again."""
    path = folder / "game.json"
    manhattan(*NEW, typed=typing("save game.json", "112234", "save game.json"))
    before = path.read_bytes()
    assert saved_game(path).ply
    shown = manhattan(*OTHER, typed=typing("save game.json", "save game-2.json")).out
    assert (
        "game.json: Another game is saved here; choose another name, like game-2.json.\n" in shown
    )
    assert path.read_bytes() == before
    assert saved_game(folder / "game-2.json").seed == bytes.fromhex("1" * 64)


def test_a_file_of_many_games_is_not_replaced_by_one_of_them(folder: Path) -> None:
    game = Game.new(NAMES, seed=bytes(32))
    write(folder / "games", [told(game), told(finished())])
    shown = manhattan("play", "--load", "games", typed=typing("save games")).out
    assert "games: Another game is saved here" in shown


def test_without_a_name_every_game_finds_its_own(folder: Path) -> None:
    for game in (NEW, OTHER, NEW):
        manhattan(*game, typed=typing("save", "save"))
    assert files(folder) == ["manhattan-game-2.json", "manhattan-game.json"]


def test_a_tilde_is_home(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(folder))
    shown = manhattan(*NEW, typed=typing("save ~/x.json", "save ~nobody-here/x.json")).out
    assert f"play --load {folder / 'x.json'}\n" in shown
    assert files(folder) == ["x.json"]
    assert "~nobody-here/x.json: The file can't be written: nobody has this home." in shown


@pytest.mark.parametrize("name", [".", "x" * 300])
def test_a_name_that_no_file_can_have_is_told(name: str) -> None:
    shown = manhattan(*NEW, typed=typing(f"save {name}", "112234")).out
    assert "The file can't be written: " in shown
    assert "Ada chooses" in shown
