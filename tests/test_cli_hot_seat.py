"""``manhattan play`` with several people at one keyboard: each sees his own cards only."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path
from random import Random

import pytest
from rich.console import Console

from commandline import SCRIPT, Screen, Terminal, manhattan, people, readable, typing
from manhattan.cli.terminal import wipe
from manhattan.game import Game
from manhattan.record import write
from manhattan.rules import Move
from manhattan.view import View
from saved import saved_game, told

SEED = "0" * 64
SEEDED = ("play", "--seed", SEED)
ANN_AND_BEN = (*SEEDED, *people("Ann", "Ben"))
ASKED_OVER = re.compile(r"(\w+), it is your turn\. Enter when nobody else looks: $")
AT_THE_END = "Save the game? A file's name, or Enter: "
WIPED = "\x1b[3J"


def hands_in(shown: str) -> list[tuple[int, ...]]:
    """The hands that a screen shows."""
    rows = re.findall(r"^ +((?:card \d *)+)$", shown, flags=re.MULTILINE)
    return [tuple(map(int, re.findall(r"\d", row))) for row in rows]


def drawers_in(shown: str) -> set[str]:
    """Who drew a card that a screen tells."""
    return set(re.findall(r"^(.*) plays card \d[^.]*draws card \d", shown, flags=re.MULTILINE))


# --- nobody's cards for anybody else ----------------------------------------------------------


class Spy:
    """Follows the hints for everybody, and reads all that the terminal shows or could scroll
    back to, comparing it with the saved game."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.read = 0
        self.person = ""
        self.turns: dict[str, int] = {}
        self.sheets = 0

    def __call__(self, written: str) -> str:
        new, self.read = written[self.read :], len(written)
        self._read_what_came_and_went(new)
        shown = readable(written)
        if over := ASKED_OVER.search(shown):
            assert shown == over[0], "nothing but the question"
            self.person = over[1]
            return "\n"
        if shown.endswith(AT_THE_END):
            assert not hands_in(shown)
            assert not drawers_in(shown)
            return f"{self.path}\n"
        return self._in_a_turn(shown)

    def _read_what_came_and_went(self, new: str) -> None:
        """Screens for everybody: while a bot thinks, and with a round's scores."""
        for screen in new.split(WIPED)[1:-1]:
            assert not hands_in(readable(screen))
            assert not drawers_in(readable(screen))
            self.sheets += "majorities" in screen

    def _in_a_turn(self, shown: str) -> str:
        assert drawers_in(shown) <= {self.person}
        answers = shown.split("(? for help): ")
        if "looks good" in answers[-2]:
            self.turns[self.person] = self.turns.get(self.person, 0) + 1
            return f"{answers[-2].split()[0]}\n"
        if answers[-2].startswith("Saved."):
            game = saved_game(self.path)
            assert game.table.player.name == self.person
            assert set(hands_in(shown)) == {game.state.hand}
            return "hint\n"
        return f"save {self.path}\n"


@pytest.mark.parametrize(
    ("names", "players", "turns", "rounds"),
    [(["Ann", "Ben"], 2, 54, 6), (["Ann", "Ben"], 3, 30, 6), (["Ann", "Ben", "Cyd"], 4, 28, 4)],
)
def test_nobody_ever_sees_the_cards_of_another(
    names: list[str], players: int, turns: int, rounds: int, tmp_path: Path
) -> None:
    """A whole game on a terminal, with and without bots."""
    spy = Spy(tmp_path / "game")
    outcome = manhattan(*SEEDED, *people(*names), "-p", str(players), typed=spy, terminal=True)
    assert (outcome.code, outcome.err) == (0, "")
    assert spy.turns == dict.fromkeys(names, turns)
    assert spy.sheets == rounds - 1  # the last one stays on the screen
    assert saved_game(spy.path).over
    assert drawers_in(readable(outcome.out.replace(WIPED, ""))) == set(names)


def test_the_spy_would_find_a_screen_that_is_not_wiped() -> None:
    """Clearing is not enough: some terminals scroll off what is cleared."""
    assert "hand" in readable("hand\x1b[2J\x1b[H")
    assert "hand" in readable("hand\x1b[3J\x1b[2J\x1b[H")
    assert readable("hand\x1b[2J\x1b[H\x1b[3Jnext") == "next"


def test_a_terminal_that_can_not_clear_has_the_hand_out_of_sight() -> None:
    written = Screen()
    wipe(Console(file=written, _environ={"TERM": "dumb"}))
    assert written.getvalue().count("\n") >= 25
    assert not written.getvalue().strip()


def test_in_a_pipe_there_is_nothing_to_wipe() -> None:
    shown = manhattan(*ANN_AND_BEN, typed=typing("", "112234", "quit")).out
    assert "\x1b" not in shown
    assert "is thinking" not in shown


def test_a_single_person_is_never_asked_to_look_away() -> None:
    typed = typing("112234", "quit")
    shown = manhattan(*SEEDED, "--name", "Ann", typed=typed, terminal=True).out
    assert "it is your turn" not in shown
    assert WIPED not in shown
    assert len(hands_in(readable(shown))) == 2  # before the choice and after it


