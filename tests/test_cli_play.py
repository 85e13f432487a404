"""``manhattan play``: a person at the keyboard, bots in the other seats."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from commandline import manhattan, process, typing
from manhattan.bots import BOTS
from manhattan.game import Game
from manhattan.record import write
from manhattan.rules import Built, Phase
from saved import NAMES, saved_game, stuck, told

SEED = "0" * 64
NEW = ("play", "--name", "Ada", "--seed", SEED)
"""A game that is always the same."""


# --- moves ------------------------------------------------------------------------------------


def test_blocks_are_chosen_in_any_order_without_brackets(tmp_path: Path) -> None:
    typed = typing("432211", f"save {tmp_path / 'game'}", "quit")
    assert manhattan(*NEW, typed=typed).code == 0
    assert "[112234]" in map(str, saved_game(tmp_path / "game").moves)


@pytest.mark.parametrize("text", ["1124 1223", "[1124|1223]", "2411,3221", "4211 | 1223"])
def test_two_colours_are_chosen_one_after_the_other(text: str, tmp_path: Path) -> None:
    typed = typing(text, f"save {tmp_path / 'game'}", "quit")
    manhattan(*NEW, "--players", "2", typed=typed)
    assert "[1124|1223]" in map(str, saved_game(tmp_path / "game").moves)


def test_a_build_may_be_typed_in_small_letters(tmp_path: Path) -> None:
    typed = typing("112234", f"save {tmp_path / 'before'}", "quit")
    manhattan(*NEW, typed=typed)
    move = next(str(m) for m in saved_game(tmp_path / "before").legal_moves())
    spaced = f" {move[:2].lower()} + {move[3]} "
    typed = typing("112234", spaced, f"save {tmp_path / 'after'}", "quit")
    manhattan(*NEW, typed=typed)
    mine = [e for e in saved_game(tmp_path / "after").events if isinstance(e, Built)]
    assert move in [str(event.move) for event in mine if event.player == 0]


@pytest.mark.parametrize(
    ("typed", "what"),
    [
        ("11223", "Choose 6 blocks of orange, not 5."),
        ("444444", "The supply of orange has 3 left of size 4; 6 were chosen."),
        ("1122 3344", "Choose 6 blocks of orange, not 8."),
        ("1 1 2 2 3 4", "Ada chooses 1 1 2 2 3 4."),
        ("C5+3", "Blocks for round 1 are chosen first, 6 of each colour."),
        ("-2", "Blocks for round 1 are chosen first, 6 of each colour."),
        ("112235", "'112235' is not a move."),
        ("hello world", "'hello world' is not a move. Moves look like C5+3"),
        ("zz", "'zz' is not a move."),
        ("sheets", "No round is scored yet."),
        ("\u04215+3", "CYRILLIC CAPITAL LETTER ES"),
        ("C\uff15+3", "FULLWIDTH DIGIT FIVE"),
        ("\u0661\u0661\u0662\u0662\u0663\u0664", "ARABIC-INDIC DIGIT ONE"),
        ("save", "Saved. Go on with: manhattan play --load manhattan-game.json"),
        ("save /nowhere/game", "/nowhere/game: The file can't be written"),
        ("save a\0b", "The file can't be written"),
        ("undo", "You have not moved yet."),
        ("?", "To choose blocks, type their sizes"),
        ("", "Choose 6 blocks (? for help): Choose 6 blocks (? for help): "),
    ],
)
def test_whatever_is_typed_is_answered_and_the_game_goes_on(
    typed: str, what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sentence, the question again, and a choice that is still possible."""
    monkeypatch.chdir(tmp_path)
    outcome = manhattan(*NEW, typed=typing(typed, "112234", "quit"))
    assert (outcome.code, outcome.err) == (0, "")
    assert what in outcome.out
    assert "Ada chooses 1 1 2 2 3 4." in outcome.out
    assert outcome.out.endswith("Goodbye.\n")


@pytest.mark.parametrize(
    ("typed", "what"),
    [
        ("1124", "'1124' is not a move."),
        ("[1124]", "[1124]: Write a list of blocks for each colour"),
    ],
)
def test_blocks_for_one_of_two_colours_are_refused_as_they_were_typed(
    typed: str, what: str
) -> None:
    assert what in manhattan(*NEW, "--players", "2", typed=typing(typed, "quit")).out


def test_a_wrong_build_is_refused_with_the_reason() -> None:
    outcome = manhattan(*NEW, typed=typing("111122", "A1+4", "[111122]", "A1+1o", "quit"))
    assert "A1+4: There is no orange block of 4 on your tableau." in outcome.out
    assert "[111122]: The blocks of round 1 are chosen already; now build." in outcome.out
    assert "A1+1o: You play one colour: leave the letter o out." in outcome.out


@pytest.mark.parametrize("leave", ["quit", "q", "exit", "QUIT", None])
def test_whoever_leaves_is_told_goodbye(leave: str | None) -> None:
    """By a word, or by closing the input."""
    outcome = manhattan(*NEW, typed=typing(leave) if leave else "")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.endswith("Goodbye.\n")


