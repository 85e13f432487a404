"""The seats of ``manhattan play``: people and bots, in new and saved games."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from random import Random

import pytest

from manhattan.bots import BOTS, LEVELS, bot
from manhattan.cli.ui.seats import (
    Seats,
    bot_of_name,
    human_players,
    resume_options,
    seat_new_game,
    seat_saved_game,
)
from manhattan.game import Game
from manhattan.record import write
from manhattan.rules import SetupError
from manhattan.view import view
from support.cli_runner import name_options, run_cli
from support.record_fixtures import NAMES, record_json, saved_game

SEED = "0" * 64


def names_in(game: Game) -> list[str]:
    return [player.name for player in game.setup.players]


def write_game(path: Path, *names: str) -> Path:
    """Save a game of these players that has just been dealt."""
    write(path, [record_json(Game.new(names, seed=bytes(32)))])
    return path


class HintFollower:
    """Follows the hints for every person, for some turns, and saves the game."""

    def __init__(self, path: Path, turns: int = 6) -> None:
        self.path = path
        self.turns = turns

    def __call__(self, shown: str) -> str:
        if shown.endswith("Press Enter when the others look away: "):
            return "\n"
        if hint := re.search(r"(\S+) looks good\.[^\n]*\n[^\n]*: $", shown):
            self.turns -= 1
            return f"{hint[1]}\n"
        if self.turns:
            return "hint\n"
        return "quit\n" if "Saved." in shown else f"save {self.path}\n"


def assert_bots_moved(game: Game, seats: Seats) -> None:
    """Every move at a bot's seat is the one that this bot chooses."""
    for ply, move in enumerate(game.moves):
        state = game.state_at(ply)
        bot_name = seats[state.public.mover]
        if bot_name is not None:
            rng = Random(f"{game.commitment} {ply}")
            assert bot(bot_name)(view(state, state.public.mover), rng) == move


# --- new games --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bots", "names"),
    [
        (None, ["Human", "Clara", "Greta", "Hugo"]),
        ("random", ["Human", "Random 1", "Random 2", "Random 3"]),
        ("random, greedy,random", ["Human", "Random 1", "Greedy 2", "Random 3"]),
        (
            "greedy-any-blocks,random,greedy",
            ["Human", "Greedy-Any-Blocks 1", "Random 2", "Greedy 3"],
        ),
    ],
)
def test_different_bots_play_in_one_game(
    bots: str | None, names: list[str], tmp_path: Path
) -> None:
    """Those of a level have its names; the others are numbered after their kind."""
    options = [] if bots is None else ["--bots", bots]
    player = HintFollower(tmp_path / "game")
    assert run_cli("play", "--seed", SEED, *options, typed=player).code == 0
    game = saved_game(player.path)
    assert names_in(game) == names
    assert_bots_moved(game, tuple(bot_of_name(name) for name in names))


def test_people_take_the_first_seats_and_bots_the_rest(tmp_path: Path) -> None:
    player = HintFollower(tmp_path / "game")
    options = [*name_options("Ann", "Ben"), "--bots", "greedy,random", "--seed", SEED]
    assert run_cli("play", *options, typed=player).code == 0
    game = saved_game(player.path)
    assert names_in(game) == ["Ann", "Ben", "Greedy 1", "Random 2"]
    assert_bots_moved(game, (None, None, "greedy", "random"))


def test_a_game_needs_no_bots(tmp_path: Path) -> None:
    player = HintFollower(tmp_path / "game")
    run_cli("play", "--players", "2", *name_options("Ann", "Ben"), typed=player)
    assert names_in(saved_game(player.path)) == ["Ann", "Ben"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--bots", "random,greedy"], "--bots has 2 names for 3 seats. Give one bot"),
        (["-p", "2", "--bots", "random,greedy"], "--bots has 2 names for 1 seat."),
        (
            [*name_options("Ann", "Ben"), "--bots", "random,random,random"],
            "--bots has 3 names for 2 seats.",
        ),
        (["--bots", "random,kasparov,greedy"], "There is no bot 'kasparov'. Choose one of: easy,"),
        (["--bots", "random,,greedy"], "There is no bot ''."),
        (
            [*name_options("Ann", "Ben", "Cyd"), "-p", "2"],
            "There are 3 names for 2 players. Remove a --name, or raise --players.",
        ),
        (name_options(*"abcde"), "There are 5 names for 4 players"),
        (name_options("Greedy 1"), "'Greedy 1' is a bot's name: saved games recognize bots by"),
        (name_options("Ann", "Greedy-Any-Blocks 12"), "'Greedy-Any-Blocks 12' is a bot's name"),
        (name_options("Ann", "Ben", "Ann"), "Two people can't both be called 'Ann'"),
        (
            [*name_options("Ann", "Ben"), "-p", "2", "--bots", "greedy"],
            "All players at this table are people. Remove --bots.",
        ),
        ([*name_options("Ann"), "-p", "5"], "2 to 4 players; there are 5."),
        (name_options("Ann", " "), "is not a valid name"),
    ],
)
def test_impossible_seats_are_an_error(arguments: list[str], message: str) -> None:
    outcome = run_cli("play", *arguments)
    assert (outcome.code, outcome.out) == (1, "")
    assert message in outcome.error
    assert "Traceback" not in outcome.err


