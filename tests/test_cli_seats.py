"""Who sits at the table of ``manhattan play``: which bots, which people, in new and saved games."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from random import Random

import pytest

from commandline import manhattan, people
from manhattan.bots import BOTS, LEVELS, bot
from manhattan.cli.seats import (
    Seats,
    bot_called,
    new_table,
    options_for,
    people_at,
    saved_table,
)
from manhattan.game import Game
from manhattan.record import write
from manhattan.rules import SetupError
from manhattan.view import view
from saved import NAMES, saved_game, told

SEED = "0" * 64


def names_in(game: Game) -> list[str]:
    return [player.name for player in game.setup.players]


def write_game(path: Path, *names: str) -> Path:
    """A game of these players that has just been dealt."""
    write(path, [told(Game.new(names, seed=bytes(32)))])
    return path


class Guest:
    """Whoever is asked does what the hint says, for some turns; then the game is saved."""

    def __init__(self, path: Path, turns: int = 6) -> None:
        self.path = path
        self.turns = turns

    def __call__(self, shown: str) -> str:
        if shown.endswith("Enter when nobody else looks: "):
            return "\n"
        if said := re.search(r"(\S+) looks good\.[^\n]*\n[^\n]*: $", shown):
            self.turns -= 1
            return f"{said[1]}\n"
        if self.turns:
            return "hint\n"
        return "quit\n" if "Saved." in shown else f"save {self.path}\n"


def assert_played_by(game: Game, seats: Seats) -> None:
    """Every bot's seat made just the moves that this bot makes there."""
    for ply, move in enumerate(game.moves):
        state = game.state_at(ply)
        played_by = seats[state.table.mover]
        if played_by is not None:
            rng = Random(f"{game.commitment} {ply}")
            assert bot(played_by)(view(state, state.table.mover), rng) == move


# --- new games --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bots", "names"),
    [
        (None, ["Human", "Medium 1", "Medium 2", "Medium 3"]),
        ("random", ["Human", "Random 1", "Random 2", "Random 3"]),
        ("random, greedy,random", ["Human", "Random 1", "Greedy 2", "Random 3"]),
        (
            "greedy-any-blocks,random,greedy",
            ["Human", "Greedy-Any-Blocks 1", "Random 2", "Greedy 3"],
        ),
    ],
)
def test_bots_of_any_kind_sit_at_one_table(
    bots: str | None, names: list[str], tmp_path: Path
) -> None:
    """Named after themselves and counted, and each plays as it does."""
    options = [] if bots is None else ["--bots", bots]
    guest = Guest(tmp_path / "game")
    assert manhattan("play", "--seed", SEED, *options, typed=guest).code == 0
    game = saved_game(guest.path)
    assert names_in(game) == names
    assert_played_by(game, tuple(bot_called(name) for name in names))


def test_people_take_the_first_seats_and_bots_the_rest(tmp_path: Path) -> None:
    guest = Guest(tmp_path / "game")
    options = [*people("Ann", "Ben"), "--bots", "greedy,random", "--seed", SEED]
    assert manhattan("play", *options, typed=guest).code == 0
    game = saved_game(guest.path)
    assert names_in(game) == ["Ann", "Ben", "Greedy 1", "Random 2"]
    assert_played_by(game, (None, None, "greedy", "random"))


def test_people_need_no_bot(tmp_path: Path) -> None:
    guest = Guest(tmp_path / "game")
    manhattan("play", "--players", "2", *people("Ann", "Ben"), typed=guest)
    assert names_in(saved_game(guest.path)) == ["Ann", "Ben"]


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["--bots", "random,greedy"], "--bots names 2, but there are seats for 3: name one bot"),
        (["-p", "2", "--bots", "random,greedy"], "--bots names 2, but there are seats for 1:"),
        (
            [*people("Ann", "Ben"), "--bots", "random,random,random"],
            "--bots names 3, but there are seats for 2:",
        ),
        (["--bots", "random,kasparov,greedy"], "There is no bot 'kasparov'. The bots: easy,"),
        (["--bots", "random,,greedy"], "There is no bot ''."),
        (
            [*people("Ann", "Ben", "Cyd"), "-p", "2"],
            "There are 3 names but 2 players: leave a name out, or raise --players.",
        ),
        (people(*"abcde"), "There are 5 names but 4 players"),
        (people("Greedy 1"), "'Greedy 1' is a bot's name, and a saved game knows its bots by"),
        (people("Ann", "Greedy-Any-Blocks 12"), "'Greedy-Any-Blocks 12' is a bot's name"),
        (people("Ann", "Ben", "Ann"), "Two people can't both be called 'Ann'"),
        (
            [*people("Ann", "Ben"), "-p", "2", "--bots", "greedy"],
            "Everybody at this table is a person: leave --bots out.",
        ),
        ([*people("Ann"), "-p", "5"], "2 to 4 players; there are 5."),
        (people("Ann", " "), "can't be a player's name"),
    ],
)
def test_a_table_that_can_not_be_is_told_in_a_sentence(arguments: list[str], what: str) -> None:
    outcome = manhattan("play", *arguments)
    assert (outcome.code, outcome.out) == (1, "")
    assert what in outcome.sentence
    assert "Traceback" not in outcome.err


