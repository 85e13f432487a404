"""Compiling ahead, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from manhattan.background import Rehearsal
from manhattan.kernel import KernelError
from manhattan.kernel.rehearsal import (
    REHEARSALS,
    rehearse,
    rehearse_in_background,
    table_for,
)
from manhattan.rules import set_up

SCRIPT = """
import sys
from manhattan.kernel import Position
from manhattan.kernel.rehearsal import rehearse_in_background
from manhattan.rules import SeedShuffler, deal, set_up

setup = set_up(3)
rehearsal = rehearse_in_background(setup, ["dealing"])
print(rehearsal.over)
rehearsal.wait()
print(rehearsal.over)
Position.of_state(deal(setup, SeedShuffler(bytes(32)))).deal_unseen(0)
print(rehearse_in_background(setup, ["dealing"]).process)
"""


@pytest.mark.compiled
def test_what_was_compiled_meanwhile_is_not_waited_for(tmp_path: Path) -> None:
    """Nobody is kept, and nothing is told: not while it goes on, and not afterwards."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env=os.environ | {"MANHATTAN_CACHE": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == ["False", "True", "None"]


@pytest.mark.compiled
def test_it_can_be_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MANHATTAN_CACHE", str(tmp_path))
    monkeypatch.setattr("manhattan.kernel.rehearsal.is_compiled", lambda *_: False)
    rehearsal = rehearse_in_background(set_up(4), ["playouts"])
    assert not rehearsal.over
    rehearsal.stop()
    assert rehearsal.over


def test_without_the_compiler_there_is_nothing_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("manhattan.kernel.rehearsal.COMPILED", False)
    rehearsal = rehearse_in_background(set_up(4), REHEARSALS)
    assert rehearsal == Rehearsal(None)
    rehearsal.wait()
    rehearsal.stop()
    assert rehearsal.over


@pytest.mark.xdist_group("2-2")
def test_everything_can_be_rehearsed() -> None:
    rehearse(table_for(2, 2), REHEARSALS)


@pytest.mark.parametrize(("players", "colours"), [(2, 1), (2, 2), (3, 1), (4, 1)])
def test_there_is_a_table_for_every_shape(players: int, colours: int) -> None:
    setup = table_for(players, colours)
    assert (len(setup.players), setup.schedule.colours) == (players, colours)


@pytest.mark.parametrize(("players", "colours"), [(3, 2), (4, 2), (2, 3)])
def test_there_are_no_other_shapes(players: int, colours: int) -> None:
    with pytest.raises(KernelError, match="No table"):
        table_for(players, colours)
