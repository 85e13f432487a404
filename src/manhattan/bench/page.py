"""Benchmark of the page: Lighthouse on the home page and on a table, on a phone and a desktop.

It needs Chromium and npm, and the network once to fetch Lighthouse. The performance score depends
on the machine as much as on the page: measure when nothing else runs.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from manhattan.bench.measurement import Measurement
from manhattan.bench.server.load import run_target
from manhattan.client import Client
from manhattan.rules import ManhattanError

PAGES: Final = ("home", "table")
DEVICES: Final = ("mobile", "desktop")
_LIGHTHOUSE: Final = "lighthouse@13.5.0"
_CATEGORIES: Final = ("performance", "accessibility", "best-practices", "seo")
_MOVES: Final = 17
"""The viewer's moves before the table is measured: it is then in round 3."""
_ATTEMPTS: Final = 3
"""Now and then Lighthouse misses the start of a page, and asks to try again."""


class LighthouseError(ManhattanError):
    """Lighthouse can't measure the page here."""


def measure(reports: Path | None = None) -> Iterator[Measurement]:
    """Yield the scores one by one; with a folder, keep Lighthouse's reports in it."""
    chromium, npm = shutil.which("chromium"), _find_npm()
    if chromium is None:
        raise LighthouseError(
            "Chromium is not installed. Run: make test-programs TEST_BROWSER=chromium"
        )
    with tempfile.TemporaryDirectory() as folder, run_target(f"{folder}/tables.db") as (_, port):
        reports = reports or Path(folder)
        reports.mkdir(parents=True, exist_ok=True)
        address = f"http://127.0.0.1:{port}"
        client = Client(address, "Ada", timeout=60)
        for page in PAGES:
            path = "/" if page == "home" else f"/table/{_open_table(client)}"
            for device in DEVICES:
                report = reports.resolve() / f"{page}-{device}.json"
                command = _command(npm, address + path, device, client.cookie, report)
                for category, score in _run(command, chromium, npm, report).items():
                    yield Measurement(f"{page}_{device}_{category}", 0, score, "of 100")


def _find_npm() -> str:
    """The npm of this environment, or the system's."""
    beside_python = Path(sys.executable).parent / "npm"
    npm = str(beside_python) if beside_python.exists() else shutil.which("npm")
    if npm is None:
        raise LighthouseError("npm is not installed; it is needed to run Lighthouse.")
    return npm


def _open_table(client: Client) -> str:
    """Open a table in the middle of a game."""
    seats = [{"occupant": "me"}, *[{"occupant": "bot", "level": "easy"}] * 3]
    table = client.open_table(seats=seats, bot_delay_ms=0, start=True)
    with client.connect(table) as seat:
        for number, turn in enumerate(seat.turns()):
            if number == _MOVES:
                break
            seat.play(turn.moves[number * 7 % len(turn.moves)])
    return table


def _command(npm: str, url: str, device: str, cookie: str, report: Path) -> Sequence[str]:
    command = [npm, "exec", "--yes", _LIGHTHOUSE, "--", url, "--quiet", "--output=json"]
    command += [f"--output-path={report}", "--chrome-flags=--headless --no-sandbox"]
    command += [f"--extra-headers={json.dumps({'Cookie': cookie})}"]
    return command + (["--preset=desktop"] if device == "desktop" else [])


def _run(command: Sequence[str], chromium: str, npm: str, report: Path) -> dict[str, float]:
    path = os.pathsep.join([str(Path(npm).parent), os.environ.get("PATH", "")])
    env = os.environ | {"CHROME_PATH": chromium, "PATH": path}
    for _ in range(_ATTEMPTS):
        done = subprocess.run(  # noqa: S603 - npm as found above
            command, check=False, cwd=report.parent, env=env, stderr=subprocess.PIPE, text=True
        )
        if done.returncode == 0:
            scores = json.loads(report.read_text("utf-8"))["categories"]
            return {name: 100.0 * scores[name]["score"] for name in _CATEGORIES}
    raise LighthouseError(f"Lighthouse failed: {done.stderr.strip()}")
