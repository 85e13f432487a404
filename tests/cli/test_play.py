"""``manhattan play`` with one person at the keyboard and bots in the other seats."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from manhattan.bots import BOTS
from manhattan.game import Game
from manhattan.record import write
from manhattan.rules import Built, Phase
from support.cli_runner import run_cli, run_process, typed_lines
from support.record_fixtures import NAMES, record_json, saved_game, stuck

SEED = "0" * 64
NEW = ("play", "--name", "Ada", "--seed", SEED)
"""A game that is the same in every run."""


# --- moves ------------------------------------------------------------------------------------


def test_blocks_are_chosen_in_any_order_without_brackets(tmp_path: Path) -> None:
    typed = typed_lines("432211", f"save {tmp_path / 'game'}", "quit")
    assert run_cli(*NEW, typed=typed).code == 0
    assert "[112234]" in map(str, saved_game(tmp_path / "game").moves)


@pytest.mark.parametrize("text", ["1124 1223", "[1124|1223]", "2411,3221", "4211 | 1223"])
def test_blocks_of_two_colours_are_chosen_together(text: str, tmp_path: Path) -> None:
    typed = typed_lines(text, f"save {tmp_path / 'game'}", "quit")
    run_cli(*NEW, "--players", "2", typed=typed)
    assert "[1124|1223]" in map(str, saved_game(tmp_path / "game").moves)


def test_a_build_may_be_typed_in_lower_case_and_with_spaces(tmp_path: Path) -> None:
    typed = typed_lines("112234", f"save {tmp_path / 'before'}", "quit")
    run_cli(*NEW, typed=typed)
    move = next(str(m) for m in saved_game(tmp_path / "before").legal_moves())
    spaced = f" {move[:2].lower()} + {move[3]} "
    typed = typed_lines("112234", spaced, f"save {tmp_path / 'after'}", "quit")
    run_cli(*NEW, typed=typed)
    builds = [e for e in saved_game(tmp_path / "after").events if isinstance(e, Built)]
    assert move in [str(event.move) for event in builds if event.player == 0]


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("11223", "Choose 6 orange blocks, not 5."),
        ("444444", "Not enough orange blocks of size 4: 3 left, 6 chosen."),
        ("1122 3344", "Choose 6 orange blocks, not 8."),
        ("1 1 2 2 3 4", "Ada chooses 1 1 2 2 3 4."),
        ("C5+3", "Choose the blocks for round 1 first, 6 of each of your colours."),
        ("-2", "Choose the blocks for round 1 first, 6 of each of your colours."),
        ("112235", "'112235' is not a move."),
        ("hello world", "'hello world' is not a move. Moves look like C5+3"),
        ("zz", "'zz' is not a move."),
        ("sheets", "No round has been scored yet."),
        ("\u04215+3", "CYRILLIC CAPITAL LETTER ES"),
        ("C\uff15+3", "FULLWIDTH DIGIT FIVE"),
        ("\u0661\u0661\u0662\u0662\u0663\u0664", "ARABIC-INDIC DIGIT ONE"),
        ("save", "Saved. Continue with: manhattan play --load manhattan-game.json"),
        ("save /nowhere/game", "/nowhere/game: The file can't be written"),
        ("save a\0b", "The file can't be written"),
        ("undo", "There is nothing to undo: you haven't moved yet."),
        ("?", "Choose blocks by their sizes"),
        ("", "Choose 6 blocks (? for help): Choose 6 blocks (? for help): "),
    ],
)
def test_every_input_is_answered_and_the_game_continues(
    typed: str, answer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An answer, the prompt again, and a selection that is still possible."""
    monkeypatch.chdir(tmp_path)
    outcome = run_cli(*NEW, typed=typed_lines(typed, "112234", "quit"))
    assert (outcome.code, outcome.err) == (0, "")
    assert answer in outcome.out
    assert "Ada chooses 1 1 2 2 3 4." in outcome.out
    assert outcome.out.endswith("Goodbye.\n")


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("1124", "'1124' is not a move."),
        ("[1124]", "[1124]: Write one list of blocks for each colour"),
    ],
)
def test_blocks_for_one_of_two_colours_are_rejected_as_typed(typed: str, answer: str) -> None:
    assert answer in run_cli(*NEW, "--players", "2", typed=typed_lines(typed, "quit")).out


