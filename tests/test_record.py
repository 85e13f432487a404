"""RECORD: writing a game down, and reading it back."""

from __future__ import annotations

import json
import os
import resource
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from manhattan.game import Game
from manhattan.record import RecordError, parse, read, to_json, to_line, write
from manhattan.replay import replay
from saved import NAMES, TABLES, Json, finished, kinds, recorded, stuck, told

KEYS = [
    "format",
    "version",
    "edition",
    "house_rules",
    "players",
    "first",
    "seed",
    "commitment",
    "deck",
    "events",
    "result",
]


@pytest.fixture
def saved_file(tmp_path: Path) -> Path:
    """A file of two games."""
    path = tmp_path / "games.jsonl"
    write(path, [told(), told(finished(players=2))])
    return path


# --- there and back ---------------------------------------------------------------------------


@pytest.mark.parametrize(("edition", "players"), TABLES)
def test_a_record_read_back_is_the_same_game(edition: str, players: int) -> None:
    """Writing, reading and replaying loses nothing, in any edition with any number of players."""
    game = finished(edition, players)
    again = replay(recorded(told(game)))
    assert (again.setup, again.seed, again.events) == (game.setup, game.seed, game.events)
    assert told(again) == told(game)


def test_a_game_with_redraws_and_removals_read_back_is_the_same_game() -> None:
    """The rare events survive too, in a game without a seed."""
    again = replay(recorded(told(stuck())))
    assert again.events == stuck().events


def test_house_rules_are_written_as_changes_of_the_edition() -> None:
    """Only the rows that differ from the edition are told, and they come back."""
    rules = {"tallest_tie": "one_owner", "sides": "distinct"}
    game = Game.new(NAMES, house_rules=rules, seed=bytes(32))
    assert told(game)["house_rules"] == {"tallest_tie": "one_owner"}
    assert replay(recorded(told(game))).setup.rules.tallest_tie == "one_owner"


def test_a_record_has_exactly_the_documented_keys_in_the_documented_order() -> None:
    assert list(told()) == KEYS
    assert list(told()["result"]) == ["scores", "winners", "decided_by"]
    assert list(told()["players"][0]) == ["name", "seat", "colours"]


def test_the_seed_and_its_commitment_are_64_small_hex_digits() -> None:
    """The published test vector of RECORD, for a seed of 32 zero bytes."""
    data = told(Game.new(NAMES, seed=bytes(32), first="lot"))
    assert data["seed"] == "0" * 64
    assert data["commitment"] == "66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925"
    assert data["deck"][:20] == [6, 9, 8, 3, 7, 5, 1, 9, 5, 4, 3, 1, 6, 2, 7, 4, 8, 8, 7, 2]
    assert data["deck"][20:] == [int(c) for c in "5314683124737655929486921"]
    assert data["first"] == 2


@pytest.mark.parametrize("name", ["Zoë", "李小龍", "مريم", "Ада", 'O\'Brien \\ "x"', "🏙 Anna"])
def test_names_of_every_script_come_back(name: str, tmp_path: Path) -> None:
    """A name is stored in UTF-8 as it is, not as escapes."""
    path = tmp_path / "game.jsonl"
    write(path, [told(Game.new([name, "Bob"], seed=bytes(32)))])
    (record,) = read(path)
    assert record.setup.players[0].name == name
    assert json.dumps(name, ensure_ascii=False).encode() in path.read_bytes()


# --- files ------------------------------------------------------------------------------------


def test_a_file_holds_one_game_a_line(saved_file: Path) -> None:
    lines = saved_file.read_text("utf-8").split("\n")
    assert [json.loads(line) for line in lines[:-1]] == [told(), told(finished(players=2))]
    assert lines[-1] == ""


def test_reading_gives_the_games_in_order(saved_file: Path) -> None:
    assert [len(record.setup.players) for record in read(saved_file)] == [4, 2]


def test_writing_tells_how_many_records_were_written(tmp_path: Path) -> None:
    assert write(tmp_path / "three.jsonl", (told() for _ in range(3))) == 3


def test_a_single_game_may_be_spread_over_many_lines(tmp_path: Path) -> None:
    """A record that somebody has pretty-printed is still a record."""
    path = tmp_path / "pretty.json"
    path.write_text(json.dumps(told(), indent=2), "utf-8")
    (record,) = read(path)
    assert replay(record).result == finished().result