def test_everybody_sees_the_board_from_his_own_side() -> None:
    typed = typing("", "1124 1223", "", "quit")
    shown = manhattan(*ANN_AND_BEN, "--players", "2", typed=typed).out
    nearest = {}
    for turn in shown.split(", it is your turn")[1:]:
        name = re.findall(r"· (\w+) to choose", turn)[0]
        nearest[name] = re.findall(r"City (\w)", turn)[-1]
    assert nearest == {"Ann": "F", "Ben": "A"}


@pytest.mark.parametrize("leave", ["quit", "q", "exit", None])
def test_whoever_is_asked_to_look_may_leave(leave: str | None) -> None:
    outcome = manhattan(*ANN_AND_BEN, typed=typing(leave) if leave else "")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.endswith("Goodbye.\n")
    assert not hands_in(outcome.out)


def test_ctrl_c_leaves_there_too() -> None:
    def interrupt(_: str) -> str:
        raise KeyboardInterrupt

    outcome = manhattan(*ANN_AND_BEN, typed=interrupt)
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.endswith("Goodbye.\n")
    assert not hands_in(outcome.out)


def test_only_enter_shows_the_table() -> None:
    """What is typed blindly is no move, and the question comes again."""
    shown = manhattan(*ANN_AND_BEN, "-p", "2", typed=typing("1124 1223", "hint", "quit")).out
    assert shown.count("it is your turn") == 3
    assert not hands_in(shown)


def test_whoever_leaves_leaves_no_hand_behind(tmp_path: Path) -> None:
    """But the command to go on with stays."""
    path = tmp_path / "game"
    typed = typing("", f"save {path}", "quit")
    shown = readable(manhattan(*ANN_AND_BEN, typed=typed, terminal=True).out)
    assert shown == f"Saved. Go on with: manhattan play --load {path}\nGoodbye.\n"


# --- news and undo ----------------------------------------------------------------------------


CHOSEN = ["", "1234", "", "1234"]
"""Typed by Ben and Ann, when each is alone, until all have chosen their blocks."""


def table_of_three(path: Path) -> Path:
    """A game in which Ben starts; then comes a bot, then Ann."""
    write(path, [told(Game.new(["Ann", "Ben", "Greedy 1"], first=1, seed=bytes(32)))])
    return path


def built(path: Path, builds: int) -> list[str]:
    """What to type until Ben and Ann have built so often, each time as the hint says."""
    typed = CHOSEN
    for _ in range(builds):
        shown = manhattan("play", "--load", path, typed=typing(*typed, "", "hint")).out
        typed = [*typed, "", re.findall(r"(\S+) looks good\.", shown)[-1]]
    return typed


def last_turn(shown: str) -> str:
    return shown.split("nobody else looks: ")[-1]


def test_news_are_what_happened_since_ones_own_last_move(tmp_path: Path) -> None:
    """The move itself with the card that was drawn, then the others without theirs."""
    path = table_of_three(tmp_path / "game")
    shown = manhattan("play", "--load", path, typed=typing(*built(path, 4), "")).out
    news = re.findall(r"(.*) plays card \d: \d on (\w\d)(.*)\.\n", last_turn(shown))
    assert [name for name, _, _ in news] == ["Ben", "Greedy 1", "Ann"]
    assert ["draws card" in rest for _, _, rest in news] == [True, False, False]
    marked = {site for _, site, _ in news}
    assert last_turn(shown).count("*") == len(marked)


def test_news_are_there_after_loading_too(tmp_path: Path) -> None:
    path, again = table_of_three(tmp_path / "game"), tmp_path / "again"
    direct = manhattan("play", "--load", path, typed=typing(*built(path, 2), "", f"save {again}"))
    loaded = manhattan("play", "--load", again, typed=typing(""))
    before, after = (last_turn(each.out).split("Build (?")[0] for each in (direct, loaded))
    assert "Ben plays card" in before
    assert before == after


def test_a_loaded_game_asks_before_it_shows_anything(tmp_path: Path) -> None:
    path = table_of_three(tmp_path / "game")
    shown = manhattan("play", "--load", path, terminal=True).out
    before, first, *_ = shown.split(WIPED)
    assert readable(before) == ""
    assert readable(first).strip() == "Ben, it is your turn. Enter when nobody else looks:"
    assert not hands_in(readable(shown.replace(WIPED, "")))


def test_undo_goes_back_to_ones_own_last_move(tmp_path: Path) -> None:
    """What the others did since is taken back too; and then it is one's own turn already."""
    path = table_of_three(tmp_path / "game")
    before, after, start = (tmp_path / name for name in ("before", "after", "start"))
    undo = ["undo", f"save {after}", "undo", f"save {start}"]
    typed = typing(*built(path, 2), "", f"save {before}", *undo)
    shown = manhattan("play", "--load", path, typed=typed).out
    games = [saved_game(file) for file in (before, after, start)]
    assert [game.table.player.name for game in games] == ["Ben", "Ben", "Ben"]
    assert [game.ply for game in games] == [6, 3, 0]
    assert "it is your turn" not in shown.split(str(before))[1]