def test_an_illegal_build_is_rejected_with_the_reason() -> None:
    outcome = run_cli(*NEW, typed=typed_lines("111122", "A1+4", "[111122]", "A1+1o", "quit"))
    assert "A1+4: There is no orange block of size 4 on your tableau." in outcome.out
    assert (
        "[111122]: The blocks for round 1 have already been chosen; place one of them."
        in outcome.out
    )
    assert "A1+1o: You play one colour: leave out the letter o." in outcome.out


@pytest.mark.parametrize("leave", ["quit", "q", "exit", "QUIT", None])
def test_a_person_can_leave(leave: str | None) -> None:
    """By a word, or by closing the input."""
    outcome = run_cli(*NEW, typed=typed_lines(leave) if leave else "")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.endswith("Goodbye.\n")


def test_ctrl_c_leaves_the_game() -> None:
    def interrupt(_: str) -> str:
        raise KeyboardInterrupt

    outcome = run_cli(*NEW, typed=interrupt)
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.endswith("Goodbye.\n")


# --- hint, moves, undo ------------------------------------------------------------------------


def moves_in(shown: str) -> list[str]:
    """The moves that the output lists."""
    return re.findall(r"(?<![\w|])(?:\[[1-4|]+\]|[A-F][1-9]\+[1-4][a-z]?|-[1-4][a-z]?)", shown)


def test_moves_lists_the_legal_moves(tmp_path: Path) -> None:
    typed = typed_lines("112234", f"save {tmp_path / 'game'}", "moves", "quit")
    shown = run_cli(*NEW, typed=typed).out.split("--load")[1]
    assert moves_in(shown) == [str(move) for move in saved_game(tmp_path / "game").legal_moves()]


def test_a_repeated_hint_is_the_same() -> None:
    shown = run_cli(*NEW, typed=typed_lines("112234", "hint", "hint", "quit")).out
    first, second = re.findall(r"(\S+) looks good\.", shown)
    assert first == second


def test_commands_ignore_case_but_file_names_do_not(tmp_path: Path) -> None:
    path = tmp_path / "My Game"
    typed = typed_lines("112234", "HINT", "Undo", f"Save {path}", "Moves", "112234", "Quit")
    shown = run_cli(*NEW, typed=typed).out
    assert "looks good." in shown
    assert "is not a move" not in shown
    assert "[112234]" not in map(str, saved_game(path).moves)
    assert shown.endswith("Goodbye.\n")


def test_undo_goes_back_to_the_players_last_move(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("before", "after")]
    saves = [f"save {path}" for path in files]
    run_cli(*NEW, typed=typed_lines(saves[0], "112234", "undo", saves[1], "quit"))
    assert files[0].read_bytes() == files[1].read_bytes()


def test_after_undo_the_same_cards_are_drawn(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("once", "again")]
    saves = [f"save {path}" for path in files]
    run_cli(*NEW, typed=typed_lines("112234", saves[0], "undo", "112234", saves[1], "quit"))
    assert files[0].read_bytes() == files[1].read_bytes()


# --- saving and loading -----------------------------------------------------------------------


