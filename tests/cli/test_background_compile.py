"""Bots are compiled in the background: on a real terminal, with an empty cache."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from manhattan.game import Game
from support.cli_runner import Terminal

pytestmark = pytest.mark.process

HUMAN_STARTS = 64 * "5"
"""A seed with which the person is the start player."""
CTRL_C = "\x03"
COMPILING = "Compiling the bot (about 30 s, first time only)…"


@contextmanager
def playing(bots: str, folder: Path) -> Iterator[Terminal]:
    options = ["--players", "3", "--bots", bots, "--seed", HUMAN_STARTS]
    command = [sys.executable, "-m", "manhattan", "play", *options]
    with Terminal(*command, folder=folder, MANHATTAN_CACHE=str(folder)) as terminal:
        terminal.wait_for("Choose 4 blocks")
        yield terminal


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    with playing("easy,champion", tmp_path) as started:
        yield started


def compiler_pids(terminal: Terminal) -> list[int]:
    """The child processes that compile."""
    ps = ["ps", "-e", "-ww", "-o", "pid=,ppid=,args="]  # -ww: never cut off the arguments
    listed = subprocess.run(ps, capture_output=True, text=True, check=True)
    rows = [line.split(maxsplit=2) for line in listed.stdout.splitlines()]
    return [
        int(pid)
        for pid, parent, command in rows
        if int(parent) == terminal.pid and "manhattan.ai.warmup" in command
    ]


def first_build() -> str:
    """A move that the person can build first, whatever blocks the others choose."""
    names = ["Human", "Lotte", "Hadid"]
    game = Game.new(names, first="random", seed=bytes.fromhex(HUMAN_STARTS))
    for _ in names:
        game.play("[1123]")
    return str(game.legal_moves()[0])


def assert_ended(terminal: Terminal, compiler: int) -> None:
    """The program has ended without an error, and so has its compiler."""
    terminal.wait_for("Goodbye.")
    assert terminal.wait() == 0
    with pytest.raises(ProcessLookupError):
        os.kill(compiler, 0)


def test_compiling_starts_and_ends_with_the_game(terminal: Terminal) -> None:
    (compiler,) = compiler_pids(terminal)
    terminal.press("quit\n")
    assert_ended(terminal, compiler)


def test_until_it_is_compiled_a_bot_plays_like_a_weaker_one_and_says_so(
    terminal: Terminal,
) -> None:
    """Champion chooses its blocks and builds while it is compiled."""
    (compiler,) = compiler_pids(terminal)
    terminal.press("1123\n")
    terminal.wait_for("Lotte is thinking…")
    terminal.wait_for("until then they play like Medium.")
    terminal.wait_for("Build (? for help)")
    terminal.press(f"{first_build()}\n")
    terminal.wait_for("Hadid is thinking…")
    terminal.wait_for("Build (? for help)")
    assert compiler_pids(terminal) == [compiler]


def test_advice_is_compiled_in_the_background_too(tmp_path: Path) -> None:
    """No bot of this game needs compiled code: compiling starts when advice is requested."""
    with playing("easy", tmp_path) as terminal:
        assert compiler_pids(terminal) == []
        terminal.press("hint\n")
        terminal.wait_for("Selections like this did best in many games.")
        assert compiler_pids(terminal) == []
        terminal.press("advice\n")
        terminal.wait_for(COMPILING)
        (compiler,) = compiler_pids(terminal)
        terminal.press(CTRL_C)
        terminal.wait_for("Advice cancelled.")
        terminal.press("quit\n")
        assert_ended(terminal, compiler)


def test_cancelled_advice_leaves_game_and_compiler_running(terminal: Terminal) -> None:
    (compiler,) = compiler_pids(terminal)
    while not os.getpriority(os.PRIO_PROCESS, compiler):
        time.sleep(0.1)  # until it has started up and ignores Ctrl-C
    terminal.press("advice\n")
    terminal.wait_for(COMPILING)
    terminal.press(CTRL_C)
    terminal.wait_for("Advice cancelled.")
    terminal.wait_for("Choose 4 blocks")
    assert compiler_pids(terminal) == [compiler]
    terminal.press("quit\n")
    assert_ended(terminal, compiler)
