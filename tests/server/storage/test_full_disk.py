"""A full disk: the server reports it, loses nothing, and continues when there is space."""

from __future__ import annotations

import os
import resource
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest

from manhattan.client import Client, RequestRejected
from support.crash_test_players import (
    Group,
    check_acknowledged,
    check_finished_game,
    stored_events,
    unexpected_errors,
)
from support.databases import wait_until
from support.server_fixtures import AGAINST_EASY, Process, get, process

pytestmark = pytest.mark.process

SMALL: Final = 1_000_000
"""Bytes, enough for some moves."""
LARGE: Final = 100_000_000


class LimitedFiles:
    """A limit on the size of the server's files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def shrink(self, server: Process) -> None:
        self._limit(server, SMALL)

    def grow(self, server: Process) -> None:
        self._limit(server, LARGE)

    def _limit(self, server: Process, size: int) -> None:
        resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

    def remove(self) -> None:
        pass


class SmallFileSystem:
    """A file system in memory."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._mount(SMALL, "mode=700")

    def shrink(self, server: Process) -> None:
        """Do nothing: it is small from the start."""

    def grow(self, server: Process) -> None:
        self._mount(LARGE, "remount")

    def remove(self) -> None:
        subprocess.run(["umount", str(self.folder)], check=True)

    def _mount(self, size: int, how: str) -> None:
        options = f"{how},size={size}"
        command = ["mount", "-t", "tmpfs", "-o", options, "manhattan-tests", str(self.folder)]
        subprocess.run(command, check=True, capture_output=True)


def can_mount() -> bool:
    """Return whether this process can mount a file system: root can, but not in every container."""
    if os.geteuid() != 0:
        return False
    with tempfile.TemporaryDirectory() as folder:
        try:
            SmallFileSystem(Path(folder)).remove()
        except (OSError, subprocess.CalledProcessError):
            return False
    return True


@pytest.fixture(params=[LimitedFiles, SmallFileSystem] if can_mount() else [LimitedFiles])
def disk(
    request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[LimitedFiles | SmallFileSystem]:
    folder = tmp_path / "disk"
    folder.mkdir()
    disk = request.param(folder)
    yield disk
    disk.remove()


def rejection_of(call: Callable[[], object]) -> str | None:
    """Return the reason for which a call is rejected, if it is."""
    try:
        call()
    except RequestRejected as error:
        return error.reason
    return None


def test_no_move_is_lost_on_a_full_disk(
    disk: LimitedFiles | SmallFileSystem, tmp_path: Path
) -> None:
    database, log = str(disk.folder / "tables.db"), tmp_path / "log"
    with process(database, log=log) as server:
        ada, bob, cid = (Client(server.address, name) for name in ("Ada", "Bob", "Cid"))
        groups = [Group([ada, bob]), Group([cid], bots=1)]
        players = [player for group in groups for player in group.players]
        assert get(server, "/readyz") == (200, "ready")
        disk.shrink(server)
        for group in groups:
            group.start()
        try:
            wait_until(lambda: any(player.rejections for player in players), "the disk is full")
            made = [list(player.acknowledged) for player in players]
            for _ in range(20):
                assert get(server, "/readyz") == (503, "storage unavailable")
            assert get(server, "/healthz") == (200, "alive")
            assert rejection_of(lambda: ada.open_table(seats=AGAINST_EASY)) == "storage_unavailable"
            # A name is short: some may still fit into the last bytes.
            wait_until(
                lambda: rejection_of(lambda: Client(server.address, "Dot")), "no space for a name"
            )
            assert rejection_of(lambda: Client(server.address, "Dot")) == "storage_unavailable"
            # Reading still works.
            for player, moves in zip(players, made, strict=True):
                check_acknowledged(stored_events(database, player.table), moves)
                view = player.client.request("GET", f"/api/tables/{player.table}")
                assert view["position"]["ply"] > max((move.ply for move in moves), default=-1)
            assert all(set(player.rejections) <= {"storage_unavailable"} for player in players)
        finally:
            disk.grow(server)
            for group in groups:
                group.join()
        wait_until(lambda: get(server, "/readyz") == (200, "ready"), "there is space again")
        server.kill()  # acknowledged moves are on the disk
        server.start()
        for group in groups:
            check_finished_game(database, group)
    assert unexpected_errors(log) == []
