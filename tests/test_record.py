"""RECORD: saving a game and reading it back."""

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
from support.record_fixtures import (
    NAMES,
    TABLES,
    Json,
    event_types,
    finished,
    record_json,
    recorded,
    stuck,
)

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
    """A file with two games."""
    path = tmp_path / "games.jsonl"
    write(path, [record_json(), record_json(finished(players=2))])
    return path


# --- round trips ------------------------------------------------------------------------------


@pytest.mark.parametrize(("edition", "players"), TABLES)
def test_a_record_round_trips(edition: str, players: int) -> None:
    """Writing, reading and replaying loses nothing, in any edition and player count."""
    game = finished(edition, players)
    loaded = replay(recorded(record_json(game)))
    assert (loaded.setup, loaded.seed, loaded.events) == (game.setup, game.seed, game.events)
    assert record_json(loaded) == record_json(game)


def test_a_game_with_redraws_and_removals_round_trips() -> None:
    """This is a game with rare events and without a seed."""
    loaded = replay(recorded(record_json(stuck())))
    assert loaded.events == stuck().events


def test_house_rules_are_written_as_changes_of_the_edition() -> None:
    """A record contains only the rows that differ from the edition."""
    rules = {"tallest_tie": "one_owner", "sides": "distinct"}
    game = Game.new(NAMES, house_rules=rules, seed=bytes(32))
    assert record_json(game)["house_rules"] == {"tallest_tie": "one_owner"}
    assert replay(recorded(record_json(game))).setup.rules.tallest_tie == "one_owner"


def test_a_record_has_exactly_the_documented_keys_in_the_documented_order() -> None:
    assert list(record_json()) == KEYS
    assert list(record_json()["result"]) == ["scores", "winners", "decided_by"]
    assert list(record_json()["players"][0]) == ["name", "side", "colours"]


def test_the_seed_and_its_commitment_are_64_lower_case_hex_digits() -> None:
    """The published test vector of RECORD, for a seed of 32 zero bytes."""
    data = record_json(Game.new(NAMES, seed=bytes(32), first="random"))
    assert data["seed"] == "0" * 64
    assert data["commitment"] == "66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925"
    assert data["deck"][:20] == [6, 9, 8, 3, 7, 5, 1, 9, 5, 4, 3, 1, 6, 2, 7, 4, 8, 8, 7, 2]
    assert data["deck"][20:] == [int(c) for c in "5314683124737655929486921"]
    assert data["first"] == 2


@pytest.mark.parametrize("name", ["Zoë", "李小龍", "مريم", "Ада", 'O\'Brien \\ "x"', "🏙 Anna"])
def test_names_in_every_script_round_trip(name: str, tmp_path: Path) -> None:
    """A name is stored as UTF-8, without escapes."""
    path = tmp_path / "game.jsonl"
    write(path, [record_json(Game.new([name, "Bob"], seed=bytes(32)))])
    (record,) = read(path)
    assert record.setup.players[0].name == name
    assert json.dumps(name, ensure_ascii=False).encode() in path.read_bytes()


# --- files ------------------------------------------------------------------------------------


def test_a_file_has_one_game_a_line(saved_file: Path) -> None:
    lines = saved_file.read_text("utf-8").split("\n")
    assert [json.loads(line) for line in lines[:-1]] == [
        record_json(),
        record_json(finished(players=2)),
    ]
    assert lines[-1] == ""


def test_games_are_read_in_order(saved_file: Path) -> None:
    assert [len(record.setup.players) for record in read(saved_file)] == [4, 2]


def test_writing_returns_the_number_of_records(tmp_path: Path) -> None:
    assert write(tmp_path / "three.jsonl", (record_json() for _ in range(3))) == 3


