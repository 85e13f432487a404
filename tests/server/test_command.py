"""``manhattan serve`` and ``manhattan backup``, as somebody runs them."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from commandline import manhattan, process
from manhattan import record
from manhattan.client import Client
from manhattan.replay import replay
from serving import AGAINST_EASY, play_on

COMMAND = [sys.executable, "-m", "manhattan"]


@contextmanager
def serving(*options: str) -> Iterator[str]:
    """A server as somebody starts it, and the address that it prints."""
    command = [*COMMAND, "serve", "--host", "127.0.0.1", "--port", "0", "--no-log", "--no-warm"]
    command += options
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        told = server.stdout.readline()
        address = re.search(r"http://127\.0\.0\.1:\d+", told)
        assert address, told
        try:
            yield address[0]
        finally:
            server.send_signal(signal.SIGINT)
            assert server.wait(15) == 0
            assert "Traceback" not in server.stdout.read()


def test_tables_are_there_again_after_a_restart_and_in_a_back_up(tmp_path: Path) -> None:
    kept, copied, games = (str(tmp_path / name) for name in ("t.db", "copy.db", "games.jsonl"))
    with serving("--database", kept) as address:
        ada = Client(address, "Ada")
        over = ada.open(chairs=AGAINST_EASY, pace=0, begin=True)
        running = ada.open(chairs=AGAINST_EASY, pace=0, begin=True)
        with ada.at(over) as seat:
            play_on(seat)
        with ada.at(running) as seat:
            play_on(seat, moves=5)
        second = process("serve", "--port", "0", "--no-browser", "--no-log", "--database", kept)
        assert (second.code, "served already" in second.sentence) == (1, True), second.err
        told = manhattan("backup", copied, "--database", kept)
        assert (told.code, "2 tables" in told.err) == (0, True), told.err
        assert manhattan("backup", games, "--database", kept, "--games").code == 0
    assert [replay(one).over for one in record.read(games)] == [True]
    for database in (kept, copied):
        with serving("--database", database) as address:
            again = Client(address, "Somebody")
            again.cookie = ada.cookie
            with again.at(running) as seat:
                made = play_on(seat)
            assert len(made) == 54 - 5
            assert again.record(over)["result"]


def test_a_back_up_overwrites_nothing_and_says_what_is_missing(tmp_path: Path) -> None:
    there = tmp_path / "there.db"
    there.write_text("mine")
    nothing = manhattan("backup", tmp_path / "new.db", "--database", tmp_path / "none.db")
    assert (nothing.code, nothing.err[:23]) == (1, "Error: There are no tab")
    taken = manhattan("backup", there, "--database", there)
    assert taken.code == 1
    assert "already" in taken.err
    assert there.read_text() == "mine"
    games = manhattan("backup", there, "--database", there, "--games")
    assert (games.code, "already; choose another" in games.sentence) == (1, True)
    assert there.read_text() == "mine"
    for only_games in ([], ["--games"]):
        astray = manhattan("backup", tmp_path / "no" / "x", "--database", there, *only_games)
        assert (astray.code, f"no folder {tmp_path / 'no'}" in astray.sentence) == (1, True)
    assert not (tmp_path / "no").exists()
    other = manhattan("backup", tmp_path / "new.db", "--database", there)
    assert other.code == 1
    assert "can't be" in other.err
    assert "Traceback" not in other.err


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--redis", "redis://127.0.0.1:1"], "say --database"),
        (["--database", "mysql://somewhere"], "mysql:// is neither"),
        (["--host", "192.0.2.77"], "Nobody can come to 192.0.2.77"),
    ],
)
def test_what_can_not_be_served_is_told_in_a_sentence(options: list[str], told: str) -> None:
    ended = process("serve", "--port", "0", "--no-browser", "--no-log", *options)
    assert ended.code == 1
    assert told in ended.sentence
    assert "Traceback" not in ended.err


def test_a_port_that_is_taken_is_told() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        ended = process("serve", "--host", "127.0.0.1", "--port", port, "--no-log")
    assert ended.code == 1
    assert "taken by another program" in ended.err
