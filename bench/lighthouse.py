"""What Lighthouse says of the first page and of a table, on a phone and on a desktop.

    .venv/bin/python bench/lighthouse.py

Needs Chromium, and the network once, for Lighthouse itself. Its figure for the performance tells of
this machine as much as of the page: measure when nothing else runs.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from manhattan.client import Client
from manhattan.server.load.measuring import target

LIGHTHOUSE = "lighthouse@13.5.0"
NPM = Path(sys.executable).parent / "npm"
CATEGORIES = ("performance", "accessibility", "best-practices", "seo")
MOVES = 17


def main() -> None:
    chromium = shutil.which("chromium")
    if chromium is None:
        raise SystemExit("There is no Chromium here: `make chromium` installs it.")
    with tempfile.TemporaryDirectory() as folder, target(f"{folder}/tables.db") as (_, port):
        address = f"http://127.0.0.1:{port}"
        client = Client(address, "Ada", patience=60)
        pages = {"home": "/", "table": f"/table/{_table(client)}"}
        print(f"{'':16}" + "".join(f"{name:>16}" for name in CATEGORIES))
        for name, path in pages.items():
            for device in ("mobile", "desktop"):
                scores = _measure(address + path, device, client.cookie, chromium, Path(folder))
                print(f"{name:6}{device:10}" + "".join(f"{score:16}" for score in scores))


def _table(client: Client) -> str:
    """A table in the third round."""
    chairs = [{"who": "me"}, *[{"who": "bot", "level": "easy"}] * 3]
    table = client.open(chairs=chairs, pace=0, begin=True)
    with client.at(table) as seat:
        for number, turn in enumerate(seat.turns()):
            if number == MOVES:
                break
            seat.play(turn.moves[number * 7 % len(turn.moves)])
    return table


def _measure(url: str, device: str, cookie: str, chromium: str, folder: Path) -> list[int]:
    report = folder / "report.json"
    command = [str(NPM), "exec", "--yes", LIGHTHOUSE, "--", url, "--quiet", "--output=json"]
    command += [f"--output-path={report}", "--chrome-flags=--headless --no-sandbox"]
    command += [f"--extra-headers={json.dumps({'Cookie': cookie})}"]
    command += ["--preset=desktop"] if device == "desktop" else []
    path = os.pathsep.join([str(NPM.parent), os.environ.get("PATH", "")])
    surroundings = os.environ | {"CHROME_PATH": chromium, "PATH": path}
    subprocess.run(command, check=True, cwd=folder, env=surroundings, stderr=subprocess.DEVNULL)
    told = json.loads(report.read_text("utf-8"))["categories"]
    return [round(100 * told[name]["score"]) for name in CATEGORIES]


if __name__ == "__main__":
    main()