def test_a_loaded_game_continues_as_the_saved_one_would(tmp_path: Path) -> None:
    """Bots included: their random choices depend on public information."""
    half, direct, resumed = (tmp_path / name for name in ("half", "direct", "resumed"))
    answers = ["112234", f"save {half}", "hint", "quit"]
    shown = run_cli(*NEW, typed=typed_lines(*answers)).out
    move = re.findall(r"(\S+) looks good\.", shown)[0]
    run_cli(*NEW, typed=typed_lines("112234", move, f"save {direct}", "quit"))
    run_cli("play", "--load", half, typed=typed_lines(move, f"save {resumed}", "quit"))
    assert direct.read_bytes() == resumed.read_bytes()


@pytest.mark.parametrize("name", ["my [bold] game.json", "x" * 150])
def test_the_command_to_continue_can_be_copied(name: str, tmp_path: Path) -> None:
    """Brackets are not markup, and a long name is not wrapped."""
    path = tmp_path / name
    shown = run_cli(*NEW, typed=typed_lines(f"save {path}", "quit")).out
    assert path.exists()
    assert f"manhattan play --load {shlex.quote(str(path))}\n" in shown


def test_a_finished_game_is_not_loaded(tmp_path: Path) -> None:
    write(tmp_path / "over", [record_json()])
    outcome = run_cli("play", "--load", tmp_path / "over")
    assert (outcome.code, outcome.out) == (1, "")
    assert "This game is over. Watch it with: manhattan replay" in outcome.error


def test_a_redacted_game_is_not_loaded(tmp_path: Path) -> None:
    write(tmp_path / "seen", [record_json(Game.new(NAMES, seed=bytes(32)), redacted=True)])
    outcome = run_cli("play", "--load", tmp_path / "seen")
    assert outcome.code == 1
    assert "it does not contain the hidden cards" in outcome.error


def test_a_block_is_removed_when_none_can_be_placed(tmp_path: Path) -> None:
    """In the loaded game, Ada's new hand does not help."""
    assert stuck().state_at(34).public.phase is Phase.REMOVE
    write(tmp_path / "stuck", [record_json(stuck().at(34))])
    typed = typed_lines("moves", "A5+1", "-1", "quit")
    shown = run_cli("play", "--load", tmp_path / "stuck", typed=typed).out
    first, moves, rejected, *_ = shown.split("(? for help): ")
    assert first.endswith("You can't place any block. Remove one, for example -1 ")
    assert moves.split()[:2] == ["-1", "-2"]
    assert "A5+1: You can't place any of your blocks: take one out of the game." in rejected
    assert "Ada still can't place a block" in shown


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--seed", "12"], "'12' is not a seed. A seed has 64 hex digits."),
        (
            ["--bots", "kasparov"],
            f"There is no bot 'kasparov'. Choose one of: {', '.join(BOTS)}.",
        ),
        (["--players", "5"], "2 to 4 players; there are 5."),
        (["--players", "1"], "2 to 4 players; there are 1."),
        (["--edition", "x"], "There is no edition 'x'."),
        (["--house-rule", "x=y"], "There is no house rule 'x'."),
        (["--name", "x" * 61], "is not a valid name"),
        (["--name", "\u202eada"], "RIGHT-TO-LEFT OVERRIDE"),
        (["--load", "/nowhere/game"], "/nowhere/game: The file can't be read"),
    ],
)
def test_a_wrong_option_is_an_error(arguments: list[str], message: str) -> None:
    outcome = run_cli("play", *arguments)
    assert outcome.code == 1
    assert outcome.out == ""
    assert message in outcome.error
    assert "Traceback" not in outcome.err


# --- whole games ------------------------------------------------------------------------------


SAVE_PROMPT = "Save the game? Type a file name, or press Enter to skip: "


def follow_hints(shown: str) -> str:
    """Ask for a hint, then follow it; save nothing at the end."""
    if shown.endswith(SAVE_PROMPT):
        return "\n"
    hint = re.search(r"(\S+) looks good\.[^\n]*\n[^\n]*: $", shown)
    return f"{hint[1]}\n" if hint else "hint\n"