def test_after_undo_the_next_person_is_asked_again(tmp_path: Path) -> None:
    path = table_of_three(tmp_path / "game")
    typed = typing(*CHOSEN, "", "undo", "1234", "", "1234", "")
    shown = manhattan("play", "--load", path, typed=typed).out
    assert re.findall(r"(\w+), it is your turn", shown) == ["Ben", "Ann", "Ben", "Ann", "Ben"]


def test_who_has_not_moved_can_take_nothing_back(tmp_path: Path) -> None:
    """Not even what the others did."""
    path = table_of_three(tmp_path / "game")
    shown = manhattan("play", "--load", path, typed=typing("", "1234", "", "undo")).out
    assert "You have not moved yet." in shown


# --- bots that think --------------------------------------------------------------------------


@pytest.mark.parametrize("names", [["Ann"], ["Ann", "Ben"]])
def test_a_terminal_shows_who_is_thinking(names: list[str]) -> None:
    typed = typing(*([""] * (len(names) - 1)), "112234", "", "112234", "", "quit")
    shown = manhattan(*SEEDED, *people(*names), typed=typed, terminal=True).out
    for number in range(1, 5 - len(names)):
        assert f"Medium {number} is thinking ..." in shown


def test_a_name_that_looks_like_markup_is_shown_as_it_is(tmp_path: Path) -> None:
    write(tmp_path / "game", [told(Game.new(["Ada", "[bold]"], first=1, seed=bytes(32)))])
    shown = manhattan("play", "--load", tmp_path / "game", terminal=True).out
    assert "[bold] is thinking ..." in shown


@pytest.mark.parametrize("terminal", [False, True])
@pytest.mark.parametrize("names", [["Ann"], ["Ann", "Ben"]])
def test_ctrl_c_while_a_bot_thinks_is_a_goodbye(
    names: list[str], terminal: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_view: View, _rng: Random) -> Move:
        raise KeyboardInterrupt

    module = importlib.import_module("manhattan.cli.thinking")
    monkeypatch.setattr(module, "bot", lambda _: interrupted)
    typed = typing("", "112234", "", "112234")
    outcome = manhattan(*SEEDED, *people(*names), typed=typed, terminal=terminal)
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.endswith("Goodbye.\n")


# --- on a real terminal -----------------------------------------------------------------------


SLEEPY = """
import importlib, sys, time
importlib.import_module("manhattan.cli.play").bot = lambda name: lambda view, rng: time.sleep(60)
from manhattan.cli import main
sys.argv[0] = "manhattan"
main()
"""


def test_ctrl_c_on_the_keyboard_stops_a_bot_that_thinks(tmp_path: Path) -> None:
    sleepy = [sys.executable, "-c", SLEEPY, *SEEDED, "--name", "Ann", "--players", "2"]
    with Terminal(*sleepy, folder=tmp_path) as terminal:
        terminal.wait_for("Choose 4 blocks")
        terminal.press("1124 1223\n")
        terminal.wait_for("Medium 1 is thinking ...")
        terminal.press("\x03")
        assert terminal.wait() == 0
    assert terminal.written.endswith("Goodbye.\r\n")
    assert "Traceback" not in terminal.written


def test_enter_pressed_once_too_often_shows_nobodys_hand(tmp_path: Path) -> None:
    """What was typed ahead is dropped before somebody is asked to look."""
    with Terminal(SCRIPT, *ANN_AND_BEN, "--players", "2", folder=tmp_path) as terminal:
        terminal.wait_for("nobody else looks: ")
        terminal.press("\n")
        terminal.wait_for("(? for help): ")
        first = hands_in(readable(terminal.written).replace("\r", ""))
        terminal.press("1124 1223\n\n\n")
        terminal.wait_for("nobody else looks: ")
        terminal.press("quit\n")
        assert terminal.wait() == 0
    everything = readable(terminal.written.replace(WIPED, "")).replace("\r", "")
    assert len(first) == 1
    assert hands_in(everything) == first


def test_the_arrow_keys_bring_back_nothing_of_another(tmp_path: Path) -> None:
    with Terminal(SCRIPT, *ANN_AND_BEN, "--players", "2", folder=tmp_path) as terminal:
        terminal.wait_for("nobody else looks: ")
        terminal.press("\n")
        terminal.wait_for("(? for help): ")
        terminal.press("1124 1223\n")
        terminal.wait_for("nobody else looks: ")
        terminal.press("\n")
        terminal.wait_for("(? for help): ")
        terminal.press("\x1b[A\n")
        terminal.wait_for("(? for help): ")
        terminal.press("quit\n")
        assert terminal.wait() == 0
    second = terminal.written.split("nobody else looks: ")[-1].split("(? for help): ", 1)[1]
    assert "1124 1223" not in second
