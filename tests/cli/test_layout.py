"""``manhattan play`` and ``replay`` fit on small screens."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from rich.console import Console

from manhattan.cli.ui.input_parser import HELP
from manhattan.cli.ui.narration import describe_event
from manhattan.cli.ui.replay_viewer import ReplayPages
from manhattan.game import Game
from manhattan.record import write
from manhattan.replay import trace_record
from manhattan.rules import Phase, Side
from support.cli_runner import SCRIPT, Terminal, run_cli, typed_lines
from support.record_fixtures import NAMES, finished, record_json, recorded, saved_game, stuck

CLEARED = "\x1b[2J\x1b[H"
SAVE_PROMPT = "Save the game? Type a file name, or press Enter to skip: "
COLUMNS, LINES = SMALL = (80, 24)
"""The usual size of a terminal."""


def screen_lines(written: str) -> list[str]:
    """The lines since the screen was last cleared, without escape sequences."""
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", written.split(CLEARED)[-1])
    return plain.replace("\r", "").split("\n")


def height_of(shown: list[str]) -> int:
    """The height of these lines on a small screen, which wraps long ones."""
    return sum(-(-len(line) // COLUMNS) or 1 for line in shown)


def load_as(folder: Path, name: str) -> list[str]:
    """The arguments that continue a folder's game as one of its players."""
    return ["play", "--load", str(folder / "game"), "--name", name, "--bots", "random"]


class ScreenChecker:
    """Follows the hints, and checks that every screen is complete and fits."""

    def __init__(self) -> None:
        self.turns = self.ends = 0

    def __call__(self, written: str) -> str:
        shown = screen_lines(written)
        if shown[-1].startswith("Save the game?"):
            check_last_screen(shown)
            self.ends += 1
            return "\n"
        if shown[-1].startswith("Choose") and len(shown) > 1 and "looks good" not in shown[-2]:
            return "hint\n"
        if found := re.search(r"(\S+) looks good", shown[-2]):
            return f"{found[1]}\n"
        self.turns += 1
        assert len(shown) <= LINES, "\n".join(shown)
        assert all(len(line) <= COLUMNS for line in shown), "\n".join(shown)
        text = "\n".join(shown)
        assert re.match(r".* · round \d of \d · \w+ to (build|remove a block)\n", text), text
        assert text.count("City ") == 6
        assert re.search(r"^hand: ", text, flags=re.MULTILINE)
        assert "pile: " in text
        assert all(re.search(rf"{name}\b", text) for name in NAMES[:2])
        assert "supply" in text
        return "hint\n"


def check_last_screen(shown: list[str]) -> None:
    """The board, the winner, the last sheet and the seed fit together."""
    text = "\n".join(shown)
    assert height_of(shown) <= LINES, text
    assert re.match(r".* · round \d of \d · game over\n", text), text
    assert text.count("City ") == 6
    assert re.search(r"^\w+ (wins|and \w+ share the win)[ :]", text, flags=re.MULTILINE)
    assert "majorities" in text
    assert re.search(r"^Seed of the shuffles: 0{64}$", text, flags=re.MULTILINE)


SIDES_BY_TABLE = ("south north", "west east", "south west north", "north east south",
                   "south west north east")  # fmt: skip
SIDES = [
    (seats, person) for seats in map(str.split, SIDES_BY_TABLE) for person in range(len(seats))
]


@pytest.mark.parametrize(("seats", "person"), SIDES)
def test_every_turn_fits_on_a_small_screen(seats: list[str], person: int, tmp_path: Path) -> None:
    """Whole games, seen from every side."""
    game = Game.new(NAMES[: len(seats)], sides=seats, seed=bytes(32))
    write(tmp_path / "game", [record_json(game)])
    checker = ScreenChecker()
    outcome = run_cli(*load_as(tmp_path, NAMES[person]), typed=checker, terminal=True, size=SMALL)
    assert (outcome.code, outcome.err) == (0, "")
    assert checker.turns >= 20
    assert checker.ends == 1


@pytest.mark.parametrize("seat", Side)
def test_the_rarest_events_fit_too(seat: Side, tmp_path: Path) -> None:
    """A hand was shown and replaced, in vain."""
    assert stuck().state_at(34).public.phase is Phase.REMOVE
    write(tmp_path / "game", [record_json(stuck().at(34))])
    name = next(player.name for player in stuck().setup.players if player.side is seat)
    written = run_cli(*load_as(tmp_path, name), terminal=True, size=SMALL).out
    shown = screen_lines(written.split("Goodbye.")[0])
    assert len(shown) <= LINES + 1  # closing the input adds a line
    assert "round 2 of 4" in shown[0]


def test_on_a_small_screen_the_stocks_stand_beside_the_board(tmp_path: Path) -> None:
    game = finished().at(40)
    write(tmp_path / "game", [record_json(game)])
    west = next(player for player in game.setup.players if player.side is Side.WEST)
    written = run_cli(*load_as(tmp_path, west.name), terminal=True, size=SMALL).out
    text = "\n".join(screen_lines(written))
    public = game.public
    for player, points in zip(game.setup.players, public.scores, strict=True):
        assert re.search(rf"{player.name}(, starts)? +{points} points\n", text)
    for supply in public.supplies:
        assert " ".join(map(str, supply)) in text


def test_long_names_fit_on_a_small_screen(tmp_path: Path) -> None:
    names = [letter * 60 for letter in "abc"]
    write(tmp_path / "game", [record_json(Game.new(names, sides=["west", "north", "east"]))])
    written = run_cli(
        "play", "--load", tmp_path / "game", typed=typed_lines("1123"), terminal=True, size=SMALL
    ).out
    shown = screen_lines(written.split("Goodbye.")[0])
    assert "Build (? for help)" in shown[-2]
    assert len(shown) <= LINES + 1  # closing the input adds a line
    assert all(len(line) <= COLUMNS for line in shown)