@pytest.mark.parametrize("name", BOTS)
def test_every_bot_is_recognized_by_its_name(name: str) -> None:
    names, seats = seat_new_game(["Ann"], 4, name)
    assert [bot_of_name(player) for player in names] == [None, name, name, name] == list(seats)


def test_names_of_bots_ignore_case() -> None:
    assert seat_new_game(["Ann"], 3, "Easy, HARD") == (
        ["Ann", "Lotte", "Burnham"],
        (None, "easy", "hard"),
    )
    shown = run_cli("arena", "--bots", "Random,RANDOM", "--games", "2", "--workers", "1")
    assert (shown.code, shown.out.count("random")) == (0, 1)  # both are the same bot


def test_the_help_describes_every_level() -> None:
    shown = " ".join(run_cli("play", "--help").out.split())
    for name, level in LEVELS.items():
        assert f"{name}: {level.description}" in shown
    assert all(name in shown for name in BOTS)


@pytest.mark.parametrize("name", ["Greedy", "greedy 1", "Greedy 0", "Greedy one", "Ann 1", "1"])
def test_people_may_have_any_name_but_a_bots(name: str) -> None:
    assert seat_new_game([name], 2, None) == ([name, "Clara"], (None, "medium"))
    assert seat_saved_game([name, "Clara"]) == (None, "medium")
    assert seat_saved_game([name, "Medium 1"]) == (None, "medium")  # an older game


# --- saved games ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("names", "named", "bots", "seats"),
    [
        # Bots are recognized by their names; all others are people.
        (["Ann", "Greedy 1", "Random 2"], None, None, (None, "greedy", "random")),
        # Those of a level have its names. In older games a person may have one of these.
        (["Ann", "Clara", "Mies"], None, None, (None, "medium", "expert")),
        (["Ann", "Clara", "Greedy 2"], None, None, (None, "medium", "greedy")),
        (["Clara", "Hard 1"], None, None, (None, "hard")),
        (["Clara", "Greta"], ["Clara"], None, (None, "medium")),
        (["Random 1", "Ann", "Ben"], None, None, ("random", None, None)),
        # Other bots may take over.
        (["Ann", "Greedy 1", "Random 2"], None, "random", (None, "random", "random")),
        (["Ann", "Greedy 1", "Random 2"], None, "random,greedy", (None, "random", "greedy")),
        # Without names of bots: the first player, or those that are named.
        (["Ada", "Bob", "Cyd"], None, None, (None, "medium", "medium")),
        (["Ada", "Bob", "Cyd"], None, "random,greedy", (None, "random", "greedy")),
        (["Ada", "Bob", "Cyd"], ["Cyd"], None, ("medium", "medium", None)),
        (["Ada", "Bob", "Cyd"], ["Cyd", "Ada"], "random", (None, "random", None)),
        (["Ada", "Bob", "Ada"], ["Ada"], "random", (None, "random", None)),
        (["Ada", "Bob"], ["Ada", "Bob"], None, (None, None)),
        # A person has left, or takes over from a bot.
        (["Ann", "Ben", "Random 1"], ["Ben"], None, ("medium", None, "random")),
        (["Random 1", "Greedy 2"], ["Greedy 2"], None, ("random", None)),
    ],
)
def test_the_seats_of_a_saved_game(
    names: list[str], named: list[str] | None, bots: str | None, seats: Seats
) -> None:
    assert seat_saved_game(names, named, bots) == seats


@pytest.mark.parametrize(
    "names",
    [["Ann", "Greedy 1", "Random 2"], ["Ada", "Bob", "Cyd"], ["Random 1", "Greedy 2", "Greedy 3"]],
)
@pytest.mark.parametrize("bots", [None, "random", "greedy-any-blocks"])
@pytest.mark.parametrize("humans", [(0,), (1,), (0, 2), (1, 2)])
def test_the_options_to_continue_restore_the_seats(
    names: list[str], humans: tuple[int, ...], bots: str | None
) -> None:
    seats = seat_saved_game(names, [names[player] for player in humans], bots)
    assert human_players(seats) == humans
    options = resume_options(names, seats)
    given = list(zip(options[::2], options[1::2], strict=True))
    named = [value for option, value in given if option == "--name"]
    bots_named = [value for option, value in given if option == "--bots"]
    assert seat_saved_game(names, named or None, *bots_named) == seats


