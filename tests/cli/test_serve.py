"""``manhattan serve`` and ``manhattan backup``, as processes."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from manhattan import record
from manhattan.client import Client
from manhattan.replay import replay
from support.cli_runner import run_cli, run_process
from support.databases import store_at
from support.server_fixtures import AGAINST_EASY, play_on

COMMAND = [sys.executable, "-m", "manhattan"]


@contextmanager
def running_server(*options: str) -> Iterator[str]:
    """Start a server, and yield the address that it prints."""
    command = [
        *COMMAND,
        "serve",
        "--host",
        "127.0.0.1",
        "--port",
        "0",
        "--no-access-log",
        "--no-warm-up",
    ]
    command += options
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        line = server.stdout.readline()
        address = re.search(r"http://127\.0\.0\.1:\d+", line)
        assert address, line
        try:
            yield address[0]
        finally:
            server.send_signal(signal.SIGINT)
            assert server.wait(15) == 0
            assert "Traceback" not in server.stdout.read()


def test_tables_survive_a_restart_and_are_in_a_backup(tmp_path: Path) -> None:
    original, copied, games = (str(tmp_path / name) for name in ("t.db", "copy.db", "games.jsonl"))
    with running_server("--database", original) as address:
        ada = Client(address, "Ada")
        over = ada.open_table(seats=AGAINST_EASY, bot_delay_ms=0, start=True)
        running = ada.open_table(seats=AGAINST_EASY, bot_delay_ms=0, start=True)
        with ada.connect(over) as seat:
            play_on(seat)
        with ada.connect(running) as seat:
            play_on(seat, moves=5)
        second = run_process(
            "serve", "--port", "0", "--no-browser", "--no-access-log", "--database", original
        )
        assert (second.code, "already serves" in second.error) == (1, True), second.err
        backup = run_cli("backup", copied, "--database", original)
        assert backup.code == 0, backup.err
        assert re.search(r"Copied 2 tables with [1-9]\d+ events\.", backup.err)
        exported = run_cli("backup", games, "--database", original, "--games")
        assert (exported.code, "Wrote 1 finished game to" in exported.error) == (0, True)
    assert [replay(recorded).is_over for recorded in record.read(games)] == [True]
    for database in (original, copied):
        with running_server("--database", database) as address:
            again = Client(address, "Ada again")
            again.cookie = ada.cookie
            with again.connect(running) as seat:
                made = play_on(seat)
            assert len(made) == 54 - 5
            assert again.record(over)["result"]


def test_backup_overwrites_nothing_and_reports_errors(tmp_path: Path) -> None:
    there = tmp_path / "existing.db"
    there.write_text("mine")
    nothing = run_cli("backup", tmp_path / "new.db", "--database", tmp_path / "none.db")
    assert (nothing.code, nothing.err[:23]) == (1, "Error: There is no data")
    taken = run_cli("backup", there, "--database", there)
    assert taken.code == 1
    assert "already" in taken.err
    assert there.read_text() == "mine"
    games = run_cli("backup", there, "--database", there, "--games")
    assert (games.code, "already exists. Choose another" in games.error) == (1, True)
    assert there.read_text() == "mine"
    for only_games in ([], ["--games"]):
        astray = run_cli("backup", tmp_path / "no" / "x", "--database", there, *only_games)
        assert (astray.code, f"no folder {tmp_path / 'no'}" in astray.error) == (1, True)
    assert not (tmp_path / "no").exists()
    other = run_cli("backup", tmp_path / "new.db", "--database", there)
    assert other.code == 1
    assert "can't be" in other.err
    assert "Traceback" not in other.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--redis", "redis://127.0.0.1:1"], "Add --database"),
        (["--database", "mysql://somewhere"], "mysql:// is neither"),
        (["--host", "192.0.2.77"], "Can't listen on 192.0.2.77"),
    ],
)
def test_a_server_that_can_not_start_is_an_error(options: list[str], message: str) -> None:
    ended = run_process("serve", "--port", "0", "--no-browser", "--no-access-log", *options)
    assert ended.code == 1
    assert message in ended.error
    assert "Traceback" not in ended.err


def test_a_port_in_use_is_an_error() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        ended = run_process("serve", "--host", "127.0.0.1", "--port", port, "--no-access-log")
    assert ended.code == 1
    assert "the port is in use" in ended.err


def test_a_server_that_is_terminated_leaves_no_trace_of_its_processes(tmp_path: Path) -> None:
    """While bots think, and if systemd terminates their processes as well."""
    for is_group in (False, True):
        command = [*COMMAND, "serve", "--host", "127.0.0.1", "--port", "0", "--no-warm-up"]
        command += ["--no-access-log", "--database", str(tmp_path / f"{is_group}.db")]
        with subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        ) as server:
            assert server.stdout is not None
            address = re.search(r"http://127\.0\.0\.1:\d+", server.stdout.readline())
            assert address
            ada = Client(address[0], "Ada")
            bots = [{"occupant": "bot", "level": "easy"}] * 4
            table = ada.open_table(seats=bots, bot_delay_ms=0, start=True)
            with ada.connect(table) as seat:
                for _ in zip(range(5), seat.messages(), strict=False):
                    pass
                (os.killpg if is_group else os.kill)(server.pid, signal.SIGTERM)
            _, errors = server.communicate(timeout=30)
            assert (server.returncode, errors) == (0, "")


SERVE_UNPRIVILEGED = """
import os, pwd, sys
from manhattan.cli import main
import manhattan.server.runner  # while all of it can be read
if os.geteuid() == 0:  # who may write everything
    nobody = pwd.getpwnam("nobody")
    os.setgroups([])
    os.setgid(nobody.pw_gid)
    os.setuid(nobody.pw_uid)
sys.argv = ["manhattan", "serve", "--port", "0", "--no-browser", "--database", sys.argv[1]]
main()
"""


@pytest.mark.process  # coverage couldn't write its file as another user
@pytest.mark.parametrize("what", ["file", "folder"])
def test_a_read_only_database_is_explained(what: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder, database = Path(name), Path(name) / "t.db"
        asyncio.run(create_database(str(database)))
        database.chmod(0o444 if what == "file" else 0o666)
        folder.chmod(0o777 if what == "file" else 0o555)
        ended = subprocess.run(
            [sys.executable, "-c", SERVE_UNPRIVILEGED, str(database)],
            check=False,
            capture_output=True,
            text=True,
            timeout=60,
        )
        folder.chmod(0o755)
    assert ended.returncode == 1
    assert "is read-only for you" in ended.stderr
    assert "Traceback" not in ended.stderr


async def create_database(database: str) -> None:
    async with store_at(database):
        pass


def test_everyone_as_a_proxy_is_rejected(tmp_path: Path) -> None:
    outcome = run_cli("serve", "--trusted-proxy", "*", "--database", str(tmp_path / "t.db"))
    assert outcome.code == 1
    assert "A trusted proxy can't be everyone" in outcome.error