def test_ctrl_c_is_a_goodbye_too() -> None:
    def interrupt(_: str) -> str:
        raise KeyboardInterrupt

    outcome = manhattan(*NEW, typed=interrupt)
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.endswith("Goodbye.\n")


# --- hint, moves, undo ------------------------------------------------------------------------


def listed(shown: str) -> list[str]:
    """The moves that a screen lists."""
    return re.findall(r"(?<![\w|])(?:\[[1-4|]+\]|[A-F][1-9]\+[1-4][a-z]?|-[1-4][a-z]?)", shown)


def test_the_moves_listed_are_the_legal_ones(tmp_path: Path) -> None:
    typed = typing("112234", f"save {tmp_path / 'game'}", "moves", "quit")
    shown = manhattan(*NEW, typed=typed).out.split("--load")[1]
    assert listed(shown) == [str(move) for move in saved_game(tmp_path / "game").legal_moves()]


def test_the_same_hint_is_given_when_asked_again() -> None:
    shown = manhattan(*NEW, typed=typing("112234", "hint", "hint", "quit")).out
    first, second = re.findall(r"(\S+) looks good\.", shown)
    assert first == second


def test_commands_may_be_typed_in_any_case_and_file_names_may_not(tmp_path: Path) -> None:
    path = tmp_path / "My Game"
    typed = typing("112234", "HINT", "Undo", f"Save {path}", "Moves", "112234", "Quit")
    shown = manhattan(*NEW, typed=typed).out
    assert "looks good." in shown
    assert "is not a move" not in shown
    assert "[112234]" not in map(str, saved_game(path).moves)
    assert shown.endswith("Goodbye.\n")


def test_undo_goes_back_to_ones_own_last_move(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("before", "after")]
    saves = [f"save {path}" for path in files]
    manhattan(*NEW, typed=typing(saves[0], "112234", "undo", saves[1], "quit"))
    assert files[0].read_bytes() == files[1].read_bytes()


def test_played_again_the_cards_fall_the_same(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("once", "again")]
    saves = [f"save {path}" for path in files]
    manhattan(*NEW, typed=typing("112234", saves[0], "undo", "112234", saves[1], "quit"))
    assert files[0].read_bytes() == files[1].read_bytes()


# --- saving and loading -----------------------------------------------------------------------


def test_a_loaded_game_goes_on_as_the_saved_one_would_have(tmp_path: Path) -> None:
    """Bots included: what they do depends on what everybody may know."""
    half, direct, resumed = (tmp_path / name for name in ("half", "direct", "resumed"))
    answers = ["112234", f"save {half}", "hint", "quit"]
    shown = manhattan(*NEW, typed=typing(*answers)).out
    move = re.findall(r"(\S+) looks good\.", shown)[0]
    manhattan(*NEW, typed=typing("112234", move, f"save {direct}", "quit"))
    manhattan("play", "--load", half, typed=typing(move, f"save {resumed}", "quit"))
    assert direct.read_bytes() == resumed.read_bytes()


@pytest.mark.parametrize("name", ["my [bold] game.json", "x" * 150])
def test_the_saved_file_is_named_so_that_it_can_be_copied(name: str, tmp_path: Path) -> None:
    """Brackets are no instructions to the terminal, and a long name is not broken in two."""
    path = tmp_path / name
    shown = manhattan(*NEW, typed=typing(f"save {path}", "quit")).out
    assert path.exists()
    assert f"manhattan play --load {shlex.quote(str(path))}\n" in shown


def test_a_game_that_is_over_is_not_loaded(tmp_path: Path) -> None:
    write(tmp_path / "over", [told()])
    outcome = manhattan("play", "--load", tmp_path / "over")
    assert (outcome.code, outcome.out) == (1, "")
    assert "This game is over. Look at it with: manhattan replay" in outcome.sentence


def test_what_others_see_of_a_game_can_not_be_played_on(tmp_path: Path) -> None:
    write(tmp_path / "seen", [told(Game.new(NAMES, seed=bytes(32)), whole=False)])
    outcome = manhattan("play", "--load", tmp_path / "seen")
    assert outcome.code == 1
    assert "its hidden cards are not in it" in outcome.sentence