@pytest.mark.parametrize("name", BOTS)
def test_every_bot_is_known_by_its_name(name: str) -> None:
    names, seats = new_table(["Ann"], 4, name)
    assert [bot_called(player) for player in names] == [None, name, name, name] == list(seats)


def test_a_bot_is_found_by_its_name_in_capitals_too() -> None:
    """As the level is called, and as somebody may shout it."""
    assert new_table(["Ann"], 3, "Easy, HARD") == (
        ["Ann", "Easy 1", "Hard 2"],
        (None, "easy", "hard"),
    )
    shown = manhattan("arena", "--bots", "Random,RANDOM", "--games", "2", "--workers", "1")
    assert (shown.code, shown.out.count("random")) == (0, 1)  # both are the same bot


def test_the_help_tells_how_every_level_plays() -> None:
    shown = " ".join(manhattan("play", "--help").out.split())
    for name, level in LEVELS.items():
        assert f"{name}: {level.description}" in shown
    assert all(name in shown for name in BOTS)


@pytest.mark.parametrize("name", ["Greedy", "greedy 1", "Greedy 0", "Greedy one", "Ann 1", "1"])
def test_a_person_may_have_any_name_that_is_no_bots(name: str) -> None:
    assert new_table([name], 2, None) == ([name, "Medium 1"], (None, "medium"))
    assert saved_table([name, "Medium 1"]) == (None, "medium")


# --- saved games ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("names", "named", "bots", "seats"),
    [
        # Bots are known by their names, everybody else is a person.
        (["Ann", "Greedy 1", "Random 2"], None, None, (None, "greedy", "random")),
        (["Random 1", "Ann", "Ben"], None, None, ("random", None, None)),
        # Others may play for them.
        (["Ann", "Greedy 1", "Random 2"], None, "random", (None, "random", "random")),
        (["Ann", "Greedy 1", "Random 2"], None, "random,greedy", (None, "random", "greedy")),
        # From elsewhere: the first player, or who is named.
        (["Ada", "Bob", "Cyd"], None, None, (None, "medium", "medium")),
        (["Ada", "Bob", "Cyd"], None, "random,greedy", (None, "random", "greedy")),
        (["Ada", "Bob", "Cyd"], ["Cyd"], None, ("medium", "medium", None)),
        (["Ada", "Bob", "Cyd"], ["Cyd", "Ada"], "random", (None, "random", None)),
        (["Ada", "Bob", "Ada"], ["Ada"], "random", (None, "random", None)),
        (["Ada", "Bob"], ["Ada", "Bob"], None, (None, None)),
        # Somebody has gone, or takes over from a bot.
        (["Ann", "Ben", "Random 1"], ["Ben"], None, ("medium", None, "random")),
        (["Random 1", "Greedy 2"], ["Greedy 2"], None, ("random", None)),
    ],
)
def test_the_seats_of_a_saved_game(
    names: list[str], named: list[str] | None, bots: str | None, seats: Seats
) -> None:
    assert saved_table(names, named, bots) == seats


@pytest.mark.parametrize(
    "names",
    [["Ann", "Greedy 1", "Random 2"], ["Ada", "Bob", "Cyd"], ["Random 1", "Greedy 2", "Greedy 3"]],
)
@pytest.mark.parametrize("bots", [None, "random", "greedy-any-blocks"])
@pytest.mark.parametrize("taken", [(0,), (1,), (0, 2), (1, 2)])
def test_what_is_told_when_a_game_is_saved_seats_everybody_again(
    names: list[str], taken: tuple[int, ...], bots: str | None
) -> None:
    seats = saved_table(names, [names[player] for player in taken], bots)
    assert people_at(seats) == taken
    options = options_for(names, seats)
    given = list(zip(options[::2], options[1::2], strict=True))
    named = [value for option, value in given if option == "--name"]
    bots_named = [value for option, value in given if option == "--bots"]
    assert saved_table(names, named or None, *bots_named) == seats


