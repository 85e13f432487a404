"""``manhattan play`` on screens of all sizes: what a player needs is in sight."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from rich.console import Console

from commandline import SCRIPT, Terminal, manhattan, typing
from manhattan.cli.replay import Pages
from manhattan.cli.telling import sentence
from manhattan.cli.typed import HELP
from manhattan.game import Game
from manhattan.record import write
from manhattan.replay import walk
from manhattan.rules import Phase, Seat
from saved import NAMES, finished, recorded, saved_game, stuck, told

CLEARED = "\x1b[2J\x1b[H"
AT_THE_END = "Save the game? A file's name, or Enter: "
COLUMNS, LINES = SMALL = (80, 24)
"""The usual window of a terminal."""


def on_screen(written: str) -> list[str]:
    """The lines since the screen was cleared last, each as it reads."""
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", written.split(CLEARED)[-1])
    return plain.replace("\r", "").split("\n")


def rows_of(shown: list[str]) -> int:
    """So many lines they take on a small screen, where a longer one goes on in the next."""
    return sum(-(-len(line) // COLUMNS) or 1 for line in shown)


def loaded(folder: Path, name: str) -> list[str]:
    """Go on with the game of a folder, as one of its players."""
    return ["play", "--load", str(folder / "game"), "--name", name, "--bots", "random"]


class Reader:
    """Makes the first move that is there, in every turn, and counts the lines of its screen."""

    def __init__(self) -> None:
        self.turns = self.ends = 0

    def __call__(self, written: str) -> str:
        shown = on_screen(written)
        if shown[-1].startswith("Save the game?"):
            check_the_end(shown)
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
        assert re.match(r".* · round \d of \d · \w+ to (build|take a block out)\n", text), text
        assert text.count("City ") == 6
        assert re.search(r"^hand: ", text, flags=re.MULTILINE)
        assert "pile: " in text
        assert all(re.search(rf"{name}\b", text) for name in NAMES[:2])
        assert "supply" in text
        return "hint\n"


def check_the_end(shown: list[str]) -> None:
    """The board, who won, the last sheet and the seed have room together."""
    text = "\n".join(shown)
    assert rows_of(shown) <= LINES, text
    assert re.match(r".* · round \d of \d · over\n", text), text
    assert text.count("City ") == 6
    assert re.search(r"^\w+ (wins|and \w+ share the win), ", text, flags=re.MULTILINE)
    assert "majorities" in text
    assert re.search(r"^Every shuffle follows from the seed 0{64}$", text, flags=re.MULTILINE)


ROUND_THE_TABLE = ("south north", "west east", "south west north", "north east south",
                   "south west north east")  # fmt: skip
SIDES = [
    (seats, person) for seats in map(str.split, ROUND_THE_TABLE) for person in range(len(seats))
]


@pytest.mark.parametrize(("seats", "person"), SIDES)
def test_a_turn_has_room_on_a_small_screen(seats: list[str], person: int, tmp_path: Path) -> None:
    """Whole games seen from every seat."""
    game = Game.new(NAMES[: len(seats)], seats=seats, seed=bytes(32))
    write(tmp_path / "game", [told(game)])
    reader = Reader()
    outcome = manhattan(*loaded(tmp_path, NAMES[person]), typed=reader, terminal=True, size=SMALL)
    assert (outcome.code, outcome.err) == (0, "")
    assert reader.turns >= 20
    assert reader.ends == 1


@pytest.mark.parametrize("seat", Seat)
def test_the_rarest_news_have_room_too(seat: Seat, tmp_path: Path) -> None:
    """A hand was shown and drawn anew, in vain."""
    assert stuck().state_at(34).table.phase is Phase.REMOVE
    write(tmp_path / "game", [told(stuck().at(34))])
    name = next(player.name for player in stuck().setup.players if player.seat is seat)
    written = manhattan(*loaded(tmp_path, name), terminal=True, size=SMALL).out
    shown = on_screen(written.split("Goodbye.")[0])
    assert len(shown) <= LINES + 1  # the input was closed on a line of its own
    assert "round 2 of 4" in shown[0]


def test_beside_the_board_stands_what_is_below_it_on_a_larger_screen(tmp_path: Path) -> None:
    game = finished().at(40)
    write(tmp_path / "game", [told(game)])
    west = next(player for player in game.setup.players if player.seat is Seat.WEST)
    written = manhattan(*loaded(tmp_path, west.name), terminal=True, size=SMALL).out
    text = "\n".join(on_screen(written))
    table = game.table
    for player, points in zip(game.setup.players, table.scores, strict=True):
        assert re.search(rf"{player.name}(, starts)? +{points} points\n", text)
    for supply in table.supplies:
        assert " ".join(map(str, supply)) in text


def test_long_names_take_no_room_from_anything(tmp_path: Path) -> None:
    names = [letter * 60 for letter in "abc"]
    write(tmp_path / "game", [told(Game.new(names, seats=["west", "north", "east"]))])
    written = manhattan(
        "play", "--load", tmp_path / "game", typed=typing("1123"), terminal=True, size=SMALL
    ).out
    shown = on_screen(written.split("Goodbye.")[0])
    assert "Build (? for help)" in shown[-2]
    assert len(shown) <= LINES + 1  # the input was closed on a line of its own
    assert all(len(line) <= COLUMNS for line in shown)


@pytest.mark.parametrize("side", ["south", "west"])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_replay_has_room_on_a_small_screen(side: str, players: int) -> None:
    """Every scoring and some other moments: the headline, six cities, what happened, the keys."""
    walked = walk(recorded(told(finished(players=players))))
    pages = Pages(walked, Seat(side))
    screen = Console(force_terminal=True, width=COLUMNS, height=LINES)
    for ply in {*pages.rounds, *range(0, len(pages), 10)}:
        shown = [line for part in pages.page(ply, screen) for line in screen.render_lines(part)]
        text = ["".join(segment.text for segment in line).rstrip() for line in shown]
        assert rows_of([*text, "the keys"]) <= LINES, "\n".join(text)
        assert f"move {ply} of {len(walked.steps)}" in text
        assert "\n".join(text).count("City ") == 6
        told_last = [sentence(e, walked.start.setup) for e in walked.steps[ply - 1].events][-1]
        assert not ply or told_last in text
        assert ("majorities" in "\n".join(text)) == (ply in pages.rounds[1:])


@pytest.mark.parametrize("line", HELP.splitlines())
def test_the_help_has_room_on_a_small_screen(line: str) -> None:
    assert len(line) < COLUMNS


def test_a_window_that_is_too_narrow_is_told() -> None:
    shown = manhattan("play", terminal=True, size=(70, 40)).out
    assert "The board takes 76 columns, this window has 70: make it wider." in shown
    assert "make it wider" not in manhattan("play", terminal=True, size=(76, 40)).out


# --- between the rounds -----------------------------------------------------------------------


def test_a_round_that_was_scored_is_over(tmp_path: Path) -> None:
    """The screen with its sheet does not speak of the next round yet; nor does the replay."""
    write(tmp_path / "game", [told(finished().at(27))])
    move = str(finished().moves[27])
    name = finished().state_at(27).table.player.name
    written = manhattan(*loaded(tmp_path, name), typed=typing(move), terminal=True).out
    headlines = re.findall(r" · round (\d.*)\n", "\n".join(on_screen(written.replace(CLEARED, ""))))
    assert headlines[1] == "1 of 4 is over"
    write(tmp_path / "whole", [told(finished())])
    assert " · round 1 of 4 is over\n" in manhattan("replay", tmp_path / "whole", "--at", "28").out


def test_between_rounds_one_may_save_and_look(tmp_path: Path) -> None:
    """What can't be done there is answered with what can."""
    write(tmp_path / "game", [told(finished().at(27))])
    name = finished().state_at(27).table.player.name
    wanted = {
        "hint": "Type save FILE, sheets, towers, rules or quit; Enter goes on.",
        "save /nowhere/game": "can't be written",
        "Save between": "Saved. Go on with: ",
        "sheets": "majorities",
        "TOWERS": "City F",
    }
    with Terminal(SCRIPT, *loaded(tmp_path, name), folder=tmp_path) as terminal:
        terminal.wait_for("(? for help): ")
        terminal.press(f"{finished().moves[27]}\n")
        terminal.wait_for("quit to leave: ")
        for typed, answer in wanted.items():
            terminal.press(f"{typed}\n")
            terminal.wait_for("quit to leave: ")
            assert answer in terminal.written.split("quit to leave: ")[-2]
        terminal.press("\n")
        terminal.wait_for("(? for help): ")
        terminal.press("quit\n")
        assert terminal.wait() == 0
    assert saved_game(tmp_path / "between").ply == 28
    assert not (tmp_path / "manhattan-unfinished.json").exists()


