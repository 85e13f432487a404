"""The peer: boardgame.io with an endless tic-tac-toe, measured in the same way as this server.

Its files are in ``bench/peer`` of a checkout; npm installs boardgame.io into a temporary folder.
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
from typing import Final

from manhattan.rules import ManhattanError

SOURCES: Final = Path(__file__).parents[4] / "bench/peer"


class NoPeer(ManhattanError):
    """boardgame.io can't be measured here."""


@contextmanager
def peer() -> Iterator[Callable[[int, float, int | None], float]]:
    """Install boardgame.io, and yield a function that measures its moves per second, in memory,
    from a number of matches, a duration in seconds, and the moves per match (None: endless)."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None or not SOURCES.exists():
        raise NoPeer(
            "Measuring boardgame.io needs node, npm and a checkout of this project. Remove --peer."
        )
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(SOURCES, folder, dirs_exist_ok=True)
        install = [npm, "install", "--no-package-lock", "--no-audit", "--no-fund", "--silent"]
        if subprocess.run(install, cwd=folder, check=False).returncode:  # noqa: S603 - found above
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
        os.sched_setaffinity(0, cores[1:] or cores)  # inherited by the players
        try:
            played = subprocess.run(  # noqa: S603 - our own players.cjs
                command, cwd=folder, stdout=subprocess.PIPE, text=True, check=True
            )
        finally:
            os.sched_setaffinity(0, cores)
        return float(json.loads(played.stdout)["moves_per_second"])
    finally:
        server.terminate()
        server.wait()
        assert server.stdout is not None
        server.stdout.close()