@pytest.mark.parametrize("side", ["south", "west"])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_replay_fits_on_a_small_screen(side: str, players: int) -> None:
    """Every scoring and some other pages: headline, six cities, events and keys."""
    trace = trace_record(recorded(record_json(finished(players=players))))
    pages = ReplayPages(trace, Side(side))
    screen = Console(force_terminal=True, width=COLUMNS, height=LINES)
    for ply in {*pages.round_ends, *range(0, len(pages), 10)}:
        shown = [line for part in pages.page(ply, screen) for line in screen.render_lines(part)]
        text = ["".join(segment.text for segment in line).rstrip() for line in shown]
        assert height_of([*text, "the keys"]) <= LINES, "\n".join(text)
        assert f"move {ply} of {len(trace.steps)}" in text
        assert "\n".join(text).count("City ") == 6
        last_event = [describe_event(e, trace.start.setup) for e in trace.steps[ply - 1].events][-1]
        assert not ply or last_event in text
        assert ("majorities" in "\n".join(text)) == (ply in pages.round_ends[1:])


@pytest.mark.parametrize("line", HELP.splitlines())
def test_the_help_fits_on_a_small_screen(line: str) -> None:
    assert len(line) < COLUMNS


def test_a_window_that_is_too_narrow_gets_a_warning() -> None:
    shown = run_cli("play", terminal=True, size=(70, 40)).out
    assert "The board needs 76 columns; this window has 70. Make it wider." in shown
    assert "Make it wider" not in run_cli("play", terminal=True, size=(76, 40)).out


# --- between rounds ---------------------------------------------------------------------------


def test_the_headline_of_a_scoring_names_its_round(tmp_path: Path) -> None:
    """Not the next round; in the replay, too."""
    write(tmp_path / "game", [record_json(finished().at(27))])
    move = str(finished().moves[27])
    name = finished().state_at(27).public.player.name
    written = run_cli(*load_as(tmp_path, name), typed=typed_lines(move), terminal=True).out
    headlines = re.findall(
        r" · round (\d.*)\n", "\n".join(screen_lines(written.replace(CLEARED, "")))
    )
    assert headlines[1] == "1 of 4 is over"
    write(tmp_path / "whole", [record_json(finished())])
    assert " · round 1 of 4 is over\n" in run_cli("replay", tmp_path / "whole", "--at", "28").out


def test_between_rounds_a_person_can_save_and_query(tmp_path: Path) -> None:
    """Other input is answered with the list of commands."""
    write(tmp_path / "game", [record_json(finished().at(27))])
    name = finished().state_at(27).public.player.name
    answers = {
        "hint": "Type save FILE, sheets, towers, rules or quit.",
        "save /nowhere/game": "can't be written",
        "Save between": "Saved. Continue with: ",
        "sheets": "majorities",
        "TOWERS": "City F",
    }
    with Terminal(SCRIPT, *load_as(tmp_path, name), folder=tmp_path) as terminal:
        terminal.wait_for("(? for help): ")
        terminal.press(f"{finished().moves[27]}\n")
        terminal.wait_for("or type quit: ")
        for typed, answer in answers.items():
            terminal.press(f"{typed}\n")
            terminal.wait_for("or type quit: ")
            assert answer in terminal.output.split("or type quit: ")[-2]
        terminal.press("\n")
        terminal.wait_for("(? for help): ")
        terminal.press("quit\n")
        assert terminal.wait() == 0
    assert saved_game(tmp_path / "between").ply == 28
    assert not (tmp_path / "manhattan-unfinished.json").exists()


# --- on a real terminal -----------------------------------------------------------------------


def test_every_answer_starts_on_its_own_line(tmp_path: Path) -> None:
    """After an empty line, too, up to the last prompt."""
    write(tmp_path / "game", [record_json(finished().at(111))])
    name = finished().state_at(111).public.player.name
    with Terminal(SCRIPT, *load_as(tmp_path, name), folder=tmp_path) as terminal:
        for prompt, typed in (("help): ", ""), ("help): ", finished().moves[111]), ("skip: ", "")):
            terminal.wait_for(prompt)
            terminal.press(f"{typed}\n")
        assert terminal.wait() == 0
    assert screen_lines(terminal.output)[-3:] == [SAVE_PROMPT, "Goodbye.", ""]
    lines = screen_lines(terminal.output.replace(CLEARED, ""))
    assert [line for line in lines if "help): " in line] == [
        "Build (? for help): ",
        f"Build (? for help): {finished().moves[111]}",
    ]


def test_long_texts_open_in_the_pager(tmp_path: Path) -> None:
    """In the user's pager; what fits is printed."""
    write(tmp_path / "game", [record_json(finished().at(111))])
    name = finished().state_at(111).public.player.name
    env = ("/usr/bin/env", "PAGER=sed s/^/paged:/")
    with Terminal(*env, SCRIPT, *load_as(tmp_path, name), folder=tmp_path) as terminal:
        for typed in ("rules", "sheets"):
            terminal.wait_for("help): ")
            terminal.press(f"{typed}\n")
        terminal.wait_for("help): ")
        terminal.press("quit\n")
        assert terminal.wait() == 0
    _, rules, sheets, _ = terminal.output.split("help): ")
    assert rules.count("\npaged:") > 50
    assert "majorities" in sheets
    assert "paged:" not in sheets