def test_a_single_game_may_have_several_lines(tmp_path: Path) -> None:
    """A pretty-printed record is still a record."""
    path = tmp_path / "pretty.json"
    path.write_text(json.dumps(record_json(), indent=2), "utf-8")
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
def test_blank_lines_are_ignored(layout: str, tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    text = layout.format(to_line(record_json()), to_line(record_json(finished(players=2))))
    path.write_bytes(text.encode())
    assert [len(record.setup.players) for record in read(path)] == [4, 2]


def test_an_error_in_a_file_of_several_games_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text(
        to_line(record_json()) + "\n\n" + to_line(record_json() | {"first": 7}) + "\n", "utf-8"
    )
    with pytest.raises(RecordError, match=r"games\.jsonl, line 3, first: "):
        list(read(path))


@pytest.mark.parametrize("games", [2, 150])
def test_an_invalid_first_line_is_reported_for_files_of_any_length(
    games: int, tmp_path: Path
) -> None:
    """150 games are longer than the limit of a record, but the error is in line 1."""
    path = tmp_path / "games.jsonl"
    path.write_text("x" + (to_line(record_json()) + "\n") * games, "utf-8")
    with pytest.raises(RecordError, match=r"line 1.*not valid JSON"):
        list(read(path))


def test_the_error_has_one_line_number(tmp_path: Path) -> None:
    """Not "line 2, line 1, column 1"."""
    path = tmp_path / "games.jsonl"
    path.write_text(to_line(record_json()) + "\nx\n", "utf-8")
    with pytest.raises(RecordError) as caught:
        list(read(path))
    assert str(caught.value).count("line ") == 1


# --- atomic writes ----------------------------------------------------------------------------


class _Interrupted(Exception):
    """An error while games are played."""


def _failing() -> Iterator[Json]:
    yield record_json()
    raise _Interrupted


def test_a_failed_write_keeps_the_older_file(saved_file: Path) -> None:
    before = saved_file.read_bytes()
    with pytest.raises(_Interrupted):
        write(saved_file, _failing())
    assert saved_file.read_bytes() == before


def test_a_failed_write_leaves_no_temporary_file(saved_file: Path) -> None:
    with pytest.raises(_Interrupted):
        write(saved_file, _failing())
    assert list(saved_file.parent.iterdir()) == [saved_file]


def test_a_full_disk_keeps_the_older_file(saved_file: Path) -> None:
    """The size of files is limited to 4 kB, so the system rejects the rest."""
    before = saved_file.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    try:
        with pytest.raises(RecordError, match=r"games\.jsonl: The file can't be written: \w"):
            write(saved_file, [record_json()])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert saved_file.read_bytes() == before
    assert list(saved_file.parent.iterdir()) == [saved_file]


@pytest.mark.parametrize("name", ["nowhere/game.json", "games.jsonl/game.json", "/proc/game.json"])
def test_an_invalid_path_is_reported(name: str, saved_file: Path) -> None:
    """A missing directory, a file as a directory, and a directory that is not writable."""
    path = saved_file.parent / name
    with pytest.raises(RecordError, match=r"game\.json: The file can't be written: \w"):
        write(path, [record_json()])


def test_a_directory_is_not_replaced_by_a_game(tmp_path: Path) -> None:
    directory = tmp_path / "games"
    directory.mkdir()
    with pytest.raises(RecordError, match=r"The file can't be written: \w"):
        write(directory, [record_json()])
    assert directory.is_dir()
    assert list(tmp_path.iterdir()) == [directory]


@pytest.fixture
def pipe(tmp_path: Path) -> Iterator[tuple[Path, int]]:
    """A named pipe and its reading end, so that writing to it can't block."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    yield path, reader
    os.close(reader)


def test_a_special_file_is_written_to_and_not_replaced(pipe: tuple[Path, int]) -> None:
    """Replacing a pipe, or /dev/null as root, would destroy it."""
    path, reader = pipe
    write(path, [record_json()])
    assert stat.S_ISFIFO(path.stat().st_mode)
    assert os.read(reader, 100_000).decode() == to_line(record_json()) + "\n"


def test_a_stream_of_the_shell_can_be_written_to() -> None:
    """``--out >(gzip ...)`` and ``--out /dev/stdout`` are pipes without a path."""
    reader, writer = os.pipe()
    try:
        write(f"/dev/fd/{writer}", [record_json()])
        assert os.read(reader, 100_000).decode() == to_line(record_json()) + "\n"
    finally:
        os.close(reader)
        os.close(writer)


def test_a_symbolic_link_is_kept(saved_file: Path) -> None:
    link = saved_file.with_name("link")
    link.symlink_to(saved_file)
    write(link, [record_json()])
    assert link.is_symlink()
    assert saved_file.read_text("utf-8") == to_line(record_json()) + "\n"


def test_an_invalid_file_name_is_reported() -> None:
    """A pasted name may contain a NUL."""
    with pytest.raises(RecordError) as writing:
        write("a\0b", [record_json()])
    with pytest.raises(RecordError) as reading:
        list(read("a\0b"))
    assert str(writing.value).isprintable()
    assert str(reading.value).isprintable()


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_the_file_mode_respects_the_umask(umask: int, mode: int, tmp_path: Path) -> None:
    before = os.umask(umask)
    try:
        write(tmp_path / "game.jsonl", [record_json()])
    finally:
        assert os.umask(before) == umask
    assert stat.S_IMODE((tmp_path / "game.jsonl").stat().st_mode) == mode


# --- unfinished games -------------------------------------------------------------------------


@pytest.mark.parametrize("ply", [0, 1, 4, 5, 40, 111])
def test_a_saved_unfinished_game_can_be_continued(ply: int) -> None:
    """With the same moves it ends like the original game."""
    game = finished()
    resumed = replay(recorded(record_json(game.at(ply))))
    assert resumed.state == game.state_at(ply)
    for move in game.moves[ply:]:
        resumed.play(move)
    assert record_json(resumed) == record_json(game)


@pytest.mark.parametrize("ply", [0, 4, 5, 40, 111])
def test_a_redacted_record_has_no_hidden_cards(ply: int) -> None:
    """It has no seed, deck, drawn cards or piles; the commitment stays."""
    game = finished().at(ply)
    data = record_json(game, redacted=True)
    assert (data["seed"], data["deck"]) == (None, None)
    assert data["commitment"] == record_json(game)["commitment"]
    assert not {"drew", "pile"} & {key for event in data["events"] for key in event}
    assert game.seed is not None
    assert game.seed.hex() not in to_line(data)


def test_a_redacted_redraw_has_the_shown_hand() -> None:
    """All players saw the old hand; the new one and the pile are hidden."""
    data = record_json(stuck().at(34), redacted=True)
    shuffle, redraw = data["events"][-2:]
    assert shuffle == {"type": "shuffle"}
    assert redraw == {"type": "redraw", "player": 0, "hand": [1, 1, 1, 2]}


def test_a_redacted_record_has_everything_but_the_hidden_cards() -> None:
    game = finished().at(60)
    complete, redacted = record_json(game), record_json(game, redacted=True)
    for event in complete["events"]:
        event.pop("drew", None)
        event.pop("pile", None)
    assert redacted == complete | {"seed": None, "deck": None}
    assert "shuffle" in event_types(redacted)


def test_the_record_of_a_finished_game_is_not_redacted() -> None:
    assert to_json(finished(), redacted=True) == to_json(finished(), redacted=False)


def test_an_unfinished_game_has_no_result() -> None:
    assert record_json(finished().at(111))["result"] is None
    assert record_json(finished())["result"] is not None


def test_reading_checks_the_format_and_not_the_rules() -> None:
    """A record whose moves break the rules can be read; it can't be replayed."""
    data = record_json()
    data["events"][0]["player"] = (data["events"][0]["player"] + 1) % 4
    record = parse(to_line(data))
    with pytest.raises(RecordError, match="turn"):
        replay(record)
