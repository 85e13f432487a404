"""What Lighthouse says of the first page and of a table, on a phone and on a desktop.

    .venv/bin/python bench/lighthouse.py

Needs Chromium, and the network once, for Lighthouse itself. Its figure for the performance tells of
this machine as much as of the page: measure when nothing else runs.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from subprocess import PIPE

from manhattan.client import Client
from manhattan.server.load.measuring import target

LIGHTHOUSE = "lighthouse@13.5.0"
NPM = Path(sys.executable).parent / "npm"
CATEGORIES = ("performance", "accessibility", "best-practices", "seo")
PAGES = ("home", "table")
DEVICES = ("mobile", "desktop")
MOVES = 17
TRIES = 3
"""Now and then Lighthouse misses the beginning of a page, and says that one should try again."""


def main() -> None:
    options = _options()
    chromium = shutil.which("chromium")
    if chromium is None:
        raise SystemExit("There is no Chromium here: `make chromium` installs it.")
    with tempfile.TemporaryDirectory() as folder, target(f"{folder}/tables.db") as (_, port):
        reports: Path = options.reports or Path(folder)
        reports.mkdir(parents=True, exist_ok=True)
        address = f"http://127.0.0.1:{port}"
        client = Client(address, "Ada", patience=60)
        print(f"{'':16}" + "".join(f"{name:>16}" for name in CATEGORIES))
        for name in options.page or PAGES:
            path = "/" if name == "home" else f"/table/{_table(client, options.moves)}"
            for device in options.device or DEVICES:
                report = reports.resolve() / f"{name}-{device}.json"
                scores = _measure(address + path, device, client.cookie, chromium, report)
                print(f"{name:6}{device:10}" + "".join(f"{score:16}" for score in scores))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--page", action="append", choices=PAGES, help="Look at this one only; may be repeated.")
    add("--device", action="append", choices=DEVICES, help="As if on this one; may be repeated.")
    add(
        "--moves",
        type=int,
        default=MOVES,
        metavar="N",
        help="Own moves that were made at the table (default: %(default)s, which is in round 3).",
    )
    add(
        "--reports",
        type=Path,
        metavar="FOLDER",
        help="Keep what Lighthouse says in this folder, with its reasons.",
    )
    return parser.parse_args()


def _table(client: Client, moves: int) -> str:
    """A table in the midst of a game."""
    chairs = [{"who": "me"}, *[{"who": "bot", "level": "easy"}] * 3]
    table = client.open(chairs=chairs, pace=0, begin=True)
    with client.at(table) as seat:
        for number, turn in enumerate(seat.turns()):
            if number == moves:
                break
            seat.play(turn.moves[number * 7 % len(turn.moves)])
    return table


def _measure(url: str, device: str, cookie: str, chromium: str, report: Path) -> list[int]:
    command = [str(NPM), "exec", "--yes", LIGHTHOUSE, "--", url, "--quiet", "--output=json"]
    command += [f"--output-path={report}", "--chrome-flags=--headless --no-sandbox"]
    command += [f"--extra-headers={json.dumps({'Cookie': cookie})}"]
    command += ["--preset=desktop"] if device == "desktop" else []
    path = os.pathsep.join([str(NPM.parent), os.environ.get("PATH", "")])
    surroundings = os.environ | {"CHROME_PATH": chromium, "PATH": path}
    for _ in range(TRIES):
        done = subprocess.run(
            command, check=False, cwd=report.parent, env=surroundings, stderr=PIPE, text=True
        )
        if done.returncode == 0:
            told = json.loads(report.read_text("utf-8"))["categories"]
            return [round(100 * told[name]["score"]) for name in CATEGORIES]
    raise SystemExit(f"Lighthouse could not look at the page:\n{done.stderr.strip()}")


if __name__ == "__main__":
    main()
