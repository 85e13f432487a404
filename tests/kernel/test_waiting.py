"""Nobody waits for the compiler without being told, and nobody is told for nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from manhattan.kernel import warm
from manhattan.rules import set_up


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine where nothing has been compiled yet."""
    monkeypatch.setattr(warm, "COMPILED", True)
    monkeypatch.setattr(warm, "CACHE", tmp_path / "kernel-now")
    monkeypatch.setattr(warm, "_compiled", set())
    return tmp_path


def wait(players: int = 4) -> None:
    with warm.announced(set_up(players), "tests"):
        pass


@pytest.mark.usefixtures("cache")
def test_the_first_use_is_told_and_no_other(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    wait()
    told = capsys.readouterr().err.splitlines()
    assert [line.split()[0] for line in told] == ["Compiling", "Compiled"]
    assert "for 4 players (tests)" in told[0]
    wait()
    monkeypatch.setattr(warm, "_compiled", set())  # another process
    wait()
    assert capsys.readouterr().err == ""
    wait(3)
    assert "for 3 players" in capsys.readouterr().err


def test_what_was_compiled_long_ago_is_forgotten(cache: Path) -> None:
    old, recent, other = cache / "kernel-old", cache / "kernel-recent", cache / "games"
    for folder in (old, recent, other):
        folder.mkdir()
    os.utime(old, (0, 0))
    os.utime(other, (0, 0))
    wait()
    assert sorted(folder.name for folder in cache.iterdir()) == [
        "games",
        "kernel-now",
        "kernel-recent",
    ]


def test_where_nothing_can_be_written_it_is_told_again(
    cache: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (cache / "kernel-now").write_text("a file where a folder should be", "utf-8")
    wait()
    monkeypatch.setattr(warm, "_compiled", set())
    wait()
    assert capsys.readouterr().err.count("Compiled in") == 2