# --- on a real terminal -----------------------------------------------------------------------


def test_whatever_is_typed_is_answered_on_a_line_of_its_own(tmp_path: Path) -> None:
    """An empty line, too, up to the last question: nothing is written behind it."""
    write(tmp_path / "game", [told(finished().at(111))])
    name = finished().state_at(111).table.player.name
    with Terminal(SCRIPT, *loaded(tmp_path, name), folder=tmp_path) as terminal:
        for asked, typed in (("help): ", ""), ("help): ", finished().moves[111]), ("Enter: ", "")):
            terminal.wait_for(asked)
            terminal.press(f"{typed}\n")
        assert terminal.wait() == 0
    assert on_screen(terminal.written)[-3:] == [AT_THE_END, "Goodbye.", ""]
    written = on_screen(terminal.written.replace(CLEARED, ""))
    assert [line for line in written if "help): " in line] == [
        "Build (? for help): ",
        f"Build (? for help): {finished().moves[111]}",
    ]


def test_what_is_longer_than_the_screen_is_read_page_by_page(tmp_path: Path) -> None:
    """With whatever pager one likes; what has room is just told."""
    write(tmp_path / "game", [told(finished().at(111))])
    name = finished().state_at(111).table.player.name
    env = ("/usr/bin/env", "PAGER=sed s/^/paged:/")
    with Terminal(*env, SCRIPT, *loaded(tmp_path, name), folder=tmp_path) as terminal:
        for typed in ("rules", "sheets"):
            terminal.wait_for("help): ")
            terminal.press(f"{typed}\n")
        terminal.wait_for("help): ")
        terminal.press("quit\n")
        assert terminal.wait() == 0
    _, rules, sheets, _ = terminal.written.split("help): ")
    assert rules.count("\npaged:") > 50
    assert "majorities" in sheets
    assert "paged:" not in sheets
