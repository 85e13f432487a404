"""``manhattan play`` with several people at one keyboard: each sees only their own cards."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path
from random import Random

import pytest
from rich.console import Console

from manhattan.bots.names import BOT_NAMES
from manhattan.cli.ui.terminal import clear_with_scrollback
from manhattan.game import Game
from manhattan.record import write
from manhattan.rules import Move
from manhattan.view import View
from support.cli_runner import (
    SCRIPT,
    FakeTerminal,
    Terminal,
    name_options,
    run_cli,
    typed_lines,
    visible_text,
)
from support.record_fixtures import record_json, saved_game

SEED = "0" * 64
SEEDED = ("play", "--seed", SEED)
ANN_AND_BEN = (*SEEDED, *name_options("Ann", "Ben"))
HANDOVER = re.compile(r"(\w+), it's your turn\. Press Enter when the others look away: $")
SAVE_PROMPT = "Save the game? Type a file name, or press Enter to skip: "
CLEARED = "\x1b[3J"


def hands_in(shown: str) -> list[tuple[int, ...]]:
    """The hands on a screen."""
    rows = re.findall(r"^ +((?:card \d *)+)$", shown, flags=re.MULTILINE)
    return [tuple(map(int, re.findall(r"\d", row))) for row in rows]


def drawers_in(shown: str) -> set[str]:
    """The players whose drawn cards a screen shows."""
    return set(re.findall(r"^(.*) plays card \d[^.]*draws card \d", shown, flags=re.MULTILINE))


# --- hidden cards -----------------------------------------------------------------------------


class Spy:
    """Follows the hints for every person, and compares everything that the terminal shows, or
    could scroll back to, with the saved game."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.length_read = 0
        self.person = ""
        self.turns: dict[str, int] = {}
        self.sheets = 0

    def __call__(self, written: str) -> str:
        new, self.length_read = written[self.length_read :], len(written)
        self._check_transient_screens(new)
        shown = visible_text(written)
        if over := HANDOVER.search(shown):
            assert shown == over[0], "only the prompt"
            self.person = over[1]
            return "\n"
        if shown.endswith(SAVE_PROMPT):
            assert not hands_in(shown)
            assert not drawers_in(shown)
            return f"{self.path}\n"
        return self._take_turn(shown)

    def _check_transient_screens(self, new: str) -> None:
        """Screens that everyone may see: while a bot thinks, and with the scores of a round."""
        for screen in new.split(CLEARED)[1:-1]:
            assert not hands_in(visible_text(screen))
            assert not drawers_in(visible_text(screen))
            self.sheets += "majorities" in screen

    def _take_turn(self, shown: str) -> str:
        assert drawers_in(shown) <= {self.person}
        answers = shown.split("(? for help): ")
        if "looks good" in answers[-2]:
            self.turns[self.person] = self.turns.get(self.person, 0) + 1
            return f"{answers[-2].split()[0]}\n"
        if answers[-2].startswith("Saved."):
            game = saved_game(self.path)
            assert game.public.player.name == self.person
            assert set(hands_in(shown)) == {game.state.hand}
            return "hint\n"
        return f"save {self.path}\n"


@pytest.mark.parametrize(
    ("names", "players", "turns", "rounds"),
    [(["Ann", "Ben"], 2, 54, 6), (["Ann", "Ben"], 3, 30, 6), (["Ann", "Ben", "Cyd"], 4, 28, 4)],
)
def test_no_player_sees_the_cards_of_another(
    names: list[str], players: int, turns: int, rounds: int, tmp_path: Path
) -> None:
    """A whole game on a terminal, with and without bots."""
    spy = Spy(tmp_path / "game")
    outcome = run_cli(*SEEDED, *name_options(*names), "-p", str(players), typed=spy, terminal=True)
    assert (outcome.code, outcome.err) == (0, "")
    assert spy.turns == dict.fromkeys(names, turns)
    assert spy.sheets == rounds - 1  # the last one stays on the screen
    assert saved_game(spy.path).is_over
    assert drawers_in(visible_text(outcome.out.replace(CLEARED, ""))) == set(names)