def test_nothing_is_told_that_need_not_be() -> None:
    assert options_for(["Ann", "Ben", "Greedy 1"], (None, None, "greedy")) == []
    assert options_for(["Ada", "Bob"], (None, "medium")) == []
    assert options_for(["Ada", "Bob"], (None, None)) == ["--name", "Ada", "--name", "Bob"]
    assert options_for(["Ann", "Greedy 1"], (None, "random")) == ["--bots", "random"]


def test_two_players_of_one_name_are_named_once() -> None:
    """Records may have them; a new table may not."""
    assert options_for(["Bob", "Ada", "Ada"], ("medium", None, None)) == ["--name", "Ada"]


def test_a_loaded_game_knows_its_bots(tmp_path: Path) -> None:
    """By their names, wherever they sit."""
    write_game(tmp_path / "before", "Random 1", "Ann", "Greedy 2")
    guest = Guest(tmp_path / "after")
    outcome = manhattan("play", "--load", tmp_path / "before", typed=guest)
    assert (outcome.code, outcome.err) == (0, "")
    assert "it is your turn" not in outcome.out
    assert_played_by(saved_game(guest.path), ("random", None, "greedy"))


def test_other_bots_may_play_on_under_the_same_names(tmp_path: Path) -> None:
    write_game(tmp_path / "before", "Ann", "Random 1", "Random 2")
    guest = Guest(tmp_path / "after")
    shown = manhattan("play", "--load", tmp_path / "before", "--bots", "greedy", typed=guest).out
    game = saved_game(guest.path)
    assert names_in(game) == ["Ann", "Random 1", "Random 2"]
    assert_played_by(game, (None, "greedy", "greedy"))
    assert f"play --load {guest.path} --bots greedy\n" in shown


def test_of_a_game_from_elsewhere_one_tells_who_plays(tmp_path: Path) -> None:
    write_game(tmp_path / "before", *NAMES)
    guest = Guest(tmp_path / "after")
    options = [*people("Bob", "Dan"), "--bots", "random,greedy"]
    shown = manhattan("play", "--load", tmp_path / "before", *options, typed=guest).out
    assert set(re.findall(r"(\w+), it is your turn", shown)) == {"Bob", "Dan"}
    assert_played_by(saved_game(guest.path), ("random", None, "greedy", None))


def test_of_a_game_from_elsewhere_the_first_player_is_you(tmp_path: Path) -> None:
    write_game(tmp_path / "before", *NAMES)
    guest = Guest(tmp_path / "after")
    manhattan("play", "--load", tmp_path / "before", "--bots", "random", typed=guest)
    assert_played_by(saved_game(guest.path), (None, "random", "random", "random"))


def test_people_alone_find_their_seats_by_what_was_told(tmp_path: Path) -> None:
    """No bot is there to know the game by, so the command names everybody."""
    half, direct, resumed = (tmp_path / name for name in ("half game", "direct", "resumed"))
    new = ["play", "--players", "2", *people("Ann", "Ben O'Hara"), "--seed", SEED]
    shown = manhattan(*new, typed=Guest(half, 3)).out
    (command,) = re.findall(r"Go on with: manhattan (.*)\n", shown)
    manhattan(*shlex.split(command), typed=Guest(resumed, 4))
    manhattan(*new, typed=Guest(direct, 7))
    assert direct.read_bytes() == resumed.read_bytes()


@pytest.mark.parametrize(
    ("names", "arguments", "what"),
    [
        (NAMES, people("Zoe"), "Nobody in this game is called 'Zoe'. The players: Ada, Bob, Cyd,"),
        (NAMES, people("Ada", "\u0410da"), "CYRILLIC CAPITAL LETTER A"),
        (NAMES, people("Ada", "Ada"), "Two people can't both be called 'Ada'"),
        (NAMES, ["--bots", "random,greedy"], "--bots names 2, but there are seats for 3"),
        (NAMES, ["--bots", "kasparov"], "There is no bot 'kasparov'."),
        (NAMES, [*people(*NAMES), "--bots", "random"], "Everybody at this table is a person"),
        (
            ("Greedy 1", "Random 2"),
            [],
            "is a bot: say with --name whom you play. The players: Greedy 1, Random 2.",
        ),
    ],
)
def test_seats_that_a_saved_game_does_not_have(
    names: tuple[str, ...], arguments: list[str], what: str, tmp_path: Path
) -> None:
    outcome = manhattan("play", "--load", write_game(tmp_path / "game", *names), *arguments)
    assert (outcome.code, outcome.out) == (1, "")
    assert what in outcome.sentence


def test_errors_are_typed_for_programs() -> None:
    with pytest.raises(SetupError):
        new_table(["Ann"], 4, "random,random")
    with pytest.raises(SetupError):
        saved_table(["Ann", "Ben"], ["Cyd"])
