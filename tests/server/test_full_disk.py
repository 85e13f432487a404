"""The disk is full: the server says so, nothing is lost, and it goes on when there is space."""

from __future__ import annotations

import os
import resource
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest

from databases import wait_until
from manhattan.client import Client, Refused
from players import Group, check_made, check_whole, kept, mistakes
from serving import AGAINST_EASY, Process, asked, process

SMALL: Final = 1_000_000
"""Bytes: enough for some moves."""
LARGE: Final = 100_000_000


class Bounded:
    """A disk on which no file of the server can grow beyond a size."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def shrink(self, server: Process) -> None:
        self._bound(server, SMALL)

    def grow(self, server: Process) -> None:
        self._bound(server, LARGE)

    def _bound(self, server: Process, size: int) -> None:
        resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

    def remove(self) -> None:
        pass


class Mounted:
    """A file system of its own, in memory."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._mount(SMALL, "mode=700")

    def shrink(self, server: Process) -> None:
        """It is small from the beginning."""

    def grow(self, server: Process) -> None:
        self._mount(LARGE, "remount")

    def remove(self) -> None:
        subprocess.run(["umount", str(self.folder)], check=True)

    def _mount(self, size: int, how: str) -> None:
        options = f"{how},size={size}"
        command = ["mount", "-t", "tmpfs", "-o", options, "manhattan-tests", str(self.folder)]
        subprocess.run(command, check=True, capture_output=True)


def can_mount() -> bool:
    """Who is root can, but not in every container."""
    if os.geteuid() != 0:
        return False
    with tempfile.TemporaryDirectory() as folder:
        try:
            Mounted(Path(folder)).remove()
        except (OSError, subprocess.CalledProcessError):
            return False
    return True


@pytest.fixture(params=[Bounded, Mounted] if can_mount() else [Bounded])
def disk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bounded | Mounted]:
    folder = tmp_path / "disk"
    folder.mkdir()
    disk = request.param(folder)
    yield disk
    disk.remove()


def why_not(work: Callable[[], object]) -> str | None:
    """The reason for which something is refused, if it is."""
    try:
        work()
    except Refused as refused:
        return refused.reason
    return None


def test_a_full_disk(disk: Bounded | Mounted, tmp_path: Path) -> None:
    database, log = str(disk.folder / "tables.db"), tmp_path / "log"
    with process(database, log=log) as server:
        ada, bob, cid = (Client(server.address, name) for name in ("Ada", "Bob", "Cid"))
        groups = [Group([ada, bob]), Group([cid], bots=1)]
        players = [player for group in groups for player in group.players]
        assert asked(server, "/readyz") == (200, "ready")
        disk.shrink(server)
        for group in groups:
            group.start()
        try:
            wait_until(lambda: any(one.refused for one in players), "the disk is full")
            made = [list(player.made) for player in players]
            for _ in range(20):
                assert asked(server, "/readyz") == (503, "storage is away")
            assert asked(server, "/healthz") == (200, "alive")
            assert why_not(lambda: ada.open(chairs=AGAINST_EASY)) == "storage_away"
            # A name is short: the last bytes may be enough for some.
            wait_until(
                lambda: why_not(lambda: Client(server.address, "Dot")), "no space for a name"
            )
            assert why_not(lambda: Client(server.address, "Dot")) == "storage_away"
            # Whoever comes may look.
            for player, was in zip(players, made, strict=True):
                check_made(kept(database, player.table), was)
                seen = player.client.call("GET", f"/api/tables/{player.table}")
                assert seen["position"]["ply"] > max((one.ply for one in was), default=-1)
            assert all(set(player.refused) <= {"storage_away"} for player in players)
        finally:
            disk.grow(server)
            for group in groups:
                group.join()
        wait_until(lambda: asked(server, "/readyz") == (200, "ready"), "there is space again")
        server.kill()  # what was told is on the disk, not only in the server
        server.start()
        for group in groups:
            check_whole(database, group)
    assert mistakes(log) == []
