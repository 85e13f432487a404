"""Somebody else's server, measured the same way: boardgame.io with an endless tic-tac-toe.

What it needs is in ``bench/peer`` of the sources, and comes from npm into a folder for the time.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from manhattan.rules import ManhattanError

SOURCES = Path(__file__).parents[4] / "bench/peer"


class NoPeer(ManhattanError):
    """boardgame.io can't be measured here."""


@contextmanager
def peer() -> Iterator[Callable[[int, float, int | None], float]]:
    """Have boardgame.io at hand, and measure how many moves a second it carries, in memory, at so
    many matches in so many seconds; with a new match after so many moves, or without end."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None or not SOURCES.exists():
        raise NoPeer(
            "boardgame.io is measured from the sources, with node and npm: leave --peer out."
        )
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(SOURCES, folder, dirs_exist_ok=True)
        quiet = [npm, "install", "--no-package-lock", "--no-audit", "--no-fund", "--silent"]
        if subprocess.run(quiet, cwd=folder, check=False).returncode:  # noqa: S603 - found above
            raise NoPeer("npm could not install boardgame.io.")
        yield lambda matches, seconds, length: _measure(node, folder, matches, seconds, length or 0)


def _measure(node: str, folder: str, matches: int, seconds: float, length: int) -> float:
    cores = sorted(os.sched_getaffinity(0))
    server = subprocess.Popen(  # noqa: S603 - our own server.cjs
        [node, "server.cjs"], cwd=folder, stdout=subprocess.PIPE, text=True
    )
    try:
        os.sched_setaffinity(server.pid, cores[:1])
        assert server.stdout is not None
        port = server.stdout.readline().strip()
        command = [node, "players.cjs", "--port", port, "--matches", str(matches)]
        command += ["--seconds", str(seconds), "--length", str(length)]
        os.sched_setaffinity(0, cores[1:] or cores)  # the players inherit it
        try:
            played = subprocess.run(  # noqa: S603 - our own players.cjs
                command, cwd=folder, stdout=subprocess.PIPE, text=True, check=True
            )
        finally:
            os.sched_setaffinity(0, cores)
        return float(json.loads(played.stdout)["moves_a_second"])
    finally:
        server.terminate()
        server.wait()
        assert server.stdout is not None
        server.stdout.close()