def test_the_spy_finds_a_screen_that_is_not_cleared() -> None:
    """Clearing the screen alone is not enough: some terminals move it to the scrollback."""
    assert "hand" in visible_text("hand\x1b[2J\x1b[H")
    assert "hand" in visible_text("hand\x1b[3J\x1b[2J\x1b[H")
    assert visible_text("hand\x1b[2J\x1b[H\x1b[3Jnext") == "next"


def test_a_terminal_that_can_not_clear_scrolls_the_hand_away() -> None:
    written = FakeTerminal()
    clear_with_scrollback(Console(file=written, _environ={"TERM": "dumb"}))
    assert written.getvalue().count("\n") >= 25
    assert not written.getvalue().strip()


def test_in_a_pipe_nothing_is_cleared() -> None:
    shown = run_cli(*ANN_AND_BEN, typed=typed_lines("", "112234", "quit")).out
    assert "\x1b" not in shown
    assert "is thinking" not in shown


def test_a_single_person_is_not_asked_to_look_away() -> None:
    typed = typed_lines("112234", "quit")
    shown = run_cli(*SEEDED, "--name", "Ann", typed=typed, terminal=True).out
    assert "it's your turn" not in shown
    assert CLEARED not in shown
    assert len(hands_in(visible_text(shown))) == 2  # before the selection and after it


def test_each_player_sees_the_board_from_their_side() -> None:
    typed = typed_lines("", "1124 1223", "", "quit")
    shown = run_cli(*ANN_AND_BEN, "--players", "2", typed=typed).out
    nearest = {}
    for turn in shown.split(", it's your turn")[1:]:
        name = re.findall(r"· (\w+) to choose", turn)[0]
        nearest[name] = re.findall(r"City (\w)", turn)[-1]
    assert nearest == {"Ann": "F", "Ben": "A"}


@pytest.mark.parametrize("leave", ["quit", "q", "exit", None])
def test_a_person_can_leave_at_the_handover(leave: str | None) -> None:
    outcome = run_cli(*ANN_AND_BEN, typed=typed_lines(leave) if leave else "")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.endswith("Goodbye.\n")
    assert not hands_in(outcome.out)


def test_ctrl_c_leaves_at_the_handover() -> None:
    def interrupt(_: str) -> str:
        raise KeyboardInterrupt

    outcome = run_cli(*ANN_AND_BEN, typed=interrupt)
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.endswith("Goodbye.\n")
    assert not hands_in(outcome.out)


def test_only_an_empty_line_shows_the_table() -> None:
    """Other input is not a move, and the prompt is repeated."""
    shown = run_cli(*ANN_AND_BEN, "-p", "2", typed=typed_lines("1124 1223", "hint", "quit")).out
    assert shown.count("it's your turn") == 3
    assert not hands_in(shown)


def test_leaving_clears_the_hand_from_the_screen(tmp_path: Path) -> None:
    """The command to continue stays."""
    path = tmp_path / "game"
    typed = typed_lines("", f"save {path}", "quit")
    shown = visible_text(run_cli(*ANN_AND_BEN, typed=typed, terminal=True).out)
    assert shown == f"Saved. Continue with: manhattan play --load {path}\nGoodbye.\n"


# --- latest events and undo -------------------------------------------------------------------


CHOSEN = ["", "1234", "", "1234"]
"""Typed by Ben and Ann until all have chosen their blocks."""


def save_game_of_three(path: Path) -> Path:
    """Save a game in which Ben starts, followed by a bot and Ann."""
    write(path, [record_json(Game.new(["Ann", "Ben", "Greedy 1"], first=1, seed=bytes(32)))])
    return path