def test_a_block_is_taken_out_when_none_can_be_placed(tmp_path: Path) -> None:
    """The loaded game stands where Ada has redrawn in vain."""
    assert stuck().state_at(34).table.phase is Phase.REMOVE
    write(tmp_path / "stuck", [told(stuck().at(34))])
    typed = typing("moves", "A5+1", "-1", "quit")
    shown = manhattan("play", "--load", tmp_path / "stuck", typed=typed).out
    question, moves, refused, *_ = shown.split("(? for help): ")
    assert question.endswith("No block can be placed. Take one out, like -1 ")
    assert moves.split()[:2] == ["-1", "-2"]
    assert "A5+1: None of your blocks can be placed: take one out of the game." in refused
    assert "Ada still can place no block" in shown


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["--seed", "12"], "'12' is no seed: a seed is 64 hex digits."),
        (
            ["--bots", "kasparov"],
            f"There is no bot 'kasparov'. The bots: {', '.join(BOTS)}.",
        ),
        (["--players", "5"], "2 to 4 players; there are 5."),
        (["--players", "1"], "2 to 4 players; there are 1."),
        (["--edition", "x"], "There is no edition 'x'."),
        (["--house-rule", "x=y"], "There is no house rule 'x'."),
        (["--name", "x" * 61], "can't be a player's name"),
        (["--name", "\u202eada"], "RIGHT-TO-LEFT OVERRIDE"),
        (["--load", "/nowhere/game"], "/nowhere/game: The file can't be read"),
    ],
)
def test_a_wrong_option_is_told_in_a_sentence(arguments: list[str], what: str) -> None:
    outcome = manhattan("play", *arguments)
    assert outcome.code == 1
    assert outcome.out == ""
    assert what in outcome.sentence
    assert "Traceback" not in outcome.err


# --- whole games ------------------------------------------------------------------------------


AT_THE_END = "Save the game? A file's name, or Enter: "


def follow_the_hints(shown: str) -> str:
    """Ask for a hint, then do what it says; keep nothing at the end."""
    if shown.endswith(AT_THE_END):
        return "\n"
    said = re.search(r"(\S+) looks good\.[^\n]*\n[^\n]*: $", shown)
    return f"{said[1]}\n" if said else "hint\n"


def take_the_first(shown: str) -> str:
    """Ask for the moves, then make the first of them; keep nothing at the end."""
    if shown.endswith(AT_THE_END):
        return "\n"
    asked = shown.rfind(": ", 0, -2)
    moves = listed(shown[asked:])
    return f"{moves[0]}\n" if moves else "moves\n"


@pytest.mark.parametrize(
    ("play", "options"),
    [
        (follow_the_hints, []),
        (follow_the_hints, ["--players", "2", "--edition", "foxgames-2018"]),
        (take_the_first, ["--players", "3", "--bots", "random", "--edition", "999-games"]),
        (take_the_first, ["--players", "2", "--bots", "random", "--edition", "hig-1994"]),
        (follow_the_hints, ["--players", "2", "-r", "two_players=6x4-one-colour"]),
    ],
)
def test_a_game_is_played_to_its_end(play: Callable[[str], str], options: list[str]) -> None:
    """Every round is scored, somebody wins, and then the seed is told."""
    outcome = manhattan(*NEW, *options, typed=play)
    assert (outcome.code, outcome.err) == (0, "")
    assert re.search(r"(wins|share the win), ", outcome.out)
    assert f"Every shuffle follows from the seed {SEED}\n" in outcome.out
    assert outcome.out.endswith(f"{AT_THE_END}Goodbye.\n")


class Watchful:
    """Follows the hints, and compares every hand on the screen with the saved game."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.turns = 0

    def __call__(self, shown: str) -> str:
        if shown.endswith(AT_THE_END):
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
def test_nothing_hidden_is_ever_shown(players: str, turns: int, tmp_path: Path) -> None:
    """A whole game: every hand on the screen is Ada's own, no card that a bot draws is told, and
    the seed comes with the end."""
    watch = Watchful(tmp_path / "game")
    shown = manhattan(*NEW, "--players", players, typed=watch).out
    assert watch.turns == turns
    assert re.search(r"Ada plays card \d[^.]*draws card \d", shown)
    assert not re.search(r"Medium \d plays[^.]*draws card", shown)
    assert shown.count(SEED) == 1
    assert f"seed {SEED}\n" in shown
    assert saved_game(watch.path).over


# --- as a process -----------------------------------------------------------------------------


def test_the_installed_command_plays_from_a_pipe() -> None:
    outcome = process(*NEW, typed=typing("112234", "quit").encode())
    assert (outcome.code, outcome.err) == (0, "")
    assert "Ada chooses 1 1 2 2 3 4." in outcome.out


def test_bytes_that_are_no_text_are_answered_like_any_other_nonsense() -> None:
    """Whatever comes in, no traceback comes out."""
    strict = {"PYTHONIOENCODING": "utf-8:strict"}  # as in most people's terminals
    outcome = process(*NEW, typed=b"\xff\xfe\n112234\nquit\n", env=strict)
    assert "Traceback" not in outcome.err
    assert outcome.out.endswith("Goodbye.\n")


@pytest.mark.parametrize("option", [["--players", "4"], ["--edition", "hig-1994"]])
def test_a_saved_game_brings_its_own_table(option: list[str], tmp_path: Path) -> None:
    """What would be ignored in silence is refused."""
    write(tmp_path / "game", [told(Game.new(NAMES, seed=bytes(32)))])
    outcome = manhattan("play", "--load", tmp_path / "game", *option)
    assert outcome.code == 1
    assert "leave --" in outcome.sentence
