"""``manhattan arena`` on the command line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from subprocess import PIPE

import pytest

from support.cli_runner import run_cli


def test_the_command_prints_and_writes_the_standings(tmp_path: Path) -> None:
    report, chart, journal = tmp_path / "a.json", tmp_path / "a.png", tmp_path / "a.jsonl"
    command = ["arena", "--bots", "greedy,random,random,random", "--seed", "5"]
    files = ["--json", str(report), "--plot", str(chart), "--journal", str(journal)]
    first = run_cli(*command, "--games", "4", "--workers", "1", *files)
    assert first.code == 0, first.err
    assert "greedy" in first.out
    assert "a fair share is 25 %" in first.out
    assert chart.read_bytes().startswith(b"\x89PNG")
    assert len(journal.read_text("utf-8").splitlines()) == 2
    more = run_cli(*command, "--games", "8", "--workers", "1", *files)
    assert more.code == 0, more.err
    fewer = run_cli(*command, "--games", "4", "--workers", "1", "--journal", str(journal))
    assert fewer.code == 0, fewer.err
    assert len(journal.read_text("utf-8").splitlines()) == 3  # nothing is removed
    figures = json.loads(report.read_text("utf-8"))
    assert figures["games"] == 8
    fields = {"name", "win_share", "low", "high", "mean_score", "rating", "ms_per_move"}
    assert [bot["name"] for bot in figures["bots"]] == ["greedy", "random"]
    assert all(fields <= bot.keys() for bot in figures["bots"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--bots", "greedy,deepblue"], "There is no bot 'deepblue'"),
        (["--bots", "greedy", "--players", "3"], "3 players need 3 bots"),
        (["--bots", "random,random", "--house-rule", "nonsense=1"], "nonsense"),
        (["--bots", "random,random", "--players", "0"], "2 to 4 players"),
        (["--bots", "random,random", "--json", "no/where.json"], "there is no folder no"),
        (["--bots", "random,random", "--plot", "no/where.png"], "there is no folder no"),
        (["--bots", "random,random", "--json", "."], "is a folder"),
    ],
)
def test_a_wrong_option_is_an_error(options: list[str], message: str) -> None:
    done = run_cli("arena", *options, "--games", "2")
    assert done.code != 0
    assert message in done.error
    assert "Traceback" not in done.err


def test_an_interrupted_match_prints_its_standings_and_how_to_continue(tmp_path: Path) -> None:
    journal = tmp_path / "match.jsonl"
    command = [sys.executable, "-m", "manhattan", "arena", "--bots", "easy,easy", "--workers", "1"]
    command += ["--games", "100000", "--journal", str(journal)]
    # Without coverage: an interrupt while coverage takes its lock would never release it.
    env = {key: value for key, value in os.environ.items() if not key.startswith("COVERAGE")}
    with subprocess.Popen(command, stdout=PIPE, stderr=PIPE, text=True, env=env) as process:
        try:
            while not journal.exists() or len(journal.read_text("utf-8").splitlines()) < 3:
                assert process.poll() is None
                time.sleep(0.05)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 130
    assert "easy" in out
    assert "Run the same command to continue." in " ".join(err.split())
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("module", "options"), [("ray", ["--ray", "local"]), ("matplotlib.figure", ["--plot", "a.png"])]
)
def test_the_error_names_a_missing_library(
    module: str, options: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    command = ["arena", "--bots", "random,random", "--games", "2", "--workers", "1"]
    done = run_cli(*command, *options)
    assert done.code != 0
    assert "pip install '.[" in done.error
