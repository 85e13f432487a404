"""Every compilation is announced once, and nothing else is."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from manhattan.kernel import KernelError, compile_notice
from manhattan.kernel.compile_notice import announce_compilation, is_compiled, setup_for_shape
from manhattan.rules import set_up

DETERMINIZE = """
from manhattan.kernel import Position
from manhattan.kernel.compile_notice import is_compiled
from manhattan.rules import SeedShuffler, deal, set_up

setup = set_up(3)
print(is_compiled(setup, "determinizing"))
Position.from_state(deal(setup, SeedShuffler(bytes(32)))).determinize(0)
print(is_compiled(setup, "determinizing"))
"""


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine where nothing is compiled yet."""
    monkeypatch.setattr(compile_notice, "COMPILED", True)
    monkeypatch.setattr(compile_notice, "CACHE", tmp_path / "kernel-now")
    monkeypatch.setattr(compile_notice, "_compiled", set())
    return tmp_path


def compile_part(players: int = 4) -> None:
    with announce_compilation(set_up(players), "tests"):
        pass


@pytest.mark.usefixtures("cache")
def test_only_the_first_use_is_announced(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not is_compiled(set_up(4), "tests")
    compile_part()
    lines = capsys.readouterr().err.splitlines()
    assert [line.split()[0] for line in lines] == ["Compiling", "Compiled"]
    assert "for 4 players (tests)" in lines[0]
    compile_part()
    monkeypatch.setattr(compile_notice, "_compiled", set())  # as in another process
    assert is_compiled(set_up(4), "tests")
    compile_part()
    assert capsys.readouterr().err == ""
    compile_part(3)
    assert "for 3 players" in capsys.readouterr().err


def test_caches_of_other_versions_are_deleted_after_a_month(cache: Path) -> None:
    old, recent, other = cache / "kernel-old", cache / "kernel-recent", cache / "games"
    for folder in (old, recent, other):
        folder.mkdir()
    os.utime(old, (0, 0))
    os.utime(other, (0, 0))
    compile_part()
    assert sorted(folder.name for folder in cache.iterdir()) == [
        "games",
        "kernel-now",
        "kernel-recent",
    ]


def test_without_a_writable_cache_every_process_announces(
    cache: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (cache / "kernel-now").write_text("a file where a folder should be", "utf-8")
    compile_part()
    monkeypatch.setattr(compile_notice, "_compiled", set())
    compile_part()
    assert capsys.readouterr().err.count("Compiled in") == 2


@pytest.mark.compiled
def test_a_process_does_not_wait_for_what_another_one_compiled(tmp_path: Path) -> None:
    """The second process finds the code in the cache and announces nothing."""
    outputs = []
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", DETERMINIZE],
            env=os.environ | {"MANHATTAN_CACHE": str(tmp_path)},
            capture_output=True,
            text=True,
            check=True,
        )
        outputs.append((done.stdout.split(), done.stderr.count("Compil")))
    assert outputs == [(["False", "True"], 2), (["True", "True"], 0)]


@pytest.mark.parametrize(("players", "colours"), [(2, 1), (2, 2), (3, 1), (4, 1)])
def test_every_shape_of_table_has_a_setup(players: int, colours: int) -> None:
    setup = setup_for_shape(players, colours)
    assert (len(setup.players), setup.schedule.colours) == (players, colours)


@pytest.mark.parametrize(("players", "colours"), [(3, 2), (4, 2), (2, 3)])
def test_other_shapes_are_rejected(players: int, colours: int) -> None:
    with pytest.raises(KernelError, match="No table"):
        setup_for_shape(players, colours)