def test_the_options_to_continue_are_minimal() -> None:
    assert resume_options(["Ann", "Ben", "Greedy 1"], (None, None, "greedy")) == []
    assert resume_options(["Ada", "Bob"], (None, "medium")) == []
    assert resume_options(["Ada", "Bob"], (None, None)) == ["--name", "Ada", "--name", "Bob"]
    assert resume_options(["Ann", "Greedy 1"], (None, "random")) == ["--bots", "random"]


def test_a_name_that_two_players_share_is_given_once() -> None:
    """Records may have such names; new games may not."""
    assert resume_options(["Bob", "Ada", "Ada"], ("medium", None, None)) == ["--name", "Ada"]


def test_a_loaded_game_recognizes_its_bots(tmp_path: Path) -> None:
    """In any seat."""
    write_game(tmp_path / "before", "Random 1", "Ann", "Greedy 2")
    player = HintFollower(tmp_path / "after")
    outcome = run_cli("play", "--load", tmp_path / "before", typed=player)
    assert (outcome.code, outcome.err) == (0, "")
    assert "it's your turn" not in outcome.out
    assert_bots_moved(saved_game(player.path), ("random", None, "greedy"))


def test_other_bots_may_continue_under_the_same_names(tmp_path: Path) -> None:
    write_game(tmp_path / "before", "Ann", "Random 1", "Random 2")
    player = HintFollower(tmp_path / "after")
    shown = run_cli("play", "--load", tmp_path / "before", "--bots", "greedy", typed=player).out
    game = saved_game(player.path)
    assert names_in(game) == ["Ann", "Random 1", "Random 2"]
    assert_bots_moved(game, (None, "greedy", "greedy"))
    assert f"play --load {player.path} --bots greedy\n" in shown


def test_in_a_game_without_bots_people_are_chosen_by_name(tmp_path: Path) -> None:
    write_game(tmp_path / "before", *NAMES)
    player = HintFollower(tmp_path / "after")
    options = [*name_options("Bob", "Dan"), "--bots", "random,greedy"]
    shown = run_cli("play", "--load", tmp_path / "before", *options, typed=player).out
    assert set(re.findall(r"(\w+), it's your turn", shown)) == {"Bob", "Dan"}
    assert_bots_moved(saved_game(player.path), ("random", None, "greedy", None))


def test_in_a_game_without_bots_the_first_player_is_you(tmp_path: Path) -> None:
    write_game(tmp_path / "before", *NAMES)
    player = HintFollower(tmp_path / "after")
    run_cli("play", "--load", tmp_path / "before", "--bots", "random", typed=player)
    assert_bots_moved(saved_game(player.path), (None, "random", "random", "random"))


def test_the_command_to_continue_names_all_people_if_there_are_no_bots(tmp_path: Path) -> None:
    """Without it, only the first player would be a person."""
    half, direct, resumed = (tmp_path / name for name in ("half game", "direct", "resumed"))
    new = ["play", "--players", "2", *name_options("Ann", "Ben O'Hara"), "--seed", SEED]
    shown = run_cli(*new, typed=HintFollower(half, 3)).out
    (command,) = re.findall(r"Continue with: manhattan (.*)\n", shown)
    run_cli(*shlex.split(command), typed=HintFollower(resumed, 4))
    run_cli(*new, typed=HintFollower(direct, 7))
    assert direct.read_bytes() == resumed.read_bytes()


@pytest.mark.parametrize(
    ("names", "arguments", "message"),
    [
        (
            NAMES,
            name_options("Zoe"),
            "There is no player called 'Zoe' in this game. The players: Ada, Bob, Cyd,",
        ),
        (NAMES, name_options("Ada", "\u0410da"), "CYRILLIC CAPITAL LETTER A"),
        (NAMES, name_options("Ada", "Ada"), "Two people can't both be called 'Ada'"),
        (NAMES, ["--bots", "random,greedy"], "--bots has 2 names for 3 seats."),
        (NAMES, ["--bots", "kasparov"], "There is no bot 'kasparov'."),
        (
            NAMES,
            [*name_options(*NAMES), "--bots", "random"],
            "All players at this table are people",
        ),
        (
            ("Greedy 1", "Random 2"),
            [],
            "are bots. Choose the one you play with --name. The players: Greedy 1, Random 2.",
        ),
    ],
)
def test_impossible_seats_of_a_saved_game_are_an_error(
    names: tuple[str, ...], arguments: list[str], message: str, tmp_path: Path
) -> None:
    outcome = run_cli("play", "--load", write_game(tmp_path / "game", *names), *arguments)
    assert (outcome.code, outcome.out) == (1, "")
    assert message in outcome.error


def test_errors_are_typed() -> None:
    with pytest.raises(SetupError):
        seat_new_game(["Ann"], 4, "random,random")
    with pytest.raises(SetupError):
        seat_saved_game(["Ann", "Ben"], ["Cyd"])
