"""A bot that thinks is compiled while people play: seen on a real terminal, with an empty cache."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from manhattan.game import Game

PATIENCE = 60.0  # seconds, on a busy machine; nothing is waited for that does not come


A_PERSON_BEGINS = 64 * "5"


class Terminal:
    """A program on a terminal of its own: what is typed, and what is on the screen."""

    def __init__(self, *arguments: str, cache: Path) -> None:
        self.ours, theirs = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "manhattan", *arguments],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=cache,  # whoever leaves a game may leave a file
            env=os.environ
            | {"MANHATTAN_CACHE": str(cache), "TERM": "xterm", "COLUMNS": "120", "LINES": "50"},
            start_new_session=True,
        )
        os.close(theirs)
        self.told = ""

    def type(self, keys: str) -> None:
        os.write(self.ours, keys.encode())

    def read_until(self, wanted: str) -> None:
        """Wait until the screen has told this, from where it was read to last."""
        until = time.monotonic() + PATIENCE
        while wanted not in self.told:
            ready, _, _ = select.select([self.ours], [], [], max(0.0, until - time.monotonic()))
            assert ready, f"{wanted!r} did not come:\n{self.told}"
            try:
                more = os.read(self.ours, 65_536)
            except OSError:  # closed at the other end
                more = b""
            assert more, f"ended without {wanted!r}:\n{self.told}"
            self.told += re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", more.decode(errors="replace"))
        self.told = self.told.partition(wanted)[2]

    def close(self) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)  # with what compiles for it
            self.process.wait()
        os.close(self.ours)

    def compiling(self) -> list[int]:
        """The processes that the program has compile for it."""
        everyone = ["ps", "-e", "-ww", "-o", "pid=,ppid=,args="]  # however narrow the screen is
        listed = subprocess.run(everyone, capture_output=True, text=True, check=True)
        rows = [line.split(maxsplit=2) for line in listed.stdout.splitlines()]
        return [
            int(pid)
            for pid, parent, command in rows
            if int(parent) == self.process.pid and "manhattan.judgement.rehearsal" in command
        ]


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    arguments = ["--players", "3", "--bots", "easy,expert", "--seed", A_PERSON_BEGINS]
    made = Terminal("play", *arguments, cache=tmp_path)
    yield made
    made.close()


def first_build() -> str:
    """What the person can build, whatever blocks the others choose."""
    names = ["Human", "Easy 1", "Expert 2"]
    game = Game.new(names, first="lot", seed=bytes.fromhex(A_PERSON_BEGINS))
    for _ in names:
        game.play("[1123]")
    return str(game.legal_moves()[0])


def assert_over(terminal: Terminal, compiler: int) -> None:
    """The game has ended well, and nothing is compiled any more."""
    terminal.read_until("Goodbye.")
    assert terminal.process.wait(PATIENCE) == 0
    with pytest.raises(ProcessLookupError):
        os.kill(compiler, 0)


def test_compiling_begins_with_the_game_and_ends_with_it(terminal: Terminal) -> None:
    terminal.read_until("Choose 4 blocks")
    (compiler,) = terminal.compiling()
    terminal.type("quit\n")
    assert_over(terminal, compiler)


def test_nobody_waits_for_what_he_does_not_need(terminal: Terminal) -> None:
    """Expert chooses its blocks, and Easy does all, while Expert's thinking is compiled."""
    terminal.read_until("Choose 4 blocks")
    (compiler,) = terminal.compiling()
    terminal.type("1123\n")
    terminal.read_until("Easy 1 is thinking ...")
    terminal.read_until("Expert 2 is thinking ...")
    terminal.read_until("Build (? for help)")
    terminal.type(f"{first_build()}\n")
    terminal.read_until("Easy 1 is thinking ...")
    assert terminal.compiling() == [compiler]


def test_whoever_has_to_wait_is_told_why_and_may_leave(terminal: Terminal) -> None:
    """A thinker is waited for when it has to build."""
    terminal.read_until("Choose 4 blocks")
    terminal.type("1123\n")
    terminal.read_until("Build (? for help)")
    terminal.type(f"{first_build()}\n")
    terminal.read_until("Expert 2 is thinking, and has to be compiled first")
    (compiler,) = terminal.compiling()
    os.killpg(terminal.process.pid, signal.SIGINT)  # as Ctrl-C does
    assert_over(terminal, compiler)


def test_advice_is_compiled_beside_the_game_too(tmp_path: Path) -> None:
    """Nobody at the table thinks: compiling begins when advice is asked for, and is told."""
    terminal = Terminal("play", "-p", "3", "-b", "easy", "-s", A_PERSON_BEGINS, cache=tmp_path)
    try:
        terminal.read_until("Choose 4 blocks")
        assert terminal.compiling() == []
        terminal.type("hint\n")
        terminal.read_until("Such blocks did best in many games.")
        assert terminal.compiling() == []
        terminal.type("advice\n")
        terminal.read_until("Thinking it over, and has to be compiled first")
        (compiler,) = terminal.compiling()
        os.killpg(terminal.process.pid, signal.SIGINT)  # as Ctrl-C does
        terminal.read_until("No advice, then.")
        terminal.type("quit\n")
        assert_over(terminal, compiler)
    finally:
        terminal.close()


def test_who_has_waited_too_long_for_advice_plays_on(terminal: Terminal) -> None:
    """Ctrl-C is about the advice: what compiles for the bots goes on."""
    terminal.read_until("Choose 4 blocks")
    (compiler,) = terminal.compiling()
    while not os.getpriority(os.PRIO_PROCESS, compiler):
        time.sleep(0.1)  # until it has loaded, and gives way
    terminal.type("advice\n")
    terminal.read_until("Thinking it over, and has to be compiled first")
    os.killpg(terminal.process.pid, signal.SIGINT)
    terminal.read_until("No advice, then.")
    terminal.read_until("Choose 4 blocks")
    assert terminal.compiling() == [compiler]
    terminal.type("quit\n")
    assert_over(terminal, compiler)