def lines_for_builds(path: Path, builds: int) -> list[str]:
    """The lines to type until Ben and Ann have built this often, following the hints."""
    typed = CHOSEN
    for _ in range(builds):
        shown = run_cli("play", "--load", path, typed=typed_lines(*typed, "", "hint")).out
        typed = [*typed, "", re.findall(r"(\S+) looks good\.", shown)[-1]]
    return typed


def last_turn(shown: str) -> str:
    return shown.split("the others look away: ")[-1]


def test_the_events_since_the_players_last_move_are_shown(tmp_path: Path) -> None:
    """Their own move with the drawn card, then those of the others without."""
    path = save_game_of_three(tmp_path / "game")
    shown = run_cli("play", "--load", path, typed=typed_lines(*lines_for_builds(path, 4), "")).out
    events = re.findall(r"(.*) plays card \d: \d on (\w\d)(.*)\.\n", last_turn(shown))
    assert [name for name, _, _ in events] == ["Ben", "Greedy 1", "Ann"]
    assert ["draws card" in rest for _, _, rest in events] == [True, False, False]
    marked = {site for _, site, _ in events}
    assert last_turn(shown).count("*") == len(marked)


def test_the_latest_events_are_shown_after_loading_too(tmp_path: Path) -> None:
    path, again = save_game_of_three(tmp_path / "game"), tmp_path / "again"
    direct = run_cli(
        "play", "--load", path, typed=typed_lines(*lines_for_builds(path, 2), "", f"save {again}")
    )
    loaded = run_cli("play", "--load", again, typed=typed_lines(""))
    before, after = (last_turn(each.out).split("Build (?")[0] for each in (direct, loaded))
    assert "Ben plays card" in before
    assert before == after


def test_a_loaded_game_starts_with_the_handover(tmp_path: Path) -> None:
    path = save_game_of_three(tmp_path / "game")
    shown = run_cli("play", "--load", path, terminal=True).out
    before, first, *_ = shown.split(CLEARED)
    assert visible_text(before) == ""
    assert (
        visible_text(first).strip() == "Ben, it's your turn. Press Enter when the others look away:"
    )
    assert not hands_in(visible_text(shown.replace(CLEARED, "")))


def test_undo_goes_back_to_the_players_last_move(tmp_path: Path) -> None:
    """It undoes the later moves of others, too; then it is still the same player's turn."""
    path = save_game_of_three(tmp_path / "game")
    before, after, start = (tmp_path / name for name in ("before", "after", "start"))
    undo = ["undo", f"save {after}", "undo", f"save {start}"]
    typed = typed_lines(*lines_for_builds(path, 2), "", f"save {before}", *undo)
    shown = run_cli("play", "--load", path, typed=typed).out
    games = [saved_game(file) for file in (before, after, start)]
    assert [game.public.player.name for game in games] == ["Ben", "Ben", "Ben"]
    assert [game.ply for game in games] == [6, 3, 0]
    assert "it's your turn" not in shown.split(str(before))[1]


def test_after_undo_the_next_person_takes_over_again(tmp_path: Path) -> None:
    path = save_game_of_three(tmp_path / "game")
    typed = typed_lines(*CHOSEN, "", "undo", "1234", "", "1234", "")
    shown = run_cli("play", "--load", path, typed=typed).out
    assert re.findall(r"(\w+), it's your turn", shown) == ["Ben", "Ann", "Ben", "Ann", "Ben"]


def test_a_player_who_has_not_moved_can_not_undo(tmp_path: Path) -> None:
    """Not even the moves of others."""
    path = save_game_of_three(tmp_path / "game")
    shown = run_cli("play", "--load", path, typed=typed_lines("", "1234", "", "undo")).out
    assert "There is nothing to undo: you haven't moved yet." in shown


# --- bots -------------------------------------------------------------------------------------