def play_first_move(shown: str) -> str:
    """Ask for the moves, then make the first of them; save nothing at the end."""
    if shown.endswith(SAVE_PROMPT):
        return "\n"
    start = shown.rfind(": ", 0, -2)
    moves = moves_in(shown[start:])
    return f"{moves[0]}\n" if moves else "moves\n"


@pytest.mark.parametrize(
    ("play", "options"),
    [
        (follow_hints, []),
        (follow_hints, ["--players", "2", "--edition", "foxgames-2018"]),
        (play_first_move, ["--players", "3", "--bots", "random", "--edition", "999-games"]),
        (play_first_move, ["--players", "2", "--bots", "random", "--edition", "hig-1994"]),
        (follow_hints, ["--players", "2", "-r", "two_players=6x4-one-colour"]),
    ],
)
def test_a_whole_game(play: Callable[[str], str], options: list[str]) -> None:
    """A player wins, and the seed is revealed at the end."""
    outcome = run_cli(*NEW, *options, typed=play)
    assert (outcome.code, outcome.err) == (0, "")
    assert re.search(r"wins with|wins:|share the win:", outcome.out)
    assert f"Seed of the shuffles: {SEED}\n" in outcome.out
    assert outcome.out.endswith(f"{SAVE_PROMPT}Goodbye.\n")


class HandChecker:
    """Follows the hints, and compares every hand on the screen with the saved game."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.turns = 0

    def __call__(self, shown: str) -> str:
        if shown.endswith(SAVE_PROMPT):
            return f"{self.path}\n"
        last = shown.split("(? for help): ")[-2]
        if last.startswith("Saved."):
            game = saved_game(self.path)
            hands = re.findall(r"^ +((?:card \d *)+)$", shown, flags=re.MULTILINE)
            assert tuple(map(int, re.findall(r"\d", hands[-1]))) == game.state.hands[0]
            self.turns += 1
            return "hint\n"
        return f"{last.split()[0]}\n" if "looks good" in last else f"save {self.path}\n"


@pytest.mark.parametrize(("players", "turns"), [("2", 54), ("4", 28)])
def test_no_hidden_information_is_shown(players: str, turns: int, tmp_path: Path) -> None:
    """A whole game: every hand on the screen is Ada's, no card that a bot draws is shown, and the
    seed appears only at the end."""
    checker = HandChecker(tmp_path / "game")
    shown = run_cli(*NEW, "--players", players, typed=checker).out
    assert checker.turns == turns
    assert re.search(r"Ada plays card \d[^.]*draws card \d", shown)
    assert not re.search(r"Medium \d plays[^.]*draws card", shown)
    assert shown.count(SEED) == 1
    assert f"Seed of the shuffles: {SEED}\n" in shown
    assert saved_game(checker.path).is_over


# --- as a process -----------------------------------------------------------------------------


def test_the_installed_command_plays_from_a_pipe() -> None:
    outcome = run_process(*NEW, typed=typed_lines("112234", "quit").encode())
    assert (outcome.code, outcome.err) == (0, "")
    assert "Ada chooses 1 1 2 2 3 4." in outcome.out


def test_invalid_utf8_is_answered_like_any_other_nonsense() -> None:
    """Without a traceback."""
    strict = {"PYTHONIOENCODING": "utf-8:strict"}  # as in most terminals
    outcome = run_process(*NEW, typed=b"\xff\xfe\n112234\nquit\n", env=strict)
    assert "Traceback" not in outcome.err
    assert outcome.out.endswith("Goodbye.\n")


@pytest.mark.parametrize("option", [["--players", "4"], ["--edition", "hig-1994"]])
def test_options_that_load_would_ignore_are_rejected(option: list[str], tmp_path: Path) -> None:
    write(tmp_path / "game", [record_json(Game.new(NAMES, seed=bytes(32)))])
    outcome = run_cli("play", "--load", tmp_path / "game", *option)
    assert outcome.code == 1
    assert "can't be combined with --load" in outcome.error