@pytest.mark.parametrize(
    "layout",
    [
        pytest.param("{0}\n\n{1}\n", id="between"),
        pytest.param("{0}\n{1}\n\n \n\n", id="at the end"),
        pytest.param("\n{0}\n{1}\n", id="at the start"),
        pytest.param("{0}\r\n\r\n{1}\r\n", id="of Windows"),
        pytest.param("{0}\n{1}", id="none at all"),
    ],
)
def test_blank_lines_mean_nothing(layout: str, tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    text = layout.format(to_line(told()), to_line(told(finished(players=2))))
    path.write_bytes(text.encode())
    assert [len(record.setup.players) for record in read(path)] == [4, 2]


def test_the_error_in_a_file_of_many_games_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text(to_line(told()) + "\n\n" + to_line(told() | {"first": 7}) + "\n", "utf-8")
    with pytest.raises(RecordError, match=r"games\.jsonl, line 3, first: "):
        list(read(path))


@pytest.mark.parametrize("games", [2, 150])
def test_a_broken_first_line_is_named_however_long_the_file_is(games: int, tmp_path: Path) -> None:
    """150 games are more text than one record may have, but it is line 1 that is wrong."""
    path = tmp_path / "games.jsonl"
    path.write_text("x" + (to_line(told()) + "\n") * games, "utf-8")
    with pytest.raises(RecordError, match=r"line 1.*no JSON"):
        list(read(path))


def test_a_broken_line_is_numbered_once(tmp_path: Path) -> None:
    """Not "line 2, line 1, column 1"."""
    path = tmp_path / "games.jsonl"
    path.write_text(to_line(told()) + "\nx\n", "utf-8")
    with pytest.raises(RecordError) as caught:
        list(read(path))
    assert str(caught.value).count("line ") == 1


# --- whole or not at all ----------------------------------------------------------------------


class _Interrupted(Exception):
    """Something that goes wrong while games are played."""


def _failing() -> Iterator[Json]:
    yield told()
    raise _Interrupted


def test_an_older_file_survives_a_failure_in_the_middle(saved_file: Path) -> None:
    before = saved_file.read_bytes()
    with pytest.raises(_Interrupted):
        write(saved_file, _failing())
    assert saved_file.read_bytes() == before


def test_a_failure_leaves_no_other_file_behind(saved_file: Path) -> None:
    with pytest.raises(_Interrupted):
        write(saved_file, _failing())
    assert list(saved_file.parent.iterdir()) == [saved_file]


def test_a_full_disk_leaves_the_older_file_and_nothing_else(saved_file: Path) -> None:
    """The file may grow to 4 kB only: the system refuses the rest, and a sentence says so."""
    before = saved_file.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    try:
        with pytest.raises(RecordError, match=r"games\.jsonl: The file can't be written: \w"):
            write(saved_file, [told()])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert saved_file.read_bytes() == before
    assert list(saved_file.parent.iterdir()) == [saved_file]


@pytest.mark.parametrize("where", ["nowhere/game.json", "games.jsonl/game.json", "/proc/game.json"])
def test_a_place_that_takes_no_file_is_told_in_a_sentence(where: str, saved_file: Path) -> None:
    """No such directory, a file for a directory, a directory that nobody may write to."""
    path = saved_file.parent / where
    with pytest.raises(RecordError, match=r"game\.json: The file can't be written: \w"):
        write(path, [told()])


def test_a_directory_is_not_replaced_by_a_game(tmp_path: Path) -> None:
    directory = tmp_path / "games"
    directory.mkdir()
    with pytest.raises(RecordError, match=r"The file can't be written: \w"):
        write(directory, [told()])
    assert directory.is_dir()
    assert list(tmp_path.iterdir()) == [directory]


@pytest.fixture
def pipe(tmp_path: Path) -> Iterator[tuple[Path, int]]:
    """A pipe with a name, and its reading end, so that writing to it can't hang."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    yield path, reader
    os.close(reader)


def test_what_is_no_ordinary_file_is_written_to_and_not_replaced(pipe: tuple[Path, int]) -> None:
    """Whoever writes to a pipe, or as root to /dev/null, must not lose it."""
    path, reader = pipe
    write(path, [told()])
    assert stat.S_ISFIFO(path.stat().st_mode)
    assert os.read(reader, 100_000).decode() == to_line(told()) + "\n"


def test_a_stream_of_the_shell_is_written_to() -> None:
    """``--out >(gzip ...)`` and ``--out /dev/stdout`` are such files: pipes without a path."""
    reader, writer = os.pipe()
    try:
        write(f"/dev/fd/{writer}", [told()])
        assert os.read(reader, 100_000).decode() == to_line(told()) + "\n"
    finally:
        os.close(reader)
        os.close(writer)


def test_a_link_stays_a_link(saved_file: Path) -> None:
    link = saved_file.with_name("link")
    link.symlink_to(saved_file)
    write(link, [told()])
    assert link.is_symlink()
    assert saved_file.read_text("utf-8") == to_line(told()) + "\n"


def test_a_name_that_no_file_can_have_is_told_in_a_sentence() -> None:
    """A NUL in a file's name, as a pasted text may have it."""
    with pytest.raises(RecordError) as writing:
        write("a\0b", [told()])
    with pytest.raises(RecordError) as reading:
        list(read("a\0b"))
    assert str(writing.value).isprintable()
    assert str(reading.value).isprintable()


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_the_file_gets_the_mode_that_the_user_asked_for(
    umask: int, mode: int, tmp_path: Path
) -> None:
    before = os.umask(umask)
    try:
        write(tmp_path / "game.jsonl", [told()])
    finally:
        assert os.umask(before) == umask
    assert stat.S_IMODE((tmp_path / "game.jsonl").stat().st_mode) == mode


# --- games that are not over ------------------------------------------------------------------


@pytest.mark.parametrize("ply", [0, 1, 4, 5, 40, 111])
def test_an_unfinished_game_is_saved_whole_and_goes_on(ply: int) -> None:
    """Whoever owns the game loses no card: played on, it ends as it would have."""
    game = finished()
    resumed = replay(recorded(told(game.at(ply))))
    assert resumed.state == game.state_at(ply)
    for move in game.moves[ply:]:
        resumed.play(move)
    assert told(resumed) == told(game)


@pytest.mark.parametrize("ply", [0, 4, 5, 40, 111])
def test_what_others_see_of_an_unfinished_game_holds_no_hidden_card(ply: int) -> None:
    """No seed, no deck, nothing drawn, no pile: nowhere in the text. The commitment stays."""
    game = finished().at(ply)
    seen = told(game, whole=False)
    assert (seen["seed"], seen["deck"]) == (None, None)
    assert seen["commitment"] == told(game)["commitment"]
    assert not {"drew", "pile"} & {key for event in seen["events"] for key in event}
    assert game.seed is not None
    assert game.seed.hex() not in to_line(seen)


def test_what_others_see_of_a_redraw_is_the_hand_that_was_shown() -> None:
    """Everybody saw the old hand; the new one is secret, and so is the pile."""
    seen = told(stuck().at(34), whole=False)
    shuffle, redraw = seen["events"][-2:]
    assert shuffle == {"type": "shuffle"}
    assert redraw == {"type": "redraw", "player": 0, "hand": [1, 1, 1, 2]}


def test_apart_from_the_hidden_cards_others_see_everything() -> None:
    game = finished().at(60)
    owner, others = told(game), told(game, whole=False)
    for event in owner["events"]:
        event.pop("drew", None)
        event.pop("pile", None)
    assert others == owner | {"seed": None, "deck": None}
    assert "shuffle" in kinds(others)


def test_a_finished_game_has_no_secrets() -> None:
    assert to_json(finished(), whole=False) == to_json(finished(), whole=True)


def test_an_unfinished_game_has_no_result() -> None:
    assert told(finished().at(111))["result"] is None
    assert told(finished())["result"] is not None


def test_reading_checks_the_form_but_leaves_the_rules_to_the_replay() -> None:
    """A record whose moves break the rules can be read; it can't be replayed."""
    data = told()
    data["events"][0]["player"] = (data["events"][0]["player"] + 1) % 4
    record = parse(to_line(data))
    with pytest.raises(RecordError, match="turn"):
        replay(record)