@pytest.mark.parametrize("names", [["Ann"], ["Ann", "Ben"]])
def test_a_terminal_shows_which_bot_is_thinking(names: list[str]) -> None:
    typed = typed_lines(*([""] * (len(names) - 1)), "112234", "", "112234", "", "quit")
    shown = run_cli(*SEEDED, *name_options(*names), typed=typed, terminal=True).out
    for bot_name in BOT_NAMES["medium"][: 4 - len(names)]:
        assert f"{bot_name} is thinking…" in shown
        assert f"{bot_name}, Medium" in shown


def test_a_name_that_looks_like_markup_is_printed_literally(tmp_path: Path) -> None:
    write(tmp_path / "game", [record_json(Game.new(["Ada", "[bold]"], first=1, seed=bytes(32)))])
    shown = run_cli("play", "--load", tmp_path / "game", terminal=True).out
    assert "[bold] is thinking…" in shown


@pytest.mark.parametrize("terminal", [False, True])
@pytest.mark.parametrize("names", [["Ann"], ["Ann", "Ben"]])
def test_ctrl_c_while_a_bot_is_thinking_leaves_the_game(
    names: list[str], terminal: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_view: View, _rng: Random) -> Move:
        raise KeyboardInterrupt

    module = importlib.import_module("manhattan.cli.ui.bot_runner")
    monkeypatch.setattr(module, "bot", lambda _: interrupted)
    typed = typed_lines("", "112234", "", "112234")
    outcome = run_cli(*SEEDED, *name_options(*names), typed=typed, terminal=terminal)
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.endswith("Goodbye.\n")


# --- on a real terminal -----------------------------------------------------------------------


SLEEPING_BOT = """
import importlib, sys, time
runner = importlib.import_module("manhattan.cli.ui.bot_runner")
runner.bot = lambda name: lambda view, rng: time.sleep(60)
from manhattan.cli import main
sys.argv[0] = "manhattan"
main()
"""


def test_ctrl_c_on_a_real_terminal_interrupts_a_bot(tmp_path: Path) -> None:
    command = [sys.executable, "-c", SLEEPING_BOT, *SEEDED, "--name", "Ann", "--players", "2"]
    with Terminal(*command, folder=tmp_path) as terminal:
        terminal.wait_for("Choose 4 blocks")
        terminal.press("1124 1223\n")
        terminal.wait_for("Clara is thinking…")
        terminal.press("\x03")
        assert terminal.wait() == 0
    assert terminal.output.endswith("Goodbye.\r\n")
    assert "Traceback" not in terminal.output


def test_enter_pressed_too_often_shows_no_hand(tmp_path: Path) -> None:
    """Input typed ahead is dropped before the handover."""
    with Terminal(SCRIPT, *ANN_AND_BEN, "--players", "2", folder=tmp_path) as terminal:
        terminal.wait_for("the others look away: ")
        terminal.press("\n")
        terminal.wait_for("(? for help): ")
        first = hands_in(visible_text(terminal.output).replace("\r", ""))
        terminal.press("1124 1223\n\n\n")
        terminal.wait_for("the others look away: ")
        terminal.press("quit\n")
        assert terminal.wait() == 0
    everything = visible_text(terminal.output.replace(CLEARED, "")).replace("\r", "")
    assert len(first) == 1
    assert hands_in(everything) == first


def test_the_arrow_keys_show_no_input_of_another_player(tmp_path: Path) -> None:
    with Terminal(SCRIPT, *ANN_AND_BEN, "--players", "2", folder=tmp_path) as terminal:
        terminal.wait_for("the others look away: ")
        terminal.press("\n")
        terminal.wait_for("(? for help): ")
        terminal.press("1124 1223\n")
        terminal.wait_for("the others look away: ")
        terminal.press("\n")
        terminal.wait_for("(? for help): ")
        terminal.press("\x1b[A\n")
        terminal.wait_for("(? for help): ")
        terminal.press("quit\n")
        assert terminal.wait() == 0
    second = terminal.output.split("the others look away: ")[-1].split("(? for help): ", 1)[1]
    assert "1124 1223" not in second
